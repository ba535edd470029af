import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ClockPort } from '../../../../src/base/context.ts';
import { livingLocks } from '../../../../src/base/files/heartbeat.ts';
import { acquireLock, type LockOptions, removeDeadLock, withLock } from '../../../../src/base/files/lock.ts';
import { readLockFile } from '../../../../src/base/files/lock-file.ts';
import { identify } from '../../../../src/base/files/process-identity.ts';
import { INSTANCE, putLock, putLockHere } from './locks.ts';
import { realClock, stoppedClock, temporaryFolder } from './place.ts';

const fresh = () => join(temporaryFolder(), 'run.lock');
const options = (more: Partial<LockOptions> = {}): LockOptions => ({
  pid: process.pid,
  clock: stoppedClock(),
  what: 'run may',
  ...more,
});

/** A clock that only goes on when somebody sleeps; `onSleep` is what happens meanwhile, with the time that has passed. */
function clockWith(onSleep: (ms: number) => void, wallOffsetMs = 0): ClockPort {
  let passedMs = 0;
  return {
    now: () => Date.now() + wallOffsetMs,
    monotonic: () => passedMs,
    async sleep(ms) {
      passedMs += ms;
      onSleep(passedMs);
    },
  };
}

it('a lock on one machine is refused at once with USAGE, naming the process that holds it', async () => {
  const path = fresh();
  const held = await acquireLock(path, options());
  await expect(acquireLock(path, options())).rejects.toMatchObject({
    code: 'USAGE',
    message: `run may is in use by another frontdesk (process ${process.pid}). Nothing was sent or changed.`,
  });
  expect(await livingLocks([path], realClock())).toEqual(new Set([path]));
  expect(held.lost()).toBeUndefined();
  held.release();
  held.release();
  expect(readdirSync(join(path, '..'))).toEqual([]);
  (await acquireLock(path, options())).release();
});

it('a lock on one machine is taken over at once when its holder has died, one epoch later', async () => {
  const path = fresh();
  const { host } = identify(process.pid);
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  putLock(path, { holder: `${host}.${dead.pid}.77`, epoch: 4, count: 9 });
  expect(await livingLocks([path], realClock())).toEqual(new Set());
  const held = await acquireLock(path, options());
  expect(readdirSync(path)).toEqual([expect.stringContaining(`.${process.pid}.`)]);
  expect(held).toMatchObject({ epoch: 5, mayHaveRival: false });
  held.release();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'M6 a lock on one machine is taken over when the pid of its dead holder is in use again, as pid 1 is in each container',
  async () => {
    const path = fresh();
    putLockHere(path, 'dead');
    const held = await acquireLock(path, options());
    expect(held).toMatchObject({ epoch: 2, mayHaveRival: false });
    held.release();
  },
);

it('a lock on one machine ends with LOCAL_IO where no lock can be made', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await expect(acquireLock(join(path, 'run.lock'), options())).rejects.toMatchObject({ code: 'LOCAL_IO' });
});

const lockOfOwnPid = (path: string, count = 0) => putLockHere(path, 'unsure', { count });

/** A clock as `clockWith` makes it, that tells how long it was waited for. */
function waitingClock(onSleep: (ms: number) => void = () => undefined, wallOffsetMs = 0) {
  const clock = clockWith(onSleep, wallOffsetMs);
  return { clock, waitedMs: () => clock.monotonic() };
}

it('a lock whose pid runs where the system does not say since when, as on Windows, is taken over after 60 s without a sign of life, since the pid may be in use again', async () => {
  const path = fresh();
  lockOfOwnPid(path);
  const { clock, waitedMs } = waitingClock();
  const held = await acquireLock(path, options({ clock }));
  expect(waitedMs()).toBe(60_000);
  expect(held).toMatchObject({ epoch: 2, mayHaveRival: true });
  held.release();
});

it('a lock whose pid runs where the system does not say since when, as on Windows, is refused at its first sign of life', async () => {
  const path = fresh();
  lockOfOwnPid(path);
  const { clock, waitedMs } = waitingClock((ms) => lockOfOwnPid(path, Math.floor(ms / 2000)));
  await expect(acquireLock(path, options({ clock }))).rejects.toMatchObject({
    code: 'USAGE',
    message: `run may is in use by another frontdesk (process ${process.pid}), which gave a sign of life 0 s ago. Nothing was sent or changed.`,
  });
  expect(waitedMs()).toBe(2_000);
});

const WAITING =
  'run may is in use by another frontdesk on pod-a (process 1). Waiting up to 90 s, then taking over if there was no sign of life for 60 s';

async function waitFor(path: string, clock: ClockPort) {
  const reports: string[] = [];
  return { held: await acquireLock(path, options({ clock }), async (message) => void reports.push(message)), reports };
}

it.each([0, 90_000, 3_600_000, -3_600_000])(
  'M1, M4 a lock that a process elsewhere holds is taken over after 60 s without a sign of life, with a wall clock that is %d ms ahead',
  async (offsetMs) => {
    const path = fresh();
    putLock(path, { epoch: 3 });
    const { clock, waitedMs } = waitingClock(undefined, offsetMs);
    const { held, reports } = await waitFor(path, clock);
    expect(waitedMs()).toBe(60_000);
    expect(held).toMatchObject({ epoch: 4, mayHaveRival: true });
    expect(reports).toEqual([
      WAITING,
      'run may: another frontdesk on pod-a (process 1) gave its last sign of life 30 s ago. Still waiting',
      'run may is taken over: another frontdesk on pod-a (process 1) gave no sign of life for 60 s',
    ]);
    held.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  },
);

it('M1, M7 a lock that a process elsewhere holds is refused after 90 s when it gives signs of life, however old its file looks', async () => {
  const path = fresh();
  putLock(path);
  const alive = (ms: number) => {
    putLock(path, { count: Math.floor(ms / 2000) });
    utimesSync(path, 0, 0);
  };
  const { clock, waitedMs } = waitingClock(alive, 3_600_000);
  await expect(waitFor(path, clock)).rejects.toMatchObject({
    code: 'USAGE',
    message:
      'run may is in use by another frontdesk on pod-a (process 1), which gave a sign of life 0 s ago. Nothing was sent or changed.',
  });
  expect([waitedMs(), readLockFile(path)?.instance]).toEqual([90_000, INSTANCE]);
});

it('a lock that a process elsewhere holds is had as soon as it is given back, and no takeover is reported', async () => {
  const path = fresh();
  putLock(path);
  const { clock, waitedMs } = waitingClock((ms) => void (ms === 10_000 && renameSync(path, `${path}.gone`)));
  const { held, reports } = await waitFor(path, clock);
  expect(held).toMatchObject({ epoch: 1, mayHaveRival: false });
  expect([waitedMs(), reports]).toEqual([10_000, [WAITING]]);
  held.release();
});

it('M5 a lock that a process elsewhere holds goes to one of several that find it silent together', async () => {
  const path = fresh();
  putLock(path);
  const clock = clockWith(() => undefined);
  const seekers = await Promise.allSettled([1, 2, 3].map(() => acquireLock(path, options({ clock }))));
  const held = seekers.flatMap((seeker) => (seeker.status === 'fulfilled' ? [seeker.value] : []));
  expect(held).toHaveLength(1);
  expect(held[0]?.lost()).toBeUndefined();
  for (const lock of held) lock.release();
});

it('a lock that a process elsewhere holds counts as living for a list only while it gives signs of life', async () => {
  const folder = temporaryFolder();
  const [silent, living] = [join(folder, 'silent'), join(folder, 'living')];
  putLock(silent);
  putLock(living);
  const clock = clockWith((ms) => putLock(living, { count: Math.floor(ms / 2000) }));
  expect(await livingLocks([silent, living, join(folder, 'none')], clock)).toEqual(new Set([living]));
  expect(clock.monotonic()).toBe(5000);
});

it('withLock lets one piece of work in at a time', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    return 'done';
  };
  const results = await Promise.all(
    Array.from({ length: 5 }, () => withLock(path, options({ clock: realClock() }), work)),
  );
  expect([results, most]).toEqual([['done', 'done', 'done', 'done', 'done'], 1]);
});

it('withLock gives the lock back when the work fails', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  await expect(withLock(path, options(), () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it('withLock gives up after 15 s with LOCAL_IO, naming the holder, without having done anything', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  const held = await acquireLock(path, options());
  const work = () => Promise.reject(new Error('must not run'));
  await expect(withLock(path, options({ clock: stoppedClock(Date.now()) }), work)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `could not lock run may: another frontdesk (process ${process.pid}) held ${path} for 15 s. Nothing was changed.`,
  });
  held.release();
});

it('withLock waits 60 s for a holder elsewhere that gives no sign of life, and then does the work', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  putLock(path);
  const clock = clockWith(() => undefined);
  expect(await withLock(path, options({ clock }), async () => 'done')).toBe('done');
  expect(Math.floor(clock.monotonic() / 1000)).toBe(60);
});

it('withLock gives up after 15 s on a holder elsewhere that lives', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  putLock(path);
  const clock = clockWith((ms) => putLock(path, { count: Math.floor(ms / 2000) }));
  await expect(withLock(path, options({ clock }), async () => 'done')).rejects.toThrow('held ');
  expect(Math.floor(clock.monotonic() / 1000)).toBe(15);
});

it.each([
  [
    'is elsewhere',
    putLock,
    ', which gave no sign of life for too long: another frontdesk on pod-a (process 1) took it over',
  ],
  [
    'has ended since',
    (path: string) => rmSync(path, { recursive: true }),
    ': its lock was taken over by another frontdesk, which has ended since, or removed',
  ],
])(
  'withLock lets the work find out that the lock was lost to a holder that %s, right before it changes anything',
  async (...row) => {
    const [, lose, to] = row;
    const folder = temporaryFolder();
    const path = join(folder, 'a.lock');
    const working = withLock(path, options(), async (assertStillHeld) => {
      assertStillHeld();
      lose(path);
      assertStillHeld();
      writeFileSync(join(folder, 'changed'), '');
    });
    const why = 'run may is no longer held by this process';
    await expect(working).rejects.toMatchObject({ code: 'LOCAL_IO', message: `${why}${to}. Nothing was changed.` });
    expect(existsSync(join(folder, 'changed'))).toBe(false);
  },
);

const FASTER = 'fedcba9876543210';

function deadLock(): string {
  const path = fresh();
  putLockHere(path, 'dead', { epoch: 4, count: 9 });
  return path;
}

function livingLock(path: string, instance = FASTER): void {
  putLockHere(path, 'living', { instance, epoch: 5 });
}

/** Replaces a call of the file system until the test ends. */
function replace(name: keyof typeof fs, replacement: (...args: never[]) => unknown): void {
  const original = fs[name];
  Object.assign(fs, { [name]: replacement });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  });
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
  replace(name, replaced);
}

const refusal = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

const filesBeside = (path: string) => readdirSync(dirname(path));
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

it.each([
  ['that another put in its place right before, which no third can take then', 'unlinkSync'],
  ['of the next one, which came between its two steps', 'rmdirSync'],
] as const)('giving a lock back leaves the lock %s', async (_, step) => {
  const path = fresh();
  const held = await acquireLock(path, options());
  rightBefore(step, () => livingLock(path));
  held.release();
  await isRefused(path);
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

// What network file systems do (NFS): a call is repeated when its answer was lost, and the repetition says that it failed.

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
  replace(name, failing);
}

it.each(['EEXIST', 'ENOENT'])('E24 a lock that was put in its place is held, whatever is said (%s)', async (code) => {
  const path = fresh();
  failAfter(code === 'EEXIST' ? 'mkdirSync' : 'renameSync', code);
  const held = await acquireLock(path, options());
  expect(held.lost()).toBeUndefined();
  held.release();
  expect(readdirSync(dirname(path))).toEqual([]);
});

it('E24 a lock that was taken over is held, although the file system says that the one before is gone', async () => {
  const path = fresh();
  putLockHere(path, 'dead');
  failAfter('renameSync', 'ENOENT');
  const held = await acquireLock(path, options());
  expect([held.epoch, held.lost()]).toEqual([2, undefined]);
  held.release();
});

it('E24 a lock that was taken over is lost, although its old name is still shown', async () => {
  const path = fresh();
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
  const held = await acquireLock(fresh(), options());
  failAfter('readSync', 'ESTALE');
  expect(held.lost()).toBeUndefined();
  failAfter('readSync', 'EIO');
  expect(() => held.lost()).toThrow('EIO');
  held.release();
});
