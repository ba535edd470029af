import { expect, it } from 'vitest';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import type { CallResult } from '../../../../src/service/http/call.ts';
import type { Exchange, Header } from '../../../../src/service/wire/exchange.ts';
import { NAMES, SAMPLE_CALLS } from '../../../support/sample-calls.ts';
import { answer, bench, broken, card, inputFor, type Scripted, unsent, withPolicy } from './fakes.ts';

/** `CODE exit outcome` or `ok outcome`, then the requests: P for the operation itself, R for a card check. */
function line(operation: Operation, result: CallResult, sent: readonly string[]): string {
  const own = sent.map((request) => (isReadBack(operation, request) ? 'R' : 'P')).join('');
  const outcome = result.callOutcome.outcome ?? 'read';
  if (result.kind === 'answered') return `ok ${outcome} ${own}`;
  const { code, exitCode, details } = result.failure;
  // What is recorded is what is reported.
  const recorded = { code, outcome: details.outcome ?? null, httpStatus: details.http?.status };
  expect(result.callOutcome).toMatchObject(recorded);
  return `${code} ${exitCode} ${outcome} ${own}`;
}

const isReadBack = (operation: Operation, request: string) => operation.method === 'POST' && request.startsWith('GET ');

/** The operation meets `event` every time; a card check sees a status that resolves nothing. */
async function meet(operation: Operation, event: Exchange, seen: Exchange = answer(200, card('EXPIRED'))) {
  const step: Scripted = (wire) => (isReadBack(operation, `${wire.method} `) ? seen : event);
  const { client, sent } = bench(Array.from({ length: 12 }, () => step));
  return line(operation, await client.call(inputFor(operation), withPolicy()), sent);
}

const AWAY: Header[] = [['Location', 'https://elsewhere.example/x']];
const AFTER_1: Header[] = [['Retry-After', '1']];
const ERROR = { errorCode: 'E', message: 'm' };
const UNAVAILABLE = answer(503, '', AFTER_1);

const EVENTS = {
  ...{
    refused: unsent('refused'),
    reset_in_connect: unsent('connect_reset'),
    connect_timeout: unsent('connect_timeout'),
  },
  ...{ lookup_failed: unsent('lookup_failed'), not_found: unsent('not_found'), untrusted: unsent('untrusted') },
  ...{ not_tls: unsent('not_tls'), proxy_auth: unsent('proxy_auth') },
  ...{ s300: answer(300), s302: answer(302, '', AWAY), s303: answer(303, '', [['Location', '/v1/done']]) },
  ...{
    s307: answer(307, '', AWAY),
    s308: answer(308, '', AWAY),
    s400: answer(400, ERROR),
    s401: answer(401),
  },
  ...{ s403: answer(403), s404: answer(404), s408: answer(408, '', AFTER_1), s409: answer(409), s429: answer(429) },
  ...{ s500: answer(500), s503: answer(503), s503_retry_after: UNAVAILABLE, s999: answer(999) },
  ...{ reset: broken('reset'), timeout: broken('timeout'), not_http: broken('not_http') },
  ...{ cut_200: broken('closed', 'reading_body', 200), cut_404: broken('closed', 'reading_body', 404) },
  ...{ empty_200: answer(200), s204: answer(204), error_200: answer(200, ERROR) },
  html_200: answer(200, '<html><title>Login</title></html>'),
};
type EventName = keyof typeof EVENTS;

const same = (expected: string, ...names: EventName[]) => Object.fromEntries(names.map((name) => [name, expected]));
const NOT_SENT = ['refused', 'reset_in_connect', 'connect_timeout'] as const;
const FINAL = ['not_found', 'untrusted', 'not_tls', 'proxy_auth'] as const;
const SERVER_ERROR = ['s503', 's500', 's999'] as const;
/** Of which nobody can tell whether a write was done, though a read was refused. */
const AMBIGUOUS = ['s408', 's300', 's302', 's303'] as const;
const BROKEN = ['reset', 'timeout', 'not_http'] as const;
const UNREADABLE = ['cut_200', 'empty_200', 's204', 'html_200', 'error_200'] as const;

const READ: Record<string, string> = {
  ...same('UNREACHABLE 7 read PPP', ...NOT_SENT),
  ...same('UNREACHABLE 7 read PP', 'lookup_failed'),
  ...same('UNREACHABLE 7 read P', ...FINAL),
  ...same('BUSY 11 read PPP', 's429', 's408'),
  ...same('BAD_REPLY 10 read PPP', 's503_retry_after', ...SERVER_ERROR, ...BROKEN, ...UNREADABLE),
  ...same('REJECTED 6 read P', 's400', 's409', 's307', 's308', 's300', 's302', 's303'),
  ...same('NOT_FOUND 3 read P', 's404', 'cut_404'),
  ...same('AUTH 4 read P', 's401'),
  ...same('FORBIDDEN 5 read P', 's403'),
};

const REFUSALS: Record<string, string> = {
  ...same('UNREACHABLE 7 not_sent PPP', ...NOT_SENT),
  ...same('UNREACHABLE 7 not_sent PP', 'lookup_failed'),
  ...same('UNREACHABLE 7 not_sent P', ...FINAL),
  ...same('BUSY 11 rejected PPP', 's429'),
  ...same('REJECTED 6 rejected P', 's400', 's409', 's307', 's308'),
  ...same('NOT_FOUND 3 rejected P', 's404', 'cut_404'),
  ...same('AUTH 4 rejected P', 's401'),
  ...same('FORBIDDEN 5 rejected P', 's403'),
};
const UNKNOWN = [...AMBIGUOUS, ...SERVER_ERROR, ...BROKEN, ...UNREADABLE] as const;

/** activate, block: checked twice; 503 with Retry-After: read, wait, send again. */
const CHECKED = {
  ...REFUSALS,
  ...same('OUTCOME_UNKNOWN 8 unknown PRR', ...UNKNOWN),
  ...same('OUTCOME_UNKNOWN 8 unknown PRPRPRR', 's503_retry_after'),
};
/** reissue: only looked at, never sent again. */
const OBSERVED = { ...REFUSALS, ...same('OUTCOME_UNKNOWN 8 unknown PRR', ...UNKNOWN, 's503_retry_after') };
/** provision, event create: nothing to look at, never sent again. */
const BLIND = { ...REFUSALS, ...same('OUTCOME_UNKNOWN 8 unknown P', ...UNKNOWN, 's503_retry_after') };
/** calendar and subscriber update: sent again once after 503 with Retry-After. */
const BLIND_ONCE = { ...BLIND, ...same('OUTCOME_UNKNOWN 8 unknown PP', 's503_retry_after') };

const EXPECTED = { read: READ, checked: CHECKED, observed: OBSERVED, blind: BLIND, repeatable: BLIND_ONCE };

for (const name of NAMES) {
  const operation = OPERATIONS[name];
  const expected: Record<string, string> = EXPECTED[SAMPLE_CALLS[name].ends];
  it.each(Object.entries(EVENTS))(`H1 H9 H14 H15 H17 H18 ${operation.name} meets %s`, async (event, exchange) => {
    expect(await meet(operation, exchange)).toBe(expected[event]);
  });
}

it.each<[keyof typeof OPERATIONS, string, EventName, string]>([
  ['cardActivate', 'ACTIVE', 'reset', 'ok confirmed_by_read PR'],
  ['cardActivate', 'ACTIVE', 's500', 'ok confirmed_by_read PR'],
  ['cardActivate', 'ACTIVE', 's503_retry_after', 'ok confirmed_by_read PR'],
  ['cardBlock', 'BLOCKED', 'html_200', 'ok confirmed_by_read PR'],
  ['cardBlock', 'BLOCKED', 'timeout', 'ok confirmed_by_read PR'],
  ['cardBlock', 'ACTIVE', 'timeout', 'OUTCOME_UNKNOWN 8 unknown PRR'],
  ['cardReissue', 'REISSUED', 'reset', 'OUTCOME_UNKNOWN 8 unknown PRR'],
  ['cardProvisionWalletA', 'ACTIVE', 'reset', 'OUTCOME_UNKNOWN 8 unknown P'],
])('a card check that shows the wanted status resolves: %s, status %s after %s', async (name, status, event, end) => {
  expect(await meet(OPERATIONS[name], EVENTS[event], answer(200, card(status)))).toBe(end);
});

const { calendarUpdate, subscriberUpdate, cardBlock, cardGet, cardActivate } = OPERATIONS;
const DONE = [UNAVAILABLE, answer(200, card('ACTIVE')), answer(409), answer(200, card('BLOCKED'))];

it.each<[title: string, operation: Operation, script: Scripted[], expected: string]>([
  ['429s', calendarUpdate, [UNAVAILABLE, answer(429), answer(429)], 'OUTCOME_UNKNOWN 8 unknown PPP'],
  ['no connection', calendarUpdate, [UNAVAILABLE, unsent('untrusted')], 'OUTCOME_UNKNOWN 8 unknown PP'],
  ['409', subscriberUpdate, [UNAVAILABLE, answer(409)], 'OUTCOME_UNKNOWN 8 unknown PP'],
  ['409, and the card shows it done', cardBlock, DONE, 'ok confirmed_by_read PRPR'],
  ['a good answer', calendarUpdate, [UNAVAILABLE, answer(200, { id: 'id-1' })], 'ok applied PP'],
])('an unknown outcome is not resolved by a later refusal: 503 with Retry-After, then %s', async (...row) => {
  const [, operation, script, expected] = row;
  const { client, sent } = bench(script);
  expect(line(operation, await client.call(inputFor(operation), withPolicy()), sent)).toBe(expected);
});

it('a write is applied, a read has no outcome', async () => {
  const read = bench([answer(200, card('ACTIVE'), [['X-Request-Id', 'q1']])]);
  const { callOutcome } = await read.client.call(inputFor(cardGet), withPolicy());
  expect(callOutcome).toMatchObject({ outcome: null, httpStatus: 200, requestId: 'q1', attempts: 1, notices: [] });
  expect(callOutcome.code).toBeUndefined();
  expect(await meet(cardActivate, answer(200, card('ACTIVE')))).toBe('ok applied P');
});

it('a raw call is sent to its target', async () => {
  const { client, sent } = bench([answer(200, '[1.10]')]);
  const input = { operation: cardGet, params: {}, query: {}, body: undefined, target: '/v1/other?x=1' };
  expect(await client.call(input, withPolicy())).toMatchObject({ kind: 'answered', callOutcome: { notices: [] } });
  expect(sent).toEqual(['GET /v1/other?x=1']);
});
