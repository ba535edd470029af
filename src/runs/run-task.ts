import type { ClockPort, SignalPort } from '../base/context.ts';
import type { RunJournal } from '../records/journal/journal.ts';
import type { AboutRow, RowResult, RunRow } from '../records/row-outcome.ts';
import type { CallResult, Pacer } from '../service/http/call.ts';
import type { Progress } from './progress.ts';
import type { RowReply } from './row-reply.ts';
import type { RunTally } from './run-tally.ts';
import type { Stop } from './stop.ts';

export interface RowSlot {
  /** Asked before each request of the row. Once it admits a change, the intent is on the disk. A read has none. */
  readonly pacer: Pacer;
  /** Aborted: begin nothing new, let requests in flight finish. */
  readonly stopping: AbortSignal;
  /** Aborted: abandon requests in flight. */
  readonly abort: AbortSignal;
  /** Asked when a change has its place, right before its intent: a row may wait long for its place. */
  mayLeave?: (() => Promise<boolean>) | undefined;
  /** The user has said that the row is sent again. */
  readonly isResend?: boolean;
}

/** A run: many rows of one command. */
export interface RunTask<R extends RunRow> {
  /** Dotted path: `card.block`. */
  readonly command: string;
  readonly isWrite: boolean;
  /** The rows in input order. A generator, so that a million of them need no memory. */
  readonly rows: AsyncIterable<R>;
  /** Their number, if it is known before. */
  readonly rowCount?: number;
  readonly concurrency: number;
  /** Requests per second; undefined: no limit. */
  readonly rate: number | undefined;
  /** The run stops at this many failed rows (see `failureLimit`); undefined: no limit. */
  readonly maxFailures: number | undefined;
  /** A 403 stops the run, whatever succeeded before: a plan needs every row. */
  readonly isForbiddenFinal?: boolean | undefined;
  /** Every change has one, no read does. */
  readonly journal: RunJournal | undefined;
  /** What to do with rows that an earlier process may have sent. */
  readonly unknownRows: 'leave' | 'reconcile' | 'resend';
  /** Of these, rows that a later change superseded: they stay unknown, whatever is done with the others. */
  readonly superseded?: ReadonlySet<number> | undefined;
  readonly clock: ClockPort;
  readonly signals: SignalPort;
  /** Called when requests in flight are abandoned: the reader of the results may stand still too. */
  dropStalledReaders?(): void;
  readonly progress?: Pick<Progress, 'run'>;
  /** About how many bytes a row holds; undefined: next to none. */
  sizeOf?(row: R): number;
  aboutOf?(row: R): AboutRow;
  /** Called once the end of a row is recorded, before it is printed. Must not reject. */
  readonly ended?: ((result: RowResult<R>) => Promise<void> | undefined) | undefined;
  /** Called for a row that was sent, and whose end could not be recorded. */
  readonly onUnrecorded?: ((result: RowResult<R>) => void) | undefined;
  /** The call of one row: guards, request, retries, card checks. May reject with a Failure. */
  send(row: R, slot: RowSlot): Promise<RowReply>;
  /** Checks the card of a row with an unknown outcome. If it is answered, the row counts as done. */
  readonly reconcile?: ((row: R, slot: RowSlot) => Promise<CallResult>) | undefined;
  /** Prints a result, in input order. The next one follows when this has resolved. */
  emit(result: RowResult<R>): Promise<void> | void;
  /** For `--failed`: gets each result before it is printed, also without a stdout. A rejection ends the run (16). */
  readonly persist?: ((result: RowResult<R>) => Promise<void>) | undefined;
}

export interface RunResult {
  readonly exitCode: number;
  readonly tally: RunTally;
  /** Why the run stopped; undefined if it came to its end. */
  readonly stop: Stop | undefined;
  /** `finished`: a resume would send nothing. */
  readonly state: 'finished' | 'stopped';
  readonly elapsedMs: number;
  /** stdout could not be written to. The journal of a change has all results. A reader that went away is no `stop` of it. */
  readonly isOutputLost: boolean;
}
