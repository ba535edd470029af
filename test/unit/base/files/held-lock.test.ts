import fs, { existsSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeldLock, nameHolder } from '../../../../src/base/files/held-lock.ts';
import { makeLockFile, readLockFile } from '../../../../src/base/files/lock-file.ts';
import { identify } from '../../../../src/base/files/process-identity.ts';
import { putLock, textOfLock } from './locks.ts';
import { temporaryFolder } from './place.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function acquire(epoch = 3) {
  const path = join(temporaryFolder(), 'run.lock');
  const own = makeLockFile(path, epoch, process.pid);
  if (own === undefined) throw new Error('the name is free');
  return { path, own, held: new HeldLock(path, { own, epoch, mayHaveRival: false }) };
}

/** Another process makes a lock in the place of this one. */
function takeOver(path: string): string {
  putLock(path, { holder: '00000000.41.77', instance: 'fedcba9876543210', machine: 'pod-b', epoch: 4 });
  return textOfLock(path);
}

const numbersOf = (path: string) => textOfLock(path).split('\n')[1];

it('the holder of a lock is named by its process, and by its machine where that is another', () => {
  const file = { name: 'x', instance: 'x', epoch: 1, life: '' };
  const { host, start } = identify(process.pid);
  const elsewhere = { host: '00000000', pid: 41, start: '77' };
  const named = (holder: object | undefined) => nameHolder({ ...file, holder } as Parameters<typeof nameHolder>[0]);
  const here = { host, pid: process.pid, start, machine: 'pod-a' };
  const holders = [undefined, here, { ...elsewhere, machine: 'pod-b' }, { ...elsewhere, machine: undefined }];
  expect([nameHolder(undefined), ...holders.map(named)]).toEqual([
    ...['another frontdesk', 'another frontdesk', `another frontdesk (process ${process.pid})`],
    ...['another frontdesk on pod-b (process 41)', 'another frontdesk on another machine (process 41)'],
  ]);
});

it('a lock that is held says who holds it, since which holder, and whether there may be a rival', () => {
  const { path, own, held } = acquire();
  expect(held).toMatchObject({ epoch: 3, mayHaveRival: false, by: own.by });
  const other = new HeldLock(path, { own, epoch: 9, mayHaveRival: true });
  expect(other).toMatchObject({ epoch: 9, mayHaveRival: true });
  other.release();
  held.release();
});

it('a lock that is held gets a sign of life every two seconds, until it is released', () => {
  const { path, held } = acquire();
  expect(numbersOf(path)).toBe('0000000003 000000000000');
  vi.advanceTimersByTime(1999);
  expect(numbersOf(path)).toBe('0000000003 000000000000');
  vi.advanceTimersByTime(1);
  expect(numbersOf(path)).toBe('0000000003 000000000001');
  vi.advanceTimersByTime(4000);
  expect(numbersOf(path)).toBe('0000000003 000000000003');
  held.release();
  expect([existsSync(path), vi.getTimerCount()]).toEqual([false, 0]);
});

it('a lock that is held keeps no process alive', () => {
  vi.useRealTimers();
  const real = globalThis.setInterval;
  const timers: NodeJS.Timeout[] = [];
  vi.stubGlobal('setInterval', (...args: Parameters<typeof real>) => {
    const timer = real(...args);
    timers.push(timer);
    return timer;
  });
  const { held } = acquire();
  vi.unstubAllGlobals();
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
  held.release();
});

it('a lock that is held takes the epoch that was found, when that is later, and says so at once', () => {
  const { path, held } = acquire();
  held.raiseEpoch(3);
  held.raiseEpoch(2);
  expect([held.epoch, numbersOf(path)]).toEqual([3, '0000000003 000000000000']);
  held.raiseEpoch(12);
  expect([held.epoch, numbersOf(path)]).toEqual([12, '0000000012 000000000001']);
  held.release();
});

it('a lock that is held is lost to the process that is in its place, or was', () => {
  const { path, held } = acquire();
  expect(held.lost()).toBeUndefined();
  takeOver(path);
  expect(held.lost()).toEqual({ to: 'another frontdesk on pod-b (process 41)' });
  rmSync(path, { recursive: true });
  expect(held.lost()).toEqual({ to: undefined });
  held.release();
});

it('a lock that is held writes nothing into the lock of another, and leaves that where it is', () => {
  const { path, held } = acquire();
  const text = takeOver(path);
  vi.advanceTimersByTime(2000);
  held.raiseEpoch(40);
  held.release();
  expect(textOfLock(path)).toBe(text);
});

it('a lock that is held says what is left behind where its file cannot be removed, and nothing where it is gone', () => {
  const { path, held } = acquire();
  const unlink = vi.spyOn(fs, 'unlinkSync').mockImplementation(() => {
    throw Object.assign(new Error('made to fail'), { code: 'EACCES' });
  });
  syncBuiltinESMExports();
  const left = held.release();
  unlink.mockRestore();
  syncBuiltinESMExports();
  expect(left).toBe(
    `could not remove the lock ${path}: permission denied (EACCES). It counts no more once this command has ended.`,
  );
  expect(held.release()).toBeUndefined();
  expect(held.release()).toBeUndefined();
});

it('a lock stays held if its file cannot be written or removed', () => {
  const { path, held } = acquire();
  rmSync(join(path, '..'), { recursive: true });
  writeFileSync(join(path, '..'), 'no folder');
  vi.advanceTimersByTime(2000);
  held.raiseEpoch(5);
  expect(held.epoch).toBe(5);
  expect(() => readLockFile(path)).toThrow('ENOTDIR');
  expect(() => held.lost()).toThrow('ENOTDIR');
  held.release();
  held.release();
});
