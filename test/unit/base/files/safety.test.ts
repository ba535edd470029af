import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPrivateFile, refuseUnsafeFolder } from '../../../../src/base/files/safety.ts';
import { shellOf, shellQuote } from '../../../../src/base/files/shell-quote.ts';
import { temporaryFolder } from './place.ts';

const options = { platform: 'linux', what: 'the credentials file' };

function privateFile(mode = 0o600): string {
  const path = join(temporaryFolder(), 'credentials.json');
  writeFileSync(path, 'secret');
  chmodSync(path, mode);
  return path;
}

it.each([0o600, 0o400])('readPrivateFile reads a file of mode %o', async (mode) => {
  expect(await readPrivateFile(privateFile(mode), options)).toEqual(Buffer.from('secret'));
});

const OPEN = [0o644, 0o640, 0o660, 0o604, 0o610, 0o666];

it.each(OPEN)('C7 readPrivateFile refuses mode %o with the chmod command', async (mode) => {
  const path = privateFile(mode);
  await expect(readPrivateFile(path, options)).rejects.toMatchObject({
    ...{ code: 'AUTH', exitCode: 4, hints: [`fix it with: chmod 600 ${path}`] },
    message: `the credentials file ${path} was not used: its mode 0${mode.toString(8)} lets other users at it. Nothing was sent.`,
  });
});

it('readPrivateFile answers undefined where there is no file or no folder', async () => {
  const folder = temporaryFolder();
  for (const path of [join(folder, 'none'), join(folder, 'no', 'folder'), '/dev/null/x']) {
    expect(await readPrivateFile(path, options)).toBeUndefined();
  }
});

it.each([0o777, 0o770, 0o702, 0o1777])('readPrivateFile refuses a folder of mode %o', async (mode) => {
  const path = privateFile();
  const folder = join(path, '..');
  chmodSync(folder, mode);
  const refusal = { code: 'AUTH', hints: [`fix it with: chmod 700 ${folder}`] };
  await expect(readPrivateFile(path, options)).rejects.toMatchObject(refusal);
  await expect(refuseUnsafeFolder(folder, 'linux')).rejects.toMatchObject(refusal);
  writeFileSync(join(folder, 'package.json'), '');
  const step = { code: 'AUTH', hints: ['set FRONTDESK_CONFIG_DIR to a new folder that only frontdesk uses'] };
  await expect(readPrivateFile(path, options)).rejects.toMatchObject(step);
  await expect(refuseUnsafeFolder(folder, 'linux')).rejects.toMatchObject(step);
});

it('readPrivateFile accepts a folder that others can only read', async () => {
  const path = privateFile();
  chmodSync(join(path, '..'), 0o755);
  expect(await readPrivateFile(path, options)).toEqual(Buffer.from('secret'));
});

it.each(['linux', 'win32'])('readPrivateFile refuses a symbolic link on %s', async (platform) => {
  const path = privateFile();
  const link = join(path, '..', 'link.json');
  symlinkSync(path, link);
  await expect(readPrivateFile(link, { ...options, platform })).rejects.toMatchObject({
    code: 'AUTH',
    message: expect.stringContaining('it is a symbolic link'),
    hints: [`fix it with: rm ${link}`],
  });
});

it('readPrivateFile refuses a folder in the place of the file', async () => {
  const path = join(temporaryFolder(), 'credentials.json');
  mkdirSync(path);
  await expect(readPrivateFile(path, options)).rejects.toThrow('it is not an ordinary file');
});

it.runIf(userInfo().uid === 0)('readPrivateFile refuses a file, and a folder, of another user', async () => {
  const path = privateFile();
  chownSync(path, 4711, 4711);
  await expect(readPrivateFile(path, options)).rejects.toMatchObject({
    code: 'AUTH',
    message: expect.stringContaining('it belongs to another user (uid 4711)'),
    hints: [`fix it with: sudo chown 0 ${path}`],
  });
  chownSync(path, 0, 0);
  chownSync(join(path, '..'), 4711, 4711);
  await expect(readPrivateFile(path, options)).rejects.toThrow('its folder belongs to another user (uid 4711)');
});

it.each([
  ['/home/ada/c.json', '/home/ada/c.json'],
  ['/Users/ada/Library/Application Support/x', "'/Users/ada/Library/Application Support/x'"],
  ["it's", "'it'\\''s'"],
  ['', "''"],
  ['a;b', "'a;b'"],
  ["two\nlines, it's \\", "$'two\\x0alines, it\\'s \\\\'"],
  ['a\u009b\u202eb\u{e0041}', "$'a\\u009b\\u202eb\\U000e0041'"],
])('shellQuote writes %j as %s', (text, word) => expect(shellQuote(text)).toBe(word));

it.skipIf(process.platform === 'win32')('shellQuote writes what bash reads as the same text', () => {
  const text = "a'b\\n\n\tc\u0001\u001b[31m\u007f\u009b é \u202e\u200b😀\u{e0041}0";
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' };
  expect(execFileSync('bash', ['--norc', '-c', `printf %s ${shellQuote(text)}`], { env, encoding: 'utf8' })).toBe(text);
});

it.each([
  ['C:\\Users\\ada\\plan.json', 'C:\\Users\\ada\\plan.json', 'C:\\Users\\ada\\plan.json'],
  ['C:\\Users\\Ada L\\x', '"C:\\Users\\Ada L\\x"', '"C:\\Users\\Ada L\\x"'],
  ['lost, ticket 4711', '"lost, ticket 4711"', '"lost, ticket 4711"'],
  ["it's", `"it's"`, `"it's"`],
  ['', '""', '""'],
  ['a&b|c', '"a&b|c"', '"a&b|c"'],
  ['say "no"', '"say ""no"""', `'say "no"'`],
  ["$HOME, it's", `"$HOME, it's"`, `'$HOME, it''s'`],
  ['C:\\my folder\\', '"C:\\my folder\\\\"', '"C:\\my folder\\\\"'],
])('shellQuote writes %j for Windows as %s in cmd, and as %s in PowerShell', (text, cmd, powershell) => {
  expect([shellQuote(text, 'cmd'), shellQuote(text, 'powershell')]).toEqual([cmd, powershell]);
});

it('shellQuote knows the shell of Windows by what it leaves in the environment', () => {
  const machine =
    'C:\\Program Files\\WindowsPowerShell\\Modules;C:\\Windows\\system32\\WindowsPowerShell\\v1.0\\Modules';
  const own = `C:\\Users\\ada\\Documents\\PowerShell\\Modules;${machine}`;
  expect([shellOf({ PSModulePath: machine }), shellOf({ PSModulePath: own })]).toEqual(['cmd', 'powershell']);
  expect([shellOf({ PSModulePath: own, MSYSTEM: 'MINGW64' }), shellOf({})]).toEqual(['sh', 'cmd']);
});
