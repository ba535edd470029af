import nock from 'nock';
import { request } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { ALL_OPERATIONS, OPERATIONS } from '../../src/api/operations.ts';
import type { CallInput, HttpClient } from '../../src/http/call.ts';
import { createHttpClient } from '../../src/http/ongoing-call.ts';
import { fromPlain } from '../../src/json/plain.ts';
import { printJson } from '../../src/json/print.ts';
import { parseBaseUrl } from '../../src/wire/base-url.ts';
import type { Transport } from '../../src/wire/exchange.ts';

/** The whole http layer against the spec's endpoint table, with every request seen by nock. */

const ORIGIN = 'https://service.example';
const CARD_ID = '7c0e1111-2222-0333-0444-555566667777';

beforeAll(() => {
  nock.disableNetConnect();
});
beforeEach(() => {
  if (!nock.isActive()) nock.activate();
});
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.restore();
  expect(pending).toEqual([]);
});

/** Through undici's own dispatcher, which nock intercepts. */
const transport: Transport = {
  via: undefined,
  async exchange({ target, method, headers, body }, { onSend }) {
    onSend?.();
    const options = { method, headers: Object.fromEntries(headers), body: body ?? null };
    const reply = await request(`${ORIGIN}${target}`, options);
    const pairs = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const bytes = Buffer.from(await reply.body.arrayBuffer());
    return { kind: 'reply', status: reply.statusCode, headers: pairs, body: bytes.length === 0 ? [] : [bytes] };
  },
  close: async () => undefined,
};

function client(): HttpClient {
  const parsed = parseBaseUrl(`${ORIGIN}/gw`);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  const credential = { token: async () => 'token-1234567890', renew: async () => undefined };
  return createHttpClient({
    baseUrl: parsed.baseUrl,
    credential,
    clock,
    random: () => 0,
    version: '1.2.3',
    profile: 'demo',
    transport: transport,
  });
}

const POLICY = { timeoutMs: 5000, retries: 0, retryMaxTimeMs: 60_000 };

const CARD = {
  cardId: CARD_ID,
  clientReference: 'r',
  status: 'ACTIVE',
  initialBalance: 10,
  expiryDate: '2027-01-01T00:00:00Z',
  design: 'd',
  metadata: {},
  createdAt: '2025-01-01T00:00:00Z',
  updatedAt: '2025-01-01T00:00:00Z',
};

interface Row {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** Written by hand from the spec's tables, not read from ours. */
const ROWS: Record<keyof typeof OPERATIONS, Row> = {
  cardGet: { method: 'GET', path: `/v1/cards/${CARD_ID}`, params: { cardId: CARD_ID }, response: CARD },
  cardActivate: { method: 'POST', path: `/v1/cards/${CARD_ID}/activate`, params: { cardId: CARD_ID }, response: CARD },
  cardBlock: {
    method: 'POST',
    path: `/v1/cards/${CARD_ID}/block`,
    params: { cardId: CARD_ID },
    body: { reason: 'lost' },
    response: CARD,
  },
  cardReissue: {
    method: 'POST',
    path: `/v1/cards/${CARD_ID}/reissue`,
    params: { cardId: CARD_ID },
    body: {},
    response: CARD,
  },
  cardProvisionWalletA: {
    method: 'POST',
    path: `/v1/cards/${CARD_ID}/provision/wallet_a`,
    params: { cardId: CARD_ID },
    body: { clientDeviceID: 'd', clientWalletProvider: 'p', clientWalletAccountID: 'a' },
    response: { encryptedPaymentInstrument: 'x' },
  },
  cardProvisionWalletB: {
    method: 'POST',
    path: `/v1/cards/${CARD_ID}/provision/wallet_b`,
    params: { cardId: CARD_ID },
    body: {},
    response: { primaryAccountNumberPrefix: '4', activationData: 'x', authenticationData: 'y' },
  },
  calendarUpdate: {
    method: 'POST',
    path: '/v1/calendars/cal%2F1',
    params: { id: 'cal/1' },
    body: { name: '', active: false },
    response: { id: 'cal/1', object: 'calendar' },
  },
  subscribersList: {
    method: 'GET',
    path: '/v1/calendars/cal_1/subscribers',
    params: { id: 'cal_1' },
    query: { active: 'false', limit: '100' },
    response: { object: 'list', data: [] },
  },
  subscriberUpdate: {
    method: 'POST',
    path: '/v1/subscribers/sub_1',
    params: { id: 'sub_1' },
    body: { first_name: 'A', last_name: 'B', email: 'a@b.example' },
    response: { id: 'sub_1', object: 'subscriber' },
  },
  eventCreate: {
    method: 'POST',
    path: '/v1/events',
    params: {},
    body: { calendar: 'cal_1', name: 'N', start: '2026-05-01T10:00:00', url: null },
    response: { id: 'evt_1', object: 'event' },
  },
};

describe('every operation sends what the spec shows', () => {
  it('covers the whole table', () => {
    expect(Object.keys(ROWS)).toHaveLength(ALL_OPERATIONS.length);
  });

  it.each(Object.entries(ROWS))('%s', async (name, row) => {
    // The keys of ROWS are those of OPERATIONS, by its type.
    const operation: Operation = OPERATIONS[name as keyof typeof OPERATIONS];
    const headers = {
      authorization: 'Bearer token-1234567890',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'frontdesk/1.2.3',
      ...(row.body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const body = row.body === undefined ? '' : JSON.stringify(row.body);
    let sent = '';
    nock(ORIGIN, { reqheaders: headers, badheaders: row.body === undefined ? ['content-type'] : [] })
      .intercept(`/gw${row.path}`, row.method, (given) => {
        sent = typeof given === 'string' ? given : JSON.stringify(given);
        return true;
      })
      .query(row.query ?? {})
      .reply(200, row.response, { 'x-request-id': 'q-1' });
    const input: CallInput = {
      operation,
      params: row.params,
      query: row.query ?? {},
      body: row.body === undefined ? undefined : fromPlain(row.body),
    };
    const result = await client().call(input, { policy: POLICY });
    expect(result).toMatchObject({ kind: 'answered', ending: { httpStatus: 200, requestId: 'q-1', attempts: 1 } });
    expect(result.kind === 'answered' && printJson(result.resource)).toBe(JSON.stringify(row.response));
    expect(sent).toBe(body);
  });
});

describe('error answers that the spec shows', () => {
  it.each([
    [401, 'UNAUTHORIZED', 'AUTH', 4],
    [404, 'CARD_NOT_FOUND', 'NOT_FOUND', 3],
  ])('card get: %d', async (status, errorCode, code, exitCode) => {
    const service = { errorCode, message: 'm', details: { a: 1 } };
    nock(ORIGIN).get(`/gw/v1/cards/${CARD_ID}`).reply(status, service);
    const input = { operation: OPERATIONS.cardGet, params: { cardId: CARD_ID }, query: {}, body: undefined };
    const result = await client().call(input, { policy: POLICY });
    expect(result).toMatchObject({ kind: 'failed', failure: { code, exitCode, details: { http: { status } } } });
    const sent = result.kind === 'failed' ? result.failure.details.service : undefined;
    expect(sent === undefined ? '' : printJson(sent)).toBe(JSON.stringify(service));
  });
});
