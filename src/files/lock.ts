import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import type { ClockPort } from '../context.ts';
import { type After, Failure } from '../failure.ts';
import { ensurePrivateFolder } from './atomic.ts';
import { HEARTBEAT_EVERY_MS, Heartbeats, PATIENCE_MS } from './heartbeat.ts';
import { HeldLock, nameHolder } from './held-lock.ts';
import { ioFailure } from './io-failure.ts';
import { type LockFile, makeLockFile, readLockFile, removeLockFile, replaceLockFile } from './lock-file.ts';
import { processState } from './process-identity.ts';

export interface LockOptions {
  readonly pid: number;
  readonly clock: ClockPort;
  /** What the lock guards, for messages: `the settings file`, `run import-may`. */
  readonly what: string;
  /** Hears of a lock that could not be removed when the work under it was done. */
  readonly onLeft?: ((message: string) => Promise<void>) | undefined;
}

/** What a place on this machine brings along for its lock. */
export type LockPorts = Omit<LockOptions, 'what'>;

/** How long a short piece of work waits for its turn. */
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

/** Has a holder on this machine, whose pid another process may have by now, given a sign of life since `before`? */
function livesHere(file: LockFile, before: LockFile | undefined): boolean {
  if (before?.instance !== file.instance || before.life === file.life) return false;
  return processState(file.holder) === 'unsure';
}

/** Who holds the lock as far as has been seen (undefined where it changes hands right now), and for how long in silence. */
interface Rival {
  readonly by: LockFile | undefined;
  readonly silentMs: number;
}

function attempt(path: string, { what, pid }: LockOptions, heartbeats: Heartbeats): HeldLock | Rival {
  try {
    for (let round = 0; round < 3; round += 1) {
      const by = readLockFile(path);
      if (by !== undefined && !heartbeats.isLeftBehind(path, by)) return { by, silentMs: heartbeats.look(path, by) };
      const mayHaveRival = by !== undefined && isUnknown(by);
      const own = by === undefined ? makeLockFile(path, 1, pid) : replaceLockFile(path, by, pid);
      if (own !== undefined) return new HeldLock(path, { own, epoch: (by?.epoch ?? 0) + 1, mayHaveRival });
    }
    return { by: undefined, silentMs: 0 };
  } catch (error) {
    throw ioFailure(`could not lock ${what} (${path})`, error, 'unchanged');
  }
}

/** Tries until the lock is taken. `pause` says how many milliseconds to wait before the next look, or throws. */
async function take(
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
 * Takes a lock for as long as a whole run needs it. A lock whose holder has died on this machine, also by kill -9,
 * is taken over at once; one that a living process here holds is refused (USAGE, naming its pid). A holder on
 * another machine or in another container cannot be asked: it is watched for up to 90 s, and its lock is taken over
 * once it has given no sign of life for 60 s, else refused. So is one here whose pid may be another process's by now,
 * but that it is refused at its first sign of life. `report` hears of that.
 */
export async function acquireLock(
  path: string,
  options: LockOptions,
  report: (message: string) => Promise<void> = async () => undefined,
): Promise<HeldLock> {
  const { what } = options;
  let watched: LockFile | undefined;
  let saidMs = 0;
  const held = await take(path, options, async ({ by, silentMs }, waitedMs) => {
    const isRefused = by !== undefined && (!isUnknown(by) || livesHere(by, watched));
    if (isRefused || waitedMs >= WAIT_ELSEWHERE_MS) throw inUse(what, by, silentMs);
    if (watched === undefined && by?.holder !== undefined) {
      await report(
        `${what} is in use by ${nameHolder(by)}. Waiting up to ${seconds(WAIT_ELSEWHERE_MS)}, then taking over if there was no sign of life for ${seconds(PATIENCE_MS)}`,
      );
    } else if (waitedMs - saidMs >= SAY_EVERY_MS) {
      saidMs = waitedMs;
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
    after: 'nothing was sent or changed',
    hints: ['wait until it has exited, or stop it'],
  });
}

/** LOCAL_IO: this process was paused, was taken for gone, and must not write what it was about to write. */
export function lostLockFailure(what: string, to: string | undefined, after: After): Failure {
  const by = to ?? 'another frontdesk, which has ended since,';
  const problem = `${what} is no longer held by this process, which gave no sign of life for too long`;
  return new Failure('LOCAL_IO', `${problem}: ${by} took it over`, { after });
}

/** What a short piece of work is given: throws LOCAL_IO unless the lock is still held. To be called right before the step that counts. */
export type AssertStillHeld = () => void;

/**
 * Does a short piece of work under an exclusive lock, waiting for its turn up to 15 s, and up to 90 s for a holder
 * elsewhere that does not beat (then LOCAL_IO, and nothing was changed). Whatever the work changes must be
 * read again inside it.
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  work: (assertStillHeld: AssertStillHeld) => Promise<Result>,
): Promise<Result> {
  const { what } = options;
  const held = await take(path, options, ({ by, silentMs }, waitedMs) => {
    const mayBeGone = by !== undefined && isUnknown(by) && silentMs >= SUSPICIOUS_MS;
    if (waitedMs >= (mayBeGone ? WAIT_ELSEWHERE_MS : WAIT_MS)) {
      throw Failure.unchanged(
        'LOCAL_IO',
        `could not lock ${what}: ${nameHolder(by)} held ${path} for ${seconds(waitedMs)}`,
      );
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

/** Removes a lock whose holder has died on this machine. Never fails: another process may have done it first. */
export function removeDeadLock(path: string, { pid, clock }: Pick<LockOptions, 'pid' | 'clock'>): void {
  try {
    const file = readLockFile(path);
    if (file === undefined || !new Heartbeats(clock).isLeftBehind(path, file)) return;
    const own = replaceLockFile(path, file, pid);
    if (own !== undefined) removeLockFile(own);
  } catch {
    // A read-only folder keeps what it has.
  }
}
