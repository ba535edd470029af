import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, startFaultServer } from '../support/fault-server.ts';
import { createHome, type Home, type RunOptions, runFrontdesk } from '../support/run-frontdesk.ts';

// W1: what is different on Windows. The program runs there, or under Wine (`npm run test:windows`), and the test beside it.

const isWindows = process.platform === 'win32' || process.env['FRONTDESK_TEST_ENDED'] !== undefined;
const CARD = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const OTHER_CARD = '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202';
const SANDBOX = ['-p', 'sandbox', '--yes'];

/** A path as Windows writes it; drive Z: of Wine is the root of this system. */
const onWindows = (path: string) => (process.platform === 'win32' ? path : `Z:${path.replaceAll('/', '\\')}`);

/** A home with a file of two ids, of which each line ends as on Windows. */
function homeWithIds(name = 'ids.txt'): Home {
  const home = createHome();
  writeFileSync(join(home.path, 'work', name), `${CARD}\r\n${OTHER_CARD}\r\n`);
  return home;
}

function run(home: Home, args: readonly string[], options: RunOptions = {}) {
  return runFrontdesk(args, { home, timeoutMs: 240_000, ...options });
}

const block = (...more: readonly string[]) => ['card', 'block', '--from', 'ids.txt', ...SANDBOX, ...more];

describe.skipIf(!isWindows)('names that Windows does not have (skipped on other systems)', () => {
  it.each([
    ['--run', 'NUL'],
    ['--run', 'com1.txt'],
    ['--run', 'may.'],
    ['--failed', 'CON.csv'],
    ['--failed', 'failed.csv '],
    ['--plan', 'aux'],
  ])('a name that Windows does not have is exit 2, and nothing is created or sent: %s %s', async (option, name) => {
    const home = homeWithIds();
    const { code, stderr } = await run(home, block(option, name));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${option}: cannot be "${name}"`) });
    expect(readdirSync(join(home.path, 'work'))).toEqual(['ids.txt']);
  });

  it('--out NUL is exit 2, because the response comes once and would be lost', async () => {
    const args = ['card', 'provision', CARD, '--wallet', 'wallet_a', ...SANDBOX, '--out', 'NUL'];
    const { code, stderr } = await run(createHome(), args);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--out: cannot be "NUL": Windows uses that name for a device'),
    });
  });

  it('a profile may have a name that Windows reserves, because no file has its name', async () => {
    const home = createHome();
    expect((await run(home, ['profile', 'set', 'NUL', '--cards-url', 'https://cards.example.com'])).code).toBe(0);
    expect((await run(home, ['profile', 'show', 'NUL', '--query', 'name', '--json'])).stdout).toBe('"NUL"\n');
  });
});

describe.skipIf(!isWindows)('paths of Windows (skipped on other systems)', () => {
  it('paths of Windows are taken with \\\\?\\, from the root of the drive, and relative to a drive', async () => {
    const home = homeWithIds();
    const work = onWindows(join(home.path, 'work'));
    const [drive = ''] = work.split('\\');
    for (const from of [`\\\\?\\${work}\\ids.txt`, `${work.slice(drive.length)}\\ids.txt`, `${drive}ids.txt`]) {
      const args = ['card', 'get', '--from', from, '-p', 'sandbox', '--json', '--query', 'length(@)'];
      expect(await run(home, args), from).toMatchObject({ code: 0, stdout: '2\n' });
    }
  });

  it('a path of a missing share of Windows is named, exit 2', async () => {
    const args = ['card', 'get', '--from', '\\\\localhost\\none\\x', '-p', 'sandbox'];
    expect(await run(createHome(), args)).toMatchObject({ code: 2, stderr: expect.stringContaining('could not read') });
  });

  it('on Windows %APPDATA% has the settings and %LOCALAPPDATA% the state', async () => {
    const home = createHome();
    const [roaming, local] = [join(home.path, 'roaming'), join(home.path, 'local')];
    mkdirSync(roaming);
    mkdirSync(local);
    const env = {
      FRONTDESK_CONFIG_DIR: undefined,
      FRONTDESK_STATE_DIR: undefined,
      XDG_CONFIG_HOME: undefined,
      APPDATA: onWindows(roaming),
      LOCALAPPDATA: onWindows(local),
    };
    expect((await run(home, ['config', 'set', 'output', 'json'], { env })).code).toBe(0);
    expect((await run(home, ['card', 'block', CARD, '--reason', 'lost', ...SANDBOX], { env })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(roaming, 'frontdesk', 'settings.json'), 'utf8'))).toMatchObject({
      preferences: { output: 'json' },
    });
    expect(readdirSync(join(local, 'frontdesk', 'state'))).toContain('writes');
    const doctor = await run(home, ['doctor', '--json'], { env });
    expect(doctor.stdout).toContain('who else may read it is not checked on Windows');
  });
});

describe.skipIf(!isWindows)('text on Windows (skipped on other systems)', () => {
  it('text on Windows is UTF-8 in and out, whatever the code page', async () => {
    const home = createHome();
    const reason = 'gestohlen in Köln 漢字 😀';
    expect((await run(home, ['card', 'block', CARD, '--reason', reason, ...SANDBOX])).code).toBe(0);
    const { stdout } = await run(home, ['history', '--json', '--query', '[0].reason']);
    expect(stdout).toBe(`${JSON.stringify(reason)}\n`);
  });

  it.each([
    ['cmd', { SHELL: '' }, `plan show "it's 5%.plan"`],
    ['PowerShell', { SHELL: '', PSModulePath: 'a;b;c' }, `plan show "it's 5%.plan"`],
    ['Git Bash', { SHELL: '/usr/bin/bash' }, String.raw`plan show 'it'\''s 5%.plan'`],
  ])('commands in messages on Windows are quoted for %s', async (_shell, env, command) => {
    const { code, stderr } = await run(homeWithIds(), block('--plan', "it's 5%.plan"), { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(command) });
  });
});

describe.skipIf(!isWindows)('tokens on Windows (skipped on other systems)', () => {
  it.each([
    ['a file', ['--token-file', 'token.txt'], ''],
    ['stdin', ['--token-stdin'], 'token-of-windows\r\n'],
    ['a command of cmd', ['--token-command', 'type token.txt'], ''],
  ])('tokens on Windows lose the line end that %s adds', async (_what, option, stdin) => {
    const home = createHome();
    writeFileSync(join(home.path, 'work', 'token.txt'), 'token-of-windows\r\n');
    const server = await startFaultServer({ script: [json(200, { cardId: CARD, status: 'ACTIVE' })] });
    try {
      const login = ['auth', 'login', '-p', 'live', '--cards-url', server.url, ...option];
      expect((await run(home, login, { stdin })).code).toBe(0);
      await run(home, ['card', 'get', CARD, '-p', 'live']);
      expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer token-of-windows']);
    } finally {
      await server.close();
    }
  });
});
