import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HAS_MODES, IS_LONG, onStage, STORED_CANARY } from './stage.ts';

const WRITERS = 8;
const LOGINS_EACH = IS_LONG ? 100 : 2;

const URLS = {
  FRONTDESK_CARDS_URL: '',
  FRONTDESK_CALENDAR_URL: '',
  FRONTDESK_CARDS_TOKEN: '',
  FRONTDESK_CALENDAR_TOKEN: '',
};

const LOGIN = ['auth', 'login', '--cards-url', 'https://cards.example.com', '--token-stdin', '--quiet', '-p'];

interface Entry {
  readonly profile: string;
  readonly value: string;
}

test('C10 no login of eight processes at a time is lost (G10)', { timeout: 1_200_000 }, () =>
  onStage(async (stage) => {
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < LOGINS_EACH; round += 1) {
          const args = [...LOGIN, `p-${writer}-${round}`];
          const { code, stderr } = await stage.run(args, { env: URLS, stdin: `${STORED_CANARY}${writer}-${round}` });
          expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
        }
      }),
    );
    const path = join(stage.home.configDir, 'credentials.json');
    if (HAS_MODES) expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    const entries: readonly Entry[] = JSON.parse(readFileSync(path, 'utf8')).entries;
    expect(entries).toHaveLength(WRITERS * LOGINS_EACH);
    for (const { profile, value } of entries) expect(value).toBe(`${STORED_CANARY}${profile.slice(2)}`);
    const list = ['profile', 'list', '--json', '--query', "length([?name!='sandbox'])"];
    const { stdout } = await stage.run(list, { env: URLS });
    expect(stdout).toBe(`${WRITERS * LOGINS_EACH}\n`);
    expect(readdirSync(stage.home.configDir).sort()).toEqual(['credentials.json', 'settings.json']);
  }),
);
