import type { ClockPort } from '../context.ts';
import type { LockFile } from './lock-file.ts';
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

/**
 * Watches locks whose holders cannot be asked. Silence is what this process has seen, by its own monotonic clock:
 * clocks and file times of two machines are never compared.
 */
export class Heartbeats {
  readonly #clock: ClockPort;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Checks a lock. Returns for how many milliseconds it has been seen unchanged. */
  look(path: string, file: LockFile): number {
    const atMs = this.#clock.monotonic();
    const before = this.#seen.get(path);
    const life = `${file.instance} ${file.life}`;
    const silentMs = before?.life === life ? before.silentMs + Math.min(atMs - before.atMs, LONGEST_LOOK_MS) : 0;
    this.#seen.set(path, { life, silentMs, atMs });
    return silentMs;
  }

  /** Checks a lock. Returns whether its holder is gone. */
  isLeftBehind(path: string, file: LockFile): boolean {
    const silentMs = this.look(path, file);
    const state = processState(file.holder);
    return state === 'gone' || (state !== 'running' && silentMs >= PATIENCE_MS);
  }
}
