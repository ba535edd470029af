import { expect, test } from 'vitest';
import { jsonLines, lastLine, openPlain } from '../support/plain-service.ts';
import { type Handler, startRecordingServer } from '../support/recording-server.ts';
import { runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// How a write ends, what is sent again, and how long is waited.

const OTHER_ID = '11111111-2222-3333-4444-555555555555';
const PATH = `/v1/cards/${CARD_ID}`;
const BLOCK = ['card', 'block', CARD_ID, '-y'];
const HIDDEN = ['card', 'provision', CARD_ID, '--wallet', 'wallet_b'];
const EVENT = ['calendar', 'event', 'create', '--calendar', 'cal_1', '--name', 'Tasting', '--start', '2026-05-01'];

const READS: Handler = ({ method }) => (method === 'POST' ? 'reset' : { body: cardText('BLOCKED') });

type Place = Awaited<ReturnType<typeof openPlain>>;

async function outcomesOf({ json }: Place): Promise<readonly unknown[]> {
  return (await json('history')).map(({ outcome }: { outcome: string }) => outcome);
}

const cases: readonly [string, readonly string[], Handler, number, string, number][] = [
  ['applied', BLOCK, () => ({ body: cardText('BLOCKED') }), 0, 'applied', 1],
  ['confirmed_by_read', BLOCK, READS, 0, 'confirmed_by_read', 1],
  ['rejected', EVENT, () => ({ status: 409, body: {} }), 6, 'rejected', 1],
  ['unknown', EVENT, () => ({ status: 500, body: {} }), 8, 'unknown', 1],
  ['429 used up is rejected', EVENT, () => ({ status: 429, body: {} }), 11, 'rejected', 3],
];
test.each(cases)('a change that is sent ends as in history: %s', async (_, args, handler, code, outcome, posts) => {
  const place = await openPlain(handler);
  const result = await place.run([...args, '--json']);
  expect(result.code).toBe(code);
  if (code !== 0) expect(lastLine(result.stderr)).toMatchObject({ error: { outcome } });
  expect([await outcomesOf(place), place.posts()]).toEqual([[outcome], posts]);
});

test('a change without a connection ends as not_sent', async () => {
  const place = await openPlain();
  await place.server.stop();
  const { code, stderr } = await place.run([...EVENT, '--json', '--retries', '0']);
  expect([code, lastLine(stderr)]).toMatchObject([7, { error: { outcome: 'not_sent' } }]);
  expect(await outcomesOf(place)).toEqual(['not_sent']);
});

test.each([
  [2, []],
  [2, ['-o', 'csv']],
  [0, ['-n']],
  [0, ['--json']],
  [0, ['--show-sensitive']],
  [0, ['--out', 'answer.json']],
])('a provisioning whose response would be hidden is not sent: %i with %j', async (code, more) => {
  const body = { primaryAccountNumberPrefix: '4', activationData: 'a', authenticationData: 'b' };
  const { posts, run } = await openPlain(() => ({ body }));
  expect([(await run([...HIDDEN, ...more])).code, posts()]).toEqual([code, code === 0 && more[0] !== '-n' ? 1 : 0]);
});

test('a signal while the card of --expect is read: the change was not sent', async () => {
  const server = await startRecordingServer(() => ({ status: 429, headers: { 'retry-after': '30' }, body: {} }));
  const running = startFrontdesk([...BLOCK, '--expect', 'status=ACTIVE', '--json'], { env: server.env });
  await running.waitForOutput('waiting 3');
  running.child.kill('SIGTERM');
  const { signal, stdout, stderr } = await running.result;
  expect({ signal, stdout }).toEqual({ signal: 'SIGTERM', stdout: '' });
  const message = 'cancelled by SIGTERM. Nothing was sent.';
  expect(lastLine(stderr)).toEqual({
    error: { code: 'CANCELLED', exitCode: 143, message, operation: 'card.block', outcome: 'not_sent' },
  });
  expect(server.lines).toEqual([`GET ${PATH}`]);
});

const SKIP = [...BLOCK, '--skip-if', 'status=BLOCKED,REISSUED'];

test('a card that is as --skip-if says is printed as read, and the change is neither sent nor recorded', async () => {
  const place = await openPlain(() => ({ body: cardText('BLOCKED') }));
  const { code, stdout, stderr } = await place.run([...SKIP, '--json']);
  expect([code, JSON.parse(stdout).status]).toEqual([0, 'BLOCKED']);
  expect(stderr).toBe('{"notice":{"code":"SKIPPED","message":"Not sent: the card is BLOCKED already"}}\n');
  expect(place.server.lines).toEqual([`GET ${PATH}`]);
  expect(await outcomesOf(place)).toEqual([]);
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
  const place = await openPlain(({ method, url }) => ({
    body: cardText(method === 'POST' || url === blocked ? 'BLOCKED' : 'ACTIVE', url.split('/')[3]),
  }));
  const { server } = place;
  const run = (...args: string[]) => place.run(args);
  const nightly = ['card', 'block', CARD_ID, OTHER_ID, '-y', '--skip-if', 'status=BLOCKED', '-j', '1'];
  const first = await run(...nightly, '--run', 'night', '--failed', 'rest.csv', '-o', 'ndjson');
  expect([first.code, jsonLines(first.stdout).map(({ outcome }) => outcome)]).toEqual([0, ['applied', 'skipped']]);
  const summary = { outcomes: { applied: 1, skipped: 1 }, requests: 1, exitCode: 0 };
  expect(lastLine(first.stderr)).toMatchObject({ summary });
  expect(place.read('rest.csv').trimEnd().split('\n')).toHaveLength(1);
  expect(server.lines).toEqual([`GET ${PATH}`, `POST ${PATH}/block`, `GET ${blocked}`]);
  expect([(await run(...nightly, '--run', 'night', '--json')).code, server.lines.length]).toEqual([0, 3]);
  const other = await run(...nightly.with(-3, 'status=BLOCKED,EXPIRED'), '--run', 'night');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--skip-if')]);
  const listed = await place.json('runs', 'results', 'night', '--outcome', 'skipped');
  expect(listed).toMatchObject([{ row: 2, id: OTHER_ID, outcome: 'skipped', error: null }]);
  const report = await run('runs', 'report', 'night', '--as', 'junit');
  expect(report.stdout).toContain('tests="2" failures="0" errors="0" skipped="0"');
  expect(report.stdout).toContain('<system-out>skipped: the card is BLOCKED already</system-out>');
  expect(await outcomesOf(place)).toEqual(['applied']);
  // The same input of another night is no accident.
  const next = await run(...nightly, '--run', 'night-2', '--json');
  expect([next.code, next.stderr]).toEqual([0, expect.not.stringContaining('SAME_INPUT')]);
});

test('a dry run says that --expect and --skip-if were not compared', async () => {
  const server = await startRecordingServer([]);
  const { code, stderr } = await runFrontdesk([...SKIP, '--expect', 'status=ACTIVE', '--dry-run'], { env: server.env });
  expect([code, server.lines]).toEqual([0, []]);
  expect(stderr).toContain('--expect and --skip-if were not compared, because a dry run reads no card');
});
