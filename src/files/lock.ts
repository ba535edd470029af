import { randomInt } from 'node:crypto';
import { renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ClockPort } from '../context.ts';
import { type After, Failure } from '../failure.ts';
import { ensurePrivateFolder } from './atomic.ts';
import { type AcquiredLock, HeldLock, nameHolder } from './held-lock.ts';
import { errnoOf, ioFailure } from './io-failure.ts';
import { type LockFile, type LockMaker, makeLockFile, type OwnLock, readLockFile } from './lock-file.ts';
import { fateOf } from './process-identity.ts';
import { PATIENCE_MS, SIGN_EVERY_MS, SignsOfLife } from './signs-of-life.ts';

export interface LockOptions extends LockMaker {
  readonly clock: ClockPort;
  /** What the lock guards, for messages: `the settings file`, `run import-may`. */
  readonly what: string;
}

/** How long a short piece of work waits for its turn. */
const WAIT_MS = 15_000;
/** How long to wait for a holder that cannot be asked. */
const WAIT_ELSEWHERE_MS = 90_000;
/** After this a holder that cannot be asked has missed several signs of life. */
const SUSPICIOUS_MS = 4 * SIGN_EVERY_MS;
const LOOK_EVERY_MS = 250;
const SAY_EVERY_MS = 30_000;

/** A process that wants a lock. */
interface Waiter extends LockMaker {
  readonly signs: SignsOfLife;
}

function isUnknown(file: LockFile): boolean {
  const fate = file.holder === undefined ? 'elsewhere' : fateOf(file.holder);
  return fate === 'elsewhere' || fate === 'unsure';
}

/** Has a holder on this machine, whose pid another process may have by now, given a sign of life since `before`? */
function livesHere(file: LockFile, before: LockFile | undefined): boolean {
  if (before?.instance !== file.instance || before.life === file.life) return false;
  return file.holder !== undefined && fateOf(file.holder) === 'unsure';
}

function claimPath(path: string, file: LockFile): string {
  return `${path}.${file.instance}.takeover`;
}

function isInPlace(path: string, own: OwnLock): boolean {
  return readLockFile(path)?.instance === own.instance;
}

/**
 * Puts a lock of this process in the place of one whose holder is gone. The new lock is first made under a name
 * that only one process can have, so that two that find the same dead lock do not both replace it, and then takes
 * the name of the dead one in one step: there is no moment in which a third finds the name free. A process that dies
 * in between leaves a lock like any other.
 */
function takeOver(path: string, file: LockFile, waiter: Waiter): AcquiredLock | undefined {
  const claim = claimPath(path, file);
  const mayHaveRival = isUnknown(file);
  const acquired = tryAcquire(claim, waiter, file.epoch + 1);
  if (acquired === undefined) return undefined;
  // Its holder was only slow, and has given it back or finished making it.
  if (readLockFile(path)?.instance !== file.instance) {
    if (isInPlace(claim, acquired.own)) unlinkSync(claim);
    return undefined;
  }
  try {
    renameSync(claim, path);
  } catch (error) {
    // Who was paused before this line may have lost the claim to another.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return isInPlace(path, acquired.own) ? { ...acquired, mayHaveRival } : undefined;
}

/** Undefined when the lock has a living holder, as far as has been seen. */
function tryAcquire(path: string, waiter: Waiter, epoch: number): AcquiredLock | undefined {
  for (let round = 0; round < 3; round += 1) {
    const file = readLockFile(path);
    if (file === undefined) {
      const own = makeLockFile(path, epoch, waiter);
      if (own !== undefined) return { own, epoch, mayHaveRival: false };
    } else if (waiter.signs.isLeftBehind(path, file)) {
      const acquired = takeOver(path, file, waiter);
      if (acquired !== undefined) return acquired;
    } else {
      watchClaim(path, file, waiter);
      return undefined;
    }
  }
  return undefined;
}

/** Also watch a takeover in progress: its process may have died. */
function watchClaim(path: string, file: LockFile, { signs }: Waiter): void {
  const claim = claimPath(path, file);
  const claimFile = readLockFile(claim);
  if (claimFile !== undefined) signs.look(claim, claimFile);
}

type Attempt =
  | { readonly held: HeldLock }
  | { readonly held: undefined; readonly by: LockFile | undefined; readonly silentMs: number };

function attempt(path: string, options: LockOptions, waiter: Waiter): Attempt {
  try {
    const acquired = tryAcquire(path, waiter, 1);
    if (acquired !== undefined) return { held: new HeldLock(path, acquired) };
    const by = readLockFile(path);
    return { held: undefined, by, silentMs: by === undefined ? 0 : waiter.signs.look(path, by) };
  } catch (error) {
    throw ioFailure(`cannot lock ${options.what} (${path})`, error, 'unchanged');
  }
}

async function waiterFor(path: string, { pid, link, clock }: LockOptions): Promise<Waiter> {
  await ensurePrivateFolder(dirname(path));
  return { pid, link, signs: new SignsOfLife(clock) };
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
  const { clock, what } = options;
  const waiter = await waiterFor(path, options);
  const startMs = clock.monotonic();
  let watched: LockFile | undefined;
  let saidMs = startMs;
  for (;;) {
    const result = attempt(path, options, waiter);
    if (result.held !== undefined) {
      if (watched !== undefined && result.held.mayHaveRival) {
        await report(`${what} is taken over: ${nameHolder(watched)} gave no sign of life for ${seconds(PATIENCE_MS)}`);
      }
      return result.held;
    }
    const { by, silentMs } = result;
    const nowMs = clock.monotonic();
    if (by !== undefined && (!isUnknown(by) || livesHere(by, watched) || nowMs - startMs >= WAIT_ELSEWHERE_MS)) {
      throw inUse(what, by, silentMs);
    }
    if (watched === undefined && by?.holder !== undefined) {
      await report(
        `${what} is held by ${nameHolder(by)}; waiting up to ${seconds(WAIT_ELSEWHERE_MS)}, and taking over after ${seconds(PATIENCE_MS)} without a sign of life`,
      );
    } else if (nowMs - saidMs >= SAY_EVERY_MS) {
      saidMs = nowMs;
      await report(`${what}: ${nameHolder(by)} gave its last sign of life ${seconds(silentMs)} ago; still waiting`);
    }
    if (by?.holder !== undefined) watched = by;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function inUse(what: string, by: LockFile, silentMs: number): Failure {
  const life = isUnknown(by) ? `, which gave a sign of life ${seconds(silentMs)} ago` : '';
  return new Failure('USAGE', `${what} is in use by ${nameHolder(by)}${life}`, {
    after: 'nothing was sent or changed',
    hints: ['wait until it has ended, or stop it'],
  });
}

/** LOCAL_IO: this process was paused, was taken for gone, and must not write what it was about to write. */
export function lostLockFailure(what: string, to: string | undefined, after: After): Failure {
  const by = to ?? 'another frontdesk, which has ended since,';
  const problem = `${what} is no longer held by this process, which gave no sign of life for too long`;
  return new Failure('LOCAL_IO', `${problem}: ${by} took it over`, { after });
}

/** What a short piece of work is given: throws LOCAL_IO unless the lock is still held. To be called right before the step that counts. */
export type Prove = () => void;

/**
 * Does a short piece of work under an exclusive lock, waiting for its turn up to 15 s, and up to 90 s for a holder
 * elsewhere that gives no sign of life (then LOCAL_IO, and nothing was changed). Whatever the work changes must be
 * read again inside it.
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  work: (prove: Prove) => Promise<Result>,
): Promise<Result> {
  const { clock, what } = options;
  const waiter = await waiterFor(path, options);
  const startMs = clock.monotonic();
  for (;;) {
    const result = attempt(path, options, waiter);
    if (result.held !== undefined) {
      const { held } = result;
      try {
        return await work(() => {
          const lost = held.lost();
          if (lost !== undefined) throw lostLockFailure(what, lost.to, 'unchanged');
        });
      } finally {
        held.release();
      }
    }
    const { by, silentMs } = result;
    const waitedMs = clock.monotonic() - startMs;
    const mayBeGone = by !== undefined && isUnknown(by) && silentMs >= SUSPICIOUS_MS;
    if (waitedMs >= (mayBeGone ? WAIT_ELSEWHERE_MS : WAIT_MS)) {
      throw Failure.unchanged(
        'LOCAL_IO',
        `cannot lock ${what}: ${nameHolder(by)} held ${path} for ${seconds(waitedMs)}`,
      );
    }
    await clock.sleep(mayBeGone ? LOOK_EVERY_MS : randomInt(4, 20));
  }
}

/** Removes a lock whose holder has died on this machine. Never fails: another process may have done it first. */
export function removeDeadLock(path: string, owner: LockMaker & Pick<LockOptions, 'clock'>): void {
  try {
    const signs = new SignsOfLife(owner.clock);
    const file = readLockFile(path);
    if (file === undefined || !signs.isLeftBehind(path, file)) return;
    const acquired = takeOver(path, file, { ...owner, signs });
    if (acquired !== undefined) new HeldLock(path, acquired).release();
  } catch {
    // A read-only folder keeps what it has.
  }
}
