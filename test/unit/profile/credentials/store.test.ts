import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CredentialEntry, readCredentials } from '../../../../src/profile/credentials/store.ts';
import { removeCredentials, storeCredential } from '../../../../src/profile/credentials/store-change.ts';
import { realClock, temporaryFolder } from '../../base/files/place.ts';

const place = (configDir: string) => ({ configDir, platform: 'linux', pid: process.pid, clock: realClock() });

const DEMO = { profile: 'demo', family: 'cards', origin: 'https://a.example' } as const;
const CARDS: CredentialEntry = { ...DEMO, kind: 'token', value: 'hunter2-hunter2' };
const CALENDAR: CredentialEntry = { ...CARDS, family: 'calendar', kind: 'command', value: 'pass show cal' };
const OTHER: CredentialEntry = { ...CARDS, profile: '__proto__', kind: 'file', value: '/run/secrets/token' };

function folderWith(content: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'credentials.json'), content, { mode: 0o600 });
  return folder;
}

it('C4 C7 storeCredential and removeCredentials keep one credential per profile and family, in a file for this user alone', async () => {
  const folder = join(temporaryFolder(), 'config');
  expect(await storeCredential(place(folder), CARDS)).toEqual({ keptCopy: undefined });
  await storeCredential(place(folder), CALENDAR);
  await storeCredential(place(folder), OTHER);
  const changed = { ...CARDS, origin: 'https://b.example:8443', value: 'new' };
  await storeCredential(place(folder), changed);
  expect(await readCredentials(place(folder))).toEqual([CALENDAR, OTHER, changed]);
  expect([join(folder, 'credentials.json'), folder].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
  expect(await removeCredentials(place(folder), { profile: 'demo', family: 'calendar' })).toEqual([CALENDAR]);
  expect(await removeCredentials(place(folder), { profile: 'demo' })).toEqual([changed]);
  expect(await removeCredentials(place(folder), { profile: 'demo' })).toEqual([]);
  expect(await readCredentials(place(folder))).toEqual([OTHER]);
  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain('hunter2');
  expect(readdirSync(folder)).toEqual(['credentials.json']);
});

it('storeCredential and removeCredentials remove what killed processes left, which may hold tokens', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.frontdesk-00000000-12-34-0123456789ab.tmp'), 'hunter2');
  // It is from another machine, whose clock may be wrong by hours.
  const later = { ...realClock(), now: () => Date.now() + 25 * 3_600_000 };
  await removeCredentials({ ...place(folder), clock: later }, { profile: 'demo' });
  expect(readdirSync(folder)).toEqual([]);
});

it('C7 C8 storeCredential and removeCredentials refuse a file and a folder that others can get at, and change nothing', async () => {
  const folder = folderWith('{"version":1,"entries":[]}');
  const path = join(folder, 'credentials.json');
  chmodSync(path, 0o640);
  const refusal = { code: 'AUTH', exitCode: 4, hints: [`fix it with: chmod 600 ${path}`] };
  await expect(readCredentials(place(folder))).rejects.toMatchObject(refusal);
  await expect(storeCredential(place(folder), CARDS)).rejects.toMatchObject(refusal);
  expect(readFileSync(path, 'utf8')).toBe('{"version":1,"entries":[]}');
  const open = temporaryFolder();
  chmodSync(open, 0o777);
  await expect(storeCredential(place(open), CARDS)).rejects.toMatchObject({
    code: 'AUTH',
    message: `the folder ${open} was not used for credentials: others can write to it (mode 0777). Nothing was changed.`,
    hints: [`fix it with: chmod 700 ${open}`],
  });
  expect(readdirSync(open)).toEqual([]);
});

const DAMAGED: readonly [string, string, string][] = [
  ['cut', '{"version":1,\n"entries":[{"profile":"demo","value":"hunter2', 'line 2, column'],
  ['empty', '', 'line 1: it is empty'],
  ['NUL', '\0\0', 'line 1, column 1'],
  ['null', 'null', 'line 1: it does not hold a JSON object'],
  ['[]', '[]', 'line 1: it does not hold a JSON object'],
  ['no entries', '{"version":1}', 'entries is not an array'],
  ['an entry without value', '{"version":1,"entries":[{"profile":"a"}]}', 'entries.0 is not a credential'],
  ['hunter2 as a key twice', '{"version":1,"hunter2":1,"hunter2":2}', 'line 1, column'],
];

it.each(DAMAGED)(
  'C12 C13 a damaged credentials file (%s) is refused with USAGE, left alone, and none of it shown',
  async (_what, content, where) => {
    const folder = folderWith(content);
    const remove = () => removeCredentials(place(folder), { profile: 'demo' });
    for (const act of [() => readCredentials(place(folder)), remove]) {
      await expect(act()).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(/is damaged: (?!.*hunter2).*It was not changed/),
      });
    }
    await expect(readCredentials(place(folder))).rejects.toThrow(where);
    expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).toBe(content);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  },
);

it.each(DAMAGED)('C12 a damaged credentials file (%s) is kept as a copy at the next login', async (_what, content) => {
  const folder = folderWith(content);
  const copy = join(folder, 'credentials.json.bad');
  expect(await storeCredential(place(folder), CARDS)).toEqual({ keptCopy: copy });
  expect(readFileSync(copy, 'utf8')).toBe(content);
  expect([statSync(copy).mode & 0o777, await readCredentials(place(folder))]).toEqual([0o600, [CARDS]]);
});

it('a damaged credentials file does not overwrite an earlier copy', async () => {
  const folder = folderWith('second');
  writeFileSync(join(folder, 'credentials.json.bad'), 'first');
  expect((await storeCredential(place(folder), CARDS)).keptCopy).toBe(join(folder, 'credentials.json.bad-2'));
  expect(readFileSync(join(folder, 'credentials.json.bad'), 'utf8')).toBe('first');
});

it('C25 a damaged credentials file is not what a file of a newer frontdesk is: that is never replaced', async () => {
  const folder = folderWith('{"version":2,"entries":{}}');
  await expect(storeCredential(place(folder), CARDS)).rejects.toThrow('was written by a newer frontdesk');
  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).toBe('{"version":2,"entries":{}}');
  expect(readdirSync(folder)).toEqual(['credentials.json']);
});

it('C15 there are no credentials where there is no folder', async () => {
  expect(await readCredentials({ configDir: undefined, platform: 'linux' })).toEqual([]);
  expect(await readCredentials(place('/nonexistent/frontdesk'))).toEqual([]);
});
