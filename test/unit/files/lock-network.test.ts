import fs, { linkSync, readdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock, type LockOptions } from '../../../src/files/lock.ts';
import { identify } from '../../../src/files/process-identity.ts';
import { stoppedClock, temporaryFolder } from './place.ts';

// What network file systems do (NFS): a call is repeated when its answer was lost, and the repetition says that it failed.

const options = (more: Partial<LockOptions> = {}): LockOptions => ({
  pid: process.pid,
  clock: stoppedClock(),
  what: 'run may',
  ...more,
});

const failure = (code: string) => Object.assign(new Error(code), { code });

/** Has a call of the file system do what it does and then fail, the first time. */
function failAfter(name: 'renameSync' | 'readSync', code: string): void {
  const original: (...args: never[]) => unknown = fs[name];
  let isFirst = true;
  const failing = (...args: never[]) => {
    const result = original(...args);
    if (!isFirst) return result;
    isFirst = false;
    throw failure(code);
  };
  Object.assign(fs, { [name]: failing });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  });
}

it('E24 a lock whose name was linked is held, although the file system says that the name is taken', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const link = (from: string, to: string) => {
    linkSync(from, to);
    throw failure('EEXIST');
  };
  const held = await acquireLock(path, options({ link }));
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(readdirSync(dirname(path))).toEqual([]);
});

it('E24 a lock that was renamed into its place is held, although the file system says that it is gone', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const { host } = identify(process.pid);
  writeFileSync(path, `${host} ${process.pid} 1 0123456789abcdef gone\n0000000001 000000000000\n`);
  failAfter('renameSync', 'ENOENT');
  const held = await acquireLock(path, options());
  expect([held.epoch, held.lost()]).toEqual([2, undefined]);
  held.release();
});

it('E24 a lock that another machine touches while it is read is read again', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  failAfter('readSync', 'ESTALE');
  expect(held.lost()).toBeUndefined();
  held.release();
});
