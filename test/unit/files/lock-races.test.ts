import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ClockPort } from '../../../src/context.ts';
import { acquireLock, type LockOptions, removeDeadLock, withLock } from '../../../src/files/lock.ts';
import { readLockFile } from '../../../src/files/lock-file.ts';
import { identify } from '../../../src/files/process-identity.ts';
import { realClock, stoppedClock, temporaryFolder } from './place.ts';

const DEAD = '0123456789abcdef';
const FASTER = 'fedcba9876543210';

function options(more: Partial<LockOptions> = {}): LockOptions {
  return { pid: process.pid, clock: stoppedClock(), what: 'run may', ...more };
}

/** The lock of a process here that has ended. */
async function deadLock(): Promise<string> {
  const path = join(temporaryFolder(), 'run.lock');
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const { host } = identify(process.pid);
  writeFileSync(path, `${host} ${child.pid} 77 ${DEAD} ${hostname()}\n0000000004 000000000009\n`);
  return path;
}

/** The lock of a process here that lives. */
function livingLock(path: string, instance = FASTER): void {
  const { host, start } = identify(process.pid);
  writeFileSync(path, `${host} ${process.pid} ${start} ${instance} ${hostname()}\n0000000005 000000000000\n`);
}

/** A lock of a holder elsewhere; `count` is its sign of life. */
function foreignLock(path: string, count = 0): void {
  writeFileSync(path, `00000000 1 77 ${DEAD} pod-a\n0000000001 ${String(count).padStart(12, '0')}\n`);
}

/** Links once something else has happened, the first time. */
function linkAfter(happens: (to: string) => void): (from: string, to: string) => void {
  let isFirst = true;
  return (from, to) => {
    if (isFirst) happens(to);
    isFirst = false;
    linkSync(from, to);
  };
}

/** Lets something happen right before the first lock that is renamed takes its new name. */
function beforeRename(happens: (claim: string) => void): void {
  const { renameSync } = fs;
  let isFirst = true;
  const rename: typeof renameSync = (from, to) => {
    if (isFirst) happens(String(from));
    isFirst = false;
    renameSync(from, to);
  };
  Object.assign(fs, { renameSync: rename });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { renameSync });
    syncBuiltinESMExports();
  });
}

const filesBeside = (path: string) => readdirSync(dirname(path));

describe('the slower of two that find the same dead lock', () => {
  it('leaves the new lock of the faster alone, and takes its own claim back', async () => {
    const path = await deadLock();
    const link = linkAfter((to) => {
      expect(to).toBe(`${path}.${DEAD}.takeover`);
      livingLock(path);
    });
    await expect(acquireLock(path, options({ link }))).rejects.toMatchObject({
      code: 'USAGE',
      hints: ['wait until it has ended, or stop it'],
    });
    expect(readLockFile(path)).toMatchObject({ instance: FASTER, epoch: 5 });
    expect(filesBeside(path)).toEqual(['run.lock']);
  });

  it('makes its own when the faster has ended already', async () => {
    const path = await deadLock();
    const held = await acquireLock(path, options({ link: linkAfter(() => rmSync(path)) }));
    expect(held).toMatchObject({ epoch: 1, mayHaveRival: false });
    expect(held.lost()).toBeUndefined();
    expect(filesBeside(path)).toEqual(['run.lock']);
    held.release();
  });

  it('believes in no lock of its own when the faster took its claim too', async () => {
    const path = await deadLock();
    beforeRename((claim) => {
      rmSync(claim);
      livingLock(path);
    });
    await expect(acquireLock(path, options())).rejects.toMatchObject({ code: 'USAGE' });
    expect(readLockFile(path)).toMatchObject({ instance: FASTER });
  });

  it('makes its own when the faster took its claim too, and has ended', async () => {
    const path = await deadLock();
    beforeRename((claim) => {
      rmSync(claim);
      rmSync(path);
    });
    const held = await acquireLock(path, options());
    expect(held.lost()).toBeUndefined();
    expect(held.epoch).toBe(1);
    held.release();
  });

  it('says that nothing was changed when the lock cannot be put in its place', async () => {
    const path = await deadLock();
    beforeRename(() => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    });
    await expect(acquireLock(path, options())).rejects.toMatchObject({
      code: 'LOCAL_IO',
      message: `cannot lock run may (${path}): permission denied (EACCES); nothing was changed`,
    });
    expect(readLockFile(path)?.instance).toBe(DEAD);
  });
});

describe('a name that is taken at the moment when a lock gets it', () => {
  it.each([
    ['with hard links', linkSync],
    [
      'without hard links',
      () => {
        throw Object.assign(new Error('no links'), { code: 'EPERM' });
      },
    ],
  ])('belongs to the other, %s', async (_what, link) => {
    const path = join(temporaryFolder(), 'run.lock');
    const taken = (from: string, to: string) => {
      if (!existsSync(path)) livingLock(path);
      link(from, to);
    };
    await expect(acquireLock(path, options({ link: taken }))).rejects.toMatchObject({ code: 'USAGE' });
    expect(readLockFile(path)).toMatchObject({ instance: FASTER });
    expect(filesBeside(path)).toEqual(['run.lock']);
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'is taken without a hard link where the file system answers %s',
    async (code) => {
      const path = join(temporaryFolder(), 'run.lock');
      const link = () => {
        throw Object.assign(new Error('no links'), { code });
      };
      const held = await acquireLock(path, options({ link }));
      expect(held.lost()).toBeUndefined();
      expect(fs.statSync(path).mode & 0o777).toBe(0o600);
      held.release();
    },
  );

  it('is not had where the file system answers anything else', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const link = () => {
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    };
    await expect(acquireLock(path, options({ link }))).rejects.toMatchObject({ code: 'LOCAL_IO' });
    expect(filesBeside(path)).toEqual([]);
  });
});

describe('giving a lock back', () => {
  it('leaves the lock that another put in its place right after the last look', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options());
    beforeRename(() => livingLock(path));
    held.release();
    expect(readLockFile(path)).toMatchObject({ instance: FASTER });
    expect(filesBeside(path)).toEqual(['run.lock']);
  });

  it('leaves the lock of a third that came meanwhile', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options());
    beforeRename(() => livingLock(path));
    const { linkSync } = fs;
    const link = vi.spyOn(fs, 'linkSync').mockImplementation((from, to) => {
      livingLock(path, DEAD);
      linkSync(from, to);
    });
    syncBuiltinESMExports();
    held.release();
    link.mockRestore();
    syncBuiltinESMExports();
    expect(readLockFile(path)).toMatchObject({ instance: DEAD });
  });
});

describe('the sign of life of a holder', () => {
  it('is given every two seconds until the lock is given back, and with a new epoch', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options({ clock: realClock() }));
    const numbers = () => readFileSync(path, 'utf8').split('\n')[1];
    expect(numbers()).toBe('0000000001 000000000000');
    vi.advanceTimersByTime(1999);
    expect(numbers()).toBe('0000000001 000000000000');
    vi.advanceTimersByTime(1);
    expect(numbers()).toBe('0000000001 000000000001');
    held.raiseEpoch(7);
    expect(numbers()).toBe('0000000007 000000000002');
    held.raiseEpoch(7);
    held.raiseEpoch(3);
    expect([held.epoch, numbers()]).toEqual([7, '0000000007 000000000002']);
    vi.advanceTimersByTime(4000);
    expect(numbers()).toBe('0000000007 000000000004');
    held.release();
    vi.advanceTimersByTime(4000);
    expect(filesBeside(path)).toEqual([]);
  });

  it('is not given to a lock that is no longer its own, or not there', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(temporaryFolder(), 'run.lock');
    const held = await acquireLock(path, options({ clock: realClock() }));
    livingLock(path);
    const other = readFileSync(path, 'utf8');
    vi.advanceTimersByTime(2000);
    expect(readFileSync(path, 'utf8')).toBe(other);
    rmSync(path);
    vi.advanceTimersByTime(2000);
    expect(filesBeside(path)).toEqual([]);
    held.release();
  });
});

describe('who waits for a holder elsewhere', () => {
  /** A clock that has been running for an hour, and goes on when somebody sleeps. */
  function clockWith(onSleep: (ms: number) => void): ClockPort & { readonly waitedMs: number } {
    let waitedMs = 0;
    return {
      get waitedMs() {
        return waitedMs;
      },
      now: () => 0,
      monotonic: () => 3_600_000 + waitedMs,
      async sleep(ms) {
        waitedMs += ms;
        onSleep(waitedMs);
      },
    };
  }

  async function waited(path: string, clock: ClockPort) {
    const reports: string[] = [];
    const held = await acquireLock(path, options({ clock }), async (message) => void reports.push(message)).catch(
      (error: Error) => error.message,
    );
    if (typeof held !== 'string') held.release();
    return { held, reports };
  }

  it('gives up after 90 s', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    foreignLock(path);
    const clock = clockWith((ms) => foreignLock(path, Math.floor(ms / 2000)));
    const { held, reports } = await waited(path, clock);
    expect(held).toMatch(/^run may is in use by another frontdesk on pod-a/);
    expect(clock.waitedMs).toBe(90_000);
    expect(reports).toHaveLength(3);
  });

  it('reports no takeover of a lock that was given back', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    foreignLock(path);
    const { reports } = await waited(
      path,
      clockWith((ms) => void (ms === 1000 && rmSync(path))),
    );
    expect(reports).toEqual([
      'run may is held by another frontdesk on pod-a (process 1); waiting up to 90 s, and taking over after 60 s without a sign of life',
    ]);
  });

  it('reports nothing of a lock that nobody has finished to make', async () => {
    const path = join(temporaryFolder(), 'run.lock');
    writeFileSync(path, '');
    const clock = clockWith(() => undefined);
    expect((await waited(path, clock)).reports).toEqual([]);
    expect(clock.waitedMs).toBe(10_000);
  });
});

it('work under a lock that is still held proves it as often as it likes', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  const work = async (prove: () => void) => {
    prove();
    prove();
    return 'done';
  };
  expect(await withLock(path, options(), work)).toBe('done');
});

it('work that lost its lock to somebody who has ended since changes nothing', async () => {
  const path = join(temporaryFolder(), 'a.lock');
  const working = withLock(path, options(), async (prove) => {
    rmSync(path);
    prove();
  });
  await expect(working).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message:
      'run may is no longer held by this process, which gave no sign of life for too long: another frontdesk, which has ended since, took it over; nothing was changed',
  });
});

describe('removing a dead lock', () => {
  it('removes the lock of a process that has ended, and nothing else', async () => {
    const path = await deadLock();
    removeDeadLock(path, options());
    expect(filesBeside(path)).toEqual([]);
  });

  it('leaves the lock of a process that lives, here or elsewhere', () => {
    const path = join(temporaryFolder(), 'run.lock');
    livingLock(path);
    removeDeadLock(path, options());
    expect(readLockFile(path)?.instance).toBe(FASTER);
    foreignLock(path);
    removeDeadLock(path, options());
    expect(readLockFile(path)?.instance).toBe(DEAD);
    expect(filesBeside(path)).toEqual(['run.lock']);
  });

  it('leaves the lock of the faster alone', async () => {
    const path = await deadLock();
    removeDeadLock(path, options({ link: linkAfter(() => livingLock(path)) }));
    expect(readLockFile(path)?.instance).toBe(FASTER);
    expect(filesBeside(path)).toEqual(['run.lock']);
  });

  it('never fails, and makes nothing where there is nothing', () => {
    const path = join(temporaryFolder(), 'run.lock');
    removeDeadLock(path, options());
    expect(filesBeside(path)).toEqual([]);
    removeDeadLock(dirname(path), options());
    expect(filesBeside(path)).toEqual([]);
  });
});
