import { describe, expect, test } from 'vitest';
import { type Handler, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Contract section 5: how a write ends, what is sent again, and how long is waited.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const PATH = `/v1/cards/${CARD_ID}`;
const ACTIVATE = ['card', 'activate', CARD_ID];
const BLOCK = ['card', 'block', CARD_ID, '-y'];
const REISSUE = ['card', 'reissue', CARD_ID, '-y'];
const HIDDEN = ['card', 'provision', CARD_ID, '--wallet', 'wallet_b'];
const PROVISION = [...HIDDEN, '--show-sensitive'];
const CALENDAR = ['calendar', 'update', 'cal_1', '--name', 'n'];
const SUBSCRIBER = ['calendar', 'subscribers', 'update', 'sub_1', '--email', 'e'];
const EVENT = ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'Tasting', '--start', '2026-05-01'];

/** Answers writes with `reply` and reads with a card of that status. */
function writesGet(reply: Reply, status = 'WAITING_ACTIVATION'): Handler {
  return ({ method }) => (method === 'POST' ? reply : { body: cardText(status) });
}

async function outcomesOf(home: Home): Promise<readonly unknown[]> {
  const { stdout } = await runFrontdesk(['history', '--json'], { home });
  return JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome);
}

function lastError(stderr: string) {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

describe('every write ends as one of five outcomes, and the history says which', () => {
  const cases: readonly [string, readonly string[], Handler, number, string, number][] = [
    ['applied', BLOCK, () => ({ body: cardText('BLOCKED') }), 0, 'applied', 1],
    ['confirmed_by_read', BLOCK, writesGet('reset', 'BLOCKED'), 0, 'confirmed_by_read', 1],
    ['rejected', EVENT, () => ({ status: 409, body: {} }), 6, 'rejected', 1],
    ['unknown', EVENT, () => ({ status: 500, body: {} }), 8, 'unknown', 1],
    ['429 used up is rejected', EVENT, () => ({ status: 429, body: {} }), 11, 'rejected', 3],
  ];
  test.each(cases)('%s', async (_, args, handler, code, outcome, posts) => {
    const server = await startRecordingServer(handler);
    const home = createHome();
    const result = await runFrontdesk([...args, '--json'], { env: server.env, home });
    expect(result.code).toBe(code);
    if (code !== 0) expect(lastError(result.stderr).outcome).toBe(outcome);
    expect(await outcomesOf(home)).toEqual([outcome]);
    expect(server.lines.filter((line) => line.startsWith('POST')).length).toBe(posts);
  });

  test('not_sent', async () => {
    const server = await startRecordingServer([]);
    await server.stop();
    const home = createHome();
    const { code, stderr } = await runFrontdesk([...EVENT, '--json', '--retries', '0'], { env: server.env, home });
    expect(code).toBe(7);
    expect(lastError(stderr).outcome).toBe('not_sent');
    expect(await outcomesOf(home)).toEqual(['not_sent']);
  });
});

describe('a write that left without a readable answer is never sent again', () => {
  const ambiguous: readonly [string, Reply][] = [
    ['500', { status: 500, body: { errorCode: 'REJECTED', message: 'not done' } }],
    ['503', { status: 503, body: {} }],
    ['no answer', 'reset'],
    ['200 with something else', { body: '<html>' }],
    ['200 without a body', { status: 200 }],
  ];
  const rows = ambiguous.flatMap(([what, reply]) =>
    [PROVISION, CALENDAR, SUBSCRIBER, EVENT].map((args) => [what, args.slice(0, 3).join(' '), args, reply] as const),
  );
  test.each(rows)('%s to %s: one request and exit 8', async (_, __, args, reply) => {
    const server = await startRecordingServer(writesGet(reply));
    const { code, stdout, stderr } = await runFrontdesk([...args, '--json'], { env: server.env });
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    expect(server.lines.length).toBe(1);
    const error = lastError(stderr);
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', attempts: 1 });
    expect(error.sentAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('503 with Retry-After to provision, reissue and event create neither', async () => {
    const server = await startRecordingServer(writesGet({ status: 503, headers: { 'retry-after': '0' } }));
    for (const args of [PROVISION, REISSUE, EVENT]) {
      expect((await runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE } })).code).toBe(8);
    }
    expect(server.lines.filter((line) => line.startsWith('POST')).length).toBe(3);
  });

  test('503 with Retry-After to an update is tried once more', async () => {
    const server = await startRecordingServer(() => ({ status: 503, headers: { 'retry-after': '0' } }));
    expect((await runFrontdesk([...CALENDAR, '--retries', '5'], { env: server.env })).code).toBe(8);
    expect(server.lines.length).toBe(2);
  });
});

describe('a read-back', () => {
  test.each<[readonly string[], string]>([
    [ACTIVATE, 'ACTIVE'],
    [BLOCK, 'BLOCKED'],
  ])('%j is confirmed by the status, and the card as read is printed', async (args, status) => {
    const server = await startRecordingServer(writesGet({ status: 500, body: {} }, status));
    const { code, stdout, stderr } = await runFrontdesk([...args, '--json'], { env: server.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ cardId: CARD_ID, status });
    expect(stdout).toContain('"currentBalance": 10.10');
    expect(JSON.parse(stderr).notice.code).toBe('CONFIRMED_BY_READ');
    expect(server.lines).toEqual([`POST ${PATH}/${args[1]}`, `GET ${PATH}`]);
  });

  test('503 with Retry-After to block: read back, waited, sent again', async () => {
    const server = await startRecordingServer([
      { status: 503, headers: { 'retry-after': '0' }, body: {} },
      { body: cardText('ACTIVE') },
      { body: cardText('BLOCKED') },
    ]);
    expect((await runFrontdesk(BLOCK, { env: server.env })).code).toBe(0);
    expect(server.lines).toEqual([`POST ${PATH}/block`, `GET ${PATH}`, `POST ${PATH}/block`]);
  });

  test('an unknown message says when it was sent, what a read-back showed, and the exact command that checks', async () => {
    const server = await startRecordingServer(writesGet('reset', 'ACTIVE'));
    for (const args of [BLOCK, REISSUE]) {
      const { code, stdout, stderr } = await runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE } });
      expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
      expect(stderr).toMatch(/The request was sent at \d\d:\d\d:\d\dZ\. The /);
      expect(stderr).toContain('Card check: status ACTIVE');
      expect(stderr).toContain(`frontdesk card get ${CARD_ID}\n`);
      expect(stderr.split('\n').filter((line) => line.startsWith('hint: ')).length).toBe(2);
    }
    const posts = server.lines.filter((line) => line.startsWith('POST'));
    expect(posts).toEqual([`POST ${PATH}/block`, `POST ${PATH}/reissue`]);
  });

  test('a reissue that reads REISSUED is still unknown: no read can show the new id', async () => {
    const server = await startRecordingServer(writesGet({ status: 502, body: '' }, 'REISSUED'));
    const { code, stderr } = await runFrontdesk([...REISSUE, '--json'], { env: { ...server.env, ...NO_PAUSE } });
    expect(code).toBe(8);
    expect(lastError(stderr)).toMatchObject({ outcome: 'unknown', observed: { status: 'REISSUED' } });
  });

  test('a provisioning whose answer would be hidden is not sent', async () => {
    const body = { primaryAccountNumberPrefix: '4', activationData: 'a', authenticationData: 'b' };
    const server = await startRecordingServer(() => ({ body }));
    const home = createHome();
    const codeOf = async (...args: string[]) =>
      (await runFrontdesk([...HIDDEN, ...args], { env: server.env, home })).code;
    expect(await codeOf()).toBe(2);
    expect(await codeOf('-o', 'csv')).toBe(2);
    expect(server.requests).toEqual([]);
    expect(await codeOf('-n')).toBe(0);
    expect(await codeOf('--json')).toBe(0);
    expect(await codeOf('--show-sensitive')).toBe(0);
    expect(await codeOf('--out', 'answer.json')).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  test('the command that checks names the profile that was named', async () => {
    const server = await startRecordingServer(writesGet('reset'));
    const home = createHome();
    await runFrontdesk(['profile', 'set', 'shop', '--cards-url', server.url], { home });
    const { FRONTDESK_CARDS_TOKEN } = server.env;
    const { stderr } = await runFrontdesk([...REISSUE, '-p', 'shop'], {
      env: { FRONTDESK_CARDS_TOKEN },
      home,
    });
    expect(stderr).toContain(`frontdesk card get ${CARD_ID} -p shop`);
  });
});

describe('the id in the answer of reissue and event create is kept', () => {
  test('as resultId in the history', async () => {
    const server = await startRecordingServer(({ url }) =>
      url === '/v1/events' ? { body: '{"id":"evt_9"}' } : { body: cardText('ACTIVE', OTHER_ID) },
    );
    const home = createHome();
    expect((await runFrontdesk(REISSUE, { env: server.env, home })).code).toBe(0);
    expect((await runFrontdesk(EVENT, { env: server.env, home })).code).toBe(0);
    const { stdout } = await runFrontdesk(['history', '--json', '--query', '[].[operation,id,resultId]'], { home });
    expect(JSON.parse(stdout)).toEqual([
      ['calendar.event.create', null, 'evt_9'],
      ['card.reissue', CARD_ID, OTHER_ID],
    ]);
  });
});

test('a signal while the card of --expect is read: the write was not sent', async () => {
  const server = await startRecordingServer(() => ({ status: 429, headers: { 'retry-after': '30' }, body: {} }));
  const running = startFrontdesk([...BLOCK, '--expect', 'status=ACTIVE', '--json'], { env: server.env });
  await running.waitForOutput('waiting 3');
  running.child.kill('SIGTERM');
  const { code, stdout, stderr } = await running.result;
  expect({ code, stdout }).toEqual({ code: 143, stdout: '' });
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toEqual({
    code: 'CANCELLED',
    exitCode: 143,
    message: 'cancelled by SIGTERM. Nothing was sent.',
    operation: 'card.block',
    outcome: 'not_sent',
  });
  expect(server.lines).toEqual([`GET ${PATH}`]);
});

describe('retries wait, and never less than Retry-After', () => {
  test('a signal in the pause ends it at once, and nothing is said to be in flight', async () => {
    const server = await startRecordingServer(writesGet({ status: 429, headers: { 'retry-after': '30' }, body: {} }));
    const running = startFrontdesk(BLOCK, { env: server.env });
    await running.waitForOutput('waiting 3');
    running.child.kill('SIGINT');
    const result = await running.result;
    expect(result).toMatchObject({ code: 130, stdout: '' });
    expect(result.stderr).not.toContain('already sent');
    expect(result.stderr).toContain(`cancelled: block card ${CARD_ID}. Nothing was changed.`);
    expect(server.lines).toEqual([`POST ${PATH}/block`]);
  });

  test('seconds', async () => {
    const server = await startRecordingServer([
      { status: 429, headers: { 'retry-after': '1' }, body: {} },
      { body: cardText('BLOCKED') },
    ]);
    const { code, elapsedMs } = await runFrontdesk(BLOCK, { env: server.env });
    expect(code).toBe(0);
    expect(elapsedMs).toBeGreaterThanOrEqual(1000);
    expect(server.lines.length).toBe(2);
  });

  test('a date is read against the service’s own Date', async () => {
    const date = 'Fri, 01 Jan 2010 10:00:00 GMT';
    const later = 'Fri, 01 Jan 2010 10:00:01 GMT';
    const server = await startRecordingServer([
      { status: 429, headers: { date, 'retry-after': later }, body: {} },
      { body: cardText('ACTIVE') },
    ]);
    const { code, elapsedMs } = await runFrontdesk(['card', 'get', CARD_ID], { env: server.env });
    expect(code).toBe(0);
    expect(elapsedMs).toBeGreaterThanOrEqual(1000);
  });

  test.each([
    ['3600', 3600],
    ['99999999', 99_999_999],
    ['Fri, 01 Jan 2010 11:00:00 GMT', 3600],
  ])(
    'a wait of %s that would pass --retry-max-time is not begun: exit 11 with the time to try again',
    async (wait, s) => {
      const headers = { date: 'Fri, 01 Jan 2010 10:00:00 GMT', 'retry-after': wait };
      const server = await startRecordingServer(() => ({ status: 429, headers, body: {} }));
      for (const args of [BLOCK, ['card', 'get', CARD_ID]]) {
        const before = Date.now();
        const { code, stderr } = await runFrontdesk([...args, '--json'], { env: server.env });
        expect(code).toBe(11);
        const error = lastError(stderr);
        expect(Date.parse(error.retryAt)).toBeGreaterThanOrEqual(before + s * 1000 - 1000);
        expect(error.hint).toContain(error.retryAt);
      }
      expect(server.lines.length).toBe(2);
    },
  );

  test('what was refused by 429 may be sent again, whatever it does', async () => {
    const codes = [PROVISION, REISSUE, EVENT, CALENDAR, SUBSCRIBER].map(async (args) => {
      const body = args === REISSUE ? cardText('ACTIVE') : '{"id":"x","activationData":"a"}';
      const ok = args === CALENDAR ? '{"id":"cal_1"}' : args === SUBSCRIBER ? '{"id":"sub_1"}' : body;
      const server = await startRecordingServer([{ status: 429 }, { status: 429 }, { body: ok }]);
      return (await runFrontdesk(args, { env: server.env })).code;
    });
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0, 0]);
  });

  test('a read is tried again after 5xx, a reset and a bad body', async () => {
    const server = await startRecordingServer([{ status: 502 }, 'reset', { body: 'x' }, { body: cardText('ACTIVE') }]);
    expect((await runFrontdesk(['card', 'get', CARD_ID, '--retries', '3'], { env: server.env })).code).toBe(0);
  });
});
