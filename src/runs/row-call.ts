import { succeeds } from '../base/files/io-failure.ts';
import { printJson } from '../base/json/print.ts';
import type { RunJournal } from '../records/journal/journal.ts';
import { messageToStore, type RunRow, unsentResult } from '../records/row-outcome.ts';
import { callOutcomeAfter, type EarlierSends } from '../service/call-outcome.ts';
import type { Pacer } from '../service/http/call.ts';
import type { Limiter } from './limiter.ts';
import type { OrderedSink } from './ordered-sink.ts';
import type { RunControl } from './run-control.ts';
import type { RowSlot, RunTask } from './run-task.ts';

/** What is done with a row: sent, sent again at the user's word, or only read and compared. */
export type RowCallKind = 'send' | 'resend' | 'reconcile';

/** A fifth of what others wait for a sign of life. */
const STOOD_STILL_MS = 1000;
const NONE_SENT: EarlierSends = { attempts: 0, callOutcome: undefined };

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
  readonly earlier: EarlierSends;
  /** Attempts whose first byte may have left, without reads around a change. */
  admitted = 0;
  /** Requests of the row that left, without reads around a change and failed connections. */
  requests = 0;
  /** Was an attempt refused because the run is stopping? */
  isDenied = false;
  isDone = false;
  /** Has the journal an intent of this process? Then a resume that finds no end of the row calls it unknown. */
  isIntended = false;
  /** The record that the request was not sent after all, on its way to the disk. */
  withdrawn: Promise<void> | undefined;
  mayLeave: RowSlot['mayLeave'];
  /** When the first request for the row left, by the monotonic clock. */
  leftMs: number | undefined;
  /** What a change is of: its ID, or the content of what has none. Two of the same are never under way at once. */
  readonly changes: string | undefined;
  /** Rows of the same that begin when this one has ended. */
  readonly #after: (() => void)[] = [];
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
    this.changes = ports.task.isWrite ? (row.id?.toLowerCase() ?? printJson(row.body ?? null)) : undefined;
  }

  /** Resolves when the last of these calls that changes the same has ended. Undefined: none does. */
  turn(calls: readonly RowCall<R>[]): Promise<void> | undefined {
    if (this.changes === undefined) return undefined;
    let last: RowCall<R> | undefined;
    for (const call of calls) {
      if (call.changes === this.changes && call.position >= (last?.position ?? 0)) last = call;
    }
    return last && new Promise((resolve) => last.#after.push(resolve));
  }

  get isResend(): boolean {
    return this.kind === 'resend';
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
    const { journal, clock } = task;
    this.#purpose = purpose;
    this.#givePlaceBack();
    this.#hasPlace = await limiter.admit();
    if (!this.#hasPlace) return this.#deny();
    if (purpose === 'read' && task.isWrite) return true;
    // Nothing is awaited that is not there: each row of a run would wait for it.
    const mayLeave = this.admitted > 0 ? undefined : this.mayLeave;
    const askedMs = [clock.monotonic(), clock.now()] as const;
    if (mayLeave !== undefined && !(await mayLeave())) {
      this.#givePlaceBack();
      return false;
    }
    if (journal !== undefined) {
      if (!(await this.#recordIntent(journal))) return this.#deny();
      const passedMs = Math.max(clock.monotonic() - askedMs[0], clock.now() - askedMs[1]);
      // Until its intent was there, others may have taken a process that stood still for gone.
      if (mayLeave !== undefined && passedMs > STOOD_STILL_MS && !(await mayLeave())) {
        this.#givePlaceBack();
        return false;
      }
      if (this.stopping.aborted) {
        this.#givePlaceBack();
        // What an earlier request of this row left is said by the row's end alone.
        if (this.admitted === 0) await this.#recordWithdrawn(journal);
        return this.#deny();
      }
    }
    this.admitted += 1;
    return true;
  }

  /** Returns whether the row may be sent. The journal keeps a failure, which stops the run. */
  async #recordIntent(journal: RunJournal): Promise<boolean> {
    const { row, id } = this.row;
    try {
      const { reason, fields, digest } = this.#ports.task.aboutOf?.(this.row) ?? {};
      await journal.intent({ row, id, reason, fields, digest });
      this.isIntended = true;
      return true;
    } catch (error) {
      this.#givePlaceBack();
      this.#ports.control.break(error);
      // The journal may have the intent, and lack the audit log alone.
      if (this.admitted === 0 && journal.isOfAudit(error)) await this.#recordWithdrawn(journal);
      return false;
    }
  }

  /** Records that the request whose intent is recorded was not sent, in the words that the run prints of it. */
  async #recordWithdrawn(journal: RunJournal): Promise<void> {
    const { attempts, callOutcome: sent } = this.earlier;
    const { command } = this.#ports.task;
    const ended = unsentResult(this.row, command, this.#ports.control.failure, attempts || undefined);
    const callOutcome = callOutcomeAfter(sent, ended.callOutcome);
    const message = callOutcome.outcome === 'not_sent' ? messageToStore(ended) : undefined;
    this.isIntended = true;
    // The journal keeps a failure of its own, which stops the run.
    this.withdrawn = journal.result(this.row, callOutcome, { message });
    await succeeds(this.withdrawn);
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
    for (const begin of this.#after) begin();
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
