import { getEventListeners } from 'node:events';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { hintText } from '../../../../src/base/next-step.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import type { CallInput, CallOptions, CallPolicy, Pacer } from '../../../../src/service/http/call.ts';
import { unpackBeginning } from '../../../../src/service/http/unpack.ts';
import type { Header } from '../../../../src/service/wire/exchange.ts';
import {
  answer,
  type BenchOptions,
  bench,
  broken,
  CARD_ID,
  card,
  failureOf,
  inputFor,
  type Scripted,
  TOKEN,
  unsent,
  withPolicy,
} from './fakes.ts';

const read = inputFor(OPERATIONS.cardGet);
const block = inputFor(OPERATIONS.cardBlock);
const reissue = inputFor(OPERATIONS.cardReissue);
const provision = inputFor(OPERATIONS.cardProvisionWalletA);
const update = inputFor(OPERATIONS.calendarUpdate);
const create = inputFor(OPERATIONS.eventCreate);
const START_MS = Date.UTC(2026, 0, 2, 12, 4, 31);
const [POST, GET] = [`POST /v1/cards/${CARD_ID}/block`, `GET /v1/cards/${CARD_ID}`];

const after = (value: unknown): Header[] => [['Retry-After', String(value)]];
const busy = (status: number, seconds: number) => answer(status, '', after(seconds));
const shows = (status: string) => answer(200, card(status));
const GONE = unsent('refused');
const CLOSED = broken('closed');

interface How extends Partial<CallOptions> {
  readonly of?: Partial<CallPolicy>;
  readonly on?: BenchOptions;
  /** How long its client has been in use. */
  readonly laterMs?: number;
}

/** A call whose attempts come to these, one after the other. */
async function call(input: CallInput, script: readonly Scripted[], { of, on, laterMs = 0, ...options }: How = {}) {
  const run = bench(script, on);
  run.clock.elapsedMs = laterMs;
  const result = await run.client.call(input, withPolicy(of, options));
  return { ...run, result, callOutcome: result.callOutcome };
}

const failing = async (...args: Parameters<typeof call>) => failureOf((await call(...args)).result);

/** The same, stopped in the wait after the answers. */
async function stopped(signal: string, input: CallInput, script: readonly Scripted[], options: How = {}) {
  const stopping = new AbortController();
  const run = bench(script);
  run.clock.onSleep = () => run.clock.sleeps.length === script.length && stopping.abort(signal);
  const result = await run.client.call(input, withPolicy({}, { stopping: stopping.signal, ...options }));
  return { failure: failureOf(result), sent: run.sent };
}

/** A pacer that lets everything through, but for what a test changes. */
function pacer(changes: Partial<Pacer> = {}): Pacer {
  return { admit: async () => true, refused: () => true, mayRetry: () => true, succeeded: () => undefined, ...changes };
}

it.each<[string, readonly Scripted[], number, readonly number[]]>([
  ['backs off by half a second doubled, with jitter', [answer(500), answer(500)], 0.5, [250, 500]],
  ['waits at least as long as Retry-After says', [busy(429, 3)], 0, [3000]],
  ['adds up to a tenth to Retry-After', [busy(429, 10)], 0.5, [10_500]],
])('a retry %s', async (_, script, random, sleeps) => {
  expect((await call(read, [...script, shows('ACTIVE')], { on: { random } })).clock.sleeps).toEqual(sleeps);
});

it.each([
  ['a read', read, 429, 2, undefined],
  ['a write', block, 429, 2, 'rejected'],
  ['a read', read, 408, 2, undefined],
  ['a read', read, 503, 2, undefined],
  ['a read', read, 503, 0, undefined],
  ['a read', read, 502, 2, undefined],
  ['a read', read, 500, 0, undefined],
])(
  'a retry: %s with %4$i of them, answered %3$i, begins no wait beyond --retry-max-time',
  async (_, input, status, retries, outcome) => {
    const run = await call(input, [busy(status, 120)], { of: { retries } });
    const { code, exitCode, details, hints } = failureOf(run.result);
    const retryAt = '2026-01-02T12:06:31.100Z';
    expect([code, exitCode, details.outcome, details.retryAt]).toEqual(['BUSY', 11, outcome, retryAt]);
    const how = / in 2 min, at \d\d:\d\d:\d\d your time \(2026-01-02T12:06:31\.100Z\)$/.source;
    expect(hints).toEqual([{ do: 'repeat', words: expect.stringMatching(`^run the command again${how}`) }]);
    expect([run.clock.sleeps, run.sent.length]).toEqual([[], 1]);
  },
);

it.each(['0', 'Fri, 01 Jan 2021 00:00:00 GMT'])('a Retry-After of %s asks for no wait', async (value) => {
  const failure = await failing(read, [answer(429, '', after(value))], { of: { retries: 0 } });
  expect(failure.problem).toBe('the service returned 429, and no retries are left');
  expect(failure.hints).toEqual([{ do: 'repeat', words: 'run the command again later' }]);
});

const HELD = { mayRepeat: async () => false };

it.each<[string, CallInput, readonly Scripted[], How, string, string, number]>([
  ['a refusal', block, [busy(429, 3)], HELD, 'rejected', 'asking to wait 3 s, and it was not sent again', 1],
  ['an answer that says nothing', update, [busy(503, 3)], HELD, 'unknown', 'It may or may not have been applied', 1],
  [
    'a wait',
    reissue,
    [busy(429, 10)],
    { of: { retryMaxTimeMs: 10_900 } },
    'rejected',
    'no time is left for another',
    1,
  ],
])('a change is not sent again after %s where that is held back or comes too late', async (...row) => {
  const [, input, script, how, outcome, words, requests] = row;
  const { result, sent } = await call(input, script, { ...how, on: { random: 0 } });
  expect([result.callOutcome.outcome, sent.length]).toEqual([outcome, requests]);
  expect(failureOf(result).message).toContain(words);
});

it('a change whose token comes too late is not sent', async () => {
  const token = async () => {
    run.clock.elapsedMs += 70_000;
    return TOKEN;
  };
  const run = bench([], { token });
  const { callOutcome, ...result } = await run.client.call(block, withPolicy());
  expect([callOutcome.outcome, failureOf({ callOutcome, ...result }).code, run.sent]).toEqual([
    'not_sent',
    'UNREACHABLE',
    [],
  ]);
});

it('a retry gives an attempt no more time than is left of --retry-max-time', async () => {
  const of = { timeoutMs: 30_000, retryMaxTimeMs: 5000, retries: 1 };
  expect((await call(read, [answer(500), answer(500)], { of, on: { random: 0.5 } })).timeouts).toEqual([5000, 4650]);
});

it('a retry ends by what the service said when no time is left for a backoff', async () => {
  const onExchange = (_: number, clock: { elapsedMs: number }) => {
    clock.elapsedMs += 59_900;
  };
  const { result, sent } = await call(read, [answer(500)], { on: { onExchange } });
  expect([failureOf(result).code, sent.length]).toEqual(['BAD_REPLY', 1]);
});

it('--retries 0 sends once, and still checks the card', async () => {
  const { callOutcome, sent } = await call(block, [CLOSED, shows('BLOCKED')], { of: { retries: 0 } });
  expect([callOutcome.outcome, sent]).toEqual(['confirmed_by_read', [POST, GET]]);
});

it.each<readonly [string, Scripted, string, number]>([
  ['of no time, as the service asks', busy(429, 0), '', 250],
  ['that the service does not ask for', answer(429), '', 250],
  ['of three seconds, as it asks', busy(429, 3), '', 3000],
  ['after an answer with words', answer(429, '{"errorCode":"E","message":"m"}', after(2)), ' (E: "m")', 2000],
])('a wait: %s is reported before it, with the time that is waited', async (_what, first, said, waitMs) => {
  const heard: unknown[] = [];
  const listener = { onRetry: (retry: unknown) => heard.push(retry) };
  await call(read, [first, shows('ACTIVE')], { listener, on: { random: 0.5 } });
  const brief = 'the service returned 429';
  expect(heard).toEqual([{ reason: `${brief}${said}`, brief, waitMs }]);
});

it.each(['abort', 'stopping'] as const)('a wait ends at `%s`, and none listens after the call', async (name) => {
  const other = name === 'abort' ? 'stopping' : 'abort';
  const [ending, idle] = [new AbortController(), new AbortController()];
  const run = bench([GONE]);
  run.clock.sleep = (_ms, woken) =>
    new Promise((resolve) => {
      woken?.addEventListener('abort', () => resolve());
      ending.abort('SIGINT');
    });
  const result = await run.client.call(read, withPolicy({}, { [name]: ending.signal, [other]: idle.signal }));
  expect(failureOf(result).code).toBe('CANCELLED');
  expect([ending, idle].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
});

it('a wait does not begin when the call was ended right before, and is not reported without a listener', async () => {
  const stopping = new AbortController();
  const listener = { onRetry: () => stopping.abort('SIGINT') };
  expect((await call(read, [GONE], { listener, stopping: stopping.signal })).clock.sleeps).toEqual([]);
  const { result } = await call(read, [GONE, shows('ACTIVE')], { listener: { onSend: () => undefined } });
  expect(result.kind).toBe('answered');
});

const NO_REISSUE = 'Status ACTIVE shows no reissue yet. It may still take effect.';

it('the message of an unknown outcome says what broke, when it was sent, what the card check showed, and the command that checks', async () => {
  const { message, hints, details } = await failing(reissue, [CLOSED, shows('ACTIVE'), shows('ACTIVE')]);
  expect(message).toBe(
    `OUTCOME UNKNOWN - reissue card ${CARD_ID}. The request was sent at 12:04:31Z. It broke (closed). ` +
      'It may or may not have been applied. ' +
      `Card check: status ACTIVE, updatedAt 2025-01-02T00:00:00Z (2 reads, 2 s apart). ${NO_REISSUE}`,
  );
  expect(hints.map(hintText)).toEqual([
    'check the card before you run this again: a second reissue may create a second live card. No command can show the new ' +
      `card: ask the team that runs the service, and give them ${details.sentAt}, card ${CARD_ID}, no request ID`,
    `check with: frontdesk card get ${CARD_ID}`,
  ]);
  expect(details).toMatchObject({
    ...{ operation: 'card.reissue', id: CARD_ID, outcome: 'unknown', attempts: 1 },
    ...{ sentAt: '2026-01-02T12:04:31.000Z', phase: 'awaiting_headers' },
  });
});

it.each([
  ['ACTIVE', 'REISSUED', 'The reissue happened, but the ID of the new card is not known.'],
  ['REISSUED', 'REISSUED', 'The card was already REISSUED, so it is not known whether it was reissued again.'],
  ['ACTIVE', 'ACTIVE', NO_REISSUE],
])('the message of an unknown reissue compares the card before the question: %s, now %s', async (then, now, told) => {
  const input = { ...reissue, before: { status: then, when: 'before you confirmed' } };
  expect((await failing(input, [CLOSED, shows(now), shows(now)])).message.split('Card check: ')[1]).toBe(
    `status ${now}, ${then} before you confirmed (2 reads, 2 s apart). ${told}`,
  );
});

it('the message of an unknown outcome has a layout of its own for a terminal', async () => {
  expect((await failing(block, [CLOSED, shows('ACTIVE'), shows('ACTIVE')])).screen).toEqual([
    `OUTCOME UNKNOWN - block card ${CARD_ID}`,
    '  What happened  it broke (closed)',
    expect.stringMatching(/^ {2}Sent {11}12:04:31Z \(\d\d:04:31 your time\)$/),
    '  Card check     status ACTIVE, updatedAt 2025-01-02T00:00:00Z (2 reads, 2 s apart)',
    '  That means     the card was ACTIVE, not BLOCKED. The change may still take effect. Once the card reads BLOCKED, it is done',
  ]);
});

it('the message of an unknown outcome names the profile in the command when the call had to, and none where no read shows what happened', async () => {
  const script = [answer(500), shows('ACTIVE'), shows('ACTIVE')];
  const { hints } = await failing(reissue, script, { on: { namedProfile: 'demo' } });
  expect(hints[1]).toEqual({ do: 'check with', about: CARD_ID, profile: 'demo' });
  expect((await failing(provision, [answer(500)])).hints).toEqual([
    'ask the customer whether the card is in the wallet before you run this again: no command can check it',
  ]);
  // Of an event it says what to search for.
  const { message, details } = await failing(create, [broken('timeout')]);
  expect(message).toContain('create event "Party" (start 2026-05-01T10:00:00, calendar cal-1)');
  expect(details.id).toBeUndefined();
});

it('the message of an unknown outcome says so when the card check failed', async () => {
  const page = answer(502, '<html><title>502 Bad Gateway</title></html>');
  const { message, details } = await failing(block, [page, answer(404), GONE]);
  expect(message).toBe(
    `OUTCOME UNKNOWN - block card ${CARD_ID}. The request was sent at ` +
      '12:04:31Z. The service returned 502 ("502 Bad Gateway"). It may or may not have been applied. Card check: failed, refused.',
  );
  expect(details.http).toEqual({ status: 502 });
});

it('the message of an unknown outcome keeps the facts of the unknown attempt if a later one was refused', async () => {
  const { message, details } = await failing(update, [busy(503, 1), answer(409, { errorCode: 'E', message: 'm' })]);
  expect(message).toContain(
    'The request was sent at 12:04:31Z. The service returned 503. A retry ended with: the service returned 409 (E: "m").',
  );
  expect(details).toMatchObject({ http: { status: 503 }, attempts: 2 });
});

const renew = async () => 'fresh-token-1';

it('a 401 asks once for a fresh token and sends again, a write too', async () => {
  const { callOutcome, wires } = await call(block, [answer(401), shows('BLOCKED')], { on: { renew } });
  expect(callOutcome).toMatchObject({ outcome: 'applied', attempts: 2 });
  const tokens = wires.map(({ headers }) => headers.find(([name]) => name === 'Authorization')?.[1]);
  expect(tokens).toEqual([`Bearer ${TOKEN}`, 'Bearer fresh-token-1']);
});

it('the token is renewed after a 401 and after nothing else, and is not shown', async () => {
  expect((await call(read, [answer(500), answer(403)], { on: { renew } })).renewals).toBe(0);
  const heard: string[] = [];
  const listener = { onTrace: (line: string) => heard.push(line) };
  const once = await call(read, [answer(401), shows('ACTIVE')], { on: { renew }, listener });
  expect([once.renewals, once.wires.length, heard.join().includes(TOKEN)]).toEqual([1, 2, false]);
});

it('H4 a call ends after the second 401, naming profile, host and source but no token', async () => {
  const script = [answer(401), answer(401, { errorCode: 'UNAUTHORIZED', message: `bad ${TOKEN}` })];
  const { result, renewals } = await call(block, script, { on: { renew } });
  const { code, exitCode, message, hints } = failureOf(result);
  expect([renewals, code, exitCode]).toEqual([1, 'AUTH', 4]);
  expect(message).toBe(
    `could not block card ${CARD_ID}: api.example.com did not accept the token in FRONTDESK_CARDS_TOKEN ` +
      '(401 UNAUTHORIZED: "bad ***"). Nothing was changed.',
  );
  expect(hints).toEqual(['put a valid token into FRONTDESK_CARDS_TOKEN']);
});

it('H29 a 401 warns of a wrong clock', async () => {
  expect((await failing(read, [answer(401, '', [['Date', 'Fri, 02 Jan 2026 13:00:00 GMT']])])).hints[1]).toBe(
    "check this machine's clock: it says 2026-01-02T12:04:31.100Z, the service says 2026-01-02T13:00:00.000Z",
  );
});

it('a token source that fails ends the call before anything is sent, and a bug in it is thrown, when it is renewed too', async () => {
  const token = () => Promise.reject(new Failure('AUTH', 'no login'));
  const details = { outcome: 'not_sent', attempts: 0 };
  expect(await failing(block, [], { on: { token } })).toMatchObject({ code: 'AUTH', message: 'no login', details });
  const bug = () => Promise.reject(new TypeError('bug'));
  await expect(call(read, [], { on: { token: bug } })).rejects.toThrow('bug');
  await expect(call(read, [answer(401)], { on: { renew: bug } })).rejects.toThrow('bug');
});

it('the token that cannot be had because the call was ended is no failure of the credential', async () => {
  const stopping = new AbortController();
  const token = async () => {
    stopping.abort('SIGTERM');
    throw new Failure('AUTH', 'the token command was ended');
  };
  const failure = await failing(block, [], { on: { token }, stopping: stopping.signal });
  expect(failure).toMatchObject({ code: 'CANCELLED', exitCode: 143 });
});

it('the token that cannot be renewed leaves the 401 as what is reported, and the write was refused', async () => {
  const details = { outcome: 'rejected', attempts: 1, http: { status: 401 } };
  expect(await failing(block, [answer(401)])).toMatchObject({ code: 'AUTH', details });
});

const REDIRECTED = 'the service redirected (307) to https://evil.example:8443, and redirects are never followed';
const CARD_404 = { errorCode: 'CARD_NOT_FOUND', message: 'no such card' };
const NO_CARD =
  'no such card at api.example.com (profile demo): the service returned 404 (CARD_NOT_FOUND: "no such card")';
const WITH_DETAILS = { errorCode: 'E', message: 'm', details: { a: 1 } };

it.each<[string, Scripted, string]>([
  ['H6 404', answer(404, CARD_404), NO_CARD],
  ['H8 409', answer(409, WITH_DETAILS), 'the service returned 409 (E: "m", details {"a":1})'],
  ['422', answer(422, { title: 'Bad', detail: 'worse' }), 'the service returned 422 ("Bad: worse")'],
  ['H5 403', answer(403), 'api.example.com refused the request: the service returned 403'],
  ['H3 redirect', answer(307, '', [['Location', 'https://u:p@evil.example:8443/x?token=1']]), REDIRECTED],
])('%s: a refusal says what the service said, and that nothing was changed', async (_, exchange, said) => {
  const { message } = await failing(block, [exchange]);
  expect(message).toBe(`could not block card ${CARD_ID}: ${said}. Nothing was changed.`);
});

it('H7 a 404 in the calendar API names the calendar', async () => {
  expect((await failing(update, [answer(404, { error: 'no' })])).message).toContain(
    'could not update calendar id-1: no such calendar at api.example.com',
  );
});

const SHORTER = 'use a shorter ID: this one makes a URL of 36 bytes or more, longer than the service takes';
const COMPARE = 'compare the ID with its source, and check that demo is the right profile';
const PLACE = 'the base URL https://api.example.com of profile demo';
const SEE = 'see the card as it is now: frontdesk card get';
const urlVariable = 'FRONTDESK_CARDS_URL';

it.each<[string, CallInput, Scripted, BenchOptions, string]>([
  ['a 409', block, answer(409), { namedProfile: 'demo' }, `${SEE} ${CARD_ID} -p demo`],
  ['a 404', block, answer(404, CARD_404), {}, COMPARE],
  ['I7 a 414', block, answer(414), {}, SHORTER],
  ['I7 a 431', block, answer(431), {}, SHORTER],
  ['a URL of a variable', read, answer(302), { urlVariable }, `check ${urlVariable} (https://api.example.com)`],
])('%s says what to do', async (_, input, exchange, on, hint) => {
  expect((await failing(input, [exchange], { on })).hints.map(hintText)).toEqual([hint]);
});

const NO_ERROR_BODY = `check ${PLACE}: the response has no error body of the service`;
const PAGE = `check ${PLACE}: a web page responded instead of the service`;
const GATEWAY = `check ${PLACE}: a gateway refused the connection`;
const CERTIFICATE = 'No required SSL certificate was sent';

it.each<[string, Scripted, string]>([
  ['an empty 404', answer(404), NO_ERROR_BODY],
  ['a 404 of a gateway', answer(404, { message: 'no Route matched' }), NO_ERROR_BODY],
  ['a page with 403', answer(403, '<html><title>Blocked</title>'), PAGE],
  ['H6 a page with 404', answer(404, '<!doctype html><title>Not here</title>'), PAGE],
  ['a 400 about TLS', answer(400, 'The plain HTTP request was sent to HTTPS port'), GATEWAY],
  ['a 400 in JSON about a client certificate', answer(400, { message: CERTIFICATE }), GATEWAY],
  ['a 400 of a Go server about TLS', answer(400, 'Client sent an HTTP request to an HTTPS server.'), GATEWAY],
])('%s names the setting for a read and for a write, and no card', async (_, exchange, hint) => {
  for (const input of [read, block]) {
    const { hints, message } = await failing(input, [exchange], { of: { retries: 0 } });
    expect(hints.map(hintText)[0]).toBe(hint);
    expect(message).not.toContain('no such card');
  }
});

it.each([
  [CERTIFICATE, [GATEWAY]],
  ['the url must be an https address', []],
])('a 400 of the calendars that says %j names the setting only if it is about TLS', async (message, hints) => {
  expect((await failing(update, [answer(400, { message })])).hints.map(hintText)).toEqual(hints);
});

it('an unknown outcome after a redirect to another host names the setting', async () => {
  const failure = await failing(update, [answer(302, '', [['Location', 'https://login.example/x']])]);
  expect(failure.code).toBe('OUTCOME_UNKNOWN');
  expect(failure.hints.map(hintText)[0]).toContain(
    `check ${PLACE}: the response is a redirect to https://login.example. Running this command again sends the same values. `,
  );
});

it.each([
  ['Bearer error="invalid_token", error_description="The token expired"', ' (invalid_token: "The token expired")'],
  ['Bearer realm="x", error=insufficient_scope, scope="cards:write"', ' (insufficient_scope, scope "cards:write")'],
  ['Basic realm="x"', ''],
])('a refusal without a body says what WWW-Authenticate says: %s', async (challenge, said) => {
  const { message } = await failing(read, [answer(403, '', [['WWW-Authenticate', challenge]])]);
  expect(message).toContain(`the service returned 403${said}`);
});

const REFUSAL = Buffer.from('{"errorCode":"E1","message":"no luck"}');

it.each([
  ['gzip', gzipSync(REFUSAL), 'E1: "no luck"'],
  ['x-gzip', gzipSync(REFUSAL), 'E1: "no luck"'],
  ['br', brotliCompressSync(REFUSAL), 'E1: "no luck"'],
  ['deflate', deflateSync(REFUSAL), 'E1: "no luck"'],
  ['deflate', deflateRawSync(REFUSAL), 'E1: "no luck"'],
  ['gzip', Buffer.from('no gzip'), '409 (the body is compressed with gzip)'],
])('a refusal that is compressed unasked is unpacked if it can be: %s', async (encoding, body, said) => {
  const headers: Header[] = [['Content-Encoding', encoding]];
  expect((await failing(read, [{ kind: 'reply', status: 409, headers, body: [body] }])).message).toContain(said);
});

it('of a long refusal that is compressed 64 KiB are unpacked', async () => {
  expect(await unpackBeginning([gzipSync(Buffer.alloc(50_000_000, 'a'))], 'gzip')).toEqual(Buffer.alloc(65_536, 'a'));
});

it('a Retry-After that cannot be read is said to be', async () => {
  const { message } = await failing(read, [answer(429, '', after('soon'))], { of: { retries: 0 } });
  expect(message).toContain('the service returned 429, and its Retry-After cannot be read ("soon")');
});

it.each([reissue, block])('a card check without a status resolves no outcome: $operation.name', async (input) => {
  const blank = answer(200, card('ACTIVE', { status: null }));
  const { result, sent } = await call(input, [CLOSED, blank, blank]);
  const { code, details } = failureOf(result);
  expect([code, details.outcome, sent.length]).toEqual(['OUTCOME_UNKNOWN', 'unknown', 3]);
});

it('a call that was stopped before anything was sent ends with 130, not sent, without a request', async () => {
  const { result, callOutcome } = await call(block, [], { stopping: AbortSignal.abort('SIGINT'), laterMs: 7000 });
  const details = { outcome: 'not_sent', attempts: 0 };
  expect(failureOf(result)).toMatchObject({ code: 'CANCELLED', exitCode: 130, details });
  expect(callOutcome).toMatchObject({ durationMs: undefined, message: undefined, outcome: 'not_sent' });
});

it('a call that was stopped has the exit code of the signal that ended it at once', async () => {
  const stopping = AbortSignal.abort('SIGTERM');
  expect((await failing(block, [], { abort: AbortSignal.abort('SIGHUP'), stopping })).exitCode).toBe(129);
  expect((await failing(block, [], { abort: new AbortController().signal, stopping })).exitCode).toBe(143);
});

const [CANCELLED, UNKNOWN] = ['CANCELLED', 'OUTCOME_UNKNOWN'];

it.each<[string, string, CallInput, readonly Scripted[], How, string, number, string]>([
  ['SIGINT', 'no connection: nothing was sent', block, [GONE], {}, CANCELLED, 130, 'not_sent'],
  ['SIGTERM', 'no connection: nothing was sent', block, [GONE], {}, CANCELLED, 143, 'not_sent'],
  ['SIGHUP', 'no connection: nothing was sent', block, [GONE], {}, CANCELLED, 129, 'not_sent'],
  ['SIGINT', 'none in a run: the row is to do', block, [GONE], { pacer: pacer() }, CANCELLED, 130, 'not_sent'],
  ['SIGINT', 'a refusal: it was rejected', block, [answer(429)], {}, CANCELLED, 130, 'rejected'],
  ['SIGINT', 'a refusal, and no connection', block, [answer(429), GONE], {}, CANCELLED, 130, 'rejected'],
  ['SIGINT', 'an unknown outcome', update, [busy(503, 1)], {}, UNKNOWN, 8, 'unknown'],
])('a signal, %s, in the wait after %s', async (signal, _what, input, script, more, code, exitCode, outcome) => {
  const { failure, sent } = await stopped(signal, input, script, more);
  expect([failure.code, failure.exitCode, failure.details.outcome]).toEqual([code, exitCode, outcome]);
  expect(sent).toHaveLength(script.length);
  // What was refused is never said to be unsent.
  if (outcome === 'rejected') expect(failure.message).toMatch(/ Nothing was changed\.$/);
});

it('a change that is abandoned in progress is unknown, and its card is not checked', async () => {
  const early = await call(block, [broken('aborted')], { abort: AbortSignal.abort() });
  expect([failureOf(early.result).code, early.sent]).toEqual(['CANCELLED', []]);
  const abort = new AbortController();
  const step = () => {
    abort.abort('SIGINT');
    return broken('aborted');
  };
  const { result, sent } = await call(block, [step], { abort: abort.signal });
  expect(failureOf(result)).toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 8, details: { outcome: 'unknown' } });
  expect(sent).toHaveLength(1);
});

it.each([
  ['an answer counts', shows('BLOCKED'), 'applied'],
  ['an ambiguous end gets no card check', CLOSED, 'unknown'],
])('after the first signal %s', async (_what, exchange, outcome) => {
  const stopping = new AbortController();
  const step = () => {
    stopping.abort('SIGINT');
    return exchange;
  };
  const { callOutcome, sent } = await call(block, [step], { stopping: stopping.signal });
  expect([callOutcome.outcome, sent.length]).toEqual([outcome, 1]);
});

it('a single write that is stopped while its token is renewed was refused with the 401', async () => {
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort('SIGINT');
    return 'fresh-1';
  };
  const { result, sent } = await call(block, [answer(401)], { on: { renew: stop }, stopping: stopping.signal });
  expect(failureOf(result)).toMatchObject({ code: 'CANCELLED', details: { outcome: 'rejected', attempts: 1 } });
  expect(sent).toHaveLength(1);
});

it('a row leaves the waits of 429 to the pacer, outside the row’s own budget', async () => {
  const log: string[] = [];
  const port = pacer({
    admit: async (purpose) => log.push(`admit ${purpose}`) > 0,
    refused: (waitMs) => log.push(`refused ${waitMs}`) > 0,
    succeeded: () => void log.push('succeeded'),
    leaves: () => void log.push('leaves'),
  });
  const script = [busy(429, 300), shows('BLOCKED')];
  const { callOutcome, clock } = await call(block, script, { pacer: port, on: { random: 0 } });
  expect(callOutcome).toMatchObject({ outcome: 'applied', attempts: 2 });
  const [send, check] = [
    ['admit send', 'leaves'],
    ['admit read', 'leaves'],
  ];
  expect([log, clock.sleeps]).toEqual([[...send, 'refused 300000', ...send, 'succeeded'], []]);
  log.splice(0);
  // Before each card check too, so that a rate is kept.
  await call(block, [CLOSED, shows('BLOCKED')], { pacer: port });
  expect(log).toEqual([...send, ...check]);
});

const AGAIN = ', and could not be sent again';
const refused = () => false;
const CUT_409 = broken('aborted', 'reading_body', 409);

it.each<[string, CallInput, readonly Scripted[], Partial<Pacer> | undefined, string, string | undefined]>([
  ['a write answered 503 whose wait is too long', update, [busy(503, 120)], undefined, UNKNOWN, 'unknown'],
  ['a read that is abandoned', read, [broken('aborted')], undefined, CANCELLED, undefined],
  [`a write that was refused${AGAIN}`, block, [busy(429, 0), GONE, GONE], undefined, 'UNREACHABLE', 'rejected'],
  [`a row that was refused${AGAIN}`, block, [busy(429, 1), GONE, GONE], {}, 'UNREACHABLE', 'not_sent'],
  ['a row that the pacer gives up', block, [busy(429, 3600)], { refused }, 'BUSY', 'not_sent'],
  ['a row that is still refused', block, Array(3).fill(answer(429)), {}, 'BUSY', 'rejected'],
  ['a row that is not admitted', block, [], { admit: async () => false }, CANCELLED, 'not_sent'],
  ['a row of a run without retries left', block, [GONE], { mayRetry: () => false }, 'UNREACHABLE', 'not_sent'],
  ['a refusal that a signal cuts short', block, [CUT_409], undefined, 'REJECTED', 'rejected'],
  ['a 2xx that a signal cuts short', block, [broken('aborted', 'reading_body', 200)], undefined, UNKNOWN, 'unknown'],
  ['a read that a signal cuts short', read, [CUT_409], undefined, CANCELLED, undefined],
  ['503, then a refusal that a signal cuts short', update, [busy(503, 1), CUT_409], undefined, UNKNOWN, 'unknown'],
])('how a call fails, after all of these: %s', async (what, input, script, port, code, outcome) => {
  const { result, sent } = await call(input, script, port && { pacer: pacer(port) });
  const { message, details, code: ended } = failureOf(result);
  expect([ended, details.outcome, sent.length]).toEqual([code, outcome, script.length]);
  // What was refused is never said to be unsent.
  if (what.endsWith(AGAIN)) expect(message).toMatch(/ Nothing was changed\.$/);
});

it('a row that a run does not admit again after a 429 is not refused for good', async () => {
  const admits = [true, false];
  const port = pacer({ admit: async () => admits.shift() === true });
  const { result, sent } = await call(block, [answer(429)], { pacer: port });
  expect(failureOf(result)).toMatchObject({ code: 'CANCELLED', details: { outcome: 'not_sent' } });
  expect(sent).toHaveLength(1);
});

it('a row that a run gives up says for how long the service asked to wait', async () => {
  expect((await failing(block, [busy(429, 3600)], { pacer: pacer({ refused }) })).message).toBe(
    `could not block card ${CARD_ID}: the service returned 429, asking to wait 3600 s, and that wait is longer than --retry-max-time allows. Nothing was changed.`,
  );
});

it.each<readonly [string, Scripted]>([
  ['a 429 whose wait the run gives up', busy(429, 3600)],
  ['a 401 after which no other token can be had', answer(401)],
])('a row of a run: %s leaves a write that may have been applied before unknown', async (_, last) => {
  const script = [busy(503, 1), shows('ACTIVE'), last, shows('ACTIVE'), shows('ACTIVE')];
  const { result, sent } = await call(block, script, { pacer: pacer({ refused }) });
  expect(failureOf(result)).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { outcome: 'unknown' } });
  expect(sent).toEqual([POST, GET, POST, GET, GET]);
});

it('C19 --verbose shows the exchange without token and one-time secrets', async () => {
  const lines: string[] = [];
  const secrets = answer(200, '"a secret without a name"', [['Set-Cookie', 'session=abc']]);
  await call(provision, [secrets], { listener: { onTrace: (line) => lines.push(line) } });
  expect(lines).toEqual([
    `> POST https://api.example.com/v1/cards/${CARD_ID}/provision/wallet_a`,
    '> Accept: application/json',
    '> Accept-Encoding: identity',
    '> User-Agent: frontdesk/1.2.3',
    '> Content-Type: application/json',
    '> Authorization: Bearer ***',
    '> {}',
    '< 200 (100 ms)',
    '< Set-Cookie: ***',
    '< (25 bytes that may hold a secret are not shown)',
  ]);
});

it('the outcome of a call that was answered has the time of the attempt that was answered, and how long all of them took', async () => {
  const script = [busy(429, 1), answer(200, card('BLOCKED'), [['Request-Id', 'r-1']])];
  expect((await call(block, script, { on: { random: 0 }, laterMs: 7000 })).result).toMatchObject({
    kind: 'answered',
    resource: expect.any(Map),
    headers: [['Request-Id', 'r-1']],
    callOutcome: {
      ...{ outcome: 'applied', httpStatus: 200, requestId: 'r-1', attempts: 2, resultId: undefined },
      ...{ sentAtMs: START_MS + 8100, durationMs: 1200 },
    },
  });
});

it.each([
  ['', undefined],
  [', and the reason may not have been stored', new Map([['reason', 'lost']])],
])('a change that the card check shows is done, and has the time of the unknown attempt%s', async (more, body) => {
  const script = [broken('reset'), shows('EXPIRED'), shows('BLOCKED')];
  const seen = 'The card then showed status BLOCKED, so this counts as done. Another request may have made the change';
  const message = `block card ${CARD_ID}: it broke (reset). ${seen}${more}`;
  const { result } = await call({ ...block, body }, script, { laterMs: 7000 });
  expect(result.kind === 'answered' && printJson(result.resource)).toBe(JSON.stringify(card('BLOCKED')));
  expect(result.callOutcome).toMatchObject({
    ...{ outcome: 'confirmed_by_read', httpStatus: 200, attempts: 1, resultId: undefined },
    ...{ sentAtMs: START_MS + 7000, durationMs: 2300 },
    notices: [{ code: 'CONFIRMED_BY_READ', level: 'warning', message }],
  });
});

const NEW_ID = '00000000-0000-4000-8000-000000000001';

it.each<readonly [string, CallInput, unknown, string | undefined]>([
  ['of the new card', reissue, card('ACTIVE', { cardId: NEW_ID }), NEW_ID],
  ['of a new event', create, { id: 'evt_1' }, 'evt_1'],
  ['that is a number, digit for digit', create, '{"id":12345678901234567890}', '12345678901234567890'],
  ['of nothing new', block, card('BLOCKED'), undefined],
  ['of a card that was read', read, card('ACTIVE'), undefined],
])('the outcome of a call that was answered has the id %s', async (_what, input, body, resultId) => {
  const { callOutcome, result } = await call(input, [answer(200, body)]);
  expect([result.kind, callOutcome.resultId]).toEqual(['answered', resultId]);
});

it.each<[string, CallInput, unknown]>([
  ['an event is created by an array', create, '["id"]'],
  ['an event is created by an error with 200', create, { errorCode: 'LATE', message: 'm' }],
  ['a card is blocked: the response has no cardId', block, { status: 'BLOCKED' }],
  ['a card is blocked: the response names another', block, { ...card('BLOCKED'), cardId: NEW_ID }],
])('the outcome of a raw change is by the rules of its command: unknown if %s', async (_what, input, body) => {
  const script = [answer(200, body), shows('ACTIVE'), shows('ACTIVE')];
  const { callOutcome } = await call({ ...input, target: '/v1/raw' }, script);
  expect(callOutcome).toMatchObject({ outcome: 'unknown', resultId: undefined });
});

it('the outcome of a call that failed has the words of the service and the time that it took', async () => {
  const script = [answer(409, { errorCode: 'E', message: 'it is lost' })];
  const expected = { outcome: 'rejected', code: 'REJECTED', message: 'it is lost', durationMs: 100 };
  expect((await call(block, script, { laterMs: 7000 })).callOutcome).toMatchObject(expected);
});

it('the time of a call does not count what the pace of a run took', async () => {
  const run = bench([shows('BLOCKED')]);
  run.clock.elapsedMs = 7000;
  const admit = async () => {
    run.clock.elapsedMs += 10_000;
    return true;
  };
  await run.client.call(block, withPolicy({ retryMaxTimeMs: 5000 }, { pacer: pacer({ admit }) }));
  expect(run.timeouts).toEqual([5000]);
});

it.each([
  ['none is left', 60_000, '0'],
  ['a millisecond is left', 59_999, '1'],
  ['the pause between two reads is left', 57_900, '1'],
  ['a millisecond more is left', 57_899, '2'],
])('the time of a call when %s: that many card checks', async (_what, spentMs, reads) => {
  const onExchange = (count: number, clock: { elapsedMs: number }) => {
    if (count === 1) clock.elapsedMs = spentMs;
  };
  const { result, sent } = await call(block, [CLOSED, shows('ACTIVE'), shows('ACTIVE')], { on: { onExchange } });
  const { code, details } = failureOf(result);
  expect([code, sent.length]).toEqual(['OUTCOME_UNKNOWN', 1 + Number(reads)]);
  const card = reads === '0' ? '' : '"status":"ACTIVE","updatedAt":"2025-01-02T00:00:00Z",';
  expect(printJson(details.observed ?? null)).toBe(`{${card}"reads":${reads}}`);
});

it('the connections of a call are fresh ones for every attempt but the first, and for card checks', async () => {
  expect((await call(block, [answer(429), CLOSED, shows('BLOCKED')])).fresh).toEqual([false, true, true]);
});

it.each([
  ['are closed after the answer to another request', answer(200, card('BLOCKED', { cardId: NEW_ID })), 1],
  ['are kept after a refusal', answer(409), 0],
])('the idle connections of a client %s', async (_what, first, closed) => {
  const run = bench([first, shows('BLOCKED')]);
  await run.client.call(block, withPolicy());
  expect(run.closed).toBe(closed);
});
