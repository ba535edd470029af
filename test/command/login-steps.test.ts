import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refused } from '../support/calls.ts';
import { cardId, playService } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const LOGIN = ['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', 'https://cards.example.com'];

test.skipIf(process.platform === 'win32')('a login where others can write creates no profile', async () => {
  const home = createHome();
  mkdirSync(home.configDir, { recursive: true });
  chmodSync(home.configDir, 0o777);
  const stderr = await refused([...LOGIN, '--token-stdin'], { code: 4, home, stdin: 'a-token-of-the-test' });
  expect(stderr).toContain('chmod');
  expect(readdirSync(home.configDir)).toEqual([]);
});

test('a login says that the token was stored and not tried, and takes no URL for a token', async () => {
  const home = createHome();
  const url = await refused([...LOGIN, '--token-stdin'], { home, stdin: 'https://cards.example.com/token' });
  expect(url).toContain('a URL, not a token');
  expect(existsSync(join(home.configDir, 'settings.json'))).toBe(false);
  const { code, stdout } = await runFrontdesk([...LOGIN, '--token-stdin'], { home, stdin: 'a-token-of-the-test' });
  expect(code).toBe(0);
  expect(stdout).toContain('Stored, not tried yet: gift cards at https://cards.example.com, profile live.');
});

const OTHER_URL = { FRONTDESK_CARDS_URL: 'https://other.example.com' };
const OVERRIDES = 'FRONTDESK_PROFILE of the environment overrides what was set. To use that, unset it';
const WITH_OVERRIDE = { FRONTDESK_CARDS_TOKEN: 'token-of-the-environment' };

test.each([
  ['auth login', LOGIN.concat('--token-stdin'), WITH_OVERRIDE, 'FRONTDESK_CARDS_TOKEN of the environment overrides'],
  ['a login elsewhere', LOGIN.concat('--token-stdin'), OTHER_URL, 'FRONTDESK_CARDS_URL of the environment overrides'],
  ['auth logout', ['auth', 'logout', '-p', 'demo'], WITH_OVERRIDE, 'FRONTDESK_CARDS_TOKEN of the environment still'],
  ['profile use', ['profile', 'use', 'demo'], { FRONTDESK_PROFILE: 'sandbox' }, OVERRIDES],
  ['config set', ['config', 'set', 'output', 'csv'], { FRONTDESK_OUTPUT: 'json' }, 'FRONTDESK_OUTPUT'],
])('%s names the variable that overrides what it sets', async (_what, args, env, said) => {
  const home = createHome();
  const stdin = 'a-token-of-the-test';
  await runFrontdesk(['profile', 'set', 'demo', '--cards-url', 'https://demo.example.com'], { home });
  expect(await runFrontdesk(args, { home, stdin })).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await runFrontdesk(args, { home, stdin, env });
  expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
  expect(stderr).not.toContain('token-of-the-environment');
});

test('auth status without a token is exit 4, and its hint has the command that stores one', async () => {
  const env = { FRONTDESK_CARDS_URL: 'https://cards.example' };
  const { code, stderr } = await runFrontdesk(['auth', 'status', '--json'], { env });
  expect(code).toBe(4);
  expect(JSON.parse(stderr).error.hint).toBe(
    'set FRONTDESK_CARDS_TOKEN, or log in: frontdesk auth login --token-stdin -p default --family cards',
  );
});

test('auth status without a URL and a token anywhere is exit 4 and says how to begin', async () => {
  const { code, stdout, stderr } = await runFrontdesk(['auth', 'status', '--json']);
  expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 4, rows: [] });
  expect(JSON.parse(stderr).error).toMatchObject({
    message: 'there is no URL and no token (profile default)',
    hint: 'log in: frontdesk auth login -p default\ntry the sandbox, which needs neither: frontdesk sandbox info',
  });
});

/** A home, and a PATH whose first folder has a stand-in for the tool of the keychain. */
function withKeychain() {
  const home = createHome();
  const tools = join(home.path, 'tools');
  mkdirSync(tools, { mode: 0o755 });
  const script = `#!/bin/sh
cd '${tools}'
echo "$1" >> calls
case "$1" in
  store) cat > kept ;;
  lookup) [ -e kept ] && cat kept ;;
  clear) [ -e kept ] && rm kept ;;
  search) ;;
esac`;
  writeFileSync(join(tools, 'secret-tool'), script, { mode: 0o755 });
  const env = { PATH: `${tools}:${process.env['PATH'] ?? ''}` };
  return { home, run: (args: readonly string[], stdin = '') => runFrontdesk(args, { home, env, stdin }), tools };
}

test.runIf(process.platform === 'linux')(
  'auth login --keychain keeps the token with secret-tool and in no file; a use reads it, a logout deletes it',
  async () => {
    const { home, run, tools } = withKeychain();
    const server = await startRecordingServer(playService());
    const login = ['auth', 'login', '--family', 'cards', '--cards-url', server.url, '--token-stdin', '--keychain'];
    expect(await run(login, 'kept-token-of-test-WXYZ')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(home.configDir, 'credentials.json'), 'utf8')).not.toContain('kept-token');
    expect((await run(['card', 'block', cardId(1), '--dry-run'])).code).toBe(0);
    expect(readFileSync(join(tools, 'calls'), 'utf8')).toBe('store\n');
    expect((await run(['card', 'get', cardId(1)])).code).toBe(0);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer kept-token-of-test-WXYZ']);
    const status = await run(['auth', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject([{ source: 'keychain', lastFour: 'WXYZ', problem: null }]);
    expect(await run(['auth', 'logout'])).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(tools, 'kept'))).toBe(false);
    const refusing = await startRecordingServer([{ status: 401 }]);
    const second = await run([...login.with(5, refusing.url), '--check', cardId(1)], 'kept-token-of-test-WXYZ');
    expect([second.code, existsSync(join(tools, 'kept'))]).toEqual([4, false]);
    expect(second.stderr).toContain(
      'hint: log in with another token: frontdesk auth login --keychain -p default --family cards\n',
    );
  },
);

test.runIf(process.platform === 'linux')(
  'a keychain without its tool is exit 2 at the login, which leaves nothing, and exit 4 at a use and a logout',
  async () => {
    const { home, run, tools } = withKeychain();
    const login = [...LOGIN, '--token-stdin', '--keychain'];
    expect((await run(login, 'kept-token-of-test-WXYZ')).code).toBe(0);
    writeFileSync(join(tools, 'secret-tool'), '#!/bin/sh\necho "no store" >&2\nexit 1\n');
    const use = await run(['card', 'get', cardId(1), '-p', 'live']);
    expect(use.code).toBe(4);
    expect(use.stderr).toContain('could not read the gift card token of profile live from the keychain: "no store"');
    const logout = await run(['auth', 'logout', '-p', 'live']);
    expect(logout).toMatchObject({ code: 4, stderr: expect.stringContaining('"no store". It is still there') });
    const fresh = createHome();
    const env = { PATH: `${tools}:${process.env['PATH'] ?? ''}` };
    await refused(login, { home: fresh, env, stdin: 'kept-token-of-test-WXYZ' });
    for (const name of ['settings.json', 'credentials.json'])
      expect(existsSync(join(fresh.configDir, name))).toBe(false);
    expect(existsSync(join(home.configDir, 'credentials.json'))).toBe(true);
  },
);
