import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import type { CallResult, Pacer } from '../../../../src/service/http/call.ts';
import { answer, bench, broken, CARD_ID, card, inputFor, type Scripted, TOKEN, unsent, withPolicy } from './fakes.ts';

const read = inputFor(OPERATIONS.cardGet);
const block = inputFor(OPERATIONS.cardBlock);
const update = inputFor(OPERATIONS.calendarUpdate);
const START_MS = Date.UTC(2026, 0, 2, 12, 4, 31);
const SOON = [['Retry-After', '1']] as const;

function failureOf(result: CallResult): Failure {
  if (result.kind !== 'failed') throw new Error('expected a failure');
  return result.failure;
}

/** A pacer that lets everything through, but for what a test changes. */
function pacer(changes: Partial<Pacer> = {}): Pacer {
  return { admit: async () => true, refused: () => true, mayRetry: () => true, succeeded: () => undefined, ...changes };
}

/** A bench whose clock has run for a while, as a client has that is used again. */
function laterBench(...args: Parameters<typeof bench>): ReturnType<typeof bench> {
  const later = bench(...args);
  later.clock.elapsedMs = 7000;
  return later;
}

it('the outcome of a call that was answered has the time of the attempt that was answered, and how long all of them took', async () => {
  const { client } = laterBench([answer(429, '', SOON), answer(200, card('BLOCKED'), [['Request-Id', 'r-1']])], {
    random: 0,
  });
  const { resource, ...result } = (await client.call(block, withPolicy())) as Extract<CallResult, { kind: 'answered' }>;
  expect(resource).toBeInstanceOf(Map);
  expect(result).toMatchObject({
    kind: 'answered',
    headers: [['Request-Id', 'r-1']],
    callOutcome: {
      outcome: 'applied',
      httpStatus: 200,
      requestId: 'r-1',
      attempts: 2,
      sentAtMs: START_MS + 8100,
      durationMs: 1200,
      resultId: undefined,
    },
  });
});

it('the outcome of a call has the time of the unknown attempt if the card shows that it is done, and no ID of a new card', async () => {
  const { client } = laterBench([broken('reset'), answer(200, card('BLOCKED'))]);
  const result = await client.call({ ...block, body: new Map([['reason', 'lost']]) }, withPolicy());
  expect(result.callOutcome).toMatchObject({
    outcome: 'confirmed_by_read',
    sentAtMs: START_MS + 7000,
    durationMs: 200,
    attempts: 1,
    resultId: undefined,
    notices: [
      {
        code: 'CONFIRMED_BY_READ',
        level: 'warning',
        message: `block card ${CARD_ID}: it broke (reset). The card now shows status BLOCKED, so this counts as done. Another request may have made the change, and the reason may not have been stored`,
      },
    ],
  });
});

it.each<readonly [string, ReturnType<typeof inputFor>, unknown, string | undefined]>([
  [
    'of the new card',
    inputFor(OPERATIONS.cardReissue),
    card('ACTIVE', { cardId: '00000000-0000-4000-8000-000000000001' }),
    '00000000-0000-4000-8000-000000000001',
  ],
  ['of a new event', inputFor(OPERATIONS.eventCreate), { id: 'evt_1' }, 'evt_1'],
  [
    'that is a number, digit for digit',
    inputFor(OPERATIONS.eventCreate),
    '{"id":12345678901234567890}',
    '12345678901234567890',
  ],
  ['of nothing new', block, card('BLOCKED'), undefined],
  ['of a card that was read', read, card('ACTIVE'), undefined],
])('the outcome of a call that was answered has the id %s', async (_what, input, body, resultId) => {
  const { client } = bench([answer(200, body)]);
  const { callOutcome, kind } = await client.call(input, withPolicy());
  expect([kind, callOutcome.resultId]).toEqual(['answered', resultId]);
});

it.each([
  ['an event is created', inputFor(OPERATIONS.eventCreate), '["id"]'],
  ['a card is blocked: the response has no cardId', block, { status: 'BLOCKED' }],
  [
    'a card is blocked: the response names another',
    block,
    { ...card('BLOCKED'), cardId: '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202' },
  ],
])('the outcome of a raw change is by the rules of its command: unknown if %s', async (_what, input, body) => {
  const { client } = bench([answer(200, body), answer(200, card('ACTIVE')), answer(200, card('ACTIVE'))]);
  const { callOutcome } = await client.call({ ...input, target: '/v1/raw' }, withPolicy());
  expect(callOutcome).toMatchObject({ outcome: 'unknown', resultId: undefined });
});

it.each([
  [503, 2],
  [503, 0],
  [502, 2],
  [500, 0],
])(
  'a read answered %i that asks to wait for an hour, with %i retries, is busy and names the time',
  async (status, retries) => {
    const { client, sent } = bench([answer(status, '', [['Retry-After', '3600']])]);
    const failure = failureOf(await client.call(read, withPolicy({ retries })));
    expect(failure).toMatchObject({ code: 'BUSY', exitCode: 11, details: { retryAt: '2026-01-02T13:04:31.100Z' } });
    expect(sent).toHaveLength(1);
  },
);

it.each(['0', 'Fri, 01 Jan 2021 00:00:00 GMT'])('a Retry-After of %s asks for no wait', async (after) => {
  const { client } = bench([answer(429, '', [['Retry-After', after]])]);
  const failure = failureOf(await client.call(read, withPolicy({ retries: 0 })));
  expect(failure.problem).toBe('the service returned 429, and no retries are left');
  expect(failure.hints).toEqual([{ do: 'repeat', words: 'run the command again later' }]);
});

it('a raw change outside the table is applied by any JSON with 200', async () => {
  const { client } = bench([answer(200, '["id"]')]);
  const operation = { ...OPERATIONS.eventCreate, response: { ...OPERATIONS.eventCreate.response, properties: {} } };
  const { callOutcome } = await client.call(
    { ...inputFor(OPERATIONS.eventCreate), operation, target: '/v1/x' },
    withPolicy(),
  );
  expect(callOutcome).toMatchObject({ outcome: 'applied' });
});

it('the outcome of a call that was answered is unknown where a raw write is answered by an error with 200', async () => {
  const { client } = bench([answer(200, { errorCode: 'LATE', message: 'm' })]);
  const { callOutcome } = await client.call(
    { ...inputFor(OPERATIONS.eventCreate), target: '/v1/events' },
    withPolicy(),
  );
  expect(callOutcome).toMatchObject({ outcome: 'unknown', resultId: undefined });
});

it('the outcome of a call that failed has the words of the service and the time that it took', async () => {
  const { client } = laterBench([answer(409, { errorCode: 'E', message: 'it is lost' })]);
  expect((await client.call(block, withPolicy())).callOutcome).toMatchObject({
    outcome: 'rejected',
    code: 'REJECTED',
    message: 'it is lost',
    durationMs: 100,
  });
});

it('the outcome of a call that failed has neither before the first attempt', async () => {
  const { client } = laterBench([]);
  const { callOutcome } = await client.call(block, withPolicy({}, { stopping: AbortSignal.abort('SIGINT') }));
  expect([callOutcome.durationMs, callOutcome.message, callOutcome.outcome]).toEqual([
    undefined,
    undefined,
    'not_sent',
  ]);
});

it('a bug in the token source is thrown, when a token is asked for and when it is renewed', async () => {
  const bug = () => Promise.reject(new TypeError('bug'));
  await expect(bench([], { token: bug }).client.call(read, withPolicy())).rejects.toThrow('bug');
  await expect(bench([answer(401)], { renew: bug }).client.call(read, withPolicy())).rejects.toThrow('bug');
});

it('the token that cannot be had because the call was ended is no failure of the credential', async () => {
  const stopping = new AbortController();
  const { client } = bench([], {
    token: async () => {
      stopping.abort('SIGTERM');
      throw new Failure('AUTH', 'the token command was ended');
    },
  });
  expect(failureOf(await client.call(block, withPolicy({}, { stopping: stopping.signal })))).toMatchObject({
    code: 'CANCELLED',
    exitCode: 143,
  });
});

it('the token that cannot be renewed leaves the 401 as what is reported, and the write was refused', async () => {
  const run = bench([answer(401)], { renew: async () => undefined });
  expect(failureOf(await run.client.call(block, withPolicy()))).toMatchObject({
    code: 'AUTH',
    message: expect.stringContaining('api.example.com did not accept the token in FRONTDESK_CARDS_TOKEN (401)'),
    hints: ['put a valid token into FRONTDESK_CARDS_TOKEN'],
    details: { outcome: 'rejected', attempts: 1, http: { status: 401 } },
  });
  expect(run.sent).toHaveLength(1);
});

it('the token is renewed after a 401 and after nothing else', async () => {
  const run = bench([answer(500), answer(403)], { renew: async () => 'fresh' });
  await run.client.call(read, withPolicy());
  expect(run.renewals).toBe(0);
  const heard: string[] = [];
  const once = bench([answer(401), answer(200, card('ACTIVE'))], { renew: async () => 'fresh-1' });
  await once.client.call(read, withPolicy({}, { listener: { onTrace: (line) => heard.push(line) } }));
  expect([once.renewals, once.wires.length, heard.join().includes(TOKEN)]).toEqual([1, 2, false]);
});

it.each<readonly [string, Scripted, number]>([
  ['of no time, as the service asks', answer(429, '', [['Retry-After', '0']]), 250],
  ['that the service does not ask for', answer(429), 250],
  ['of three seconds, as it asks', answer(429, '', [['Retry-After', '3']]), 3000],
])('a wait: %s is reported as the time that is waited', async (_what, first, waitMs) => {
  const heard: unknown[] = [];
  const { client } = bench([first, answer(200, card('ACTIVE'))], { random: 0.5 });
  await client.call(read, withPolicy({}, { listener: { onRetry: (retry) => heard.push(retry) } }));
  expect(heard).toEqual([{ reason: 'the service returned 429', brief: 'the service returned 429', waitMs }]);
});

it('a wait is not reported without a listener', async () => {
  const { client } = bench([unsent('refused'), answer(200, card('ACTIVE'))]);
  const result = await client.call(read, withPolicy({}, { listener: { onSend: () => undefined } }));
  expect(result.kind).toBe('answered');
});

it.each(['abort', 'stopping'] as const)(
  'a wait ends at `%s`, and none listens any more after the call',
  async (name) => {
    const other = name === 'abort' ? 'stopping' : 'abort';
    const [ending, idle] = [new AbortController(), new AbortController()];
    const run = bench([unsent('refused')]);
    run.clock.sleep = (_ms, woken) =>
      new Promise((resolve) => {
        woken?.addEventListener('abort', () => resolve());
        ending.abort('SIGINT');
      });
    const result = await run.client.call(read, withPolicy({}, { [name]: ending.signal, [other]: idle.signal }));
    expect(failureOf(result).code).toBe('CANCELLED');
    expect([ending, idle].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  },
);

it('a wait does not begin when the call was ended right before', async () => {
  const stopping = new AbortController();
  const run = bench([unsent('refused')]);
  const listener = { onRetry: () => stopping.abort('SIGINT') };
  await run.client.call(read, withPolicy({}, { listener, stopping: stopping.signal }));
  expect(run.clock.sleeps).toEqual([]);
});

/** Its end when it is stopped in the wait after these answers. */
async function stopped(script: readonly Scripted[], more: object = {}, input = block) {
  const stopping = new AbortController();
  const run = bench(script);
  run.clock.onSleep = () => stopping.abort('SIGTERM');
  const result = await run.client.call(input, withPolicy({}, { stopping: stopping.signal, ...more }));
  return failureOf(result);
}

it.each([
  ['a refusal: it was rejected', answer(429), {}, 'CANCELLED', 'rejected'],
  ['a refusal in a run: the row is still to be done', unsent('refused'), { pacer: pacer() }, 'CANCELLED', 'not_sent'],
  ['no connection: nothing was sent', unsent('refused'), {}, 'CANCELLED', 'not_sent'],
] as const)('a call that is ended between two attempts after %s', async (_what, first, more, code, outcome) => {
  expect(await stopped([first], more)).toMatchObject({ code, details: { outcome } });
});

it('a call that is ended between two attempts leaves an unknown change unknown', async () => {
  const failure = await stopped([answer(503, '', SOON)], {}, update);
  expect(failure).toMatchObject({ code: 'OUTCOME_UNKNOWN', exitCode: 8, details: { http: { status: 503 } } });
});

it('a call that is ended between two attempts is not refused for good when a run paused it by a 429', async () => {
  const admits = [true, false];
  const port = pacer({ admit: async () => admits.shift() === true });
  const { client, sent } = bench([answer(429)]);
  const failure = failureOf(await client.call(block, withPolicy({}, { pacer: port })));
  expect(failure).toMatchObject({ code: 'CANCELLED', details: { outcome: 'not_sent' } });
  expect(sent).toHaveLength(1);
});

it('a call that is ended between two attempts has the exit code of the signal that ended it at once', async () => {
  const { client } = bench([]);
  const how = { abort: AbortSignal.abort('SIGHUP'), stopping: AbortSignal.abort('SIGINT') };
  expect(failureOf(await client.call(block, withPolicy({}, how))).exitCode).toBe(129);
  const { signal } = new AbortController();
  const later = { abort: signal, stopping: AbortSignal.abort('SIGTERM') };
  expect(failureOf(await client.call(block, withPolicy({}, later))).exitCode).toBe(143);
});

it.each<readonly [string, ReturnType<typeof inputFor>, number, string]>([
  ['of a write that was refused is a refusal', block, 409, 'REJECTED'],
  ['of a write that may have been applied leaves it unknown', block, 200, 'OUTCOME_UNKNOWN'],
  ['of a read is cancelled', read, 409, 'CANCELLED'],
])('an answer that is cut short because the call was ended: %s', async (_what, input, status, code) => {
  const { client, sent } = bench([broken('aborted', 'reading_body', status)]);
  expect(failureOf(await client.call(input, withPolicy())).code).toBe(code);
  expect(sent).toHaveLength(1);
});

it('a refusal that is cut short because the call was ended does not resolve an earlier unknown attempt', async () => {
  const { client } = bench([answer(503, '', SOON), broken('aborted', 'reading_body', 409)]);
  expect(failureOf(await client.call(update, withPolicy())).code).toBe('OUTCOME_UNKNOWN');
});

it('the time of a call does not count what the pace of a run took', async () => {
  const run = laterBench([answer(200, card('BLOCKED'))]);
  const port = pacer({
    admit: async () => {
      run.clock.elapsedMs += 10_000;
      return true;
    },
  });
  await run.client.call(block, withPolicy({ retryMaxTimeMs: 5000 }, { pacer: port }));
  expect(run.timeouts).toEqual([5000]);
});

it.each([
  ['none is left', 60_000, 0],
  ['a millisecond is left', 59_999, 1],
  ['the pause between two reads is left', 57_900, 1],
  ['a millisecond more is left', 57_899, 2],
])('the time of a call when %s: that many card checks', async (_what, spentMs, reads) => {
  const { client, sent } = bench([broken('reset'), answer(200, card('ACTIVE')), answer(200, card('ACTIVE'))], {
    onExchange: (count, clock) => {
      if (count === 1) clock.elapsedMs = spentMs;
    },
  });
  expect(failureOf(await client.call(block, withPolicy())).code).toBe('OUTCOME_UNKNOWN');
  expect(sent).toHaveLength(1 + reads);
});

it('the connections of a call are fresh ones for every attempt but the first, and for card checks', async () => {
  const { client, fresh } = bench([answer(429), broken('reset'), answer(200, card('BLOCKED'))]);
  await client.call(block, withPolicy());
  expect(fresh).toEqual([false, true, true]);
});

it('the connections of a call are announced to the run right before each request is sent, card checks too', async () => {
  const left: string[] = [];
  const port = pacer({ leaves: () => void left.push('leaves') });
  const { client } = bench([broken('reset'), answer(200, card('BLOCKED'))]);
  await client.call(block, withPolicy({}, { pacer: port }));
  expect(left).toEqual(['leaves', 'leaves']);
});

it('a row that a run gives up says for how long the service asked to wait', async () => {
  const { client } = bench([answer(429, '', [['Retry-After', '3600']])]);
  const failure = failureOf(await client.call(block, withPolicy({}, { pacer: pacer({ refused: () => false }) })));
  expect(failure.message).toBe(
    `could not block card ${CARD_ID}: the service returned 429, asking to wait 3600 s, and that wait is longer than --retry-max-time allows. Nothing was changed.`,
  );
});
