import { NO_OUTCOME } from '../call-outcome.ts';
import { succeeds } from '../files/io-failure.ts';
import type { Pacer } from '../http/call.ts';
import { callOutcomeAfter, type EarlierSends } from './journal/attempts.ts';
import type { Limiter } from './limiter.ts';
import type { OrderedSink } from './ordered-sink.ts';
import type { RunRow } from './row-outcome.ts';
import type { RunControl } from './run-control.ts';
import type { RowSlot, RunTask } from './run-task.ts';

/** What is done with a row: sent, sent again at the user's word, or only read and compared. */
export type RowCallKind = 'send' | 'resend' | 'reconcile';

const NONE_SENT: EarlierSends = { attempts: 0, ending: undefined };

/** What all rows of a run have in common. */
export interface RowCallPorts<R extends RunRow> {
  readonly task: Pick<RunTask<R>, 'journal' | 'aboutOf' | 'clock' | 'isWrite' | 'concurrency' | 'rowCount' | 'rate'>;
  readonly control: RunControl;
  readonly limiter: Limiter;
  readonly sink: Pick<OrderedSink<R>, 'next'>;
}

/** One row on its way: admits its attempts and remembers whether any of them may have left. */
export class RowCall<R extends RunRow> implements RowSlot, Pacer {
  readonly row: R;
  /** Place of the row in the run, 0 for the first. */
  readonly position: number;
  readonly kind: RowCallKind;
  /** Of earlier processes: their writes of the row, and how one ended that may have been applied. */
  readonly earlier: EarlierSends;
  /** Attempts whose first byte may have left; reads around a write are none of them. */
  admitted = 0;
  /** Requests of the row's own kind that left: no reads around a write, and no connection that could not be made. */
  requests = 0;
  /** Was an attempt refused because the run is stopping? */
  isDenied = false;
  isDone = false;
  /** When the first request for the row left, by the monotonic clock. */
  leftMs: number | undefined;
  readonly #ports: RowCallPorts<R>;
  /** A place in the rate was taken for a request that has not left: taken when it is admitted, used when it leaves. */
  #hasPlace = false;
  #purpose: 'send' | 'read' = 'read';

  constructor(row: R, position: number, kind: RowCallKind, ports: RowCallPorts<R>, earlier: EarlierSends = NONE_SENT) {
    this.earlier = earlier;
    this.row = row;
    this.position = position;
    this.kind = kind;
    this.#ports = ports;
  }

  get pacer(): Pacer {
    return this;
  }

  get stopping(): AbortSignal {
    return this.#ports.control.stopping;
  }

  get abort(): AbortSignal {
    return this.#ports.control.abort;
  }

  readonly isAwaited = (): boolean => this.#ports.sink.next === this.position;

  readonly isFollowed = (): boolean => {
    const { concurrency, rowCount = 0, rate } = this.#ports.task;
    // A rate makes a connection wait for its row.
    return rate === undefined && this.position + concurrency < rowCount && !this.stopping.aborted;
  };

  async admit(purpose: 'send' | 'read'): Promise<boolean> {
    const { limiter, task } = this.#ports;
    const { journal } = task;
    this.#purpose = purpose;
    this.#givePlaceBack();
    this.#hasPlace = await limiter.admit();
    if (!this.#hasPlace) return this.#deny();
    if (purpose === 'read' && task.isWrite) return true;
    if (journal !== undefined) {
      const { row, id } = this.row;
      try {
        await journal.intent({ row, id, ...task.aboutOf?.(this.row) });
      } catch {
        // The writer keeps the failure, and the run stops by it: without its intent the row must not be sent.
        this.#givePlaceBack();
        return this.#deny();
      }
      if (this.stopping.aborted) {
        this.#givePlaceBack();
        const attempts = this.earlier.attempts + this.admitted;
        const ending = { ...NO_OUTCOME, outcome: 'not_sent', code: 'CANCELLED', attempts } as const;
        // The writer keeps a failure of its own, and the run ends by it.
        await succeeds(journal.result(this.row, callOutcomeAfter(this.earlier.ending, ending)));
        return this.#deny();
      }
    }
    this.admitted += 1;
    return true;
  }

  leaves(): void {
    // Between its intent and its first byte a request may have waited for a connection, or the process been stopped.
    const lost = this.#ports.task.journal?.lost();
    // The run is another process's now: whatever has not left is kept back.
    if (lost !== undefined) {
      this.#ports.control.break(lost);
      return;
    }
    this.leftMs ??= this.#ports.task.clock.monotonic();
    if (this.#purpose === (this.#ports.task.isWrite ? 'send' : 'read')) this.requests += 1;
    if (this.#hasPlace) this.#ports.limiter.leave();
    this.#hasPlace = false;
  }

  /** The row has ended: a place of a request that never left is free for another. */
  end(): void {
    this.isDone = true;
    this.#givePlaceBack();
  }

  refused(waitMs: number, askedMs: number): boolean {
    return this.#ports.limiter.refused(waitMs, askedMs);
  }

  mayRetry(): boolean {
    return this.#ports.limiter.mayRetry();
  }

  succeeded(): void {
    this.#ports.limiter.succeeded();
  }

  #givePlaceBack(): void {
    if (this.#hasPlace) this.#ports.limiter.giveBack();
    this.#hasPlace = false;
  }

  #deny(): false {
    this.isDenied = true;
    return false;
  }
}
