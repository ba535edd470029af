import { callOutcomeAfter, type EarlierSends } from '../call-outcome.ts';
import { succeeds } from '../files/io-failure.ts';
import type { Pacer } from '../http/call.ts';
import type { RunJournal } from './journal/journal.ts';
import type { Limiter } from './limiter.ts';
import type { OrderedSink } from './ordered-sink.ts';
import { type RunRow, unsentResult, wordsToKeep } from './row-outcome.ts';
import type { RunControl } from './run-control.ts';
import type { RowSlot, RunTask } from './run-task.ts';

/** What is done with a row: sent, sent again at the user's word, or only read and compared. */
export type RowCallKind = 'send' | 'resend' | 'reconcile';

const NONE_SENT: EarlierSends = { attempts: 0, callOutcome: undefined };

/** What all rows of a run share. */
export interface RowCallPorts<R extends RunRow> {
  readonly task: Pick<
    RunTask<R>,
    'command' | 'journal' | 'aboutOf' | 'clock' | 'isWrite' | 'concurrency' | 'rowCount' | 'rate'
  >;
  readonly control: RunControl;
  readonly limiter: Limiter;
  readonly sink: Pick<OrderedSink<R>, 'next'>;
}

/** One row on its way: admits its attempts, and remembers whether one of them may have left. */
export class RowCall<R extends RunRow> implements RowSlot, Pacer {
  readonly row: R;
  /** Place of the row in the run, 0 for the first. */
  readonly position: number;
  readonly kind: RowCallKind;
  /** What earlier processes sent of the row. */
  readonly earlier: EarlierSends;
  /** Attempts whose first byte may have left, without reads around a change. */
  admitted = 0;
  /** Requests of the row that left, without reads around a change and failed connections. */
  requests = 0;
  /** Was an attempt refused because the run is stopping? */
  isDenied = false;
  isDone = false;
  /** When the first request for the row left, by the monotonic clock. */
  leftMs: number | undefined;
  readonly #ports: RowCallPorts<R>;
  /** A place in the rate is taken when a request is admitted, and used when it leaves. */
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
    // With a rate, a connection waits for its row.
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
        const { reason, fields, digest } = task.aboutOf?.(this.row) ?? {};
        await journal.intent({ row, id, reason, fields, digest });
      } catch {
        // The journal keeps the failure, which stops the run: without its intent the row must not be sent.
        this.#givePlaceBack();
        return this.#deny();
      }
      if (this.stopping.aborted) {
        this.#givePlaceBack();
        await this.#recordWithdrawn(journal);
        return this.#deny();
      }
    }
    this.admitted += 1;
    return true;
  }

  /** Records that the request whose intent is recorded was not sent, in the words that the run prints of it. */
  async #recordWithdrawn(journal: RunJournal): Promise<void> {
    const { attempts, callOutcome: sent } = this.earlier;
    const { command } = this.#ports.task;
    const ended = unsentResult(this.row, command, this.#ports.control.failure, attempts + this.admitted || undefined);
    const callOutcome = callOutcomeAfter(sent, ended.callOutcome);
    const said = callOutcome.outcome === 'not_sent' ? wordsToKeep(ended) : undefined;
    // The journal keeps a failure of its own, which stops the run.
    await succeeds(journal.result(this.row, callOutcome, { said }));
  }

  leaves(): void {
    // Since its intent the request may have waited for a connection, or the process been paused.
    const lost = this.#ports.task.journal?.lost();
    // Another process has the run now: what has not left is held back.
    if (lost !== undefined) {
      this.#ports.control.break(lost);
      return;
    }
    this.leftMs ??= this.#ports.task.clock.monotonic();
    if (this.#purpose === (this.#ports.task.isWrite ? 'send' : 'read')) this.requests += 1;
    if (this.#hasPlace) this.#ports.limiter.leave();
    this.#hasPlace = false;
  }

  /** The row has ended: a place that its request did not use is free again. */
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
