import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from '../../../src/profile/read.ts';
import { changeProfile, setPreference } from '../../../src/profile/settings.ts';
import { changeSettings } from '../../../src/profile/write.ts';
import { realClock, temporaryFolder } from '../base/files/place.ts';

const place = (configDir: string) => ({ configDir, pid: process.pid, clock: realClock() });

it('changeSettings writes a new file for this user alone, in a layout that people can read', async () => {
  const folder = join(temporaryFolder(), 'config');
  await changeSettings(place(folder), (settings) =>
    changeProfile(setPreference(settings, 'retries', '3'), '__proto__', { cardsUrl: 'https://a.example' }),
  );
  expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(`{
  "version": 1,
  "profiles": {
    "__proto__": {
      "cardsUrl": "https://a.example"
    }
  },
  "preferences": {
    "retries": 3
  }
}
`);
  expect([statSync(join(folder, 'settings.json')).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readdirSync(folder)).toEqual(['settings.json']);
  expect([...(await readSettings(folder)).profiles]).toEqual([['__proto__', { cardsUrl: 'https://a.example' }]]);
});

it('C8 changeSettings closes a file that was open to others', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'settings.json');
  writeFileSync(path, '{"version":1}');
  chmodSync(path, 0o644);
  await changeSettings(place(folder), (settings) => setPreference(settings, 'output', 'json'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each(['{"version":1,', '', '{"version":2}'])('changeSettings leaves a file of %j as it is', async (content) => {
  const folder = temporaryFolder();
  const path = join(folder, 'settings.json');
  writeFileSync(path, content);
  const change = changeSettings(place(folder), (settings) => setPreference(settings, 'output', 'json'));
  await expect(change).rejects.toMatchObject({ code: 'USAGE' });
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([content, ['settings.json']]);
});

it('changeSettings writes nothing when the change is refused, or changes nothing', async () => {
  const folder = temporaryFolder();
  await expect(changeSettings(place(folder), (s) => setPreference(s, 'output', 'xml'))).rejects.toThrow(
    'must be one of',
  );
  await changeSettings(place(folder), (settings) => settings);
  expect(readdirSync(folder)).toEqual([]);
});

it('changeSettings keeps a link to a file kept elsewhere', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'dotfiles'));
  writeFileSync(join(folder, 'dotfiles', 'fd.json'), '{"version":1}');
  symlinkSync(join(folder, 'dotfiles', 'fd.json'), join(folder, 'settings.json'));
  await changeSettings(place(folder), (settings) => setPreference(settings, 'retries', '7'));
  expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'dotfiles', 'fd.json'), 'utf8')).toContain('"retries": 7');
  expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['fd.json']);
});

it('changeSettings ends with LOCAL_IO where nothing can be written', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const change = changeSettings(place(join(file, 'x')), (settings) => setPreference(settings, 'retries', '7'));
  await expect(change).rejects.toMatchObject({ code: 'LOCAL_IO', exitCode: 16 });
});
