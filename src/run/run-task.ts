import type { ClockPort, SignalPort } from '../context.ts';
import type { CallResult, Pacer } from '../http/call.ts';
import type { RunJournal } from './journal/journal.ts';
import type { RowResult, RunRow } from './row-outcome.ts';
import type { RunTally } from './run-tally.ts';
import type { Stop } from './stop.ts';

/** What the sender of one row is given. */
export interface RowSlot {
  /** For the request of the row itself: asks before each attempt, and has a write's intent on the disk by then. */
  readonly pacer: Pacer;
  /** For reads around a write (`--expect`): shares rate and pauses, and leaves no mark in the journal. */
  readonly readPacer: Pacer;
  /** Aborted: begin nothing new, let what is in flight finish. */
  readonly stopping: AbortSignal;
  /** Aborted: abandon what is in flight. */
  readonly abort: AbortSignal;
}

/** Many rows of one command. */
export interface RunTask<R extends RunRow> {
  /** Dotted command path: `card.block`. */
  readonly command: string;
  readonly isWrite: boolean;
  /** The rows of this run in input order: an async generator, so that a million of them need no memory. */
  readonly rows: AsyncIterable<R>;
  /** How many they are, where that is known before. */
  readonly rowCount?: number;
  readonly concurrency: number;
  /** Requests a second; undefined: no limit. */
  readonly rate: number | undefined;
  /** Failed rows at which the run stops (see `failureLimit`); undefined: none. */
  readonly maxFailures: number | undefined;
  /** Every write has one; a read has none. */
  readonly journal: RunJournal | undefined;
  /** What to do with rows of an earlier process that may have been sent. */
  readonly unknownRows: 'leave' | 'reconcile' | 'resend';
  readonly clock: ClockPort;
  readonly signals: SignalPort;
  /** Hears how to ask which row keeps the run waiting: for progress. */
  onBegin?(waitedFor: () => Waited | undefined): void;
  /** About how many bytes a row holds; undefined: next to none. */
  sizeOf?(row: R): number;
  /** What the journal keeps of a row besides its id. */
  reasonOf?(row: R): string | undefined;
  /** The single call: guards, request, retries, read-backs. May reject with a Failure. */
  send(row: R, slot: RowSlot): Promise<CallResult>;
  /** Reads and compares a row whose outcome is unknown; answered means that it counts as done. */
  readonly reconcile?: ((row: R, slot: RowSlot) => Promise<CallResult>) | undefined;
  /** Prints a result; results come in input order, the next one when this has resolved. */
  emit(result: RowResult<R>): Promise<void> | void;
  /**
   * Takes each result in input order before it is printed, also once stdout is lost: for `--failed`. What it
   * rejects with ends the run (16).
   */
  readonly keep?: ((result: RowResult<R>) => Promise<void>) | undefined;
  /** Hears each row as it ends, in any order: for progress. */
  onEnded?(result: RowResult<R>): void;
  /** Hears that the service asked all rows to wait until then, by the monotonic clock: for progress. */
  onPause?(untilMs: number): void;
}

/** A row that gets no answer while others do. */
export interface Waited {
  readonly row: number;
  /** Milliseconds since its first request left. */
  readonly ms: number;
  /** Rows under way, with this one. */
  readonly inFlight: number;
  /** The results behind it fill their memory: no row is sent until it ends. */
  readonly isFull: boolean;
}

export interface RunResult {
  readonly exitCode: number;
  readonly tally: RunTally;
  /** Why the run stopped before its end; undefined when it came to its end. */
  readonly stop: Stop | undefined;
  /** `finished`: a resume would have nothing to do. */
  readonly state: 'finished' | 'stopped';
  readonly elapsedMs: number;
  /** The reader of stdout went away while rows were still being written: the journal has them. */
  readonly isOutputLost: boolean;
}
