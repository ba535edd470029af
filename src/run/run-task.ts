import type { ClockPort, SignalPort } from '../context.ts';
import type { CallResult, Pacer } from '../http/call.ts';
import type { RunJournal } from './journal/journal.ts';
import type { Progress } from './progress.ts';
import type { AboutRow, RowResult, RunRow } from './row-outcome.ts';
import type { RunTally } from './run-tally.ts';
import type { Stop } from './stop.ts';

/** What the sender of one row is given. */
export interface RowSlot {
  /** Asks before each request of the row: a write has its intent on the disk by then, a read leaves no mark there. */
  readonly pacer: Pacer;
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
  /** Called when what is in flight is given up: the reader of the results may stand still too. */
  dropStalledReaders?(): void;
  /** Shows how far the run is. */
  readonly progress?: Pick<Progress, 'run'>;
  /** About how many bytes a row holds; undefined: next to none. */
  sizeOf?(row: R): number;
  /** What the journal keeps of a row besides its id. */
  aboutOf?(row: R): AboutRow;
  /** Hears how a row ended once that is recorded, before it is printed. Must not reject. */
  readonly ended?: ((result: RowResult<R>) => Promise<void> | undefined) | undefined;
  /** The single call: guards, request, retries, card checks. May reject with a Failure. */
  send(row: R, slot: RowSlot): Promise<CallResult>;
  /** Reads and compares a row whose outcome is unknown; answered means that it counts as done. */
  readonly reconcile?: ((row: R, slot: RowSlot) => Promise<CallResult>) | undefined;
  /** Prints a result; results come in input order, the next one when this has resolved. */
  emit(result: RowResult<R>): Promise<void> | void;
  /** For `--failed`: gets each result before it is printed, also once stdout is lost. A rejection ends the run (16). */
  readonly persist?: ((result: RowResult<R>) => Promise<void>) | undefined;
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
