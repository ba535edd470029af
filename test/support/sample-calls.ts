import { fromPlain } from '../../src/base/json/value.ts';
import type { OPERATIONS } from '../../src/service/api/operations.ts';
import type { CallInput } from '../../src/service/http/call.ts';
import { CARD_ID, cardText } from './sample-card.ts';

export type OperationName = keyof typeof OPERATIONS;

/**
 * How a call ends that got no readable response. `read`: it changes nothing. `checked`: a status of the card resolves it,
 * and it may be sent again. `observed`: the card is read, and proves nothing. `blind`: no read shows it, and it is never
 * sent again. `repeatable`: no read shows it, and it may be sent again once.
 */
type Ends = 'read' | 'checked' | 'observed' | 'blind' | 'repeatable';

/** One call of an operation, and what is true of it by the service's own pages. */
interface SampleCall {
  /** Method and path: `POST /v1/cards/{cardId}/block`. */
  readonly endpoint: `${'GET' | 'POST'} /v1/${string}`;
  /** The command, without ID and options. */
  readonly command: string;
  /** The tool of assistants, and its hints: destructive, idempotent. Absent: there is none. */
  readonly tool?: { readonly name: string; readonly hints: readonly [boolean, boolean] };
  /** Argument of the command, and of the tool; absent: the operation has no ID. */
  readonly argument?: 'cardId' | 'calendarId' | 'subscriberId';
  /** All fields that it takes in body or query, in the order of help. */
  readonly takes: readonly string[];
  readonly fields?: Readonly<Record<string, string | boolean>>;
  /** Option that chooses among operations of one command. */
  readonly choice?: Readonly<Record<string, string>>;
  /** A response; `id` is that of the request. */
  response(id: string): Readonly<Record<string, unknown>>;
  readonly ends: Ends;
  /** What a card reads once it was done. */
  readonly shows?: string;
  /** A single call asks: always, or in a terminal. What it asks begins so. */
  readonly asks?: { readonly when: 'always' | 'terminal'; readonly question: string };
  /** What the question about many rows begins with; absent: it takes one only. */
  readonly asksOfRows?: string;
  /** Statuses at which the view of a card suggests it. */
  readonly suggestedAt?: readonly string[];
}

function card(status: string) {
  // The text of a card is an object.
  return (id: string) => JSON.parse(cardText(status, id)) as Record<string, unknown>;
}

const SUBSCRIBER = { object: 'subscriber', active: true, email: 'a@example.com', first_name: 'Ana', last_name: 'L' };
const PROVISION = {
  command: 'card provision',
  argument: 'cardId',
  takes: ['clientDeviceID', 'clientWalletProvider', 'clientWalletAccountID'],
  fields: { clientDeviceID: 'd', clientWalletProvider: 'p', clientWalletAccountID: 'a' },
  ends: 'blind',
  shows: 'ACTIVE',
} as const;

/**
 * A call of each operation, written by hand from the service's pages and read from nothing of src. Every test that goes
 * through all operations reads this table, so a new operation needs one entry here.
 */
export const SAMPLE_CALLS: Readonly<Record<OperationName, SampleCall>> = {
  cardGet: {
    endpoint: 'GET /v1/cards/{cardId}',
    command: 'card get',
    tool: { name: 'card_get', hints: [false, true] },
    argument: 'cardId',
    takes: [],
    response: card('ACTIVE'),
    ends: 'read',
  },
  cardActivate: {
    endpoint: 'POST /v1/cards/{cardId}/activate',
    command: 'card activate',
    tool: { name: 'card_activate', hints: [false, true] },
    argument: 'cardId',
    takes: [],
    response: card('ACTIVE'),
    ends: 'checked',
    shows: 'ACTIVE',
    asksOfRows: 'Activate cards',
    suggestedAt: ['WAITING_ACTIVATION'],
  },
  cardBlock: {
    endpoint: 'POST /v1/cards/{cardId}/block',
    command: 'card block',
    tool: { name: 'card_block', hints: [true, true] },
    argument: 'cardId',
    takes: ['reason'],
    fields: { reason: 'lost' },
    response: card('BLOCKED'),
    ends: 'checked',
    shows: 'BLOCKED',
    asks: { when: 'always', question: 'Block card' },
    asksOfRows: 'Block cards',
    suggestedAt: ['WAITING_ACTIVATION', 'ACTIVE'],
  },
  cardReissue: {
    endpoint: 'POST /v1/cards/{cardId}/reissue',
    command: 'card reissue',
    tool: { name: 'card_reissue', hints: [true, false] },
    argument: 'cardId',
    takes: ['reason'],
    fields: { reason: 'lost' },
    response: card('ACTIVE'),
    ends: 'observed',
    shows: 'REISSUED',
    asks: { when: 'always', question: 'Reissue card' },
    asksOfRows: 'Reissue cards',
    suggestedAt: ['ACTIVE', 'BLOCKED', 'EXPIRED'],
  },
  cardProvisionWalletA: {
    ...PROVISION,
    endpoint: 'POST /v1/cards/{cardId}/provision/wallet_a',
    choice: { wallet: 'wallet_a' },
    response: () => ({ encryptedPaymentInstrument: 'c2VjcmV0' }),
  },
  cardProvisionWalletB: {
    ...PROVISION,
    endpoint: 'POST /v1/cards/{cardId}/provision/wallet_b',
    choice: { wallet: 'wallet_b' },
    response: () => ({ primaryAccountNumberPrefix: '4000', activationData: 'abc', authenticationData: 'def' }),
  },
  calendarUpdate: {
    endpoint: 'POST /v1/calendars/{id}',
    command: 'calendar update',
    tool: { name: 'calendar_update', hints: [true, true] },
    argument: 'calendarId',
    takes: ['name', 'description', 'image', 'url', 'active'],
    fields: { name: 'Tours', active: false },
    response: (id) => ({ id, object: 'calendar', active: true, name: 'Tours', description: null }),
    ends: 'repeatable',
    asks: { when: 'terminal', question: 'Update calendar' },
    asksOfRows: 'Update calendars',
  },
  subscribersList: {
    endpoint: 'GET /v1/calendars/{id}/subscribers',
    command: 'calendar subscribers list',
    tool: { name: 'subscribers_list', hints: [false, true] },
    argument: 'calendarId',
    takes: ['active', 'limit'],
    fields: { active: 'false', limit: '100' },
    response: () => ({
      object: 'list',
      data: [
        { id: 's1', ...SUBSCRIBER },
        { id: 's2', ...SUBSCRIBER },
      ],
      url: '/v1/x',
    }),
    ends: 'read',
  },
  eventCreate: {
    endpoint: 'POST /v1/events',
    command: 'calendar event create',
    tool: { name: 'event_create', hints: [false, false] },
    takes: ['calendar', 'name', 'start', 'end', 'location', 'description', 'url', 'active'],
    fields: { calendar: 'cal-1', name: 'Party', start: '2027-05-01T10:00:00' },
    response: () => ({ id: 'evt_1', object: 'event', active: true, name: 'Party', start: '2027-05-01T10:00:00' }),
    ends: 'blind',
    asks: { when: 'terminal', question: 'Create event' },
    asksOfRows: 'Create events',
  },
  subscriberUpdate: {
    endpoint: 'POST /v1/subscribers/{id}',
    command: 'calendar subscribers update',
    tool: { name: 'subscriber_update', hints: [true, true] },
    argument: 'subscriberId',
    takes: ['email', 'first_name', 'last_name', 'active'],
    fields: { email: 'a@example.com', first_name: 'Ana' },
    response: (id) => ({ id, ...SUBSCRIBER }),
    ends: 'repeatable',
    asksOfRows: 'Update subscribers',
  },
};

// Object.keys gives string[]; these are the keys of the table itself.
export const NAMES = Object.keys(SAMPLE_CALLS) as OperationName[];

export const WRITES: readonly OperationName[] = NAMES.filter((name) => SAMPLE_CALLS[name].ends !== 'read');

/** The ID of a sample call: a card's, or any text. Undefined: the operation has none. */
export function sampleId(name: OperationName): string | undefined {
  const { argument } = SAMPLE_CALLS[name];
  return argument === 'cardId' ? CARD_ID : argument === undefined ? undefined : 'id-1';
}

/** Path of a sample call, as it is sent. */
export function samplePath(name: OperationName, id = sampleId(name)): string {
  const [, path = ''] = SAMPLE_CALLS[name].endpoint.split(' ');
  return path.replace(/\{\w+\}/, encodeURIComponent(id ?? ''));
}

/** A sample call as it is typed, without `--yes`. `but`: fields that are left out. */
export function typedCall(name: OperationName, id = sampleId(name), but: readonly string[] = []): string[] {
  const { command, fields = {}, choice = {} } = SAMPLE_CALLS[name];
  const options = Object.entries({ ...choice, ...fields }).filter(([field]) => !but.includes(field));
  const words = options.flatMap(([field, value]) => [`--${flagOf(field)}`, String(value)]);
  return [...command.split(' '), ...(id === undefined ? [] : [id]), ...words];
}

/** `first_name` is `--first-name`, `clientDeviceID` is `--client-device-id`. */
function flagOf(field: string): string {
  return field
    .replaceAll('_', '-')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
}

/** The body of a sample call; undefined: it has none. */
export function sampleBody(name: OperationName): Readonly<Record<string, unknown>> | undefined {
  const { endpoint, takes, fields = {} } = SAMPLE_CALLS[name];
  return endpoint.startsWith('GET ') || takes.length === 0 ? undefined : fields;
}

function textsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, String(value)]));
}

/** A sample call as the http layer takes it. */
export function sampleInput(name: OperationName, operation: CallInput['operation'], id = sampleId(name)): CallInput {
  const { endpoint, fields = {} } = SAMPLE_CALLS[name];
  const [, param] = /\{(\w+)\}/.exec(endpoint) ?? [];
  const body = sampleBody(name);
  return {
    operation,
    params: id === undefined || param === undefined ? {} : { [param]: id },
    query: endpoint.startsWith('GET ') ? textsOf(fields) : {},
    body: body === undefined ? undefined : fromPlain(body),
  };
}

/** Two rows of a call over many rows, as NDJSON. `but`: fields that are left out. */
export function sampleRows(name: OperationName, but: readonly string[] = []): string {
  const { argument, fields = {} } = SAMPLE_CALLS[name];
  const given = Object.fromEntries(Object.entries(fields).filter(([field]) => !but.includes(field)));
  const ids = argument === 'cardId' ? [CARD_ID, 'a1b2c3d4-2222-3333-4444-555566667777'] : ['id-1', 'id-2'];
  // Without an ID, two rows differ in what they make.
  const rows = ids.map((id) => ({
    ...(argument === undefined ? {} : { id }),
    ...given,
    ...(argument === undefined && { name: id }),
  }));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
