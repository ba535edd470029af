import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHome, runFrontdesk } from '../support/run-frontdesk.ts';

const LOGIN = ['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', 'https://cards.example.com'];

test.skipIf(process.platform === 'win32')(
  'a login into a folder that others can write to creates no profile',
  async () => {
    const home = createHome();
    mkdirSync(home.configDir, { recursive: true });
    chmodSync(home.configDir, 0o777);
    const { code, stderr } = await runFrontdesk([...LOGIN, '--token-stdin'], { home, stdin: 'a-token-of-the-test' });
    expect(code).toBe(4);
    expect(stderr).toContain('chmod');
    expect(existsSync(join(home.configDir, 'settings.json'))).toBe(false);
    expect(existsSync(join(home.configDir, 'credentials.json'))).toBe(false);
  },
);

test('a login says that the token was stored and not tried, and takes no URL for a token', async () => {
  const home = createHome();
  const refused = await runFrontdesk([...LOGIN, '--token-stdin'], { home, stdin: 'https://cards.example.com/token' });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('a URL, not a token');
  expect(existsSync(join(home.configDir, 'settings.json'))).toBe(false);
  const { code, stdout } = await runFrontdesk([...LOGIN, '--token-stdin'], { home, stdin: 'a-token-of-the-test' });
  expect(code).toBe(0);
  expect(stdout).toContain('Stored, not tried yet: gift cards at https://cards.example.com, profile live.');
});
