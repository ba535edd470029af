import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idLines, playService } from '../support/plain-service.ts';
import { CALENDAR_TOKEN, CARDS_TOKEN, startRecordingServer } from '../support/recording-server.ts';
import { createHome, injecting, type RunOptions, runFrontdesk } from '../support/run-frontdesk.ts';

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

async function doctor(options: RunOptions, args: readonly string[] = []) {
  const result = await runFrontdesk(['doctor', '--json', ...args], options);
  expect(result.code).toBe(0);
  const { checks } = JSON.parse(result.stdout) as { checks: readonly Finding[] };
  return { ...result, checks, of: (name: string) => checks.filter((check) => check.name === name) };
}

function homeWith(files: Readonly<Record<string, string>>, mode = 0o600) {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.configDir, name), text, { mode });
  return home;
}

test('doctor reports on a fresh machine, sends nothing and exits with 0', async () => {
  const { checks, stderr } = await doctor({});
  expect(stderr).toBe('');
  const names = ['frontdesk', 'node', 'environment', 'config-folder', 'settings', 'credentials'];
  for (const name of [...names, 'state-folder', 'open-writes', 'profile']) {
    expect(checks.find((check) => check.name === name)?.status, name).toBe('ok');
  }
  expect(checks.filter(({ status }) => status === 'problem')).toEqual([]);
});

test('doctor prints one row for each check outside a terminal', async () => {
  const { stdout, code } = await runFrontdesk(['doctor']);
  expect([code, stdout.split('\n')[0]]).toEqual([0, 'STATUS\tCHECK\tFOUND\tFIX']);
  expect(stdout).toContain('ok\tenvironment\tthe variables of frontdesk can be read\t\n');
});

test('doctor works with damaged settings and says where they are', async () => {
  const home = homeWith({ 'settings.json': '{"version":1,"profiles":{"live":{"readonli":true}}}' });
  const { of } = await doctor({ home }, ['-p', 'live']);
  const message = expect.stringContaining('did you mean readOnly?');
  expect(of('settings')[0]).toMatchObject({ status: 'problem', message });
  expect(of('profile')[0]).toMatchObject({ status: 'warning' });
});

test('doctor works with an environment that every other command refuses, and with no wrong option', async () => {
  const wrong = { FRONTDESK_OUTPUT: 'xml', FRONTDESK_TIMEOUT: '5', FRONTDESK_CA_FILE: '/nowhere/ca.pem' };
  const { of } = await doctor({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', ...wrong, FRONTDESK_PROFILE: 'nobody' } });
  expect(of('profile')).toMatchObject([{ status: 'problem' }]);
  const environment = of('environment');
  expect(environment.map(({ status }) => status)).toEqual(['problem', 'problem', 'problem']);
  const text = environment.map(({ message }) => message).join('\n');
  for (const name of ['NODE_TLS_REJECT_UNAUTHORIZED', 'FRONTDESK_OUTPUT', 'FRONTDESK_TIMEOUT', '/nowhere/ca.pem']) {
    expect(text).toContain(name);
  }
  expect((await runFrontdesk(['profile', 'list'], { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).code).toBe(2);
  expect((await runFrontdesk(['doctor', '-o', 'xml'])).code).toBe(2);
});

test('doctor names unsafe files and folders with the commands that fix them', async () => {
  const home = homeWith({ 'credentials.json': '{"version":1,"entries":[]}' }, 0o644);
  mkdirSync(home.stateDir);
  chmodSync(home.stateDir, 0o755);
  mkdirSync(join(home.stateDir, 'writes'));
  chmodSync(join(home.stateDir, 'writes'), 0o755);
  const file = join(home.configDir, 'credentials.json');
  const { of } = await doctor({ home });
  expect(of('credentials')).toMatchObject([{ status: 'problem', fix: `fix it with: chmod 600 ${file}` }]);
  expect(of('state-folder')).toMatchObject([{ status: 'warning', fix: `chmod 700 ${home.stateDir}` }]);
  expect(of('state-files')).toMatchObject([{ status: 'warning', fix: `chmod 700 ${join(home.stateDir, 'writes')}` }]);
});

test('doctor says whether cards are remembered, and what keeps them from it', async () => {
  const home = createHome();
  const known = async () => (await doctor({ home })).of('known-cards');
  expect(await known()).toMatchObject([{ status: 'ok', message: 'no cards remembered yet' }]);
  await runFrontdesk(['card', 'get', '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101', '-p', 'sandbox', '-q'], { home });
  expect(await known()).toMatchObject([{ status: 'ok', message: 'cards remembered of 1 base URL' }]);
  const cards = join(home.stateDir, 'cards');
  writeFileSync(join(cards, 'damaged.ndjson'), '{}\nnot a card\n', { mode: 0o600 });
  expect(await known()).toMatchObject([{ status: 'problem', fix: 'to start over: frontdesk card find --forget' }]);
  rmSync(cards, { recursive: true });
  writeFileSync(cards, '', { mode: 0o600 });
  expect(await known()).toMatchObject([{ status: 'problem' }]);
  const none = await doctor({ home, env: { FRONTDESK_NO_HISTORY: '1' } });
  expect(none.of('known-cards')[0]?.message).toBe('not remembered: FRONTDESK_NO_HISTORY is set');
});

test('doctor names a lock whose process is gone', async () => {
  const home = homeWith({});
  const folder = join(home.configDir, 'settings.json.lock');
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(home.configDir, 'credentials.json.lock'));
  const lock = join(folder, '00000000.1.1.0000000000000000.pod-a');
  writeFileSync(lock, '0000000000000000\n0000000001 000000000000\n', { mode: 0o600 });
  // Of other programs.
  mkdirSync(join(home.configDir, 'foo.lock'));
  for (const name of ['foo.lock/file', 'yarn.lock', 'p.json.bad']) writeFileSync(join(home.configDir, name), '');
  expect((await doctor({ home })).of('leftovers')).toMatchObject([{ status: 'warning', fix: `rm ${lock}` }]);
});

test('doctor shows URLs and the source of credentials, and no token', async () => {
  const server = await startRecordingServer([]);
  const { of, stdout } = await doctor({ env: server.env });
  expect(of('cards-url')).toMatchObject([{ status: 'ok', message: `${server.url} (environment)` }]);
  expect(of('cards-credential')[0]?.message).toBe('environment (FRONTDESK_CARDS_TOKEN), ends with 0001');
  expect(of('cards-clock')[0]?.message).toBe('not checked (--connect sends one GET of an ID that cannot exist)');
  expect(stdout).not.toContain(CARDS_TOKEN);
  expect(stdout).not.toContain(CALENDAR_TOKEN);
});

test('doctor runs no token command', async () => {
  const trace = join(createHome().path, 'ran');
  const place = { profile: 'default', family: 'cards', origin: 'https://cards.example.com' };
  const entries = [{ ...place, kind: 'command', value: `touch ${trace}; echo token` }];
  const home = homeWith({ 'credentials.json': JSON.stringify({ version: 1, entries }) });
  const { of } = await doctor({ home, env: { FRONTDESK_CARDS_URL: 'https://cards.example.com' } });
  expect(of('cards-credential')[0]?.message).toContain('a token command, not run here');
  expect(existsSync(trace)).toBe(false);
});

test('doctor --connect sends each base URL one GET of an ID that cannot exist, and compares the clocks', async () => {
  const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const body = { errorCode: 'CARD_NOT_FOUND', message: 'no such card' };
  const server = await startRecordingServer([{ status: 404, headers, body }, { status: 401 }]);
  const env = { ...server.env, FRONTDESK_CALENDAR_URL: `${server.url}/gateway` };
  const { of } = await doctor({ env }, ['--connect']);
  expect(server.lines).toEqual([
    'GET /v1/cards/00000000-0000-0000-0000-000000000000',
    'GET /gateway/v1/calendars/frontdesk-doctor-no-such-calendar/subscribers',
  ]);
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    `Bearer ${server.env['FRONTDESK_CARDS_TOKEN']}`,
    `Bearer ${server.env['FRONTDESK_CALENDAR_TOKEN']}`,
  ]);
  const message = `${server.url} answered the GET of an id that cannot exist with 404, as it should`;
  expect(of('cards-connection')).toMatchObject([{ status: 'ok', message }]);
  expect(of('cards-token')).toMatchObject([{ status: 'ok', message: 'the service accepted it' }]);
  expect(of('calendar-token')).toMatchObject([{ status: 'problem', message: 'the service refused it with 401' }]);
  expect(of('cards-clock')[0]).toMatchObject({ status: 'warning', fix: "set this machine's clock" });
  expect(of('calendar-clock')[0]).toMatchObject({ status: 'ok' });
});

test('doctor --connect reports a service that returns 5xx, and --strict exits with 15', async () => {
  const replies = [{ status: 503 }, { status: 404, body: {} }];
  const server = await startRecordingServer([...replies, ...replies]);
  const { of } = await doctor({ env: server.env }, ['--connect']);
  expect(of('cards-connection')).toMatchObject([{ status: 'problem', message: expect.stringContaining('with 503') }]);
  expect(of('calendar-connection')).toMatchObject([{ status: 'ok' }]);
  expect((await runFrontdesk(['doctor', '--connect', '--strict'], { env: server.env })).code).toBe(15);
});

test.each([
  ['a web page', { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>404</title></html>' }],
  ['the JSON of a gateway', { status: 404, body: { message: 'no Route matched' } }],
])('doctor --connect takes %s for no gift card service, and says nothing of the token', async (_, reply) => {
  const server = await startRecordingServer([reply, { status: 404, body: { error: 'none' } }]);
  const { of } = await doctor({ env: server.env }, ['--connect']);
  expect(of('cards-connection')).toMatchObject([{ status: 'warning', fix: 'check the base URL' }]);
  expect(of('cards-connection')[0]?.message).toContain('this may not be the service');
  expect(of('cards-token')).toEqual([]);
  expect(of('calendar-connection')).toMatchObject([{ status: 'ok' }]);
  expect(of('calendar-token')).toMatchObject([{ status: 'ok', message: 'the service accepted it' }]);
});

test('doctor --connect reports a service that cannot be reached', async () => {
  const server = await startRecordingServer([]);
  await server.stop();
  const { of } = await doctor({ env: server.env }, ['--connect']);
  expect(of('cards-connection')[0]).toMatchObject({ status: 'problem' });
  expect(of('cards-connection')[0]?.message).toContain('refused');
});

/** A run at its first use, where this code is in the place of a call of the file system. */
async function firstRun(code: string, home = createHome()) {
  const server = await startRecordingServer(playService());
  const broken = injecting(`import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      ${code}; syncBuiltinESMExports();`);
  const args = ['card', 'block', '--from', '-', '--yes', '--quiet', '-o', 'csv'];
  const run = () => runFrontdesk(args, { home, env: { ...server.env, ...broken }, stdin: idLines(1) });
  return { home, run, server, first: await run() };
}

/** Of the files with which the file system is tried, one call is made into another. */
const ofTrial = (call: string, code: string) => `const original = fs.${call}; fs.${call} = (...args) => {
        if (!String(args[0]).includes('.tmp/')) return original(...args);
        ${code} }`;
const REPLACING =
  'if (fs.statSync(args[0]).isDirectory()) fs.rmSync(args[1], { recursive: true, force: true }); return original(...args);';
const TWICE = "return original(args[0], args[1], { ...args[2], flag: 'w' });";
const COPYING = 'return fs.statSync(args[0]).isFile() ? fs.copyFileSync(...args) : original(...args);';
const OVER = "return original(args[0], args[1] === 'a' ? 'r+' : args[1], ...args.slice(2));";
const FREE_NAME = 'a folder takes a free name, but not one with a file';

test.each([
  ['replaces one folder by another', 'renameSync', REPLACING, FREE_NAME],
  ['makes a file twice', 'writeFileSync', TWICE, 'a file is created only once (O_EXCL)'],
  ['copies files instead of renaming them', 'renameSync', COPYING, 'a rename replaces a file'],
  ['appends where the writer left off', 'openSync', OVER, 'appended text is last (O_APPEND)'],
])('the first run names a file system of the state folder that %s', async (_what, call, code, promise) => {
  expect((await firstRun(ofTrial(call, code))).first.stderr.split('\n')[0]).toContain(
    `whose file system does not keep what they rest on: ${promise}. To fix this,`,
  );
});

test('the first run tries the file system of the state folder and warns, and the second tries nothing', async () => {
  const replacing = `const { renameSync } = fs; fs.renameSync = (from, to) => {
      fs.rmSync(to, { recursive: true, force: true }); renameSync(from, to); }`;
  const { home, first, run } = await firstRun(replacing);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(',applied,') });
  expect(first.stderr.split('\n')[0]).toBe(
    `frontdesk: warning: runs and records may be damaged in ${home.stateDir}, whose file system does not keep what they rest on: ${FREE_NAME}. To fix this, set FRONTDESK_STATE_DIR to a folder on a local disk`,
  );
  expect(await run()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('local disk') });
  const names = ['.file-system-tried', 'cards', 'open', 'runs', 'runs-begun', 'sent'];
  expect(readdirSync(home.stateDir).sort()).toEqual(names);
});

test('the file system of the state folder is not tried where it is full, and the run says so', async () => {
  const full = "fs.writeFileSync = () => { throw Object.assign(new Error('x'), { code: 'ENOSPC' }); }";
  const { home, first, server } = await firstRun(full);
  expect(first).toMatchObject({ code: 16, stdout: '' });
  expect(first.stderr).toMatch(/^frontdesk: [^\n]*no space left on the device \(ENOSPC\)[^\n]*\n(?:hint: [^\n]*\n)*$/);
  expect(server.requests).toEqual([]);
  expect(readdirSync(home.stateDir)).not.toContain('.file-system-tried');
});
