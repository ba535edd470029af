import fs, { chmodSync, linkSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeLockFile, readLockFile, writeNumbers } from '../../../src/files/lock-file.ts';
import { identify } from '../../../src/files/process-identity.ts';
import { temporaryFolder } from './place.ts';

const HOLDER = '00000000 41 77 0123456789abcdef';

function lockWith(text: string): string {
  const path = join(temporaryFolder(), 'run.lock');
  writeFileSync(path, text);
  return path;
}

describe('a lock file', () => {
  it('says who holds it, which lock it is, for the how manieth time, and that its holder lives', () => {
    const text = `${HOLDER} pod-a\n0000000012 000000000345\n`;
    expect(readLockFile(lockWith(text))).toEqual({
      holder: { host: '00000000', pid: 41, start: '77', machine: 'pod-a' },
      instance: '0123456789abcdef',
      epoch: 12,
      life: text,
    });
  });

  it('may be of a system that tells no start of a process', () => {
    expect(readLockFile(lockWith('00000000 41 x 0123456789abcdef pod-a\n0000000001 000000000000\n'))?.holder).toEqual({
      host: '00000000',
      pid: 41,
      start: 'x',
      machine: 'pod-a',
    });
  });

  it('of the first version has no numbers, and lives by its time', () => {
    const path = lockWith(`${HOLDER}\n`);
    utimesSync(path, 5, 5);
    expect(readLockFile(path)).toEqual({
      holder: { host: '00000000', pid: 41, start: '77', machine: undefined },
      instance: '0123456789abcdef',
      epoch: 1,
      life: `${HOLDER}\n5000`,
    });
  });

  it.each([
    '',
    '\n',
    HOLDER,
    `x${HOLDER} pod-a\n0000000001 000000000000\n`,
    `${HOLDER} pod a\n0000000001 000000000000\n`,
    `${HOLDER.slice(1)} pod-a\n0000000001 000000000000\n`,
  ])('that is not whole belongs to nobody yet: %j', (text) => {
    expect(readLockFile(lockWith(text))).toEqual({ holder: undefined, instance: 'torn', epoch: 1, life: text });
  });

  it.each(['0000000012 000000000345', '0000000012 000000000345\nx', '12 345\n'])(
    'whose numbers are not whole counts as the first: %j',
    (numbers) => {
      expect(readLockFile(lockWith(`${HOLDER} pod-a\n${numbers}`))).toMatchObject({ epoch: 1 });
    },
  );

  it('is none where there is no file, and an error where it cannot be read', () => {
    const folder = temporaryFolder();
    expect(readLockFile(join(folder, 'none'))).toBeUndefined();
    expect(() => readLockFile(folder)).toThrow('EISDIR');
    expect(() => readLockFile(join(lockWith(''), 'none'))).toThrow('ENOTDIR');
  });
});

describe('making a lock file', () => {
  it('writes it whole, for this user alone, and leaves nothing else', () => {
    const path = join(temporaryFolder(), 'run.lock');
    const own = makeLockFile(path, 7, { pid: process.pid });
    const { host, start } = identify(process.pid);
    const machine = hostname().replace(/[^A-Za-z0-9._-]+/g, '-');
    const first = `${host} ${process.pid} ${start} ${own?.instance} ${machine}\n`;
    expect(readFileSync(path, 'utf8')).toBe(`${first}0000000007 000000000000\n`);
    expect(own).toEqual({
      instance: expect.stringMatching(/^[0-9a-f]{16}$/),
      numbersAt: first.length,
      by: `${machine} (process ${process.pid})`,
    });
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['run.lock']);
  });

  it.each([
    ['one with blanks', 'my  host\n#1', 'my-host-1'],
    ['a long name', 'h'.repeat(70), 'h'.repeat(64)],
    ['no name', '', 'unknown'],
  ])('names its machine by what fits between blanks: %s', (_what, name, shown) => {
    const real = os.hostname;
    Object.assign(os, { hostname: () => name });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(os, { hostname: real });
      syncBuiltinESMExports();
    });
    const path = join(temporaryFolder(), 'run.lock');
    expect(makeLockFile(path, 1, { pid: process.pid })?.by).toBe(`${shown} (process ${process.pid})`);
    expect(readLockFile(path)?.holder?.machine).toBe(shown);
  });

  it('makes none over another, and throws what the system says of anything else', () => {
    const path = lockWith('mine');
    expect(makeLockFile(path, 1, { pid: process.pid })).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(() => makeLockFile(join(path, 'run.lock'), 1, { pid: process.pid })).toThrow('ENOTDIR');
  });

  it('makes none that another has taken for torn by then', () => {
    const path = join(temporaryFolder(), 'run.lock');
    const link = (from: string, to: string) => {
      linkSync(from, to);
      fs.rmSync(to);
      writeFileSync(to, `${HOLDER} pod-a\n0000000001 000000000000\n`);
    };
    expect(makeLockFile(path, 1, { pid: process.pid, link })).toBeUndefined();
    const gone = join(temporaryFolder(), 'run.lock');
    const vanish = (from: string, to: string) => {
      linkSync(from, to);
      fs.rmSync(to);
    };
    expect(makeLockFile(gone, 1, { pid: process.pid, link: vanish })).toBeUndefined();
  });
});

describe('the numbers of a lock file', () => {
  const own = { instance: '0123456789abcdef', numbersAt: `${HOLDER} pod-a\n`.length, by: 'pod-a (process 41)' };

  it('are written in their place', () => {
    const path = lockWith(`${HOLDER} pod-a\n0000000001 000000000000\n`);
    expect(writeNumbers(path, own, 23, 456)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(`${HOLDER} pod-a\n0000000023 000000000456\n`);
  });

  it('are not written into another lock', () => {
    const other = `00000000 42 77 fedcba9876543210 pod-b\n0000000002 000000000000\n`;
    const path = lockWith(other);
    expect(writeNumbers(path, own, 23, 456)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(other);
  });

  it('are written nowhere when the lock is gone, and throw what the system says of anything else', () => {
    const folder = temporaryFolder();
    expect(writeNumbers(join(folder, 'none'), own, 1, 1)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    expect(() => writeNumbers(folder, own, 1, 1)).toThrow('EISDIR');
  });
});
