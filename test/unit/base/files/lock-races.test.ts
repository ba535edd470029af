import fs, { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock, type LockOptions, removeDeadLock, withLock } from '../../../../src/base/files/lock.ts';
import { readLockFile } from '../../../../src/base/files/lock-file.ts';
import { INSTANCE, putLock, putLockHere } from './locks.ts';
import { stoppedClock, temporaryFolder } from './place.ts';

const FASTER = 'fedcba9876543210';

function options(more: Partial<LockOptions> = {}): LockOptions {
  return { pid: process.pid, clock: stoppedClock(), what: 'run may', ...more };
}

function deadLock(): string {
  const path = join(temporaryFolder(), 'run.lock');
  putLockHere(path, 'dead', { epoch: 4, count: 9 });
  return path;
}

/** The lock of another process here that lives. */
function livingLock(path: string, instance = FASTER): void {
  putLockHere(path, 'living', { instance, epoch: 5 });
}

type Replaced = 'renameSync' | 'unlinkSync' | 'rmdirSync';

/** Lets something happen right before the first of these calls, or each; it may throw what the system says instead of doing it. */
function rightBefore(name: Replaced, happens: (from: string, to: string) => void, times = 1): void {
  const original: (...args: never[]) => unknown = fs[name];
  let calls = 0;
  const replaced = (...args: never[]) => {
    calls += 1;
    const [from = '', to = ''] = args.map(String);
    if (calls <= times) happens(from, to);
    return original(...args);
  };
  Object.assign(fs, { [name]: replaced });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  });
}

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: refused`), { code });
}

const filesBeside = (path: string) => readdirSync(dirname(path));

it('the slower of two that find the same dead lock leaves the new lock of the faster alone', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => livingLock(path));
  await expect(acquireLock(path, options())).rejects.toMatchObject({
    code: 'USAGE',
    hints: ['wait until it has exited, or stop it'],
  });
  expect(readLockFile(path)).toMatchObject({ instance: FASTER, epoch: 5 });
  expect(readdirSync(path)).toHaveLength(1);
  expect(filesBeside(path)).toEqual(['run.lock']);
});

it('the slower of two that find the same dead lock makes its own when the faster has ended already', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => rmSync(path, { recursive: true }));
  const held = await acquireLock(path, options());
  expect(held).toMatchObject({ epoch: 1, mayHaveRival: false });
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(filesBeside(path)).toEqual([]);
});

it('the slower of two that find the same dead lock says that nothing was changed when the lock cannot be put in its place', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => {
    throw refusal('EACCES');
  });
  await expect(acquireLock(path, options())).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `could not lock run may (${path}): permission denied (EACCES). Nothing was changed.`,
  });
  expect(readLockFile(path)?.instance).toBe(INSTANCE);
});

it('a place that is taken at the moment when a lock gets it belongs to the other', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  rightBefore('renameSync', () => livingLock(path));
  await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
  expect(readLockFile(path)).toMatchObject({ instance: FASTER });
  expect(readdirSync(path)).toHaveLength(1);
  expect(filesBeside(path)).toEqual(['run.lock']);
});

const TAKEN = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'];

it.each(TAKEN)('a place that is taken belongs to the other where the file system says so by %s', async (code) => {
  const path = join(temporaryFolder(), 'run.lock');
  rightBefore('renameSync', () => {
    livingLock(path);
    throw refusal(code);
  });
  await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
  expect(readLockFile(path)).toMatchObject({ instance: FASTER });
});

it('a place that is taken at the moment when a lock gets it is free where an empty folder is left there, also where a folder replaces none', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  mkdirSync(path);
  (await acquireLock(path, options())).release();
  mkdirSync(path);
  const refuses = (_from: string, to: string) => {
    if (fs.existsSync(to)) throw refusal('EPERM');
  };
  rightBefore('renameSync', refuses, Number.POSITIVE_INFINITY);
  const held = await acquireLock(path, options());
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(filesBeside(path)).toEqual([]);
});

it.each(['EIO', 'EACCES'])('a place with nothing in it is not had where the file system answers %s', async (code) => {
  const path = join(temporaryFolder(), 'run.lock');
  rightBefore('renameSync', () => {
    throw refusal(code);
  });
  await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'LOCAL_IO' });
  expect(filesBeside(path)).toEqual([]);
});

it('the folder of a lock is taken over once what else lies in it was there for 60 s', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  mkdirSync(path);
  writeFileSync(join(path, '.DS_Store'), 'x'.repeat(6000));
  const clock = stoppedClock();
  const held = await acquireLock(path, options({ clock }));
  expect(clock.monotonic()).toBe(60_000);
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(filesBeside(path)).toEqual([]);
});

it('the folder of a lock is held by its holder, whatever else lies in it', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  livingLock(path);
  writeFileSync(join(path, '.DS_Store'), '');
  await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
  rmSync(path, { recursive: true });
  const held = await acquireLock(path, options());
  writeFileSync(join(path, '.DS_Store'), '');
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(readdirSync(path)).toEqual(['.DS_Store']);
});

it('giving a lock back leaves the lock that another put in its place right before, which no third can take then', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  rightBefore('unlinkSync', () => livingLock(path));
  held.release();
  expect(readLockFile(path)).toMatchObject({ instance: FASTER });
  await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
  expect(filesBeside(path)).toEqual(['run.lock']);
});

it('giving a lock back leaves the lock of the next one, which came between its two steps', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  rightBefore('rmdirSync', () => livingLock(path));
  held.release();
  expect(readLockFile(path)).toMatchObject({ instance: FASTER });
});

it('giving a lock back leaves the place free also when a process dies between its two steps', async () => {
  const path = join(temporaryFolder(), 'run.lock');
  const held = await acquireLock(path, options());
  rightBefore('rmdirSync', () => {
    throw refusal('EIO');
  });
  held.release();
  expect(readdirSync(path)).toEqual([]);
  (await acquireLock(path, options())).release();
  expect(filesBeside(path)).toEqual([]);
});

it('work under a lock that is still held proves it as often as it likes', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  const work = async (assertStillHeld: () => void) => {
    assertStillHeld();
    assertStillHeld();
    return 'done';
  };
  expect(await withLock(path, options(), work)).toBe('done');
});

it('removing a dead lock removes the lock of a process that has ended, and nothing else', async () => {
  const path = deadLock();
  removeDeadLock(path, options());
  expect(filesBeside(path)).toEqual([]);
});

it('removing a dead lock leaves the lock of a process that lives, here or elsewhere', () => {
  const path = join(temporaryFolder(), 'run.lock');
  livingLock(path);
  removeDeadLock(path, options());
  expect(readLockFile(path)?.instance).toBe(FASTER);
  putLock(path);
  removeDeadLock(path, options());
  expect(readLockFile(path)?.instance).toBe(INSTANCE);
  expect(filesBeside(path)).toEqual(['run.lock']);
});

it('removing a dead lock leaves the lock of the faster alone', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => livingLock(path));
  removeDeadLock(path, options());
  expect(readLockFile(path)?.instance).toBe(FASTER);
  expect(filesBeside(path)).toEqual(['run.lock']);
});

it('removing a dead lock never fails, and makes nothing where there is nothing', () => {
  const path = join(temporaryFolder(), 'run.lock');
  removeDeadLock(path, options());
  expect(filesBeside(path)).toEqual([]);
  removeDeadLock(dirname(path), options());
  expect(filesBeside(path)).toEqual([]);
});
