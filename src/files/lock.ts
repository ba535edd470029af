import { randomBytes, randomInt } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClockPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { ensurePrivateFolder } from './atomic.ts';
import { errnoOf, ioFailure } from './io-failure.ts';
import { FOREIGN_SILENCE_MS, identify, isGone, type ProcessIdentity, temporaryName } from './process-identity.ts';

export interface LockOptions {
  readonly pid: number;
  readonly clock: ClockPort;
  /** What the lock guards, for messages: `the settings file`, `run import-may`. */
  readonly what: string;
}

export interface HeldLock {
  /** Gives the lock back. Safe to call twice. */
  release(): void;
}

type LockOwner = Pick<LockOptions, 'pid' | 'clock'>;

interface LockFile {
  /** Undefined while its maker has not finished writing it. */
  readonly holder: ProcessIdentity | undefined;
  /** Tells this lock apart from any other that ever had the same name. */
  readonly instance: string;
  readonly touchedAtMs: number;
}

/** Where there are no hard links, a lock without content is being made right now, unless it is older than this. */
const TORN_AFTER_MS = 10_000;

/** How long a short piece of work waits for its turn. */
const WAIT_MS = 15_000;

function parseHolder(text: string): { readonly holder: ProcessIdentity; readonly nonce: string } | undefined {
  const match = /^([0-9a-f]{8}) (\d{1,10}) (\d{1,20}|x) ([0-9a-f]{16})\n$/.exec(text);
  const [, host, pid, start, nonce] = match ?? [];
  if (host === undefined || pid === undefined || start === undefined || nonce === undefined) return undefined;
  return { holder: { host, pid: Number(pid), start }, nonce };
}

function readLockFile(path: string): LockFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, mtimeMs } = fstatSync(descriptor);
    const parsed = parseHolder(readFileSync(descriptor, 'latin1'));
    return { holder: parsed?.holder, instance: parsed?.nonce ?? `torn-${ino}-${mtimeMs}`, touchedAtMs: mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

function isLeftBehind(file: LockFile, nowMs: number): boolean {
  const silentMs = nowMs - file.touchedAtMs;
  return file.holder === undefined ? silentMs > TORN_AFTER_MS : isGone(file.holder, silentMs);
}

/** File systems without hard links (FAT, some network shares) say so in one of these ways. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * A lock appears under its name with its content in it: a process that is killed between making the file and
 * filling it would leave a lock of which nobody can tell whose it is.
 */
function putUnderName(path: string, content: string, pid: number): void {
  const temporary = join(dirname(path), temporaryName(pid));
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    linkSync(temporary, path);
  } catch (error) {
    if (!NO_LINKS.includes(errnoOf(error) ?? '')) throw error;
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Undefined when the name is taken. Synchronous, so that nothing of this process comes in between. */
function create(path: string, { pid, clock }: LockOwner): HeldLock | undefined {
  const nonce = randomBytes(8).toString('hex');
  const { host, start } = identify(pid);
  try {
    putUnderName(path, `${host} ${pid} ${start} ${nonce}\n`, pid);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  return hold(path, nonce, clock);
}

/** A sign of life, for machines and containers that share the folder but cannot see our pid. */
function hold(path: string, nonce: string, clock: ClockPort): HeldLock {
  const heartbeat = setInterval(() => {
    try {
      const nowSeconds = clock.now() / 1000;
      if (readLockFile(path)?.instance === nonce) utimesSync(path, nowSeconds, nowSeconds);
    } catch {
      // The folder went away; the work under the lock will say so.
    }
  }, FOREIGN_SILENCE_MS / 4);
  heartbeat.unref();
  return {
    release() {
      clearInterval(heartbeat);
      try {
        if (readLockFile(path)?.instance === nonce) unlinkSync(path);
      } catch {
        // A lock that cannot be removed is left behind and counts as such once this process has ended.
      }
    },
  };
}

/**
 * Removes a lock whose holder is gone. Two processes may find the same dead lock: without the guard the
 * slower one would remove the lock that the faster one has just made. The guard is itself a lock, named
 * after the dead one, so only one process can ever remove that one, and a dead guard is removed alike.
 */
function removeLeftBehind(path: string, file: LockFile, owner: LockOwner): void {
  const guardPath = `${path}.${file.instance}.takeover`;
  const guard = tryLock(guardPath, owner);
  if (guard.held === undefined) return;
  try {
    if (readLockFile(path)?.instance === file.instance) unlinkSync(path);
  } finally {
    guard.held.release();
  }
}

type Attempt = { readonly held: HeldLock } | { readonly held: undefined; readonly by: ProcessIdentity | undefined };

function tryLock(path: string, owner: LockOwner): Attempt {
  for (let round = 0; round < 3; round += 1) {
    const file = readLockFile(path);
    if (file !== undefined) {
      if (!isLeftBehind(file, owner.clock.now())) return { held: undefined, by: file.holder };
      removeLeftBehind(path, file, owner);
    }
    const held = create(path, owner);
    if (held !== undefined) return { held };
  }
  return { held: undefined, by: readLockFile(path)?.holder };
}

async function attempt(path: string, options: LockOptions): Promise<Attempt> {
  await ensurePrivateFolder(dirname(path));
  try {
    return tryLock(path, options);
  } catch (error) {
    throw ioFailure(`cannot lock ${options.what} (${path})`, error, 'nothing was changed');
  }
}

function nameHolder(by: ProcessIdentity | undefined): string {
  return by === undefined ? 'another frontdesk' : `another frontdesk (process ${by.pid})`;
}

/**
 * Takes a lock for as long as a whole run needs it, or fails at once (USAGE, naming the holder's pid). A
 * lock whose holder has died, also by kill -9, is taken over.
 */
export async function acquireLock(path: string, options: LockOptions): Promise<HeldLock> {
  const result = await attempt(path, options);
  if (result.held !== undefined) return result.held;
  throw new Failure('USAGE', `${options.what} is in use by ${nameHolder(result.by)}; nothing was sent or changed`, {
    hints: ['wait until it has ended, or stop it'],
  });
}

/**
 * Does a short piece of work under an exclusive lock, waiting for its turn up to 15 s (then LOCAL_IO, and
 * nothing was changed). Whatever the work changes must be read again inside it.
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const { clock, what } = options;
  const deadline = clock.monotonic() + WAIT_MS;
  for (;;) {
    const result = await attempt(path, options);
    if (result.held !== undefined) {
      try {
        return await work();
      } finally {
        result.held.release();
      }
    }
    if (clock.monotonic() >= deadline) {
      throw new Failure(
        'LOCAL_IO',
        `cannot lock ${what}: ${nameHolder(result.by)} held ${path} for ${WAIT_MS / 1000} s; nothing was changed`,
      );
    }
    await clock.sleep(randomInt(4, 20));
  }
}

/** Pid of the process that holds the lock now; undefined when nobody living does. */
export function lockHolder(path: string, nowMs: number): number | undefined {
  try {
    const file = readLockFile(path);
    if (file === undefined || isLeftBehind(file, nowMs)) return undefined;
    return file.holder?.pid;
  } catch {
    return undefined;
  }
}

/** Removes a lock whose holder has died. Never fails: another process may have done it first. */
export function removeDeadLock(path: string, owner: LockOwner): void {
  try {
    const file = readLockFile(path);
    if (file !== undefined && isLeftBehind(file, owner.clock.now())) removeLeftBehind(path, file, owner);
  } catch {
    // A read-only folder keeps what it has.
  }
}
