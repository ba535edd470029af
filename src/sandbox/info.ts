import { ANY, list, object, type ShapeOf, TEXT } from '../json/shape.ts';
import { textAt } from '../json/value.ts';
import { ERROR_CODES } from './refusal.ts';
import type { OperationKey } from './request.ts';
import type { SandboxState } from './state.ts';

type Choices = Readonly<Record<string, string>>;

/** What it chose for one operation. A new one needs a line here: none is fine where the service shows everything. */
const OF_OPERATION: Readonly<Record<OperationKey, Choices>> = {
  cardGet: {},
  cardActivate: {
    'status after activate':
      'ACTIVE. Only a card that is WAITING_ACTIVATION can be activated; any other: 409 CARD_NOT_ACTIVATABLE.',
  },
  cardBlock: {
    'status after block':
      'BLOCKED. A card that is ACTIVE or WAITING_ACTIVATION can be blocked; any other: 409 CARD_NOT_BLOCKABLE.',
  },
  cardReissue: {
    'status after reissue':
      'The original reads REISSUED. A card that is ACTIVE, BLOCKED or WAITING_ACTIVATION can be reissued; any other: 409 CARD_NOT_REISSUABLE.',
    'card returned by reissue':
      'The replacement: a new cardId, the clientReference with -R behind it, the same design, metadata and expiryDate; ACTIVE, or WAITING_ACTIVATION if the original was.',
    'balance at reissue':
      'It moves: the original shows currentBalance 0.00, cancellationAction REISSUE, cancellationAmount and an UNLOAD; the replacement starts with the amount as a LOAD.',
  },
  cardProvisionWalletA: {
    provisioning:
      'Only a card that is ACTIVE, else 409 CARD_NOT_ACTIVE. All three fields are optional. The answers are made-up text, new at each call; the card does not change.',
  },
  cardProvisionWalletB: {},
  calendarUpdate: {
    'fields omitted in an update': 'They stay as they are. An update without any field changes only updated.',
  },
  subscribersList: {
    'subscriber list':
      'In a fixed order; those without active count as active. There is no way past the first limit entries.',
  },
  subscriberUpdate: {},
  eventCreate: {
    'end of an event':
      'An event created without end has none. An end before the start is not refused. Times are kept as sent.',
    'calendar of an event':
      'The id of a calendar that exists, active or not, as a string; else 404 CALENDAR_NOT_FOUND.',
    events: 'The newest 100 are kept; no operation reads them.',
  },
};

/** What it chose for all of them. */
const OF_ALL: Choices = {
  'reason in a body': 'Optional, any text. It is accepted and appears in no answer.',
  expiry: 'The clock changes no card: one whose expiryDate has passed keeps its status.',
  'error statuses of all operations':
    '400 for a request that breaks a shown rule, 401 without the right token, 404 for an unknown id or path, 405 for a wrong method, 409 for a state that forbids it, 413 for a body over 8 MiB, 415 for a body that is not application/json. 403, 429 and 5xx come only from --fault.',
  'error body of the calendar API': 'That of the gift cards.',
  'values of errorCode': `${ERROR_CODES.join(', ')}.`,
  'requests that break a rule':
    'Refused, nothing changes: unknown body fields and query parameters, wrong types, the same name twice, texts over a request limit, a limit outside 1 to 100, a body where none is shown, no body where one is.',
  'texts over a limit that holds only in responses':
    'Accepted and kept whole; calendars and subscribers answer with their first 5000 characters.',
  'updatedAt and updated': 'The time of the last accepted change, in UTC.',
  'calendar of a subscriber in a seed file':
    'An extra member calendar names it; without one it belongs to the first calendar. Answers never show it.',
  'request id': 'Every answer carries x-request-id.',
  'rate limits': 'None, unless --fault plays one.',
};

/**
 * Every choice of the sandbox where the service shows nothing, by what it is about. `sandbox info` and the README print
 * this list. The real service may behave otherwise in each of these points.
 */
export const SANDBOX_CHOICES: Choices = Object.assign({}, ...Object.values(OF_OPERATION), OF_ALL);

/** What `sandbox info` prints. A card of a seed file has the status that the file gives it. */
export const INFO_OUTPUT = object({
  cards: list(object({ cardId: ANY, status: ANY })),
  calendars: list(object({ id: TEXT })),
  subscribers: list(object({ id: TEXT, calendar: TEXT })),
  choices: list(object({ topic: TEXT, choice: TEXT })),
});

/** What `sandbox info` shows of the current state. */
export function sandboxInfo(state: SandboxState): ShapeOf<typeof INFO_OUTPUT> {
  return {
    cards: [...state.cards.values()].map((card) => ({
      cardId: card.get('cardId') ?? null,
      status: card.get('status') ?? null,
    })),
    calendars: [...state.calendars.keys()].map((id) => ({ id })),
    subscribers: [...state.subscribers].map(([id, subscriber]) => ({
      id,
      calendar: textAt(subscriber, 'calendar') ?? '',
    })),
    choices: Object.entries(SANDBOX_CHOICES).map(([topic, choice]) => ({ topic, choice })),
  };
}
