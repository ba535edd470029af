import { ANY, list, object, type ShapeOf, TEXT } from '../base/json/shape.ts';
import { type JsonObject, textAt } from '../base/json/value.ts';
import { COMMON_CODES } from './refusal.ts';
import type { Rule } from './request.ts';
import { RULES } from './rules.ts';
import type { SandboxState } from './state.ts';

type Choices = Readonly<Record<string, string>>;

const rules: readonly Rule[] = Object.values(RULES);

const ERROR_CODES = [...new Set([...COMMON_CODES, ...rules.flatMap(({ errorCode }) => errorCode ?? [])])];

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
  'rate limits': 'None, unless --fault simulates one.',
};

/** Every choice of the sandbox where the service documents nothing (`sandbox info --choices`). */
export const SANDBOX_CHOICES: Choices = Object.assign({}, ...rules.map(({ choices }) => choices), OF_ALL);

/** The output of `sandbox info`. A card of a seed file has that file's status. */
export const INFO_OUTPUT = object({
  cards: list(object({ cardId: ANY, status: ANY })),
  calendars: list(object({ id: TEXT })),
  subscribers: list(object({ id: TEXT, calendar: TEXT })),
  choices: list(object({ topic: TEXT, choice: TEXT })),
});

/** What `sandbox info` shows of the current state. */
export function sandboxInfo(state: SandboxState): ShapeOf<typeof INFO_OUTPUT> {
  const { cards, calendars, subscribers } = state;
  const of = (card: JsonObject, name: string) => card.get(name) ?? null;
  return {
    cards: Array.from(cards.values(), (card) => ({ cardId: of(card, 'cardId'), status: of(card, 'status') })),
    calendars: Array.from(calendars.keys(), (id) => ({ id })),
    subscribers: Array.from(subscribers, ([id, one]) => ({ id, calendar: textAt(one, 'calendar') ?? '' })),
    choices: Object.entries(SANDBOX_CHOICES).map(([topic, choice]) => ({ topic, choice })),
  };
}
