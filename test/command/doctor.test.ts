import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

test('doctor reports on a fresh machine, sends nothing and exits with 0', async () => {
  const { checks, stderr } = await doctor({});
  expect(stderr).toBe('');
  const names = ['frontdesk', 'node', 'compile-cache', 'terminal', 'environment', 'tls', 'ca-file', 'config-folder'];
  for (const name of [...names, 'settings', 'credentials', 'state-folder', 'runs', 'profile']) {
    expect(checks.find((check) => check.name === name)?.status, name).toBe('ok');
  }
  expect(checks.filter(({ status }) => status === 'problem')).toEqual([]);
});

test('doctor mentions the mode for screen readers', async () => {
  const plain = await doctor({});
  expect(plain.of('terminal')[0]?.message).not.toContain('FRONTDESK_ACCESSIBLE');
  const { of } = await doctor({ env: { FRONTDESK_ACCESSIBLE: '1' } });
  expect(of('terminal')[0]?.message).toMatch(/, FRONTDESK_ACCESSIBLE: nothing is drawn twice$/);
});

test('doctor counts what it found', async () => {
  const { stdout } = await runFrontdesk(['doctor', '--json', '--query', '{p:problems,w:warnings}']);
  expect(JSON.parse(stdout)).toEqual({ p: 0, w: 2 });
});

test('doctor prints one row for each check outside a terminal', async () => {
  const { stdout, code } = await runFrontdesk(['doctor']);
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toBe('STATUS\tCHECK\tFOUND\tFIX');
  expect(stdout).toContain('ok\ttls\tcertificates are verified\t\n');
});

test('doctor works with damaged settings and says where they are', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  writeFileSync(join(home.configDir, 'settings.json'), '{"version":1,"profiles":{"live":{"readonli":true}}}');
  const { of } = await doctor({ home }, ['-p', 'live']);
  const [settings] = of('settings');
  expect(settings).toMatchObject({ status: 'problem' });
  expect(settings?.message).toContain('did you mean readOnly?');
  expect(of('profile')[0]).toMatchObject({ status: 'warning' });
});

test('doctor works with an environment that every other command refuses', async () => {
  const env = {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    FRONTDESK_OUTPUT: 'xml',
    FRONTDESK_TIMEOUT: '5',
    FRONTDESK_CARD_TOKEN: 'secret-that-must-not-show',
    FRONTDESK_CA_FILE: '/nowhere/ca.pem',
    FRONTDESK_PROFILE: 'nobody',
  };
  const { of, stdout } = await doctor({ env });
  expect(of('tls')).toMatchObject([{ status: 'problem' }]);
  expect(of('ca-file')).toMatchObject([{ status: 'problem' }]);
  expect(of('profile')).toMatchObject([{ status: 'problem' }]);
  const environment = of('environment').map(({ status, message, fix }) => `${status}: ${message} ${fix ?? ''}`);
  expect(environment.join('\n')).toContain('did you mean FRONTDESK_CARDS_TOKEN?');
  expect(environment.join('\n')).toContain('FRONTDESK_OUTPUT');
  expect(environment.join('\n')).toContain('FRONTDESK_TIMEOUT');
  expect(stdout).not.toContain('secret-that-must-not-show');
  const refused = await runFrontdesk(['profile', 'list'], { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
  expect(refused.code).toBe(2);
});

test('doctor refuses a wrong option', async () => {
  expect((await runFrontdesk(['doctor', '-o', 'xml'])).code).toBe(2);
});

test('doctor names unsafe files and folders with the commands that fix them', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  mkdirSync(home.stateDir);
  chmodSync(home.stateDir, 0o755);
  writeFileSync(join(home.stateDir, 'history.jsonl'), '', { mode: 0o644 });
  const file = join(home.configDir, 'credentials.json');
  writeFileSync(file, '{"version":1,"entries":[]}', { mode: 0o644 });
  const { of } = await doctor({ home });
  expect(of('credentials')).toMatchObject([{ status: 'problem', fix: `fix it with: chmod 600 ${file}` }]);
  expect(of('state-folder')).toMatchObject([{ status: 'warning', fix: `chmod 700 ${home.stateDir}` }]);
  expect(of('state-files')).toMatchObject([
    { status: 'warning', fix: `chmod 600 ${join(home.stateDir, 'history.jsonl')}` },
  ]);
});

test('doctor names a lock whose process is gone', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  const folder = join(home.configDir, 'settings.json.lock');
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(home.configDir, 'credentials.json.lock'));
  const lock = join(folder, '00000000.1.1.0000000000000000.pod-a');
  writeFileSync(lock, '0000000000000000\n0000000001 000000000000\n', { mode: 0o600 });
  const first = join(home.configDir, 'old.lock');
  writeFileSync(first, '00000000 1 1 0000000000000000\n', { mode: 0o600 });
  const { of } = await doctor({ home });
  expect(of('leftovers')).toMatchObject([{ status: 'warning', fix: `rm ${first} ${lock}` }]);
});

test('doctor shows URLs and the source of credentials, and no token', async () => {
  const server = await startRecordingServer([]);
  const { of, stdout } = await doctor({ env: server.env });
  expect(of('cards-url')).toMatchObject([{ status: 'ok', message: `${server.url} (environment)` }]);
  expect(of('cards-credential')[0]?.message).toBe('environment (FRONTDESK_CARDS_TOKEN), ends with 0001');
  expect(of('cards-proxy')).toMatchObject([{ status: 'ok' }]);
  expect(of('cards-clock')[0]?.message).toBe('not checked (--connect sends one GET of an ID that cannot exist)');
  expect(stdout).not.toContain(CARDS_TOKEN);
  expect(stdout).not.toContain(CALENDAR_TOKEN);
});

test('doctor reports an expired token', async () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'none' })}.${part({ exp: 1_600_000_000 })}.c2ln`;
  const { of, stdout } = await doctor({
    env: { FRONTDESK_CARDS_URL: 'https://cards.example.com', FRONTDESK_CARDS_TOKEN: token },
  });
  expect(of('cards-credential')).toMatchObject([{ status: 'problem', message: 'the token has expired' }]);
  expect(stdout).not.toContain(token);
});

test.each([
  ['block', '--reconcile'],
  ['reissue', undefined],
])('doctor names the command that resolves the unknown rows of a run of %s, as its report does', async (verb, flag) => {
  const home = createHome();
  const server = await startRecordingServer(({ method }) => (method === 'POST' ? { status: 500 } : { status: 503 }));
  const ids = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101\n0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b102\n';
  const run = await runFrontdesk(
    ['card', verb, '--from', '-', '--run', 'r1', '--yes', '--retries', '0', '--retry-max-time', '1s'],
    { home, env: server.env, stdin: ids },
  );
  expect(run.code).toBe(8);
  const next =
    flag === undefined ? 'frontdesk runs results r1 --outcome unknown' : 'frontdesk runs resume r1 --reconcile';
  const { of } = await doctor({ home });
  expect(of('runs')).toEqual([
    { name: 'runs', status: 'warning', message: `run r1 (card ${verb}) is unsettled`, fix: next },
  ]);
  const report = await runFrontdesk(['runs', 'report', 'r1', '--as', 'markdown'], { home });
  expect(report.stdout).toContain(next);
  expect(report.stdout.includes('--reconcile')).toBe(flag !== undefined);
});

test('doctor looks at the newest 1,000 runs, and says how many older ones it left out', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const args = ['card', 'activate', '--from', '-', '--yes', '--run', 'newest'];
  await runFrontdesk(args, { home, env: server.env, stdin: idLines(2) });
  const runs = join(home.stateDir, 'runs');
  const header = readFileSync(join(runs, 'newest', 'header.json'), 'utf8');
  for (let count = 1; count <= 1002; count += 1) {
    cpSync(join(runs, 'newest'), join(runs, `r${count}`), { recursive: true });
    const older = header.replace('"newest"', `"r${count}"`).replace(/("startedAt": ?")\d{4}/, '$12001');
    writeFileSync(join(runs, `r${count}`, 'header.json'), older);
  }
  const message = '1000, none unfinished: of 3 older ones only the unknown rows were looked for';
  expect((await doctor({ home })).of('runs')).toEqual([{ name: 'runs', status: 'ok', message }]);
});

test('doctor runs no token command', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { mode: 0o700 });
  const trace = join(home.path, 'ran');
  const entry = {
    profile: 'default',
    family: 'cards',
    origin: 'https://cards.example.com',
    kind: 'command',
    value: `touch ${trace}; echo token`,
  };
  const text = JSON.stringify({ version: 1, entries: [entry] });
  writeFileSync(join(home.configDir, 'credentials.json'), text, { mode: 0o600 });
  const { of } = await doctor({ home, env: { FRONTDESK_CARDS_URL: 'https://cards.example.com' } });
  expect(of('cards-credential')[0]?.message).toContain('a token command, not run here');
  const { existsSync } = await import('node:fs');
  expect(existsSync(trace)).toBe(false);
});

test('doctor names the proxy without its password', async () => {
  const { of, stdout } = await doctor({
    env: { FRONTDESK_CARDS_URL: 'https://cards.example.com', HTTPS_PROXY: 'http://me:hunter22@proxy.example:3128' },
  });
  expect(of('cards-proxy')[0]?.message).toBe('requests go through proxy.example:3128');
  expect(stdout).not.toContain('hunter22');
});

test('doctor --connect sends each base URL one GET of an ID that cannot exist, and compares the clocks', async () => {
  const server = await startRecordingServer([
    { status: 404, headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT' } },
    { status: 401 },
  ]);
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
  expect(of('cards-connection')).toMatchObject([
    {
      status: 'ok',
      message: `${server.url} answered the GET of an id that cannot exist with 404, as it should`,
    },
  ]);
  expect(of('cards-token')).toMatchObject([{ status: 'ok', message: 'the service accepted it' }]);
  expect(of('calendar-token')).toMatchObject([{ status: 'problem', message: 'the service refused it with 401' }]);
  expect(of('cards-clock')[0]).toMatchObject({ status: 'warning', fix: "set this machine's clock" });
  expect(of('calendar-clock')[0]).toMatchObject({ status: 'ok' });
});

test('doctor --connect reports a service that returns 5xx, and --strict exits with 15', async () => {
  const server = await startRecordingServer([{ status: 503 }, { status: 404 }, { status: 503 }, { status: 404 }]);
  const { code, of } = await doctor({ env: server.env }, ['--connect']);
  expect(code).toBe(0);
  expect(of('cards-connection')).toMatchObject([{ status: 'problem' }]);
  expect(of('cards-connection')[0]?.message).toContain('with 503');
  expect(of('calendar-connection')).toMatchObject([{ status: 'ok' }]);
  expect((await runFrontdesk(['doctor', '--connect', '--strict'], { env: server.env })).code).toBe(15);
});

test('doctor --connect reports a service that cannot be reached', async () => {
  const server = await startRecordingServer([]);
  await server.stop();
  const { of } = await doctor({ env: server.env }, ['--connect']);
  expect(of('cards-connection')[0]).toMatchObject({ status: 'problem' });
  expect(of('cards-connection')[0]?.message).toContain('refused');
});

test('doctor reports that the sandbox needs nothing', async () => {
  const { of } = await doctor({}, ['-p', 'sandbox', '--connect']);
  expect(of('sandbox')).toMatchObject([{ status: 'ok' }]);
});

/** What doctor says of it with one call of the file system made into another. */
async function said(call: string, code: string) {
  const home = createHome();
  mkdirSync(home.stateDir, { mode: 0o700 });
  const broken = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      const original = fs.${call}; fs.${call} = (...args) => { ${code} }; syncBuiltinESMExports();`;
  const { of } = await doctor({ home, env: injecting(broken) });
  expect(readdirSync(home.stateDir)).toEqual([]);
  return of('state-file-system').map(({ status, message }) => `${status}: ${message.replace(home.stateDir, 'there')}`);
}

test('doctor tries the file system of the state folder, and leaves the folder as it was', async () => {
  expect(await said('renameSync', 'return original(...args);')).toEqual([
    'ok: the file system supports what locks and runs need',
  ]);
  const { of } = await doctor({});
  expect(of('state-file-system')).toEqual([
    expect.objectContaining({ status: 'ok', message: 'not tried: there is no state folder that can be written' }),
  ]);
});

test.each([
  [
    'replaces one folder by another',
    'renameSync',
    'if (fs.statSync(args[0]).isDirectory()) fs.rmSync(args[1], { recursive: true, force: true }); return original(...args);',
    'a folder takes a free name, but not one with a file',
  ],
  [
    'makes a file twice',
    'writeFileSync',
    "return original(args[0], args[1], { ...args[2], flag: 'w' });",
    'a file is created only once (O_EXCL)',
  ],
  [
    'copies files instead of renaming them',
    'renameSync',
    'return fs.statSync(args[0]).isFile() ? fs.copyFileSync(...args) : original(...args);',
    'a rename replaces a file',
  ],
  [
    'appends where the writer left off',
    'openSync',
    "return original(args[0], args[1] === 'a' ? 'r+' : args[1], ...args.slice(2));",
    'appended text is last (O_APPEND)',
  ],
])('doctor names a file system of the state folder that %s', async (_what, call, code, promise) => {
  expect(await said(call, code)).toEqual([`warning: not supported by the file system of there: ${promise}`]);
});

test('the first run tries the file system of the state folder and warns, and the second tries nothing', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const replacing = injecting(`import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      const { renameSync } = fs; fs.renameSync = (from, to) => { fs.rmSync(to, { recursive: true, force: true });
      renameSync(from, to); }; syncBuiltinESMExports();`);
  const args = ['card', 'block', '--from', '-', '--yes', '--quiet', '-o', 'csv'];
  const run = () => runFrontdesk(args, { home, env: { ...server.env, ...replacing }, stdin: idLines(1) });
  const first = await run();
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(',applied,') });
  expect(first.stderr.split('\n')[0]).toBe(
    `frontdesk: warning: runs and records may be damaged in ${home.stateDir}, whose file system does not keep what they rest on: a folder takes a free name, but not one with a file. To fix this, set FRONTDESK_STATE_DIR to a folder on a local disk`,
  );
  const second = await run();
  expect(second.code).toBe(0);
  expect(second.stderr).not.toContain('local disk');
  expect(readdirSync(home.stateDir).sort()).toEqual(['.file-system-tried', 'open-writes.json', 'runs']);
});

test('the file system of the state folder is not tried where it is full, and the run says so', async () => {
  const home = createHome();
  const server = await startRecordingServer(playService());
  const full = injecting(`import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
      fs.writeFileSync = () => { throw Object.assign(new Error('x'), { code: 'ENOSPC' }); }; syncBuiltinESMExports();`);
  const args = ['card', 'block', '--from', '-', '--yes', '--quiet', '-o', 'csv'];
  const result = await runFrontdesk(args, { home, env: { ...server.env, ...full }, stdin: idLines(1) });
  expect(result).toMatchObject({ code: 16, stdout: '' });
  expect(result.stderr).toMatch(/^frontdesk: [^\n]*no space left on the device \(ENOSPC\)[^\n]*\n(?:hint: [^\n]*\n)*$/);
  expect(server.requests).toEqual([]);
  expect(readdirSync(home.stateDir)).not.toContain('.file-system-tried');
});
