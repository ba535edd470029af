/** One rule that the spec does not show and the sandbox had to choose. */
interface SandboxChoice {
  readonly topic: string;
  readonly choice: string;
}

/**
 * Every choice of the sandbox where the spec says "not shown". `sandbox info` and the README print this list.
 * The real service may behave otherwise in each of these points.
 */
export const SANDBOX_CHOICES: readonly SandboxChoice[] = [
  {
    topic: 'status after activate',
    choice: 'ACTIVE. Only a card that is WAITING_ACTIVATION can be activated; any other: 409 CARD_NOT_ACTIVATABLE.',
  },
  {
    topic: 'status after block',
    choice: 'BLOCKED. A card that is ACTIVE or WAITING_ACTIVATION can be blocked; any other: 409 CARD_NOT_BLOCKABLE.',
  },
  {
    topic: 'status after reissue',
    choice:
      'The original reads REISSUED. A card that is ACTIVE, BLOCKED or WAITING_ACTIVATION can be reissued; any other: 409 CARD_NOT_REISSUABLE.',
  },
  {
    topic: 'card returned by reissue',
    choice:
      'The replacement: a new cardId, the clientReference with -R behind it, the same design, metadata and expiryDate; ACTIVE, or WAITING_ACTIVATION if the original was.',
  },
  {
    topic: 'balance at reissue',
    choice:
      'It moves: the original shows currentBalance 0.00, cancellationAction REISSUE, cancellationAmount and an UNLOAD; the replacement starts with the amount as a LOAD.',
  },
  {
    topic: 'reason of block and reissue',
    choice: 'Optional, any text. It is accepted and appears in no answer.',
  },
  {
    topic: 'provisioning',
    choice:
      'Only a card that is ACTIVE, else 409 CARD_NOT_ACTIVE. All three fields are optional. The answers are made-up text, new at each call; the card does not change.',
  },
  {
    topic: 'expiry',
    choice: 'The clock changes no card: one whose expiryDate has passed keeps its status.',
  },
  {
    topic: 'error statuses of all operations',
    choice:
      '400 for a request that breaks a shown rule, 401 without the token of the family, 404 for an unknown id or path, 405 for a wrong method, 409 for a state that forbids it, 413 for a body over 8 MiB, 415 for a body that is not application/json. 403, 429 and 5xx come only from --fault.',
  },
  { topic: 'error body of family B', choice: "Family A's error body." },
  {
    topic: 'values of errorCode',
    choice:
      'UNAUTHORIZED, PATH_UNKNOWN, METHOD_NOT_ALLOWED, PATH_INVALID, QUERY_INVALID, BODY_INVALID, BODY_MISSING, BODY_NOT_ALLOWED, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, CARD_NOT_FOUND, CARD_NOT_ACTIVATABLE, CARD_NOT_BLOCKABLE, CARD_NOT_REISSUABLE, CARD_NOT_ACTIVE, CALENDAR_NOT_FOUND, SUBSCRIBER_NOT_FOUND, REQUEST_MALFORMED, SANDBOX_STATE, SANDBOX_FAULT.',
  },
  {
    topic: 'requests that break a rule',
    choice:
      'Refused, nothing changes: unknown body fields and query parameters, wrong types, the same name twice, texts over a request limit, a limit outside 1 to 100, a body where none is shown, no body where one is.',
  },
  {
    topic: 'fields omitted in an update',
    choice: 'They stay as they are. An update without any field changes only updated.',
  },
  {
    topic: 'texts over a limit that holds only in responses',
    choice: 'Accepted and kept whole; calendars and subscribers answer with their first 5000 characters.',
  },
  { topic: 'updatedAt and updated', choice: 'The time of the last accepted change, in UTC.' },
  {
    topic: 'end of an event',
    choice: 'An event created without end has none. An end before the start is not refused. Times are kept as sent.',
  },
  {
    topic: 'calendar of an event',
    choice: 'The id of a calendar that exists, active or not, as a string; else 404 CALENDAR_NOT_FOUND.',
  },
  { topic: 'events', choice: 'The newest 100 are kept; no operation reads them.' },
  {
    topic: 'subscriber list',
    choice: 'In a fixed order; those without active count as active. There is no way past the first limit entries.',
  },
  {
    topic: 'calendar of a subscriber in a seed file',
    choice: 'An extra member calendar names it; without one it belongs to the first calendar. Answers never show it.',
  },
  { topic: 'request id', choice: 'Every answer carries x-request-id.' },
  { topic: 'rate limits', choice: 'None, unless --fault plays one.' },
];
