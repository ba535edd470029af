import type { ClockPort } from '../context.ts';

/**
 * No second may see more than `--rate` requests arrive. The window is longer than the second, because between
 * our clock and the service lie a connection to be opened and a network that does not take the same time twice.
 */
const WINDOW_MS = 1_100;
/** How soon to look again while every place is taken by requests that are about to leave. */
const LOOK_AGAIN_MS = 5;

/** A pause that the service asks for beyond this ends the run; it can be taken up again later. */
const LONGEST_PAUSE_MS = 15 * 60_000;

const BUCKET_START = 50;
const RETRY_COST = 5;

export interface LimiterOptions {
  readonly clock: ClockPort;
  /** `--rate`: requests a second; undefined: no limit. */
  readonly rate: number | undefined;
  /** Aborted: nothing new is admitted, and all waits end. */
  readonly stopping: AbortSignal;
  /** The service asked for a longer pause than a run waits. */
  onTooLong(waitMs: number): void;
}

/**
 * What all rows of a run share: the rate, the pause after a 429, and the allowance for retries (a token bucket,
 * so that an outage is not multiplied by the number of rows).
 */
export class Limiter {
  readonly #options: LimiterOptions;
  /** With `rate`: when the requests of the last window left, oldest first. */
  readonly #left: number[] = [];
  /** Admitted, and not left yet. */
  #reserved = 0;
  #pausedUntilMs = 0;
  /** The end of the pauses that the service asked for, by the monotonic clock and without our jitter. */
  askedUntilMs = 0;
  #refusedSinceMs: number | undefined;
  #tokens = BUCKET_START;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /** Waits for the end of a pause and for a place in the rate. False: the run is stopping. */
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

  /** An admitted request will not leave. */
  giveBack(): void {
    this.#reserved -= 1;
  }

  /**
   * The service refused with 429 and asked for `askedMs`: everybody pauses for `waitMs`, which has our jitter on top.
   * False when the pause is too long, alone or together with the pauses before it through which nothing was answered,
   * or when the run is stopping.
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

  /**
   * Milliseconds until it may be tried again; 0: a place in the rate was taken. Never more than `rate` leave in any
   * second, also not at the seam of two, as from a bucket.
   */
  #waitMs(): number {
    const { clock, rate = Number.POSITIVE_INFINITY } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    while ((this.#left[0] ?? nowMs) <= nowMs - WINDOW_MS) this.#left.shift();
    const [oldestMs] = this.#left;
    if (this.#left.length + this.#reserved >= rate)
      return oldestMs === undefined ? LOOK_AGAIN_MS : oldestMs + WINDOW_MS - nowMs;
    this.#reserved += 1;
    return 0;
  }

  mayRetry(): boolean {
    if (this.#tokens < RETRY_COST) return false;
    this.#tokens -= RETRY_COST;
    return true;
  }

  /** A clean success gives a little of the allowance back. */
  succeeded(): void {
    this.#tokens = Math.min(BUCKET_START, this.#tokens + 1);
  }

  /** The service answered a row with something else than 429. */
  answered(): void {
    this.#refusedSinceMs = undefined;
  }
}
