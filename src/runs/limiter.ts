import type { ClockPort } from '../base/context.ts';

/** Of a second: longer than one, because networks are not even, and none at the service has more than `--rate` requests. */
const WINDOW_MS = 1_100;
/** How soon to check again while requests that are about to leave take every place. */
const LOOK_AGAIN_MS = 5;

/** A longer pause ends the run, which can be resumed. */
const LONGEST_PAUSE_MS = 15 * 60_000;

const BUCKET_START = 50;
const RETRY_COST = 5;

export interface LimiterOptions {
  readonly clock: ClockPort;
  /** `--rate`: requests a second, perhaps a fraction; undefined: no limit. */
  readonly rate: number | undefined;
  /** Aborted: admit nothing new and end all waits. */
  readonly stopping: AbortSignal;
  onTooLong(waitMs: number): void;
}

/** What all rows of a run share: the rate, the pause after a 429, and retries (a token bucket against an outage). */
export class Limiter {
  readonly #options: LimiterOptions;
  /** With `rate`: when the requests of the last window left, oldest first. */
  readonly #left: number[] = [];
  /** Admitted, but not left yet. */
  #reserved = 0;
  #pausedUntilMs = 0;
  /** The end of the pauses that the service asked for, by the monotonic clock, without jitter. */
  askedUntilMs = 0;
  #refusedSinceMs: number | undefined;
  #tokens = BUCKET_START;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /** Waits for the end of a pause and for a place in the rate. Returns false if the run is stopping. */
  async admit(): Promise<boolean> {
    const { clock, stopping } = this.#options;
    for (;;) {
      if (stopping.aborted) return false;
      const waitMs = this.#waitMs();
      if (waitMs <= 0) return true;
      await clock.sleep(waitMs, stopping);
    }
  }

  /** An admitted request leaves now. */
  leave(): void {
    const { clock, rate } = this.#options;
    this.#reserved -= 1;
    if (rate !== undefined) this.#left.push(clock.monotonic());
  }

  /** An admitted request will not leave: its place is free again. */
  giveBack(): void {
    this.#reserved -= 1;
  }

  /**
   * The service refused with 429 and asked for `askedMs`: all rows pause for `waitMs`, which includes the jitter.
   * Returns false if the pause is too long, alone or together with the pauses since the last response, or if the run is
   * stopping.
   */
  refused(waitMs: number, askedMs = waitMs): boolean {
    const { clock, stopping, onTooLong } = this.#options;
    if (stopping.aborted) return false;
    const nowMs = clock.monotonic();
    this.#refusedSinceMs ??= nowMs;
    if (nowMs + askedMs - this.#refusedSinceMs > LONGEST_PAUSE_MS) {
      onTooLong(askedMs);
      return false;
    }
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + waitMs);
    this.askedUntilMs = Math.max(this.askedUntilMs, nowMs + askedMs);
    return true;
  }

  /** Milliseconds until the next try; 0 if a place was taken. A window: a bucket may allow twice the rate. */
  #waitMs(): number {
    const { clock, rate = Number.MAX_SAFE_INTEGER } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    // Of 90 a minute, one in two thirds of a second: so no minute has more.
    const most = Math.max(1, Math.floor(rate));
    const windowMs = (WINDOW_MS * most) / rate;
    while ((this.#left[0] ?? nowMs) <= nowMs - windowMs) this.#left.shift();
    const [oldestMs] = this.#left;
    // At least a millisecond: of fractions that are rounded, none would be a place.
    if (this.#left.length + this.#reserved >= most)
      return oldestMs === undefined ? LOOK_AGAIN_MS : Math.max(1, oldestMs + windowMs - nowMs);
    this.#reserved += 1;
    return 0;
  }

  mayRetry(): boolean {
    if (this.#tokens < RETRY_COST) return false;
    this.#tokens -= RETRY_COST;
    return true;
  }

  /** A success gives a little of the allowance back. */
  succeeded(): void {
    this.#tokens = Math.min(BUCKET_START, this.#tokens + 1);
  }

  /** The service returned something other than 429. */
  answered(): void {
    this.#refusedSinceMs = undefined;
  }
}
