import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { idLines, playService, rowLines } from '../support/plain-service.ts';
import { type Reply, startRecordingServer } from '../support/recording-server.ts';
import { createHome, type RunOptions, runFrontdesk } from '../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../support/sample-card.ts';

const PRELOAD = fileURLToPath(new URL('../support/fail-at.cjs', import.meta.url));

// A container with a read-only root, no folder for its state and no /tmp: below a device there is no folder to make,
// as root too.
const NOWHERE = {
  FRONTDESK_STATE_DIR: '/dev/null/state',
  FRONTDESK_CONFIG_DIR: '/dev/null/config',
  XDG_CACHE_HOME: '/dev/null/cache',
  TMPDIR: '/dev/null/tmp',
};
const HOMELESS = {
  HOME: undefined,
  FRONTDESK_STATE_DIR: undefined,
  FRONTDESK_CONFIG_DIR: undefined,
  XDG_CONFIG_HOME: undefined,
};
const OTHER_ID = '11111111-2222-3333-4444-555555555555';

async function at(env: RunOptions['env'], args: readonly string[], replies: readonly Reply[] = [], stdin = '') {
  const server = await startRecordingServer(replies);
  const result = await runFrontdesk(args, { env: { ...server.env, ...env }, stdin });
  return { ...result, lines: server.lines };
}

test('C15 a read works where nothing can be written', async () => {
  const read = [{ body: cardText('ACTIVE') }];
  const result = await at(NOWHERE, ['card', 'get', CARD_ID, '--query', 'status'], read);
  expect(result).toMatchObject({ code: 0, stdout: 'ACTIVE\n', stderr: '' });
});

test('a change without a record works where nothing can be written', async () => {
  const written = [{ body: cardText('ACTIVE') }];
  const result = await at(NOWHERE, ['card', 'activate', CARD_ID, '--no-history', '--query', 'status'], written);
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
])(
  '%s where nothing can be written names the variable that helps, and sends nothing',
  async (_what, args, stdin, variable) => {
    const { code, stdout, stderr, lines } = await at(NOWHERE, args, [], stdin);
    expect({ code, stdout, lines }).toEqual({ code: 16, stdout: '', lines: [] });
    expect(stderr).toContain(`hint: set ${variable} to a folder that can be written\n`);
    expect(stderr.match(/^hint: /gm)?.length).toBeLessThanOrEqual(2);
  },
);

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
  const env = { ...more, TMPDIR: '/tmp' };
  const { code, stdout, stderr, lines } = await at(env, args);
  expect({ code, stdout, lines }).toEqual({ code: 16, stdout: '', lines: [] });
  expect(stderr).toContain('no such file or folder');
  expect(stderr).not.toContain('hint:');
});

test('C15 a change without a home folder names the variable that helps', async () => {
  const written = await at(HOMELESS, ['card', 'activate', CARD_ID]);
  expect(written).toMatchObject({ code: 2, lines: [] });
  expect(written.stderr).toContain('hint: set FRONTDESK_STATE_DIR, or add --no-history');
  const run = await at(HOMELESS, ['card', 'activate', CARD_ID, OTHER_ID, '--yes']);
  expect(run).toMatchObject({ code: 2, lines: [] });
  expect(run.stderr).toContain('hint: set FRONTDESK_STATE_DIR to a folder that you can write to');
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

test('C14 a disk that takes only a part of the settings leaves the old ones', async () => {
  const kept = [0, '', { retries: 1 }];
  const refused = [
    16,
    'frontdesk: could not save the settings file /settings.json: the disk took only a part of it. The earlier content is unchanged.\n',
    { retries: 2 },
  ];
  const ends: unknown[] = [];
  // Each write below the folder in turn: one of them is that of the settings.
  for (const at of [1, 2, 3]) {
    const home = createHome();
    await runFrontdesk(['config', 'set', 'retries', '2'], { home });
    const env = {
      NODE_OPTIONS: `--require ${PRELOAD}`,
      FAIL_AT: `${at}`,
      FAIL_WITH: 'SHORT',
      FAIL_ONLY: 'write',
      FAIL_BELOW: home.configDir,
      FAIL_COUNT: join(home.path, 'count'),
    };
    const { code, stderr } = await runFrontdesk(['config', 'set', 'retries', '1'], { home, env });
    const { preferences } = JSON.parse(readFileSync(join(home.configDir, 'settings.json'), 'utf8'));
    const end = [code, stderr.replace(home.configDir, ''), preferences];
    expect([kept, refused]).toContainEqual(end);
    ends.push(end);
  }
  expect(ends).toContainEqual(refused);
});

/** The working folder of a home that holds these files, and what is in it after a command. */
function workOf(files: Readonly<Record<string, string>>) {
  const home = createHome();
  const work = join(home.path, 'work');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  return { home, work, left: () => readdirSync(work) };
}

test('a failed file of a read whose workbook cannot be made leaves nothing behind', async () => {
  const { home, left } = workOf({ 'cards.csv': `cardId\n${CARD_ID}\n` });
  const server = await startRecordingServer([]);
  const args = ['card', 'get', '--from', 'cards.csv', '-o', 'xlsx', '--out', 'none/x.xlsx', '--failed', 'left.csv'];
  const { code, stderr } = await runFrontdesk(args, { home, env: server.env });
  expect({ code, lines: server.lines, left: left() }).toEqual({ code: 2, lines: [], left: ['cards.csv'] });
  expect(stderr).toContain('--out: cannot create "none/x.xlsx": no such file or folder (ENOENT)\n');
});

test('a failed file of no rows that the disk cannot take leaves nothing behind', async () => {
  const { home, work, left } = workOf({ 'cards.csv': 'cardId\n' });
  const server = await startRecordingServer([]);
  const env = {
    ...server.env,
    NODE_OPTIONS: `--require ${PRELOAD}`,
    FAIL_AT: '1',
    FAIL_WITH: 'ENOSPC',
    FAIL_ONLY: 'writeFile',
    FAIL_BELOW: work,
    FAIL_COUNT: join(home.path, 'count'),
  };
  const args = ['card', 'get', '--from', 'cards.csv', '--failed', join(work, 'left.csv')];
  const { code, stderr } = await runFrontdesk(args, { home, env });
  expect({ code, lines: server.lines, left: left() }).toEqual({ code: 16, lines: [], left: ['cards.csv'] });
  expect(stderr).toContain('no space left on the device (ENOSPC)');
});

test('a failed file of a resume that cannot read the history leaves nothing behind', async () => {
  const { home, left } = workOf({});
  const server = await startRecordingServer([{ status: 401, body: '{}' }]);
  const begin = ['card', 'reissue', CARD_ID, OTHER_ID, '--yes', '-j', '1'];
  expect((await runFrontdesk(begin, { home, env: server.env })).code).toBe(4);
  mkdirSync(join(home.stateDir, 'writes'), { recursive: true });
  chmodSync(join(home.stateDir, 'writes'), 0o777);
  const resumed = await runFrontdesk(['runs', 'resume', '--last', '--failed', 'left.csv'], { home, env: server.env });
  expect({ code: resumed.code, sent: server.lines.length, left: left() }).toEqual({ code: 4, sent: 1, left: [] });
});
