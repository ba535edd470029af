import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readSettings } from '../../../src/profile/read.ts';
import { temporaryFolder } from '../base/files/place.ts';

const EMPTY = { currentProfile: undefined, profiles: new Map(), preferences: {} };

function folderWith(content: string | Uint8Array): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'settings.json'), content);
  return folder;
}

const FULL = `{
  "version": 1,
  "currentProfile": "__proto__",
  "profiles": {
    "__proto__": { "cardsUrl": "https://a.example", "readOnly": true },
    "constructor": {
      "calendarUrl": "http://127.0.0.1:8080/x", "requireReason": "OPS-[0-9]+", "output": "json", "readOnly": false
    }
  },
  "preferences": { "output": "csv", "timeout": "2m", "retries": 0, "concurrency": 16 }
}`;

it('C24 readSettings reads everything that can be set, whatever the profiles are called', async () => {
  expect(await readSettings(folderWith(FULL))).toEqual({
    currentProfile: '__proto__',
    profiles: new Map([
      ['__proto__', { cardsUrl: 'https://a.example', readOnly: true }],
      [
        'constructor',
        { calendarUrl: 'http://127.0.0.1:8080/x', requireReason: 'OPS-[0-9]+', output: 'json', readOnly: false },
      ],
    ]),
    preferences: { output: 'csv', timeout: '2m', retries: 0, concurrency: 16 },
  });
});

it.each([
  ['there is no folder that could hold any (C15)', () => undefined],
  ['the folder does not exist', () => '/nonexistent/frontdesk'],
  ['a part of the path is no folder', () => '/dev/null/frontdesk'],
  ['there is no file', () => temporaryFolder()],
])('readSettings has no settings when %s', async (_what, folder) => {
  expect(await readSettings(folder())).toEqual(EMPTY);
});

const profile = (text: string) => `{"version":1,"profiles":{"a":${text}}}`;

it.each([
  ['an empty file', '', 'line 1: it is empty'],
  ['NUL bytes', '\0\0\0\0', 'line 1, column 1: expected a value'],
  ['a byte order mark', '\ufeff{"version":1}', 'line 1: it begins with a byte order mark'],
  ['Latin-1', new Uint8Array([0x7b, 0xe9]), 'line 1: it is not UTF-8 text'],
  ['a stub', '{"version":1,\n"profiles":{"a":{"readOnly":tru', 'line 2, column 29 (at profiles.a.readOnly): expected'],
  ['null', 'null', 'line 1: it does not hold a JSON object'],
  ['an array', '[]', 'line 1: it does not hold a JSON object'],
  ['no version', '{}', 'version is missing or not a whole number'],
  ['a version that is a text', '{"version":"1"}', 'version is missing or not a whole number'],
  ['a key twice', '{"version":1,\n"version":1}', 'line 2, column 1 (at version): the name "version" occurs twice in'],
  ['an unknown key', '{"version":1,"profile":{}}', 'profile is not a setting: did you mean profiles?'],
  ['a misspelt guard', profile('{"readonly":true}'), 'profiles.a.readonly is not a setting: did you mean readOnly?'],
  ['profiles as an array', '{"version":1,"profiles":[]}', 'profiles is not an object'],
  ['a profile that is null', '{"version":1,"profiles":{"a":null}}', 'profiles.a is not an object'],
  ['a guard that is a text', profile('{"readOnly":"true"}'), 'profiles.a.readOnly is not true or false'],
  ['a URL that is a number', '{"version":1,"profiles":{"a":{"cardsUrl":1}}}', 'profiles.a.cardsUrl is not a text'],
  ['a bad pattern', profile('{"requireReason":"("}'), 'profiles.a.requireReason: is not a regular expression'],
  ['rows as a text', '{"version":1,"profiles":{"a":{"maxRows":"5"}}}', 'profiles.a.maxRows is not a number'],
  ['no rows', '{"version":1,"profiles":{"a":{"maxRows":0}}}', 'profiles.a.maxRows: must be a whole number from 1'],
  ['a bad format', '{"version":1,"profiles":{"a":{"output":"jsn"}}}', 'profiles.a.output: must be one of table'],
  ['a name that is no name', '{"version":1,"profiles":{"../x":{}}}', 'profiles: the name "../x" is not 1 to 64 of'],
  ['a stored sandbox', '{"version":1,"profiles":{"sandbox":{}}}', 'profiles: the name "sandbox" is built in'],
  ['no such current profile', '{"version":1,"currentProfile":"b"}', 'currentProfile "b" is not among the profiles'],
  ['a bad preference', '{"version":1,"preferences":{"retries":1.5}}', 'preferences.retries: must be a whole number'],
  ['a preference that is a text', '{"version":1,"preferences":{"retries":"2"}}', 'preferences.retries is not a number'],
  ['a timeout that is a number', '{"version":1,"preferences":{"timeout":30}}', 'preferences.timeout is not a text'],
])('C12 C13 readSettings refuses %s with USAGE, says where, and leaves the file as it is', async (...row) => {
  const [, content, where] = row;
  const folder = folderWith(content);
  const path = join(folder, 'settings.json');
  const before = readFileSync(path);
  const refusal = { code: 'USAGE', exitCode: 2, message: expect.stringContaining(`${path} is damaged: ${where}`) };
  await expect(readSettings(folder)).rejects.toMatchObject(refusal);
  await expect(readSettings(folder)).rejects.toThrow('It was not changed');
  expect([readFileSync(path), readdirSync(folder)]).toEqual([before, ['settings.json']]);
});

it('C25 readSettings refuses a file of a newer frontdesk whatever else it holds', async () => {
  await expect(readSettings(folderWith('{"version":2,"profiles":[],"new":1}'))).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('was written by a newer frontdesk (version 2 of the file, this one reads 1)'),
  });
});

it('readSettings refuses a settings file that is no file', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'settings.json'));
  await expect(readSettings(folder)).rejects.toMatchObject({ code: 'USAGE' });
});

function refuse(names: readonly ('openSync' | 'lstatSync')[]) {
  const spies = names.map((name) =>
    vi.spyOn(fs, name).mockImplementation(() => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    }),
  );
  syncBuiltinESMExports();
  return () => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  };
}

it('settings that the system does not let this user read are refused where they can be seen: they may say readOnly', async () => {
  const folder = folderWith(FULL);
  const restore = refuse(['openSync']);
  await expect(readSettings(folder).finally(restore)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(': permission denied (EACCES). Nothing was sent.'),
  });
});

it('settings that the system does not let this user read are none where not even their folder can be looked into', async () => {
  const folder = folderWith(FULL);
  const restore = refuse(['openSync', 'lstatSync']);
  expect(await readSettings(folder).finally(restore)).toEqual(EMPTY);
});
