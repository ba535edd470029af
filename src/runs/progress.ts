import { outcomeWords } from '../screen/people-text.ts';
import { formatDuration, formatSeconds, groupThousands } from '../screen/text.ts';
import { RunTally, type TallyKey } from './run-tally.ts';

/** Below this the rate says nothing yet. */
const MIN_ELAPSED_MS = 1_000;
/** Ways to not succeed, those that the user must act on first. */
const NAMED: readonly TallyKey[] = ['unknown', 'rejected', 'failed', 'not_sent'];

/** A row without a response while others get theirs. */
export interface Waited {
  readonly row: number;
  /** Milliseconds since its first request left. */
  readonly ms: number;
  readonly inFlight: number;
  /** The results behind it fill their memory: no row is sent until it ends. */
  readonly isFull: boolean;
}

export interface Underway {
  readonly tally: RunTally;
  /** Until when the service asked for a pause, by the monotonic clock. */
  readonly limiter: { readonly askedUntilMs: number };
  waitedFor(): Waited | undefined;
}

/** How far a run is, without timers or streams: the caller decides when and where to show it. */
export class Progress {
  readonly #total: number;
  readonly #startMs: number;
  /** Rows per second, as it was before a pause. */
  #pace = 0;
  run: Underway = { tally: new RunTally(), limiter: { askedUntilMs: 0 }, waitedFor: () => undefined };

  /** `startMs`: of the monotonic clock. */
  constructor(total: number, startMs: number) {
    this.#total = total;
    this.#startMs = startMs;
  }

  /**
   * `412/1000 rows (41 %), 82.4 rows/s, 3 rejected, 7 s left`, with the reason of a pause and the row that has no
   * response. Rows from the journal count as done, not towards the rate. Rows that were not reached do not count.
   */
  text(nowMs: number): string {
    const { tally, limiter } = this.run;
    const pausedMs = limiter.askedUntilMs - nowMs;
    const elapsedMs = nowMs - this.#startMs;
    const ended = tally.rows - tally.notReached;
    const left = this.#total - ended;
    const percent = this.#total === 0 ? 100 : Math.floor((ended / this.#total) * 100);
    const parts = [`${groupThousands(ended)}/${groupThousands(this.#total)} rows (${percent} %)`];
    const rate = elapsedMs < MIN_ELAPSED_MS ? 0 : (tally.sent / elapsedMs) * 1000;
    if (pausedMs <= 0) this.#pace = rate;
    if (rate > 0) parts.push(`${rate < 100 ? rate.toFixed(1) : groupThousands(Math.round(rate))} rows/s`);
    const waited = pausedMs > 0 ? undefined : this.run.waitedFor();
    if (pausedMs > 0) parts.push(`the service asked for a pause (429) of ${formatSeconds(pausedMs)} more`);
    if (waited !== undefined) parts.push(waitedText(waited));
    for (const key of NAMED) {
      const rows = tally.of(key) - (key === 'not_sent' ? tally.notReached : 0);
      if (rows > 0) parts.push(`${groupThousands(rows)} ${outcomeWords(key)}`);
    }
    // Once only rows in flight are left, the rate does not tell how long they take.
    if (this.#pace > 0 && left > (waited?.inFlight ?? 0))
      parts.push(`${formatSeconds((left / this.#pace) * 1000 + Math.max(0, pausedMs))} left`);
    return parts.join(', ');
  }
}

function waitedText({ row, ms, isFull }: Waited): string {
  const hold = isFull ? ', no new rows until it ends, because the waiting results fill the memory' : '';
  return `waiting ${formatDuration(Math.floor(ms / 1000) * 1000)} for row ${row}${hold}`;
}
