import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  isInPlace,
  makeLockFile,
  readLockFile,
  removeLockFile,
  replaceLockFile,
  writeNumbers,
} from '../../../../src/base/files/lock-file.ts';
import { identify } from '../../../../src/base/files/process-identity.ts';
import { putLock, textOfLock } from './locks.ts';
import { temporaryFolder } from './place.ts';

const NAME = '00000000.41.77.0123456789abcdef';
const NUMBERS = '\n0000000012 000000000345\n';

function fileOf(text: string): string {
  const path = join(temporaryFolder(), 'run.lock');
  writeFileSync(path, text);
  return path;
}

function lockOf(files: Readonly<Record<string, string>>): string {
  const path = join(temporaryFolder(), 'run.lock');
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

it('a lock says by the name of its file who holds it, and in it the how manieth time, and that its holder lives', () => {
  const text = `0123456789abcdef${NUMBERS}`;
  expect(readLockFile(lockOf({ [`${NAME}.pod-a.example_1`]: text }))).toEqual({
    name: `${NAME}.pod-a.example_1`,
    holder: { host: '00000000', pid: 41, start: '77', machine: 'pod-a.example_1' },
    instance: '0123456789abcdef',
    epoch: 12,
    life: text,
  });
});

it('a lock may be of a system that tells no start of a process', () => {
  const holder = { host: '00000000', pid: 41, start: 'x', machine: 'pod-a' };
  expect(readLockFile(lockOf({ '00000000.41.x.0123456789abcdef.pod-a': '' }))?.holder).toEqual(holder);
});

it.each(
  ['', '\n12 345\n', '\n0000000012 000000000345', `${NUMBERS}x`, `\nx${NUMBERS}`].map(
    (end) => `0123456789abcdef${end}`,
  ),
)('a lock whose numbers are not whole counts as the first: %j', (text) => {
  expect(readLockFile(lockOf({ [`${NAME}.pod-a`]: text }))).toMatchObject({ epoch: 1, life: text });
});

it('a lock belongs to the holder in its folder, else to a file that names none', () => {
  const held = { '.DS_Store': 'x', [`${NAME}.pod-a`]: '', 'z.tmp': '' };
  expect(readLockFile(lockOf(held))).toMatchObject({ name: `${NAME}.pod-a`, instance: '0123456789abcdef' });
  for (const name of [`x${NAME}.pod-a`, `${NAME}.${'m'.repeat(65)}`]) {
    const nobody = { name, holder: undefined, instance: name, epoch: 1, life: 'y' };
    expect(readLockFile(lockOf({ [name]: 'y' }))).toEqual(nobody);
  }
});

it('a lock is free where there is nothing, or an empty folder', () => {
  expect(readLockFile(join(temporaryFolder(), 'none'))).toBeUndefined();
  expect(readLockFile(lockOf({}))).toBeUndefined();
});

it('a lock is looked for again when it changes hands between the look at the folder and at the file', () => {
  const path = lockOf({ [`${NAME}.pod-a`]: '' });
  const { openSync } = fs;
  Object.assign(fs, {
    openSync: (...args: Parameters<typeof openSync>) => {
      Object.assign(fs, { openSync });
      syncBuiltinESMExports();
      putLock(path, { instance: 'fedcba9876543210' });
      return openSync(...args);
    },
  });
  syncBuiltinESMExports();
  expect(readLockFile(path)).toMatchObject({ instance: 'fedcba9876543210' });
});

it('a lock is an error where it cannot be read', () => {
  expect(() => readLockFile(join(fileOf(''), 'none'))).toThrow('ENOTDIR');
  const path = lockOf({});
  mkdirSync(join(path, 'folder'));
  expect(() => readLockFile(path)).toThrow('EISDIR');
  const own = { instance: 'x', path: join(path, 'itself'), by: '' };
  fs.symlinkSync(own.path, own.path);
  expect(() => isInPlace(own)).toThrow('ELOOP');
});

it('making a lock puts it there whole, for this user alone, and leaves nothing else', () => {
  const path = join(temporaryFolder(), 'run.lock');
  const own = makeLockFile(path, 7, process.pid);
  const { host, start } = identify(process.pid);
  const machine = hostname().replace(/[^A-Za-z0-9._-]+/g, '-');
  expect(readdirSync(path)).toEqual([`${host}.${process.pid}.${start}.${own?.instance}.${machine}`]);
  expect(textOfLock(path)).toBe(`${own?.instance}\n0000000007 000000000000\n`);
  expect(own).toEqual({
    instance: expect.stringMatching(/^[0-9a-f]{16}$/),
    path: join(path, readdirSync(path)[0] ?? 'none'),
    by: `${machine} (process ${process.pid})`,
  });
  expect(readdirSync(join(path, '..'))).toEqual(['run.lock']);
  expect([path, own?.path ?? ''].map((one) => fs.statSync(one).mode & 0o777)).toEqual([0o700, 0o600]);
});

it.each([
  ['one with blanks', 'my  host\n#1', 'my-host-1'],
  ['a long name', 'h'.repeat(70), 'h'.repeat(64)],
  ['no name', '', 'unknown'],
])('making a lock names its machine by what fits between blanks: %s', (_what, name, shown) => {
  const real = os.hostname;
  Object.assign(os, { hostname: () => name });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(os, { hostname: real });
    syncBuiltinESMExports();
  });
  const path = join(temporaryFolder(), 'run.lock');
  expect(makeLockFile(path, 1, process.pid)?.by).toBe(`${shown} (process ${process.pid})`);
  expect(readLockFile(path)?.holder?.machine).toBe(shown);
});

it('making a lock makes none over another, and throws what the system says of anything else', () => {
  const path = lockOf({ other: 'mine' });
  expect(makeLockFile(path, 1, process.pid)).toBeUndefined();
  expect(textOfLock(path)).toBe('mine');
  const file = fileOf('mine');
  expect(makeLockFile(file, 1, process.pid)).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(() => makeLockFile(join(file, 'run.lock'), 1, process.pid)).toThrow('ENOTDIR');
});

function made() {
  const path = join(temporaryFolder(), 'run.lock');
  const own = makeLockFile(path, 3, process.pid);
  if (own === undefined) throw new Error('the place is free');
  return { path, own };
}

it('a lock of this process gets its numbers in their place, and is there until it is given back, and not made anew by its numbers', () => {
  const { path, own } = made();
  writeNumbers(own, 23, 456);
  expect(isInPlace(own)).toBe(true);
  expect(textOfLock(path)).toBe(`${own.instance}\n0000000023 000000000456\n`);
  removeLockFile(own);
  writeNumbers(own, 1, 1);
  expect([isInPlace(own), readdirSync(join(path, '..'))]).toEqual([false, []]);
  expect(() => removeLockFile(own)).toThrow('ENOENT');
});

it('a lock of this process gives way to the lock that replaces it, which counts one more', () => {
  const { path, own } = made();
  const before = readLockFile(path);
  if (before === undefined) throw new Error('it was made');
  const next = replaceLockFile(path, before, process.pid);
  expect(readdirSync(path)).toEqual([basename(next?.path ?? 'none')]);
  writeNumbers(own, 23, 456);
  expect(textOfLock(path)).toBe(`${next?.instance}\n0000000004 000000000000\n`);
  expect([next === undefined || isInPlace(next), isInPlace(own)]).toEqual([true, false]);
  expect(() => removeLockFile(own)).toThrow('ENOENT');
  expect(replaceLockFile(path, before, process.pid)).toBeUndefined();
  expect(readdirSync(path)).toEqual([basename(next?.path ?? 'none')]);
});
