import { expect, test } from 'vitest';
import { type Handler, type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// How a write ends, what is sent again, and how long is waited.

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
  'a change that is sent ends as one of five outcomes, and the history says which: %s',
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

test('a signal while the card of --expect is read: the change was not sent', async () => {
  const server = await startRecordingServer(() => ({ status: 429, headers: { 'retry-after': '30' }, body: {} }));
  const running = startFrontdesk([...BLOCK, '--expect', 'status=ACTIVE', '--json'], { env: server.env });
  await running.waitForOutput('waiting 3');
  running.child.kill('SIGTERM');
  const { signal, stdout, stderr } = await running.result;
  expect({ signal, stdout }).toEqual({ signal: 'SIGTERM', stdout: '' });
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
  expect(result).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' });
  expect(result.stderr).not.toContain('already sent');
  expect(result.stderr).toContain(`cancelled: block card ${CARD_ID}. Nothing was changed.`);
  expect(server.lines).toEqual([`POST ${PATH}/block`]);
});

const SKIP = [...BLOCK, '--skip-if', 'status=BLOCKED,REISSUED'];

test('a card that is as --skip-if says is printed as read, and the change is neither sent nor recorded', async () => {
  const server = await startRecordingServer(() => ({ body: cardText('BLOCKED') }));
  const home = createHome();
  const { code, stdout, stderr } = await runFrontdesk([...SKIP, '--json'], { env: server.env, home });
  expect([code, JSON.parse(stdout).status]).toEqual([0, 'BLOCKED']);
  expect(stderr).toBe('{"notice":{"code":"SKIPPED","message":"Not sent: the card is BLOCKED already"}}\n');
  expect(server.lines).toEqual([`GET ${PATH}`]);
  expect(await outcomesOf(home)).toEqual([]);
});

test.each<[string, Handler, number, string]>([
  ['shows something else is changed', writesGet({ body: cardText('BLOCKED') }, 'ACTIVE'), 0, 'POST'],
  ['cannot be read is not', () => ({ status: 404, body: {} }), 3, 'GET'],
])('with --skip-if a card that %s', async (_what, handler, code, last) => {
  const server = await startRecordingServer(handler);
  const result = await runFrontdesk([...SKIP, '--json'], { env: server.env });
  expect(result.code).toBe(code);
  expect(server.lines.at(-1)?.split(' ')[0]).toBe(last);
});

test.each([
  ['status=Blocked', '"Blocked" is not a status of a card'],
  ['shade=red', '"shade" is not a field of a card'],
  ['status', 'give a value: status=<value>'],
  ['metadata=x', 'name a member of the metadata'],
])('--skip-if %s is refused, and nothing is sent', async (value, problem) => {
  const server = await startRecordingServer([]);
  const { code, stdout, stderr } = await runFrontdesk([...BLOCK, '--skip-if', value], { env: server.env });
  expect([code, stdout, server.lines]).toEqual([2, '', []]);
  expect(stderr).toContain(`--skip-if: ${problem}`);
});

test('rows that --skip-if leaves out are a success: in results, summary and junit, not in --failed, history or a resume', async () => {
  const blocked = `/v1/cards/${OTHER_ID}`;
  const server = await startRecordingServer(({ method, url: path }) => ({
    body: cardText(method === 'POST' || path === blocked ? 'BLOCKED' : 'ACTIVE', path.split('/')[3]),
  }));
  const home = createHome();
  const run = (...args: string[]) => runFrontdesk(args, { env: server.env, home });
  const nightly = ['card', 'block', CARD_ID, OTHER_ID, '-y', '--skip-if', 'status=BLOCKED', '-j', '1'];
  const first = await run(...nightly, '--run', 'night', '--failed', 'rest.csv', '-o', 'ndjson');
  expect(first.code).toBe(0);
  expect(
    first.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).outcome),
  ).toEqual(['applied', 'skipped']);
  expect(JSON.parse(first.stderr.trimEnd().split('\n').at(-1) ?? '').summary).toMatchObject({
    outcomes: { applied: 1, skipped: 1 },
    requests: 1,
    exitCode: 0,
  });
  const sent = server.lines.length;
  expect(server.lines).toEqual([`GET ${PATH}`, `POST ${PATH}/block`, `GET ${blocked}`]);
  const again = await run(...nightly, '--run', 'night', '--json');
  expect([again.code, server.lines.length]).toEqual([0, sent]);
  const other = await run(...nightly.with(-3, 'status=BLOCKED,EXPIRED'), '--run', 'night');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--skip-if')]);
  const listed = await run('runs', 'results', 'night', '--outcome', 'skipped', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ row: 2, id: OTHER_ID, outcome: 'skipped', error: null }]);
  const report = await run('runs', 'report', 'night', '--as', 'junit');
  expect(report.stdout).toContain('tests="2" failures="0" errors="0" skipped="0"');
  expect(report.stdout).toContain('<system-out>skipped: the card is BLOCKED already</system-out>');
  expect(await outcomesOf(home)).toEqual(['applied']);
  // The same input of another night is no accident.
  const next = await run(...nightly, '--run', 'night-2', '--json');
  expect([next.code, next.stderr]).toEqual([0, expect.not.stringContaining('SAME_INPUT')]);
});

test('a plan leaves out what --skip-if names, and counts it', async () => {
  const server = await startRecordingServer(({ url: path }) => ({
    body: cardText(path.includes(OTHER_ID) ? 'BLOCKED' : 'ACTIVE', path.split('/')[3]),
  }));
  const home = createHome();
  const args = ['card', 'block', CARD_ID, OTHER_ID, '--skip-if', 'status=BLOCKED', '--plan', 'night.plan'];
  const { code, stdout } = await runFrontdesk([...args, '--json'], { env: server.env, home });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ rows: 1, unchanged: 0, skipped: 1 })]);
  expect(server.lines).toEqual([`GET ${PATH}`, `GET /v1/cards/${OTHER_ID}`]);
});

test('a dry run says that --expect and --skip-if were not compared', async () => {
  const server = await startRecordingServer([]);
  const { code, stderr } = await runFrontdesk([...SKIP, '--expect', 'status=ACTIVE', '--dry-run'], { env: server.env });
  expect([code, server.lines]).toEqual([0, []]);
  expect(stderr).toContain('--expect and --skip-if were not compared, because a dry run reads no card');
});
