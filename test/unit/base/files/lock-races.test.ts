import fs, { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock, type LockOptions, removeDeadLock } from '../../../../src/base/files/lock.ts';
import { readLockFile } from '../../../../src/base/files/lock-file.ts';
import { INSTANCE, putLock, putLockHere } from './locks.ts';
import { stoppedClock, temporaryFolder } from './place.ts';

const FASTER = 'fedcba9876543210';

function options(more: Partial<LockOptions> = {}): LockOptions {
  return { pid: process.pid, clock: stoppedClock(), what: 'run may', ...more };
}

function deadLock(): string {
  const path = fresh();
  putLockHere(path, 'dead', { epoch: 4, count: 9 });
  return path;
}

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

const refusal = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

const filesBeside = (path: string) => readdirSync(dirname(path));
const fresh = () => join(temporaryFolder(), 'run.lock');
const isRefused = (path: string, code = 'USAGE', more = {}) =>
  expect(acquireLock(path, options())).rejects.toMatchObject({ code, ...more });

/** The lock is that of another, whole, and there is nothing beside it. */
function isLeft(path: string, instance = FASTER): void {
  expect([readLockFile(path)?.instance, readdirSync(path).length]).toEqual([instance, 1]);
  expect(filesBeside(path)).toEqual(['run.lock']);
}

/** A lock is had, which nobody else has, and nothing of it stays. */
async function isHad(path: string, more: Partial<LockOptions> = {}) {
  const held = await acquireLock(path, options(more));
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(filesBeside(path)).toEqual([]);
  return held;
}

it('the slower of two that find the same dead lock leaves the new lock of the faster alone', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => livingLock(path));
  await isRefused(path, 'USAGE', { hints: ['wait until it has exited, or stop it'] });
  expect(readLockFile(path)?.epoch).toBe(5);
  isLeft(path);
});

it('the slower of two that find the same dead lock makes its own when the faster has ended already', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => rmSync(path, { recursive: true }));
  expect(await isHad(path)).toMatchObject({ epoch: 1, mayHaveRival: false });
});

it('the slower of two that find the same dead lock says that nothing was changed when the lock cannot be put in its place', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => {
    throw refusal('EACCES');
  });
  const message = `could not lock run may (${path}): permission denied (EACCES). Nothing was changed.`;
  await isRefused(path, 'LOCAL_IO', { message });
  isLeft(path, INSTANCE);
});

const TAKEN = [undefined, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'];

it.each(TAKEN)('a place that is taken at the moment when a lock gets it belongs to the other (%s)', async (code) => {
  const path = fresh();
  rightBefore('renameSync', () => {
    livingLock(path);
    if (code !== undefined) throw refusal(code);
  });
  await isRefused(path);
  isLeft(path);
});

it('a place that is taken at the moment when a lock gets it is free where an empty folder is left there, also where a folder replaces none', async () => {
  const path = fresh();
  mkdirSync(path);
  (await acquireLock(path, options())).release();
  mkdirSync(path);
  const refuses = (_from: string, to: string) => {
    if (fs.existsSync(to)) throw refusal('EPERM');
  };
  rightBefore('renameSync', refuses, Number.POSITIVE_INFINITY);
  await isHad(path);
});

it.each(['EIO', 'EACCES'])('a place with nothing in it is not had where the file system answers %s', async (code) => {
  const path = fresh();
  rightBefore('renameSync', () => {
    throw refusal(code);
  });
  await isRefused(path, 'LOCAL_IO');
  expect(filesBeside(path)).toEqual([]);
});

it('the folder of a lock is taken over once what else lies in it was there for 60 s', async () => {
  const path = fresh();
  mkdirSync(path);
  writeFileSync(join(path, '.DS_Store'), 'x'.repeat(6000));
  const clock = stoppedClock();
  await isHad(path, { clock });
  expect(clock.monotonic()).toBe(60_000);
});

it('the folder of a lock is held by its holder, whatever else lies in it', async () => {
  const path = fresh();
  livingLock(path);
  writeFileSync(join(path, '.DS_Store'), '');
  await isRefused(path);
  rmSync(path, { recursive: true });
  const held = await acquireLock(path, options());
  writeFileSync(join(path, '.DS_Store'), '');
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(readdirSync(path)).toEqual(['.DS_Store']);
});

it('giving a lock back leaves the lock that another put in its place right before, which no third can take then', async () => {
  const path = fresh();
  const held = await acquireLock(path, options());
  rightBefore('unlinkSync', () => livingLock(path));
  held.release();
  await isRefused(path);
  isLeft(path);
});

it('giving a lock back leaves the lock of the next one, which came between its two steps', async () => {
  const path = fresh();
  const held = await acquireLock(path, options());
  rightBefore('rmdirSync', () => livingLock(path));
  held.release();
  isLeft(path);
});

it('giving a lock back leaves the place free also when a process dies between its two steps', async () => {
  const path = fresh();
  const held = await acquireLock(path, options());
  rightBefore('rmdirSync', () => {
    throw refusal('EIO');
  });
  held.release();
  expect(readdirSync(path)).toEqual([]);
  await isHad(path);
});

it('removing a dead lock leaves the lock of a process that lives, here or elsewhere', () => {
  const path = fresh();
  livingLock(path);
  removeDeadLock(path, options());
  isLeft(path);
  putLock(path);
  removeDeadLock(path, options());
  isLeft(path, INSTANCE);
});

it('removing a dead lock leaves the lock of the faster alone', async () => {
  const path = deadLock();
  rightBefore('renameSync', () => livingLock(path));
  removeDeadLock(path, options());
  isLeft(path);
});

it('removing a dead lock removes that of a process that has ended, never fails, and makes nothing where there is none', () => {
  const path = deadLock();
  for (let time = 1; time <= 2; time += 1) {
    removeDeadLock(path, options());
    expect(filesBeside(path)).toEqual([]);
  }
  removeDeadLock(dirname(path), options());
  expect(filesBeside(path)).toEqual([]);
});
