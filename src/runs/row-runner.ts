import { Failure } from '../base/failure.ts';
import { outcomeInRun } from '../records/journal/entry.ts';
import type { RunJournal } from '../records/journal/journal.ts';
import {
  failedCall,
  journalResult,
  messageToStore,
  type RowResult,
  type RunRow,
  stateResult,
  unsentResult,
  withEarlier,
} from '../records/row-outcome.ts';
import { type CallOutcome, type EarlierSends, isStillToDo } from '../service/call-outcome.ts';
import { removeFrom } from '../service/wire/remove-from.ts';
import { Limiter } from './limiter.ts';
import { OrderedSink } from './ordered-sink.ts';
import type { Waited } from './progress.ts';
import { RowCall, type RowCallKind, type RowCallPorts } from './row-call.ts';
import { type RowReply, resultOf } from './row-reply.ts';
import { asFailure, RunControl } from './run-control.ts';
import { RunTally } from './run-tally.ts';
import type { RunResult, RunTask } from './run-task.ts';
import { longPause, outputLoss, readerGone, runExitCode, type Stop, StopRules } from './stop.ts';

/** A row without a response for this long is named by the progress. */
const PATIENCE_MS = 3_000;

/**
 * Sends the rows, at most `concurrency` at once, and prints the results in input order. Rows that are done according to
 * the journal are printed from it. Never rejects: the report and its exit code say what went wrong.
 */
export function runRows<R extends RunRow>(task: RunTask<R>): Promise<RunResult> {
  return new RowRunner(task).run();
}

class RowRunner<R extends RunRow> {
  readonly #task: RunTask<R>;
  readonly #tally = new RunTally();
  readonly #rules: StopRules;
  readonly #control: RunControl;
  readonly #limiter: Limiter;
  readonly #ports: RowCallPorts<R>;
  readonly #sink: OrderedSink<R>;
  readonly #calls: RowCall<R>[] = [];
  #wake: (() => void) | undefined;
  #isOutputLost = false;

  constructor(task: RunTask<R>) {
    this.#task = task;
    const succeededBefore = task.journal?.states.count('applied', 'confirmed_by_read') ?? 0;
    this.#rules = new StopRules(task.maxFailures, succeededBefore, task.isForbiddenFinal);
    this.#control = new RunControl(
      task,
      () => this.#notifyChange(),
      () => this.#endOverdue(),
    );
    this.#control.abort.addEventListener('abort', () => task.dropStalledReaders?.());
    this.#limiter = new Limiter({
      clock: task.clock,
      rate: task.rate,
      stopping: this.#control.stopping,
      onTooLong: (waitMs) => this.#control.stopFor(longPause(waitMs)),
    });
    this.#sink = new OrderedSink(
      task,
      (error, of) => (of === 'emit' ? this.#loseOutput(error) : this.#control.break(error)),
      () => this.#notifyChange(),
    );
    this.#ports = { task, control: this.#control, limiter: this.#limiter, sink: this.#sink };
    const run = { tally: this.#tally, limiter: this.#limiter, waitedFor: () => this.#waitedFor() };
    if (task.progress !== undefined) task.progress.run = run;
  }

  async run(): Promise<RunResult> {
    const { clock, journal } = this.#task;
    const startMs = clock.monotonic();
    let positions = 0;
    try {
      positions = await this.#dispatch();
      while (this.#calls.length > 0 || this.#sink.next < positions) await this.#change();
    } finally {
      this.#control.end();
    }
    // Rows that could not be read from the input are left too.
    const hasAll = !this.#control.has('broken') || positions >= (this.#task.rowCount ?? Number.POSITIVE_INFINITY);
    const state = this.#tally.toDo > 0 || !hasAll ? 'stopped' : 'finished';
    if (journal !== undefined && journal.failure === undefined) {
      await journal
        .end(state, this.#tally.outcomes(), this.#control.stops[0]?.word)
        .catch((failure: unknown) => this.#control.break(failure));
    }
    return {
      exitCode: runExitCode(this.#tally, this.#control.stops),
      tally: this.#tally,
      // What broke is reported even if every row was sent.
      stop: state === 'stopped' || this.#control.has('broken') ? this.#control.stops[0] : undefined,
      state,
      elapsedMs: Math.round(clock.monotonic() - startMs),
      isOutputLost: this.#isOutputLost,
    };
  }

  /** Goes through the rows once. Returns their number. */
  async #dispatch(): Promise<number> {
    const { persist, rowCount } = this.#task;
    let position = 0;
    try {
      for await (const row of this.#task.rows) {
        while (!this.#sink.hasRoom) await this.#change();
        await this.#take(row, position);
        position += 1;
        // The rows that are left have no reader: only their number counts.
        if (this.#control.has('reader_gone') && persist === undefined) {
          this.#tally.addUnreached(Math.max(0, (rowCount ?? 0) - position));
          break;
        }
      }
    } catch (error) {
      this.#control.break(error);
    }
    return position;
  }

  async #take(row: R, position: number): Promise<void> {
    const { journal, unknownRows, superseded, reconcile, concurrency } = this.#task;
    let kind: RowCallKind = 'send';
    if (journal !== undefined && !journal.states.isToDo(row.row)) {
      const isUnknown = journal.states.state(row.row) === 'unknown' && superseded?.has(row.row) !== true;
      if (!isUnknown || unknownRows === 'leave') return this.#replay(row, position, journal);
      kind = unknownRows === 'reconcile' ? 'reconcile' : 'resend';
      if (kind === 'reconcile' && reconcile === undefined) return this.#replay(row, position, journal);
    }
    const isFull = () => this.#calls.length >= concurrency || !this.#sink.hasRoom;
    while (isFull() && !this.#control.isStopping) await this.#change();
    if (this.#control.isStopping) return this.#skip(row, position);
    const earlier = journal && this.#earlierOf(row, journal);
    if (this.#control.isStopping) return this.#skip(row, position);
    this.#launch(row, position, kind, earlier);
  }

  /** What earlier processes sent of a row, if that still matters. */
  #earlierOf({ row }: R, journal: RunJournal): EarlierSends | undefined {
    const { states } = journal;
    const attempts = states.attempts(row);
    if (!states.isDoubtful(row)) return { attempts, callOutcome: undefined };
    try {
      return { attempts, callOutcome: journal.entry(row).callOutcome };
    } catch (error) {
      this.#control.break(error);
      return undefined;
    }
  }

  #launch(row: R, position: number, kind: RowCallKind, earlier: EarlierSends | undefined): void {
    const call = new RowCall(row, position, kind, this.#ports, earlier);
    const turn = call.turn(this.#calls);
    this.#calls.push(call);
    (turn === undefined ? this.#start(call) : turn.then(() => this.#start(call))).then(
      (result) => this.#end(call, result),
      (error: unknown) => this.#end(call, failedCall(asFailure(error))),
    );
  }

  async #start(call: RowCall<R>): Promise<RowReply> {
    const { reconcile } = this.#task;
    if (call.kind === 'reconcile' && reconcile !== undefined) return reconcile(call.row, call);
    return await this.#task.send(call.row, call);
  }

  /** Prints a row that an earlier process did. `observedStatus`: the status of its card now, which resolved nothing. */
  async #replay(row: R, position: number, journal: RunJournal, observedStatus?: string): Promise<void> {
    const { command } = this.#task;
    const { states } = journal;
    let result: RowResult<R> | undefined;
    let durable: Promise<void> | undefined;
    try {
      const entry = journal.entry(row.row);
      const callOutcome = outcomeInRun(entry);
      // After a card check, the old message is no longer all that is known.
      if (observedStatus === undefined) result = journalResult(row, command, callOutcome, entry.message);
      else result = journalResult(row, command, { ...callOutcome, observedStatus });
      if (observedStatus !== undefined) durable = journal.result(row, result.callOutcome);
    } catch (error) {
      // The row keeps its place and its outcome, which is known without its record.
      this.#control.break(error);
    }
    result ??= stateResult(row, command, states.state(row.row));
    this.#complete(position, result, states.isToDo(row.row), durable);
  }

  /** Prints a row that the run stopped before. One that an earlier process may have sent stays `unknown`. */
  async #skip(row: R, position: number, call?: RowCall<R>): Promise<void> {
    const { journal, command } = this.#task;
    if (journal?.states.isDoubtful(row.row) === true) return this.#replay(row, position, journal);
    this.#complete(position, unsentResult(row, command, this.#control.failure), true, call?.withdrawn, call);
  }

  #end(call: RowCall<R>, reply: RowReply): void {
    if (call.isDone) return;
    call.end();
    removeFrom(this.#calls, call);
    const { journal } = this.#task;
    if (journal?.failure !== undefined) this.#control.break(journal.failure);
    if (call.kind === 'reconcile' && journal !== undefined) this.#endReconciled(call, reply, journal);
    else if (call.isDenied && call.admitted === 0) void this.#skip(call.row, call.position, call);
    else this.#endSent(call, reply);
    this.#notifyChange();
  }

  #endSent(call: RowCall<R>, reply: RowReply): void {
    const { command, isWrite, journal } = this.#task;
    const { row, admitted } = call;
    const wasStopped = this.#wasStopped(reply);
    const ended = wasStopped
      ? unsentResult(row, command, this.#control.failure, admitted)
      : resultOf(row, reply, { command, isWrite, mayHaveLeft: admitted > 0 });
    this.#tally.requests += call.requests;
    this.#pace(ended);
    if (!wasStopped) this.#stopFor(this.#rules.ended(ended));
    const result = withEarlier(ended, command, call.earlier);
    const { callOutcome } = result;
    const again = this.#isAboutTheRun(callOutcome) || result.isForNow === true;
    const durable = journal?.result(row, callOutcome, { again, message: messageToStore(result) });
    this.#complete(call.position, result, isStillToDo(callOutcome.outcome, callOutcome.code, again), durable, call);
  }

  /** The card of an unknown row was read: it shows that the row was done, or the row stays as it was. */
  #endReconciled({ row, position, earlier: { attempts } }: RowCall<R>, reply: RowReply, journal: RunJournal): void {
    const ended = resultOf(row, reply, { command: this.#task.command, isWrite: false, mayHaveLeft: true });
    const { failure, callOutcome } = ended;
    if (failure === undefined) {
      // The time is that of the reading. The intent has the time of the request.
      const times = { sentAtMs: undefined, durationMs: undefined };
      const confirmed: CallOutcome = { ...callOutcome, outcome: 'confirmed_by_read', ...times, attempts };
      const result = { ...ended, callOutcome: confirmed, earlierAttempts: attempts };
      this.#complete(position, result, false, journal.result(row, confirmed));
    } else if (failure.code === 'OUTCOME_UNKNOWN') {
      // A reading that resolves nothing has not failed.
      this.#stopFor(this.#rules.answered());
      void this.#replay(row, position, journal, callOutcome.observedStatus);
    } else {
      // If the card cannot be shown, the row stays `unknown`.
      const outcome = failure.code === 'BAD_REPLY' ? 'unknown' : callOutcome.outcome;
      this.#stopFor(this.#rules.ended({ ...ended, callOutcome: { ...callOutcome, outcome } }));
      void this.#replay(row, position, journal);
    }
  }

  #stopFor(stop: Stop | undefined): void {
    if (stop !== undefined) this.#control.stopFor(stop);
  }

  /** Did another row stop this one on its way to the service? */
  #wasStopped(reply: RowReply): boolean {
    const held = reply.kind === 'held' ? reply.held : undefined;
    const failure = reply.kind === 'failed' ? reply.failure : held?.why === 'unread' ? held.failure : undefined;
    return failure?.code === 'CANCELLED' && this.#control.isStopping;
  }

  /** Was the row refused for a reason of the whole run? Then a resume sends it again. */
  #isAboutTheRun({ outcome, code }: CallOutcome): boolean {
    if (outcome !== 'rejected') return false;
    return code === 'AUTH' || (code === 'FORBIDDEN' && this.#control.has('refused'));
  }

  /** Counts the row. A record that cannot be written ends the run. */
  #complete(position: number, result: RowResult<R>, toDo: boolean, durable?: Promise<void>, call?: RowCall<R>): void {
    this.#tally.add(result, toDo);
    const { ended, journal, onUnrecorded } = this.#task;
    const recorded = ended === undefined ? durable : Promise.resolve(durable).then(() => ended(result));
    recorded?.catch((failure: unknown) => this.#control.break(failure));
    // A row without an intent is not sent for its record too.
    if (call?.isIntended || (result.source === 'sent' && result.callOutcome.outcome !== 'not_sent'))
      durable?.catch((error) => journal?.isOfAudit(error) || this.#tally.unrecord(result, toDo, onUnrecorded));
    this.#sink.enqueue(position, result, recorded);
  }

  /** A 429 is about the run, however its row ends: the last refusal of a row without retries pauses the others too. */
  #pace({ callOutcome: { httpStatus }, failure }: RowResult<R>): void {
    if (httpStatus !== undefined && httpStatus !== 429) this.#limiter.answered();
    const retryAt = httpStatus === 429 ? failure?.details.retryAt : undefined;
    const waitMs = retryAt === undefined ? 0 : Date.parse(retryAt) - this.#task.clock.now();
    if (waitMs > 0) this.#limiter.refused(waitMs);
  }

  /** Ends the rows whose request does not stop: the user asked twice. */
  #endOverdue(): void {
    for (const call of [...this.#calls]) {
      const isUnknown = this.#task.isWrite && call.admitted > 0;
      const failure = isUnknown
        ? new Failure('OUTCOME_UNKNOWN', 'the request was sent, and the run was stopped before its answer came')
        : new Failure('CANCELLED', 'the run was stopped');
      this.#end(call, failedCall(failure.with({ attempts: call.admitted })));
    }
  }

  /** The row that has been without a response for longest, after `PATIENCE_MS`. */
  #waitedFor(): Waited | undefined {
    const nowMs = this.#task.clock.monotonic();
    let longest: Waited | undefined;
    for (const { row, leftMs = nowMs } of this.#calls) {
      const ms = nowMs - leftMs;
      if (ms < PATIENCE_MS || ms <= (longest?.ms ?? 0)) continue;
      longest = { row: row.row, ms, inFlight: this.#calls.length, isFull: this.#sink.isFull };
    }
    return longest;
  }

  #loseOutput(error: unknown): void {
    this.#isOutputLost = true;
    const loss = outputLoss(error, this.#task.isWrite);
    if (loss !== 'reader_gone') this.#control.break(loss.error);
    // A change continues: the user wants it done, and the journal has the results.
    else if (!this.#task.isWrite) this.#control.stopFor(readerGone());
  }

  /** Resolves at the next row that ends or is printed, or when the run stops. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notifyChange(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
