import type { ClockPort } from '../context.ts';

/**
 * No second may see more than `--rate` requests arrive. The window is longer than the second, because between
 * our clock and the service lie a connection to be opened and a network that does not take the same time twice.
 */
const WINDOW_MS = 1_100;
/** How soon to look again while every place is taken by requests that are about to leave. */
const LOOK_AGAIN_MS = 5;

/** Never lets more than `limit` requests leave in any second, also not at the seam of two, as a bucket would. */
class RateWindow {
  readonly #limit: number;
  readonly #times: Float64Array;
  #oldest = 0;
  #count = 0;
  #reserved = 0;

  /** `limit`: requests a second, at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#times = new Float64Array(limit);
  }

  /** Takes a place for a request that is about to leave: 0 when there is one, else how many milliseconds to wait. */
  reserve(nowMs: number): number {
    while (this.#count > 0 && this.#time(this.#oldest) <= nowMs - WINDOW_MS) {
      this.#oldest = (this.#oldest + 1) % this.#limit;
      this.#count -= 1;
    }
    if (this.#count + this.#reserved < this.#limit) {
      this.#reserved += 1;
      return 0;
    }
    return this.#count > 0 ? this.#time(this.#oldest) + WINDOW_MS - nowMs : LOOK_AGAIN_MS;
  }

  /** The request of a reserved place leaves now. */
  leave(nowMs: number): void {
    this.#reserved -= 1;
    this.#times[(this.#oldest + this.#count) % this.#limit] = nowMs;
    this.#count += 1;
  }

  /** The request of a reserved place will not leave. */
  giveBack(): void {
    this.#reserved -= 1;
  }

  #time(index: number): number {
    return this.#times[index] ?? 0;
  }
}

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
  /** The service asked for a pause until then, by the monotonic clock: nothing is admitted before. */
  onPause?(untilMs: number): void;
  /** The service asked for a longer pause than a run waits. */
  onTooLong(waitMs: number): void;
}

/**
 * What all rows of a run share: the rate, the pause after a 429, and the allowance for retries (a token bucket,
 * so that an outage is not multiplied by the number of rows).
 */
export class Limiter {
  readonly #options: LimiterOptions;
  readonly #window: RateWindow | undefined;
  #pausedUntilMs = 0;
  #refusedSinceMs: number | undefined;
  #tokens = BUCKET_START;

  constructor(options: LimiterOptions) {
    this.#options = options;
    this.#window = options.rate === undefined ? undefined : new RateWindow(options.rate);
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

  /** The same without waiting, for the many rows that need none; undefined: there is something to wait for. */
  admitNow(): boolean | undefined {
    if (this.#options.stopping.aborted) return false;
    return this.#waitMs() <= 0 ? true : undefined;
  }

  /** An admitted request leaves now. */
  leave(): void {
    this.#window?.leave(this.#options.clock.monotonic());
  }

  /** An admitted request will not leave. */
  giveBack(): void {
    this.#window?.giveBack();
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
    this.#options.onPause?.(nowMs + askedMs);
    return true;
  }

  /** Milliseconds until it may be tried again; 0: a place in the rate was taken. */
  #waitMs(): number {
    if (this.#pausedUntilMs === 0 && this.#window === undefined) return 0;
    const nowMs = this.#options.clock.monotonic();
    return nowMs < this.#pausedUntilMs ? this.#pausedUntilMs - nowMs : (this.#window?.reserve(nowMs) ?? 0);
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
