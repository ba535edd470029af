import { expect, test } from 'vitest';
import { type Handler, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// Contract section 5: how a write ends, what is sent again, and how long is waited.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const PATH = `/v1/cards/${CARD_ID}`;
const BLOCK = ['card', 'block', CARD_ID, '-y'];
const REISSUE = ['card', 'reissue', CARD_ID, '-y'];
const HIDDEN = ['card', 'provision', CARD_ID, '--wallet', 'wallet_b'];
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

const cases: readonly [string, readonly string[], Handler, number, string, number][] = [
  ['applied', BLOCK, () => ({ body: cardText('BLOCKED') }), 0, 'applied', 1],
  ['confirmed_by_read', BLOCK, writesGet('reset', 'BLOCKED'), 0, 'confirmed_by_read', 1],
  ['rejected', EVENT, () => ({ status: 409, body: {} }), 6, 'rejected', 1],
  ['unknown', EVENT, () => ({ status: 500, body: {} }), 8, 'unknown', 1],
  ['429 used up is rejected', EVENT, () => ({ status: 429, body: {} }), 11, 'rejected', 3],
];
test.each(cases)(
  'a change ends as one of five outcomes, and the history says which: %s',
  async (_, args, handler, code, outcome, posts) => {
    const server = await startRecordingServer(handler);
    const home = createHome();
    const result = await runFrontdesk([...args, '--json'], { env: server.env, home });
    expect(result.code).toBe(code);
    if (code !== 0) expect(lastError(result.stderr).outcome).toBe(outcome);
    expect(await outcomesOf(home)).toEqual([outcome]);
    expect(server.lines.filter((line) => line.startsWith('POST')).length).toBe(posts);
  },
);

test('a change without a connection ends as not_sent', async () => {
  const server = await startRecordingServer([]);
  await server.stop();
  const home = createHome();
  const { code, stderr } = await runFrontdesk([...EVENT, '--json', '--retries', '0'], { env: server.env, home });
  expect(code).toBe(7);
  expect(lastError(stderr).outcome).toBe('not_sent');
  expect(await outcomesOf(home)).toEqual(['not_sent']);
});

test('the message of an unknown outcome says when it was sent, what the card check showed, and the exact command that checks', async () => {
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

test('a provisioning whose response would be hidden is not sent', async () => {
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

test('the command that checks an unknown outcome names the profile that was named', async () => {
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

test('the ID in the response to reissue and event create is kept as resultId in the history', async () => {
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

test('a signal while the card of --expect is read: the change was not sent', async () => {
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

test('a signal in the pause before a retry ends the call at once, and nothing is in progress', async () => {
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
