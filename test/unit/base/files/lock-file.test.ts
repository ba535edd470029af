import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { HEARTBEAT_EVERY_MS, Heartbeats, livingLocks, PATIENCE_MS } from '../../../../src/base/files/heartbeat.ts';
import { HeldLock, nameHolder } from '../../../../src/base/files/held-lock.ts';
import {
  isInPlace,
  type LockFile,
  makeLockFile,
  readLockFile,
  removeLockFile,
  replaceLockFile,
  writeNumbers,
} from '../../../../src/base/files/lock-file.ts';
import { identify } from '../../../../src/base/files/process-identity.ts';
import { putLock, putLockHere, textOfLock } from './locks.ts';
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
)('a lock whose numbers are not whole counts as the first: %j', (text) =>
  expect(readLockFile(lockOf({ [`${NAME}.pod-a`]: text }))).toMatchObject({ epoch: 1, life: text }),
);

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
  expect([isInPlace(own), textOfLock(path)]).toEqual([true, `${own.instance}\n0000000023 000000000456\n`]);
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
  const heartbeats = new Heartbeats({ now: () => 0, monotonic: () => nowMs, sleep: async () => undefined });
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

it('signs of life are given thirty times before patience ends', () =>
  expect([HEARTBEAT_EVERY_MS, PATIENCE_MS]).toEqual([2000, 60_000]));

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

it('a lock is left behind never while its holder runs here, however long that is silent', () =>
  expect(watch().lookFor(lock({ holder: HERE }), 120_000)).toBe(false));

it.runIf(process.platform === 'linux')('a lock is left behind at once when its holder here has ended', () =>
  expect(watch().heartbeats.isLeftBehind(PATH, lock({ holder: GONE }))).toBe(true),
);

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
