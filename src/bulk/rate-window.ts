/**
 * No second may see more than `--rate` requests arrive. The window is longer than the second, because between
 * our clock and the service lie a connection to be opened and a network that does not take the same time twice.
 */
const WINDOW_MS = 1_100;
/** How soon to look again while every place is taken by requests that are about to leave. */
const LOOK_AGAIN_MS = 5;

/**
 * A sliding window over the moments at which requests left: never more than `limit` in any second, also not at
 * the seam of two seconds, as a bucket that refills would allow.
 */
export class RateWindow {
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
