import { formatSeconds } from '../output/duration.ts';
import { groupThousands } from '../output/safe-text.ts';
import type { RowResult } from './row-outcome.ts';

/** Below this the rate says nothing yet. */
const MIN_ELAPSED_MS = 1_000;

/** How far a run is: a model without timers or streams, so that the caller decides when and where to show it. */
export class Progress {
  readonly #total: number;
  readonly #startMs: number;
  #ended = 0;
  #failed = 0;
  #sent = 0;
  #pausedUntilMs = 0;

  /** `startMs`: of the monotonic clock. */
  constructor(total: number, startMs: number) {
    this.#total = total;
    this.#startMs = startMs;
  }

  /** A row has ended. Rows from the journal count as done and not towards the rate. */
  ended(result: RowResult): void {
    this.#ended += 1;
    if (result.failure !== undefined) this.#failed += 1;
    if (result.source === 'sent') this.#sent += 1;
  }

  /** The service asked for a pause that lasts until then, by the monotonic clock. */
  paused(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  /** One line: `412/1000 rows (41 %), 82.4 rows/s, 3 failed, 7 s left`; in a pause why and how long in its place. */
  text(nowMs: number): string {
    const pausedMs = this.#pausedUntilMs - nowMs;
    const elapsedMs = nowMs - this.#startMs;
    const percent = this.#total === 0 ? 100 : Math.floor((this.#ended / this.#total) * 100);
    const parts = [`${groupThousands(this.#ended)}/${groupThousands(this.#total)} rows (${percent} %)`];
    const rate = elapsedMs < MIN_ELAPSED_MS ? 0 : (this.#sent / elapsedMs) * 1000;
    if (rate > 0) parts.push(`${rate < 100 ? rate.toFixed(1) : groupThousands(Math.round(rate))} rows/s`);
    if (this.#failed > 0) parts.push(`${groupThousands(this.#failed)} failed`);
    if (pausedMs > 0) parts.push(`the service asked for a pause (429), ${formatSeconds(pausedMs)} left`);
    else if (rate > 0 && this.#ended < this.#total) {
      parts.push(`${formatSeconds(((this.#total - this.#ended) / rate) * 1000)} left`);
    }
    return parts.join(', ');
  }
}
