import type { ClockPort } from '../context.ts';
import { ifPossible } from './io-failure.ts';
import { type LockFile, readLockFile } from './lock-file.ts';
import { processState } from './process-identity.ts';

/** How often a holder beats. */
export const HEARTBEAT_EVERY_MS = 2_000;
/** A holder elsewhere without a heartbeat for this long counts as gone. */
export const PATIENCE_MS = 60_000;
/** At most this much of the time between two checks counts as silence: a process that was paused has not watched. */
const LONGEST_LOOK_MS = 5_000;

interface Seen {
  readonly life: string;
  readonly silentMs: number;
  readonly atMs: number;
}

/** Watches locks whose holders cannot be asked, by the monotonic clock: clocks of two machines are never compared. */
export class Heartbeats {
  readonly #clock: ClockPort;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Checks a lock. Returns for how many milliseconds it has been seen unchanged. */
  check(path: string, file: LockFile): number {
    const atMs = this.#clock.monotonic();
    const before = this.#seen.get(path);
    const life = `${file.instance} ${file.life}`;
    const silentMs = before?.life === life ? before.silentMs + Math.min(atMs - before.atMs, LONGEST_LOOK_MS) : 0;
    this.#seen.set(path, { life, silentMs, atMs });
    return silentMs;
  }

  /** Checks a lock. Returns whether its holder is gone. */
  isLeftBehind(path: string, file: LockFile): boolean {
    const silentMs = this.check(path, file);
    const state = processState(file.holder);
    return state === 'gone' || (state !== 'running' && silentMs >= PATIENCE_MS);
  }
}

/** Long enough for two heartbeats. */
const WATCH_MS = 2.5 * HEARTBEAT_EVERY_MS;
const LOOK_EVERY_MS = 100;

/**
 * Which of these locks a living process holds, for a list. Holders on this machine are asked. Others are watched
 * together for at most 5 s: one without a heartbeat in that time is left out, although it may only be paused.
 */
export async function livingLocks(paths: readonly string[], clock: ClockPort): Promise<ReadonlySet<string>> {
  const heartbeats = new Heartbeats(clock);
  const living = new Set<string>();
  let silent = paths;
  const check = (isFirst: boolean): void => {
    silent = silent.filter((path) => {
      const file = ifPossible(() => readLockFile(path));
      if (file === undefined) return false;
      const state = processState(file.holder);
      const hasBeaten = heartbeats.check(path, file) === 0 && !isFirst;
      if (state === 'running' || (state !== 'gone' && hasBeaten)) living.add(path);
      return state !== 'gone' && !living.has(path);
    });
  };
  check(true);
  for (const endMs = clock.monotonic() + WATCH_MS; silent.length > 0 && clock.monotonic() < endMs; check(false)) {
    await clock.sleep(LOOK_EVERY_MS);
  }
  return living;
}
