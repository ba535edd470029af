import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import type { ClockPort } from '../context.ts';
import { type After, Failure } from '../failure.ts';
import { ensurePrivateFolder } from './atomic.ts';
import { HEARTBEAT_EVERY_MS, Heartbeats, PATIENCE_MS } from './heartbeat.ts';
import { HeldLock, nameHolder } from './held-lock.ts';
import { ifPossible, ioFailure } from './io-failure.ts';
import { type LockFile, makeLockFile, readLockFile, removeLockFile, replaceLockFile } from './lock-file.ts';
import { processState } from './process-identity.ts';

export interface LockOptions {
  readonly pid: number;
  readonly clock: ClockPort;
  /** What the lock guards, for messages: `the settings file`, `run import-may`. */
  readonly what: string;
  /** Called with a warning if the lock could not be removed after the work. */
  readonly onLeft?: ((message: string) => Promise<void>) | undefined;
}

/** What a place on this machine brings along for its lock. */
export type LockPorts = Omit<LockOptions, 'what'>;

/** How long short work waits for its turn. */
const WAIT_MS = 15_000;
/** How long to wait for a holder that cannot be asked. */
const WAIT_ELSEWHERE_MS = 90_000;
/** After this a holder that cannot be asked has missed several heartbeats. */
const SUSPICIOUS_MS = 4 * HEARTBEAT_EVERY_MS;
const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 30_000;

function isUnknown(file: LockFile): boolean {
  const state = processState(file.holder);
  return state === 'elsewhere' || state === 'unsure';
}

/** Has a holder on this machine given a sign of life since `before`? Another process may have its pid by now. */
function livesHere(file: LockFile, before: LockFile | undefined): boolean {
  if (before?.instance !== file.instance || before.life === file.life) return false;
  return processState(file.holder) === 'unsure';
}

/** The holder as last seen (undefined while it changes), and for how long it has been silent. */
interface Rival {
  readonly by: LockFile | undefined;
  readonly silentMs: number;
}

function attempt(path: string, { what, pid }: LockOptions, heartbeats: Heartbeats): HeldLock | Rival {
  try {
    for (let round = 0; round < 3; round += 1) {
      const by = readLockFile(path);
      if (by !== undefined && !heartbeats.isLeftBehind(path, by)) return { by, silentMs: heartbeats.check(path, by) };
      const mayHaveRival = by !== undefined && isUnknown(by);
      const own = by === undefined ? makeLockFile(path, 1, pid) : replaceLockFile(path, by, pid);
      if (own !== undefined) return new HeldLock(path, { own, epoch: (by?.epoch ?? 0) + 1, mayHaveRival });
    }
    return { by: undefined, silentMs: 0 };
  } catch (error) {
    throw ioFailure(`could not lock ${what} (${path})`, error, 'unchanged');
  }
}

/** Tries until the lock is taken. `pause` returns the milliseconds until the next try, or throws. */
async function acquire(
  path: string,
  options: LockOptions,
  pause: (rival: Rival, waitedMs: number) => number | Promise<number>,
): Promise<HeldLock> {
  const { clock } = options;
  await ensurePrivateFolder(dirname(path));
  const heartbeats = new Heartbeats(clock);
  const startMs = clock.monotonic();
  for (;;) {
    const result = attempt(path, options, heartbeats);
    if (result instanceof HeldLock) return result;
    await clock.sleep(await pause(result, clock.monotonic() - startMs));
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

/**
 * Takes a lock for a whole run. If its holder died on this machine, also by kill -9, it is taken over at once. A living
 * one here is refused (USAGE, naming its pid). A holder on another machine or in another container cannot be asked: it
 * is watched for up to 90 s, and its lock is taken over after 60 s without a sign of life, else refused. So is a holder
 * here whose pid may belong to another process by now, but that is refused at its first sign of life. `report` gets a
 * message about each wait and takeover.
 */
export async function acquireLock(
  path: string,
  options: LockOptions,
  report: (message: string) => Promise<void> = async () => undefined,
): Promise<HeldLock> {
  const { what } = options;
  let watched: LockFile | undefined;
  let reportedMs = 0;
  const held = await acquire(path, options, async ({ by, silentMs }, waitedMs) => {
    const isRefused = by !== undefined && (!isUnknown(by) || livesHere(by, watched));
    if (isRefused || waitedMs >= WAIT_ELSEWHERE_MS) throw inUse(what, by, silentMs);
    if (watched === undefined && by?.holder !== undefined) {
      await report(
        `${what} is in use by ${nameHolder(by)}. Waiting up to ${seconds(WAIT_ELSEWHERE_MS)}, then taking over if there was no sign of life for ${seconds(PATIENCE_MS)}`,
      );
    } else if (waitedMs - reportedMs >= SAY_EVERY_MS) {
      reportedMs = waitedMs;
      await report(`${what}: ${nameHolder(by)} gave its last sign of life ${seconds(silentMs)} ago. Still waiting`);
    }
    if (by?.holder !== undefined) watched = by;
    return LOOK_EVERY_MS;
  });
  if (watched !== undefined && held.mayHaveRival) {
    await report(`${what} is taken over: ${nameHolder(watched)} gave no sign of life for ${seconds(PATIENCE_MS)}`);
  }
  return held;
}

function inUse(what: string, by: LockFile | undefined, silentMs: number): Failure {
  const life = by !== undefined && isUnknown(by) ? `, which gave a sign of life ${seconds(silentMs)} ago` : '';
  return new Failure('USAGE', `${what} is in use by ${nameHolder(by)}${life}`, {
    after: 'untouched',
    hints: ['wait until it has exited, or stop it'],
  });
}

/** LOCAL_IO: this process was paused, was taken for gone, and must not write. */
export function lostLockFailure(what: string, to: string | undefined, after: After): Failure {
  const why =
    to === undefined
      ? ': its lock was taken over by another frontdesk, which has ended since, or removed'
      : `, which gave no sign of life for too long: ${to} took it over`;
  return new Failure('LOCAL_IO', `${what} is no longer held by this process${why}`, { after });
}

/** Throws LOCAL_IO unless the lock is still held. Called right before the step that counts. */
export type AssertStillHeld = () => void;

/**
 * Does short work under an exclusive lock, waiting up to 15 s for its turn, and up to 90 s for a holder elsewhere
 * without a heartbeat (then LOCAL_IO, and nothing was changed). The work must read again whatever it changes.
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  work: (assertStillHeld: AssertStillHeld) => Promise<Result>,
): Promise<Result> {
  const { what } = options;
  const held = await acquire(path, options, ({ by, silentMs }, waitedMs) => {
    const mayBeGone = by !== undefined && isUnknown(by) && silentMs >= SUSPICIOUS_MS;
    if (waitedMs >= (mayBeGone ? WAIT_ELSEWHERE_MS : WAIT_MS)) {
      const problem = `could not lock ${what}: ${nameHolder(by)} held ${path} for ${seconds(waitedMs)}`;
      throw Failure.unchanged('LOCAL_IO', problem);
    }
    return mayBeGone ? LOOK_EVERY_MS : randomInt(4, 20);
  });
  try {
    return await work(() => {
      const lost = held.lost();
      if (lost !== undefined) throw lostLockFailure(what, lost.to, 'unchanged');
    });
  } finally {
    const left = held.release();
    if (left !== undefined) await options.onLeft?.(left);
  }
}

/** Removes a lock whose holder died on this machine. Never fails: the folder may be read-only. */
export function removeDeadLock(path: string, { pid, clock }: Pick<LockOptions, 'pid' | 'clock'>): void {
  ifPossible(() => {
    const file = readLockFile(path);
    if (file === undefined || !new Heartbeats(clock).isLeftBehind(path, file)) return;
    const own = replaceLockFile(path, file, pid);
    if (own !== undefined) removeLockFile(own);
  });
}
