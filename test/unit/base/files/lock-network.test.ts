import fs, { linkSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock, type LockOptions } from '../../../../src/base/files/lock.ts';
import { readLockFile } from '../../../../src/base/files/lock-file.ts';
import { putLock, putLockHere } from './locks.ts';
import { stoppedClock, temporaryFolder } from './place.ts';

// What network file systems do (NFS): a call is repeated when its answer was lost, and the repetition says that it failed.

const options = (more: Partial<LockOptions> = {}): LockOptions => ({
  pid: process.pid,
  clock: stoppedClock(),
  what: 'run may',
  ...more,
});

/** Has a call of the file system do what it does and then fail, the first time. */
function failAfter(name: 'renameSync' | 'readSync' | 'mkdirSync', code: string): void {
  const original: (...args: never[]) => unknown = fs[name];
  let isFirst = true;
  const failing = (...args: never[]) => {
    const result = original(...args);
    if (!isFirst) return result;
    isFirst = false;
    throw Object.assign(new Error(code), { code });
  };
  Object.assign(fs, { [name]: failing });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  });
}

it.each(['EEXIST', 'ENOENT'])('E24 a lock that was put in its place is held, whatever is said (%s)', async (code) => {
  const path = join(temporaryFolder(), 'run.lock');
  failAfter(code === 'EEXIST' ? 'mkdirSync' : 'renameSync', code);
  const held = await acquireLock(path, options());
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(readdirSync(dirname(path))).toEqual([]);
});

it('E24 a lock that was taken over is held, although the file system says that the one before is gone', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  putLockHere(path, 'dead');
  failAfter('renameSync', 'ENOENT');
  const held = await acquireLock(path, options());
  expect([held.epoch, held.lost()]).toEqual([2, undefined]);
  held.release();
});

it('E24 a lock that was taken over is lost, although its old name is still shown', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  const [name = 'none'] = readdirSync(path);
  putLock(path, { instance: 'fedcba9876543210' });
  const [successor = 'none'] = readdirSync(path);
  // What the old name leads to is the file that the successor writes its own signs into.
  linkSync(join(path, successor), join(path, name));
  expect(held.lost()).toBeDefined();
  held.raiseEpoch(9);
  expect(readLockFile(path)?.epoch).toBe(1);
  held.release();
});

it('E24 a lock that another machine touches while it is read is read again', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  failAfter('readSync', 'ESTALE');
  expect(held.lost()).toBeUndefined();
  failAfter('readSync', 'EIO');
  expect(() => held.lost()).toThrow('EIO');
  held.release();
});
