import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { hintText } from '../../../../src/base/next-step.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import type { CallInput, CallResult, Pacer } from '../../../../src/service/http/call.ts';
import { unpackBeginning } from '../../../../src/service/http/unpack.ts';
import { answer, bench, broken, CARD_ID, card, inputFor, type Scripted, TOKEN, unsent, withPolicy } from './fakes.ts';

function failureOf(result: CallResult): Failure {
  if (result.kind !== 'failed') throw new Error('expected a failure');
  return result.failure;
}

const read = inputFor(OPERATIONS.cardGet);
const block = inputFor(OPERATIONS.cardBlock);
const update = inputFor(OPERATIONS.calendarUpdate);
const busy = (status: number, seconds: number) => answer(status, '', [['Retry-After', String(seconds)]]);
const GONE = unsent('refused');

it.each<[string, readonly Scripted[], number, readonly number[]]>([
  ['backs off by half a second doubled, with jitter', [answer(500), answer(500)], 0.5, [250, 500]],
  ['waits at least as long as Retry-After says', [busy(429, 3)], 0, [3000]],
  ['adds up to a tenth to Retry-After', [busy(429, 10)], 0.5, [10_500]],
])('a retry %s', async (_, script, random, sleeps) => {
  const { client, clock } = bench([...script, answer(200, card('ACTIVE'))], { random });
  await client.call(read, withPolicy());
  expect(clock.sleeps).toEqual(sleeps);
});

it.each([
  ['a read answered 429', read, 429, 'read'],
  ['a read answered 503', read, 503, 'read'],
  ['a write answered 429', block, 429, 'rejected'],
  ['a read answered 408', read, 408, 'read'],
])(
  'a retry: %s does not begin a wait that would pass --retry-max-time: 11 with the time to try again',
  async (_, input, status, outcome) => {
    const { client, clock, sent } = bench([busy(status, 120)]);
    const { code, exitCode, details, hints } = failureOf(await client.call(input, withPolicy()));
    expect([code, exitCode, details.outcome ?? 'read', details.retryAt]).toEqual([
      'BUSY',
      11,
      outcome,
      '2026-01-02T12:06:31.100Z',
    ]);
    const how = / in 2 min, at \d\d:\d\d:\d\d your time \(2026-01-02T12:06:31\.100Z\)$/.source;
    expect(hints).toEqual([
      {
        do: 'repeat',
        words: expect.stringMatching(`^run the command again${how}`),
      },
    ]);
    expect(clock.sleeps).toEqual([]);
    expect(sent).toHaveLength(1);
  },
);

it('a retry gives an attempt no more time than is left of --retry-max-time', async () => {
  const { client, timeouts } = bench([answer(500), answer(500)], { random: 0.5 });
  await client.call(read, withPolicy({ timeoutMs: 30_000, retryMaxTimeMs: 5000, retries: 1 }));
  expect(timeouts).toEqual([5000, 4650]);
});

it('a retry ends by what the service said when no time is left for a backoff', async () => {
  const onExchange = (_: number, clock: { elapsedMs: number }) => {
    clock.elapsedMs += 59_900;
  };
  const { client, sent } = bench([answer(500)], { onExchange });
  expect(failureOf(await client.call(read, withPolicy()))).toMatchObject({ code: 'BAD_REPLY' });
  expect(sent).toHaveLength(1);
});

it('--retries 0 sends once, and still checks the card', async () => {
  const { client, sent } = bench([broken('reset'), answer(200, card('BLOCKED'))]);
  expect(await client.call(block, withPolicy({ retries: 0 }))).toMatchObject({
    callOutcome: { outcome: 'confirmed_by_read' },
  });
  expect(sent).toEqual([`POST /v1/cards/${CARD_ID}/block`, `GET /v1/cards/${CARD_ID}`]);
});

it('a retry checks the card only once if --retry-max-time has no room for the pause', async () => {
  const { client, sent } = bench([broken('reset'), answer(200, card('ACTIVE'))]);
  const failure = failureOf(await client.call(block, withPolicy({ retryMaxTimeMs: 2100 })));
  expect(failure.details.observed === undefined ? '' : printJson(failure.details.observed)).toBe(
    '{"status":"ACTIVE","updatedAt":"2025-01-02T00:00:00Z","reads":1}',
  );
  expect(sent).toHaveLength(2);
});

it('a call tells the listener before each wait', async () => {
  const heard: unknown[] = [];
  const busy = answer(429, '{"errorCode":"BUSY","message":"later"}', [['Retry-After', '2']]);
  const { client } = bench([busy, answer(200, card('ACTIVE'))], { random: 0.9 });
  await client.call(read, withPolicy({}, { listener: { onRetry: (retry) => heard.push(retry) } }));
  expect(heard).toEqual([
    { reason: 'the service returned 429 (BUSY: "later")', brief: 'the service returned 429', waitMs: 2000 },
  ]);
});

it('the message of an unknown outcome says what broke, when it was sent, what the card check showed, and the command that checks', async () => {
  const seen = answer(200, card('ACTIVE'));
  const { client } = bench([broken('closed'), seen, seen]);
  const { message, hints, details } = failureOf(await client.call(inputFor(OPERATIONS.cardReissue), withPolicy()));
  expect(message).toBe(
    `OUTCOME UNKNOWN - reissue card ${CARD_ID}. The request was sent at 12:04:31Z. It broke (closed). ` +
      'It may or may not have been applied. ' +
      'Card check: status ACTIVE, updatedAt 2025-01-02T00:00:00Z (2 reads, 2 s apart). ' +
      'Status ACTIVE shows no reissue yet. It may still take effect.',
  );
  expect(hints.map(hintText)).toEqual([
    'check the card before you run this again: a second reissue may create a second live card. No command can show the new ' +
      `card: ask the team that runs the service, and give them ${details.sentAt}, card ${CARD_ID}, no request ID`,
    `check with: frontdesk card get ${CARD_ID}`,
  ]);
  expect(details).toMatchObject({
    operation: 'card.reissue',
    id: CARD_ID,
    outcome: 'unknown',
    attempts: 1,
    sentAt: '2026-01-02T12:04:31.000Z',
    phase: 'awaiting_headers',
  });
});

it.each([
  [
    'ACTIVE',
    'REISSUED',
    'now REISSUED, ACTIVE before you confirmed (2 reads, 2 s apart). The reissue happened, but the ID of the new card is not known.',
  ],
  [
    'REISSUED',
    'REISSUED',
    'now REISSUED, REISSUED before you confirmed (2 reads, 2 s apart). The card was already REISSUED, so it is not known whether it was reissued again.',
  ],
  [
    'ACTIVE',
    'ACTIVE',
    'now ACTIVE, ACTIVE before you confirmed (2 reads, 2 s apart). Status ACTIVE shows no reissue yet. It may still take effect.',
  ],
])(
  'the message of an unknown outcome of a reissue compares with the card as it was before the confirmation: %s, now %s',
  async (then, now, told) => {
    const seen = answer(200, card(now));
    const { client } = bench([broken('closed'), seen, seen]);
    const input = { ...inputFor(OPERATIONS.cardReissue), before: { status: then, when: 'before you confirmed' } };
    const { message } = failureOf(await client.call(input, withPolicy()));
    expect(message.slice(message.indexOf('Card check: ') + 12)).toBe(told);
  },
);

it('the message of an unknown outcome has a layout of its own for a terminal', async () => {
  const seen = answer(200, card('ACTIVE'));
  const { client } = bench([broken('closed'), seen, seen]);
  const { screen } = failureOf(await client.call(block, withPolicy()));
  expect(screen).toEqual([
    `OUTCOME UNKNOWN - block card ${CARD_ID}`,
    '  What happened  it broke (closed)',
    expect.stringMatching(/^ {2}Sent {11}12:04:31Z \(\d\d:04:31 your time\)$/),
    '  Card check     status ACTIVE, updatedAt 2025-01-02T00:00:00Z (2 reads, 2 s apart)',
    '  That means     the card is ACTIVE, not BLOCKED. The change may still take effect. Once the card reads BLOCKED, it is done',
  ]);
});

it('the message of an unknown outcome names the profile in the command when the call had to', async () => {
  const seen = answer(200, card('ACTIVE'));
  const { client } = bench([answer(500), seen, seen], { namedProfile: 'demo' });
  const failure = failureOf(await client.call(inputFor(OPERATIONS.cardReissue), withPolicy()));
  expect(failure.hints[1]).toEqual({ do: 'check with', about: CARD_ID, profile: 'demo' });
});

it('the message of an unknown outcome names no command where no read can show what happened', async () => {
  const { client } = bench([answer(500)]);
  const failure = failureOf(await client.call(inputFor(OPERATIONS.cardProvisionWalletA), withPolicy()));
  expect(failure.hints).toEqual([
    'ask the customer whether the card is in the wallet before you run this again: no command can check it',
  ]);
});

it('the message of an unknown outcome says what to search for when an event was created or not', async () => {
  const { client } = bench([broken('timeout')]);
  const failure = failureOf(await client.call(inputFor(OPERATIONS.eventCreate), withPolicy()));
  expect(failure.message).toContain('create event "Party" (start 2026-05-01T10:00:00, calendar cal-1)');
  expect(failure.details.id).toBeUndefined();
});

it('the message of an unknown outcome says so when the card check failed', async () => {
  const { client } = bench([
    answer(502, '<html><title>502 Bad Gateway</title></html>'),
    answer(404),
    unsent('refused'),
  ]);
  const failure = failureOf(await client.call(block, withPolicy()));
  expect(failure.message).toBe(
    `OUTCOME UNKNOWN - block card ${CARD_ID}. The request was sent at ` +
      '12:04:31Z. The service returned 502 ("502 Bad Gateway"). It may or may not have been applied. Card check: failed, refused.',
  );
  expect(failure.details.http).toEqual({ status: 502 });
});

it('the message of an unknown outcome keeps the facts of the unknown attempt if a later one was refused', async () => {
  const { client } = bench([busy(503, 1), answer(409, { errorCode: 'E', message: 'm' })]);
  const failure = failureOf(await client.call(update, withPolicy()));
  expect(failure.message).toContain(
    'The request was sent at 12:04:31Z. The service returned 503. A retry ended with: the service returned 409 (E: "m").',
  );
  expect(failure.details).toMatchObject({ http: { status: 503 }, attempts: 2 });
});

it('a 401 asks once for a fresh token and sends again, a write too', async () => {
  const { client, wires } = bench([answer(401), answer(200, card('BLOCKED'))], {
    renew: async () => 'fresh-token-1',
  });
  expect(await client.call(block, withPolicy())).toMatchObject({ callOutcome: { outcome: 'applied', attempts: 2 } });
  expect(wires.map((wire) => wire.headers.find(([name]) => name === 'Authorization')?.[1])).toEqual([
    `Bearer ${TOKEN}`,
    'Bearer fresh-token-1',
  ]);
});

it('H4 a call ends after the second 401, naming profile, host and source but no token', async () => {
  const run = bench([answer(401), answer(401, { errorCode: 'UNAUTHORIZED', message: `bad ${TOKEN}` })], {
    renew: async () => 'fresh-token-1',
  });
  const failure = failureOf(await run.client.call(block, withPolicy()));
  expect(run.renewals).toBe(1);
  expect(failure).toMatchObject({ code: 'AUTH', exitCode: 4 });
  expect(failure.message).toBe(
    `could not block card ${CARD_ID}: api.example.com did not accept the token in FRONTDESK_CARDS_TOKEN ` +
      '(401 UNAUTHORIZED: "bad ***"). Nothing was changed.',
  );
  expect(failure.hints).toEqual(['put a valid token into FRONTDESK_CARDS_TOKEN']);
});

it('H29 a 401 warns of a wrong clock', async () => {
  const { client } = bench([answer(401, '', [['Date', 'Fri, 02 Jan 2026 13:00:00 GMT']])]);
  expect(failureOf(await client.call(read, withPolicy())).hints[1]).toBe(
    "check this machine's clock: it says 2026-01-02T12:04:31.100Z, the service says 2026-01-02T13:00:00.000Z",
  );
});

it('a token source that fails ends the call before anything is sent', async () => {
  const run = bench([], { token: () => Promise.reject(new Failure('AUTH', 'no credential')) });
  const failure = failureOf(await run.client.call(block, withPolicy()));
  expect(failure).toMatchObject({
    code: 'AUTH',
    message: 'no credential',
    details: { outcome: 'not_sent', attempts: 0 },
  });
  expect(run.sent).toEqual([]);
});

const rows: readonly [string, Scripted, string][] = [
  [
    'H6 404',
    answer(404, { errorCode: 'CARD_NOT_FOUND', message: 'no such card' }),
    `could not block card ${CARD_ID}: no such card at api.example.com (profile demo): the service returned 404 (CARD_NOT_FOUND: "no such card"). Nothing was changed.`,
  ],
  [
    'H8 409 with details',
    answer(409, { errorCode: 'E', message: 'm', details: { a: 1 } }),
    `could not block card ${CARD_ID}: the service returned 409 (E: "m", details {"a":1}). Nothing was changed.`,
  ],
  [
    '422 problem details',
    answer(422, { title: 'Bad', detail: 'worse' }),
    `could not block card ${CARD_ID}: the service returned 422 ("Bad: worse"). Nothing was changed.`,
  ],
  [
    'H5 403',
    answer(403),
    `could not block card ${CARD_ID}: api.example.com refused the request: the service returned 403. Nothing was changed.`,
  ],
  [
    'H3 redirect',
    answer(307, '', [['Location', 'https://u:p@evil.example:8443/x?token=1']]),
    `could not block card ${CARD_ID}: the service redirected (307) to https://evil.example:8443, and redirects are never followed. Nothing was changed.`,
  ],
];
it.each(rows)('a refusal: %s', async (_, exchange, message) => {
  const { client } = bench([exchange]);
  expect(failureOf(await client.call(block, withPolicy())).message).toBe(message);
});

it('H7 a 404 in the calendar API names the calendar', async () => {
  const { client } = bench([answer(404, { error: 'no' })]);
  expect(failureOf(await client.call(update, withPolicy())).message).toContain(
    'could not update calendar id-1: no such calendar at api.example.com',
  );
});

it('a 409 to a write of a card says how to see the card as it is now', async () => {
  const { client } = bench([answer(409)], { namedProfile: 'demo' });
  const failure = failureOf(await client.call(block, withPolicy()));
  expect(failure.hints.map(hintText)).toEqual([`see the card as it is now: frontdesk card get ${CARD_ID} -p demo`]);
});

it('a 404 says to compare the id, and the place', async () => {
  const { client } = bench([answer(404, { errorCode: 'CARD_NOT_FOUND', message: 'no' })]);
  const failure = failureOf(await client.call(block, withPolicy()));
  expect(failure.hints).toEqual(['compare the ID with its source, and check that demo is the right profile']);
});

it.each([414, 431])('I7 a %i is explained by the length of the id', async (status) => {
  const { client } = bench([answer(status)]);
  const failure = failureOf(await client.call(block, withPolicy()));
  expect(failure.hints).toEqual([
    'use a shorter ID: this one makes a URL of 36 bytes or more, longer than the service takes',
  ]);
});

it('a base URL of the environment is named by its variable', async () => {
  const { client } = bench([answer(302)], { urlVariable: 'FRONTDESK_CARDS_URL' });
  const failure = failureOf(await client.call(read, withPolicy()));
  expect(failure.hints).toEqual(['check FRONTDESK_CARDS_URL (https://api.example.com)']);
});

const PLACE = 'the base URL https://api.example.com of profile demo';

it.each<[string, Scripted, string]>([
  ['an empty 404', answer(404), `check ${PLACE}: the response has no error body of the service`],
  [
    'a 404 of a gateway',
    answer(404, { message: 'no Route matched' }),
    `check ${PLACE}: the response has no error body of the service`,
  ],
  [
    'a page with 403',
    answer(403, '<html><title>Blocked</title>'),
    `check ${PLACE}: a web page responded instead of the service`,
  ],
  [
    'a 400 about TLS',
    answer(400, 'The plain HTTP request was sent to HTTPS port'),
    `check ${PLACE}: a gateway refused the connection`,
  ],
  [
    'a 400 in JSON about a client certificate',
    answer(400, { message: 'No required SSL certificate was sent' }),
    `check ${PLACE}: a gateway refused the connection`,
  ],
  [
    'a 400 of a Go server about TLS',
    answer(400, 'Client sent an HTTP request to an HTTPS server.'),
    `check ${PLACE}: a gateway refused the connection`,
  ],
])('%s names the setting for a read and for a write, and no card', async (_, exchange, hint) => {
  for (const call of [read, block]) {
    const { client } = bench([exchange]);
    const failure = failureOf(await client.call(call, withPolicy({ retries: 0 })));
    expect(failure.hints.map(hintText)[0]).toBe(hint);
    expect(failure.message).not.toContain('no such card');
  }
});

it('a 400 of the calendars in JSON names the setting only if it is about TLS', async () => {
  const hintsOf = async (message: string) => {
    const { client } = bench([answer(400, { message })]);
    return failureOf(await client.call(update, withPolicy())).hints.map(hintText);
  };
  expect(await hintsOf('No required SSL certificate was sent')).toEqual([
    `check ${PLACE}: a gateway refused the connection`,
  ]);
  expect(await hintsOf('the url must be an https address')).toEqual([]);
});

it('an unknown outcome after a redirect to another host names the setting', async () => {
  const { client } = bench([answer(302, '', [['Location', 'https://login.example/x']])]);
  const failure = failureOf(await client.call(update, withPolicy()));
  expect(failure.code).toBe('OUTCOME_UNKNOWN');
  expect(failure.hints.map(hintText)[0]).toContain(
    `check ${PLACE}: the response is a redirect to https://login.example. Running this command again sends the same values. `,
  );
});

it.each([
  ['Bearer error="invalid_token", error_description="The token expired"', 'invalid_token: "The token expired"'],
  ['Bearer realm="x", error=insufficient_scope, scope="cards:write"', 'insufficient_scope, scope "cards:write"'],
  ['Basic realm="x"', ''],
])('a refusal without a body says what WWW-Authenticate says: %s', async (challenge, said) => {
  const { client } = bench([answer(403, '', [['WWW-Authenticate', challenge]])]);
  const { message } = failureOf(await client.call(read, withPolicy()));
  expect(message).toContain(`the service returned 403${said === '' ? '' : ` (${said})`}`);
});

const REFUSAL = Buffer.from('{"errorCode":"E1","message":"no luck"}');

it.each([
  ['gzip', gzipSync(REFUSAL)],
  ['x-gzip', gzipSync(REFUSAL)],
  ['br', brotliCompressSync(REFUSAL)],
  ['deflate', deflateSync(REFUSAL)],
  ['deflate', deflateRawSync(REFUSAL)],
])('a refusal that is compressed unasked is unpacked: %s', async (encoding, body) => {
  const { client } = bench([{ kind: 'reply', status: 409, headers: [['Content-Encoding', encoding]], body: [body] }]);
  expect(failureOf(await client.call(read, withPolicy())).message).toContain('E1: "no luck"');
});

it('a refusal that cannot be unpacked is said to be compressed, and of a long one 64 KiB are unpacked', async () => {
  const body = [Buffer.from('no gzip')];
  const { client } = bench([{ kind: 'reply', status: 409, headers: [['Content-Encoding', 'gzip']], body }]);
  expect(failureOf(await client.call(read, withPolicy())).message).toContain('409 (the body is compressed with gzip)');
  expect(await unpackBeginning([gzipSync(Buffer.alloc(50_000_000, 'a'))], 'gzip')).toEqual(Buffer.alloc(65_536, 'a'));
});

it.each(['none', 'utf-8', 'identity', 'UTF-8, none', ''])(
  'a label that is no compression means a plain body: %j',
  async (label) => {
    const { client } = bench([answer(200, card('BLOCKED'), [['Content-Encoding', label]])]);
    expect((await client.call(block, withPolicy())).callOutcome.outcome).toBe('applied');
  },
);

it('a Retry-After that cannot be read is said to be', async () => {
  const { client } = bench([answer(429, '', [['Retry-After', 'soon']])]);
  const { message } = failureOf(await client.call(read, withPolicy({ retries: 0 })));
  expect(message).toContain('the service returned 429, and its Retry-After cannot be read ("soon")');
});

it('H6 a 404 as a web page: the base URL may be wrong', async () => {
  const { client } = bench([answer(404, '<!doctype html><title>Not here</title>')]);
  const failure = failureOf(await client.call(read, withPolicy()));
  expect(failure.exitCode).toBe(3);
  expect(failure.hints).toEqual([
    'check the base URL https://api.example.com of profile demo: a web page responded instead of the service',
  ]);
});

it('a refusal keeps an error body of the gift-card API as sent, and any other as body', async () => {
  const service = bench([answer(409, '{"errorCode":"E","message":"m","x":1.10}', [['request-id', 'r1']])]);
  const first = failureOf(await service.client.call(block, withPolicy())).details;
  expect(first.service === undefined ? '' : printJson(first.service)).toBe('{"errorCode":"E","message":"m","x":1.10}');
  expect(first.http).toEqual({ status: 409, requestId: 'r1' });
  const other = bench([answer(409, `<p>${'x'.repeat(600)}`)]);
  const second = failureOf(await other.client.call(block, withPolicy())).details;
  expect(second.service).toBeUndefined();
  expect(second.body).toBe(`<p>${'x'.repeat(496)}…`);
});

it.each([
  ['cut', '{"encryptedPaymentInstrument":"SECRET-DATA'],
  ['cut, and looks like a web page', '{"encryptedPaymentInstrument":"<html><body>SECRET-DATA'],
])('C23 an unreadable provisioning answer does not reach the error: %s', async (_, body) => {
  const { client } = bench([answer(200, body)]);
  const failure = failureOf(await client.call(inputFor(OPERATIONS.cardProvisionWalletA), withPolicy()));
  expect(failure.details.body).toBeUndefined();
  expect(failure.message).not.toContain('SECRET-DATA');
});

it.each([OPERATIONS.cardReissue, OPERATIONS.cardBlock])(
  'a card check without a status resolves no unknown outcome: $name',
  async (operation) => {
    const blank = answer(200, card('ACTIVE', { status: null }));
    const { client, sent } = bench([broken('reset'), blank, blank]);
    const failure = failureOf(await client.call(inputFor(operation), withPolicy()));
    expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { outcome: 'unknown' } });
    expect(sent).toHaveLength(3);
  },
);

it('a call that was stopped before anything was sent ends with 130, not sent, without a request', async () => {
  const { client, sent } = bench([]);
  const failure = failureOf(await client.call(block, withPolicy({}, { stopping: AbortSignal.abort('SIGINT') })));
  expect(failure).toMatchObject({ code: 'CANCELLED', exitCode: 130, details: { outcome: 'not_sent', attempts: 0 } });
  expect(sent).toEqual([]);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('a signal: %s during a wait begins no further attempt', async (signal, exitCode) => {
  const stopping = new AbortController();
  const { client, clock, sent } = bench([unsent('refused')]);
  clock.onSleep = () => stopping.abort(signal);
  const failure = failureOf(await client.call(block, withPolicy({}, { stopping: stopping.signal })));
  expect(failure).toMatchObject({ code: 'CANCELLED', exitCode, details: { outcome: 'not_sent' } });
  expect(sent).toHaveLength(1);
});

it('a change that is abandoned in progress is unknown, and its card is not checked', async () => {
  const { client, sent } = bench([broken('aborted')]);
  const failure = failureOf(
    await client.call(block, withPolicy({}, { abort: AbortSignal.abort() })).then((result) => result),
  );
  expect(failure).toMatchObject({ code: 'CANCELLED' });
  expect(sent).toEqual([]);
  const abort = new AbortController();
  const flying = bench([
    () => {
      abort.abort('SIGINT');
      return broken('aborted');
    },
  ]);
  const unknown = failureOf(await flying.client.call(block, withPolicy({}, { abort: abort.signal })));
  expect(unknown).toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 8, details: { outcome: 'unknown' } });
  expect(flying.sent).toHaveLength(1);
});

it('an answer that arrives after the first signal counts', async () => {
  const stopping = new AbortController();
  const { client } = bench([
    () => {
      stopping.abort('SIGINT');
      return answer(200, card('BLOCKED'));
    },
  ]);
  expect(await client.call(block, withPolicy({}, { stopping: stopping.signal }))).toMatchObject({
    callOutcome: { outcome: 'applied' },
  });
});

it('an ambiguous end after the first signal gets no card check', async () => {
  const stopping = new AbortController();
  const { client, sent } = bench([
    () => {
      stopping.abort('SIGINT');
      return broken('reset');
    },
  ]);
  expect(failureOf(await client.call(block, withPolicy({}, { stopping: stopping.signal })))).toMatchObject({
    exitCode: 8,
  });
  expect(sent).toHaveLength(1);
});

it.each<readonly [string, readonly Scripted[]]>([
  ['while a 429 waits', [answer(429)]],
  ['after a 429, and an attempt that was not sent', [answer(429), unsent('refused')]],
])('a single write that is stopped %s was refused, and is not said to be unsent', async (_, script) => {
  const stopping = new AbortController();
  const { client, clock } = bench(script);
  clock.onSleep = () => clock.sleeps.length === script.length && stopping.abort('SIGINT');
  const failure = failureOf(await client.call(block, withPolicy({}, { stopping: stopping.signal })));
  expect(failure).toMatchObject({ code: 'CANCELLED', details: { outcome: 'rejected' } });
  expect(failure.message).toMatch(/ Nothing was changed\.$/);
});

it('a single write that is stopped while its token is renewed was refused with the 401', async () => {
  const stopping = new AbortController();
  const { client, sent } = bench([answer(401)], {
    renew: async () => {
      stopping.abort('SIGINT');
      return 'fresh-1';
    },
  });
  const failure = failureOf(await client.call(block, withPolicy({}, { stopping: stopping.signal })));
  expect(failure).toMatchObject({ code: 'CANCELLED', details: { outcome: 'rejected', attempts: 1 } });
  expect(sent).toHaveLength(1);
});

function pacer(answers: Partial<{ admit: boolean; refused: boolean; mayRetry: boolean }> = {}) {
  const log: string[] = [];
  const result: Pacer = {
    admit: async (purpose) => {
      log.push(`admit ${purpose}`);
      return answers.admit ?? true;
    },
    refused: (waitMs) => {
      log.push(`refused ${waitMs}`);
      return answers.refused ?? true;
    },
    mayRetry: () => answers.mayRetry ?? true,
    succeeded: () => {
      log.push('succeeded');
    },
  };
  return { pacer: result, log };
}

it('a row leaves the waits of 429 to the pacer, outside the row’s own budget', async () => {
  const { pacer: port, log } = pacer();
  const { client, clock } = bench([busy(429, 300), answer(200, card('BLOCKED'))], {
    random: 0,
  });
  expect(await client.call(block, withPolicy({}, { pacer: port }))).toMatchObject({
    callOutcome: { outcome: 'applied', attempts: 2 },
  });
  expect(log).toEqual(['admit send', 'refused 300000', 'admit send', 'succeeded']);
  expect(clock.sleeps).toEqual([]);
});

const AGAIN = ', and could not be sent again';

it.each<[string, CallInput, readonly Scripted[], Parameters<typeof pacer>[0], string, string | undefined]>([
  ['a write answered 503 whose wait is too long', update, [busy(503, 120)], undefined, 'OUTCOME_UNKNOWN', 'unknown'],
  ['a read that is abandoned', read, [broken('aborted')], undefined, 'CANCELLED', undefined],
  [`a write that was refused${AGAIN}`, block, [busy(429, 0), GONE, GONE], undefined, 'UNREACHABLE', 'rejected'],
  [`a row that was refused${AGAIN}`, block, [busy(429, 1), GONE, GONE], {}, 'UNREACHABLE', 'not_sent'],
  ['a row that the pacer gives up', block, [busy(429, 3600)], { refused: false }, 'BUSY', 'not_sent'],
  ['a row that is still refused', block, Array(3).fill(answer(429)), {}, 'BUSY', 'rejected'],
  ['a row that is not admitted', block, [], { admit: false }, 'CANCELLED', 'not_sent'],
  ['a row of a run without retries left', block, [GONE], { mayRetry: false }, 'UNREACHABLE', 'not_sent'],
])('how a call fails, after all of these: %s', async (what, input, script, port, code, outcome) => {
  const { client, sent } = bench(script);
  const failure = failureOf(await client.call(input, withPolicy({}, port && { pacer: pacer(port).pacer })));
  expect([failure.code, failure.details.outcome, sent.length]).toEqual([code, outcome, script.length]);
  // What was refused is never said to be unsent.
  if (what.endsWith(AGAIN)) expect(failure.message).toMatch(/ Nothing was changed\.$/);
});

it.each<readonly [string, Scripted]>([
  ['a 429 whose wait the run gives up', busy(429, 3600)],
  ['a 401 after which no other token can be had', answer(401)],
])('a row of a run: %s leaves a write that may have been applied before unknown', async (_, last) => {
  const unchanged = answer(200, card('ACTIVE'));
  const { client, sent } = bench([busy(503, 1), unchanged, last, unchanged, unchanged]);
  const failure = failureOf(await client.call(block, withPolicy({}, { pacer: pacer({ refused: false }).pacer })));
  expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { outcome: 'unknown' } });
  const [write, look] = [`POST /v1/cards/${CARD_ID}/block`, `GET /v1/cards/${CARD_ID}`];
  expect(sent).toEqual([write, look, write, look, look]);
});

it('a row asks before each card check, so that a rate is kept', async () => {
  const { pacer: port, log } = pacer();
  const { client } = bench([broken('reset'), answer(200, card('BLOCKED'))]);
  await client.call(block, withPolicy({}, { pacer: port }));
  expect(log).toEqual(['admit send', 'admit read']);
});

it('C19 --verbose shows the exchange without token and one-time secrets', async () => {
  const lines: string[] = [];
  const { client } = bench([
    answer(200, { encryptedPaymentInstrument: 'SECRET-DATA', note: TOKEN }, [['Set-Cookie', 'session=abc']]),
  ]);
  await client.call(
    inputFor(OPERATIONS.cardProvisionWalletA),
    withPolicy({}, { listener: { onTrace: (line) => lines.push(line) } }),
  );
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
    '< {"encryptedPaymentInstrument":"***","note":"***"}',
  ]);
});
