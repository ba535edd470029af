import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callAt, refused } from '../support/calls.ts';
import { idLines, playService, rowLines } from '../support/plain-service.ts';
import { type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type RunOptions, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

// A container with a read-only root, no folder for its state and no /tmp: below a device there is no folder to make,
// as root too.
const NOWHERE = {
  ...{ FRONTDESK_STATE_DIR: '/dev/null/state', FRONTDESK_CONFIG_DIR: '/dev/null/config' },
  ...{ XDG_CACHE_HOME: '/dev/null/cache', TMPDIR: '/dev/null/tmp' },
};
const UNSET = { FRONTDESK_STATE_DIR: undefined, FRONTDESK_CONFIG_DIR: undefined, XDG_CONFIG_HOME: undefined };
const HOMELESS = { HOME: undefined, ...UNSET };
const OTHER_ID = '11111111-2222-3333-4444-555555555555';

const at = (env: NonNullable<RunOptions['env']>, args: readonly string[], replies: readonly Reply[] = []) =>
  callAt(replies, args, { env });

test.each([
  ['C15 a read', ['card', 'get', CARD_ID]],
  ['a change without a record', ['card', 'activate', CARD_ID, '--no-history']],
])('%s works where nothing can be written', async (_what, args) => {
  const result = await at(NOWHERE, [...args, '--query', 'status'], [{ body: cardText('ACTIVE') }]);
  expect(result).toMatchObject({ code: 0, stdout: 'ACTIVE\n', stderr: '' });
});

test.each<[string, readonly string[], string, string]>([
  ['a write', ['card', 'activate', CARD_ID], '', 'FRONTDESK_STATE_DIR'],
  ['a run', ['card', 'activate', CARD_ID, OTHER_ID, '--yes'], '', 'FRONTDESK_STATE_DIR'],
  ['the history', ['history'], '', 'FRONTDESK_STATE_DIR'],
  ['the runs', ['runs'], '', 'FRONTDESK_STATE_DIR'],
  ['the sandbox', ['sandbox', 'info'], '', 'FRONTDESK_STATE_DIR'],
  ['a card of the sandbox', ['card', 'get', CARD_ID, '-p', 'sandbox'], '', 'FRONTDESK_STATE_DIR'],
  ['settings', ['profile', 'set', 'live'], '', 'FRONTDESK_CONFIG_DIR'],
  ['rows from a pipe', ['card', 'get', '--from', '-'], `${CARD_ID}\n`, 'TMPDIR'],
])('%s where nothing can be written names the variable that helps', async (_what, args, stdin, variable) => {
  const stderr = await refused(args, { code: 16, env: NOWHERE, stdin });
  expect(stderr).toContain(`hint: set ${variable} to a folder that can be written\n`);
  expect(stderr.match(/^hint: /gm)?.length).toBeLessThanOrEqual(2);
});

test('a finished run prints its results again where its folder became read-only, and leaves it as it is', async () => {
  const server = await startRecordingServer(playService());
  const home = createHome();
  const args = ['card', 'block', '--from', '-', '--yes', '--run', 'nightly', '-o', 'ndjson'];
  const call = (words = args) => runFrontdesk(words, { env: server.env, home, stdin: idLines(3) });
  const first = await call();
  const runs = join(home.stateDir, 'runs');
  const stored = () => readdirSync(join(runs, 'nightly')).map((name) => readFileSync(join(runs, 'nightly', name)));
  const before = stored();
  for (const folder of [join(runs, 'nightly'), runs]) chmodSync(folder, 0o500);
  const requests = server.requests.length;
  for (const words of [args, ['runs', 'resume', 'nightly', '-o', 'ndjson']]) {
    const again = await call(words);
    expect([again.code, rowLines(again.stdout)]).toEqual([0, rowLines(first.stdout)]);
  }
  expect(server.requests).toHaveLength(requests);
  // Root may write everything.
  if (process.getuid?.() !== 0) expect(stored()).toEqual(before);
  for (const folder of [runs, join(runs, 'nightly')]) chmodSync(folder, 0o700);
});

test.each([
  ['of the audit log', ['card', 'activate', CARD_ID], { FRONTDESK_AUDIT_LOG: '/tmp/of-nobody/audit.log' }],
  ['of --failed', ['card', 'activate', CARD_ID, OTHER_ID, '--yes', '--failed', '/tmp/of-nobody/left.csv'], {}],
])('no variable is suggested if the file %s cannot be created, and nothing is sent', async (_what, args, more) => {
  const stderr = await refused(args, { code: 16, env: { ...more, TMPDIR: '/tmp' } });
  expect(stderr).toContain('no such file or folder');
  expect(stderr).not.toContain('hint:');
});

test('C15 a change without a home folder names the variable that helps', async () => {
  const one = await refused(['card', 'activate', CARD_ID], { env: HOMELESS });
  expect(one).toContain('hint: set FRONTDESK_STATE_DIR, or add --no-history');
  const run = await refused(['card', 'activate', CARD_ID, OTHER_ID, '--yes'], { env: HOMELESS });
  expect(run).toContain('hint: set FRONTDESK_STATE_DIR to a folder that you can write to');
});

test.each([
  ['nothing can be written', NOWHERE],
  ['there is no home folder', HOMELESS],
])('doctor reports no problem where a call works: %s', async (_what, env) => {
  const { stdout } = await at(env, ['doctor', '--json', '--query', "checks[?status=='problem'].name"]);
  expect(JSON.parse(stdout)).toEqual(['state-folder']);
  const found = await at(env, ['doctor', '--query', "checks[?status!='ok'].fix", '--json']);
  expect(found.stdout).toMatch(/FRONTDESK_CONFIG_DIR[\s\S]*FRONTDESK_STATE_DIR/);
});
