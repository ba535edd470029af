import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HEARTBEAT_EVERY_MS, Heartbeats, livingLocks, PATIENCE_MS } from '../../../../src/base/files/heartbeat.ts';
import type { LockFile } from '../../../../src/base/files/lock-file.ts';
import { identify } from '../../../../src/base/files/process-identity.ts';
import { putLock, putLockHere } from './locks.ts';
import { temporaryFolder } from './place.ts';

const PATH = '/x/run.lock';
const HERE = { ...identify(process.pid), machine: 'here' };
const ELSEWHERE = { host: '00000000', pid: 1, start: '77', machine: 'pod-a' };
const GONE = { ...HERE, start: '1' };

function lock(change: Partial<LockFile> = {}): LockFile {
  return { name: 'x', holder: ELSEWHERE, instance: '0123456789abcdef', epoch: 1, life: 'first', ...change };
}

/** Somebody who watches, and a clock that the test moves. */
function watch() {
  let nowMs = 1000;
  const clock = { now: () => 0, monotonic: () => nowMs, sleep: async () => undefined };
  const heartbeats = new Heartbeats(clock);
  return {
    heartbeats,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Looks every second for so long; true when the lock was left behind at the last look. */
    lookFor(file: LockFile, ms: number): boolean {
      let isLeft = heartbeats.isLeftBehind(PATH, file);
      for (let passed = 0; passed < ms; passed += 1000) {
        nowMs += 1000;
        isLeft = heartbeats.isLeftBehind(PATH, file);
      }
      return isLeft;
    },
  };
}

it('signs of life are given thirty times before patience ends', () => {
  expect([HEARTBEAT_EVERY_MS, PATIENCE_MS]).toEqual([2000, 60_000]);
});

it('signs of life are missed for as long as a lock was seen unchanged, by the looks at it', () => {
  const { heartbeats, pass } = watch();
  expect(heartbeats.check(PATH, lock())).toBe(0);
  pass(1200);
  expect(heartbeats.check(PATH, lock())).toBe(1200);
  pass(300);
  expect([heartbeats.check(PATH, lock()), heartbeats.check('/x/other.lock', lock())]).toEqual([1500, 0]);
});

it('signs of life are any change of the lock, and another lock under its name', () => {
  const { heartbeats, pass } = watch();
  heartbeats.check(PATH, lock());
  pass(4000);
  expect(heartbeats.check(PATH, lock({ life: 'second' }))).toBe(0);
  pass(4000);
  expect(heartbeats.check(PATH, lock({ life: 'second' }))).toBe(4000);
  expect(heartbeats.check(PATH, lock({ life: 'second', instance: 'fedcba9876543210' }))).toBe(0);
});

it('signs of life are not missed by a watcher that was paused: five seconds a look at most', () => {
  const { heartbeats, pass } = watch();
  heartbeats.check(PATH, lock());
  pass(3_600_000);
  expect(heartbeats.check(PATH, lock())).toBe(5000);
  pass(5000);
  expect(heartbeats.check(PATH, lock())).toBe(10_000);
});

it('a lock is left behind when its holder elsewhere was silent for a minute, and no sooner', () => {
  const { lookFor, heartbeats, pass } = watch();
  expect(lookFor(lock(), 59_000)).toBe(false);
  pass(999);
  expect(heartbeats.isLeftBehind(PATH, lock())).toBe(false);
  pass(1);
  expect(heartbeats.isLeftBehind(PATH, lock())).toBe(true);
});

it('a lock is left behind when it has no holder that could be asked, and stays so for a minute', () => {
  const nameless = lock({ holder: undefined, instance: 'torn', life: '' });
  expect([watch().lookFor(nameless, 59_000), watch().lookFor(nameless, 60_000)]).toEqual([false, true]);
});

it('a lock is left behind never while its holder runs here, however long that is silent', () => {
  expect(watch().lookFor(lock({ holder: HERE }), 120_000)).toBe(false);
});

it.runIf(process.platform === 'linux')('a lock is left behind at once when its holder here has ended', () => {
  expect(watch().heartbeats.isLeftBehind(PATH, lock({ holder: GONE }))).toBe(true);
});

it
  .runIf(process.platform === 'linux')
  .each<
    [
      string,
      put: (path: string) => void,
      atMs: number,
      change: (path: string) => void,
      isLiving: boolean,
      untilMs: number,
    ]
  >([
    ['of a process here', (path) => putLockHere(path, 'living'), 0, () => undefined, true, 0],
    ['of a process here that has ended', (path) => putLockHere(path, 'dead'), 0, () => undefined, false, 0],
    ['that is not there', () => undefined, 0, () => undefined, false, 0],
    ['elsewhere that is silent', putLock, 0, () => undefined, false, 5000],
    ['elsewhere that beats', putLock, 300, (path) => putLock(path, { count: 1 }), true, 300],
    ['elsewhere that beats at the last look', putLock, 5000, (path) => putLock(path, { count: 1 }), true, 5000],
    ['elsewhere that goes', putLock, 300, (path) => rmSync(path, { recursive: true }), false, 300],
  ])('a list finds living, or not, the holder of a lock %s', async (_, put, atMs, change, isLiving, untilMs) => {
  const path = join(temporaryFolder(), 'run.lock');
  put(path);
  let nowMs = 0;
  const sleep = async (ms: number) => {
    nowMs += ms;
    if (nowMs === atMs) change(path);
  };
  const living = await livingLocks([path], { now: () => 0, monotonic: () => nowMs, sleep });
  expect([[...living], nowMs]).toEqual([isLiving ? [path] : [], untilMs]);
});
