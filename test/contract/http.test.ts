import nock from 'nock';
import { getGlobalDispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { printJson } from '../../src/base/json/print.ts';
import { ALL_OPERATIONS, OPERATIONS } from '../../src/service/api/operations.ts';
import type { HttpClient } from '../../src/service/http/call.ts';
import { createHttpClient } from '../../src/service/http/ongoing-call.ts';
import { parseBaseUrl } from '../../src/service/wire/base-url.ts';
import { createTransport } from '../../src/service/wire/transport.ts';
import { NAMES, SAMPLE_CALLS, sampleBody, sampleId, sampleInput, samplePath } from '../support/sample-calls.ts';

/** The whole http layer against the spec's endpoint table, with every request seen by nock. */

const ORIGIN = 'https://service.example';
const CARD_ID = '7c0e1111-2222-0333-0444-555566667777';

beforeAll(() => {
  nock.disableNetConnect();
});
beforeEach(() => {
  if (!nock.isActive()) nock.activate();
  // In the place of a connection: the dispatcher of the process, which nock intercepts. All above it is as shipped.
  vi.spyOn(Client.prototype, 'dispatch').mockImplementation(({ reset, ...options }, handler) => {
    resets.push(reset);
    return getGlobalDispatcher().dispatch(options, handler);
  });
});
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.restore();
  vi.restoreAllMocks();
  expect(pending).toEqual([]);
});

/** Whether the connection of each request is closed after it. */
const resets: unknown[] = [];

function client(): HttpClient {
  const parsed = parseBaseUrl(`${ORIGIN}/gw`);
  if (parsed.kind === 'bad') throw new Error(parsed.problem);
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  return createHttpClient({
    baseUrl: parsed.baseUrl,
    credential: { token: async () => 'token-1234567890', renew: async () => undefined },
    clock,
    random: () => 0,
    version: '1.2.3',
    profile: 'demo',
    namedProfile: undefined,
    stoppedBy: () => undefined,
    transport: createTransport({ baseUrl: parsed.baseUrl, clock }),
  });
}

const POLICY = { timeoutMs: 5000, retries: 0, retryMaxTimeMs: 60_000 };

it('the requests that are held against the spec cover the whole table', () => {
  expect(ALL_OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    NAMES.map((name) => SAMPLE_CALLS[name].endpoint).sort(),
  );
});

// An ID that a path cannot hold as it is.
it.each(NAMES.flatMap((name) => [[name, sampleId(name)] as const, [name, 'cal/1'] as const]))(
  'every operation sends what the spec shows: %s of %s',
  async (name, id) => {
    const body = sampleBody(name);
    const { response, endpoint } = SAMPLE_CALLS[name];
    const input = sampleInput(name, OPERATIONS[name], id);
    const headers = {
      authorization: 'Bearer token-1234567890',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'frontdesk/1.2.3',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    let sent = '';
    nock(ORIGIN, { reqheaders: headers, badheaders: body === undefined ? ['content-type'] : [] })
      .intercept(`/gw${samplePath(name, id)}`, endpoint.startsWith('GET ') ? 'GET' : 'POST', (given) => {
        sent = typeof given === 'string' ? given : JSON.stringify(given);
        return true;
      })
      .query(input.query)
      .reply(200, response(id ?? ''), { 'x-request-id': 'q-1' });
    const result = await client().call(input, { policy: POLICY });
    expect(result).toMatchObject({ kind: 'answered', callOutcome: { httpStatus: 200, requestId: 'q-1', attempts: 1 } });
    expect(result.kind === 'answered' && printJson(result.resource)).toBe(JSON.stringify(response(id ?? '')));
    expect(sent).toBe(body === undefined ? '' : JSON.stringify(body));
    // What makes a second card, wallet entry or event each time has a connection of its own.
    const isAlone = ['blind', 'observed'].includes(SAMPLE_CALLS[name].ends) || name === 'subscribersList';
    expect(resets.splice(0)).toEqual([isAlone]);
  },
);

it.each([
  [401, 'UNAUTHORIZED', 'AUTH', 4],
  [404, 'CARD_NOT_FOUND', 'NOT_FOUND', 3],
])('card get tells the error that the spec shows for %d', async (status, errorCode, code, exitCode) => {
  const service = { errorCode, message: 'm', details: { a: 1 } };
  nock(ORIGIN).get(`/gw/v1/cards/${CARD_ID}`).reply(status, service);
  const input = { operation: OPERATIONS.cardGet, params: { cardId: CARD_ID }, query: {}, body: undefined };
  const result = await client().call(input, { policy: POLICY });
  expect(result).toMatchObject({ kind: 'failed', failure: { code, exitCode, details: { http: { status } } } });
  const sent = result.kind === 'failed' ? result.failure.details.service : undefined;
  expect(sent === undefined ? '' : printJson(sent)).toBe(JSON.stringify(service));
});
