import { isOnceOnly, isWrite } from '../api/operation.ts';
import { dropReadersLater, keepToOutcome } from '../call/interrupt.ts';
import { repeatText } from '../call/open-guard.ts';
import { guardWrite, type WriteWay } from '../call/write-guards.ts';
import { unsent } from '../command/faults.ts';
import { GRACE_MS, type SignalName, StreamFailure, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure, note, warning, warningOf } from '../failure.ts';
import { printJson } from '../json/print.ts';
import { failureLimit } from '../options/limits.ts';
import { isJson } from '../output/options.ts';
import { eachRow, type Row } from '../rows/row.ts';
import { type FailedFile, orDiscard } from '../run/failed-file.ts';
import { runRows } from '../run/row-runner.ts';
import type { RunResult, RunTask } from '../run/run-task.ts';
import { unwritable } from '../run/stop.ts';
import type { ActiveRun } from '../run/stored/run-store.ts';
import { type LeftUnchanged, summaryJson } from '../run/summary.ts';
import type { Ports, Service, Session } from '../session.ts';
import { openRowsOf } from './open-rows.ts';
import { makeReconciler, makeRowSender, printDryRunRows } from './row-requests.ts';
import type { Run } from './run.ts';
import { limitsOf, rowsOfRun } from './run-input.ts';
import { notifyUnchanged, openRunOutput, type RowPrinting, type RunOutput, writeSummary } from './run-output.ts';

/** How the rows of a run are done, and printed if not one by one. */
type How = Pick<RunTask<Row>, 'isWrite' | 'send' | 'reconcile' | 'aboutOf' | 'ended'> & {
  readonly printing?: RowPrinting;
};

/** Does the rows, shows them, and closes the files of the run, without a summary. */
export async function doRows(session: Session, run: Run, { printing, ...how }: How): Promise<RunResult> {
  const output = await orClose(run, openRunOutput(session, run, printing));
  let report: RunResult | undefined;
  const begin = async (): Promise<RunResult> => {
    // The signal's handler said that nothing was sent, and ends the program: no row may be printed.
    refuseStopped(session);
    if (how.isWrite) keepToOutcome(session, () => report !== undefined && isUnknown(report));
    const sending = sendRows(session, run, output, how);
    return how.isWrite ? session.underWay(sending, isUnknown) : sending;
  };
  report = await orClose(run, begin());
  await run.kept?.close();
  const failure = await finishFiles(output, run, report);
  if (failure === undefined) return report;
  await session.notify(warningOf(failure));
  // An unknown outcome is worse than a missing file, which is worse than rows that a format cannot hold.
  const isWorse = failure.code === 'PARTIAL' ? report.exitCode !== 0 : isUnknown(report);
  return isWorse ? report : { ...report, exitCode: failure.exitCode };
}

function isUnknown({ exitCode }: RunResult): boolean {
  return exitCode === FAILURES.OUTCOME_UNKNOWN.exitCode;
}

/** CANCELLED after a signal that came before the run listened. */
function refuseStopped({ context }: Ports): void {
  const [signal] = context.signals.received;
  if (signal === undefined) return;
  throw Failure.unsent('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

function sendRows(
  session: Session,
  { operation, rows, rowCount, pace, kept, unknownRows = 'leave', failedFile, limits = limitsOf(session) }: Run,
  { emit, progress, clear }: RunOutput,
  how: Omit<How, 'printing'>,
): Promise<RunResult> {
  const { clock, signals } = session.context;
  const announce = (signal: SignalName): void => {
    const message = `${signalWords(signal)}: starting no new rows. Waiting up to ${GRACE_MS / 1000} s for requests in progress (again to stop at once)`;
    clear();
    void session.notify(warning('INTERRUPTED', message));
    void dropReadersLater(session.context);
  };
  return runRows<Row>({
    ...how,
    command: operation.command,
    rows: eachRow(rows()),
    rowCount,
    concurrency: limits.concurrency,
    rate: pace.rate,
    maxFailures: failureLimit(pace.maxFailures, rowCount),
    journal: kept?.journal,
    unknownRows,
    clock,
    signals: {
      received: signals.received,
      onSignal: (listener) =>
        signals.onSignal((signal, count) => {
          if (count === 1) announce(signal);
          listener(signal, count);
        }),
    },
    dropStalledReaders: () => session.context.dropStalledReaders(),
    // The cells of a row are kept until it is printed, because `--failed` may need them.
    sizeOf: ({ given }) => (typeof given === 'string' ? given.length : [...given.values()].reduce(addLength, 0)),
    persist: failedFile?.add,
    emit,
    progress,
  });
}

function addLength(bytes: number, cell: unknown): number {
  return bytes + (typeof cell === 'string' ? cell.length : 0);
}

/** Closes output and `--failed` file. Returns the first failure that the summary does not say. */
async function finishFiles(
  output: RunOutput,
  { failedFile, kept }: Run,
  { isOutputLost }: RunResult,
): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  try {
    await output.close();
  } catch (error) {
    if (error instanceof Failure) failure = error;
    else if (!(error instanceof StreamFailure)) throw error;
    // The reader of a pipe went away. The run ends by its outcomes, and the report says so.
    else if (error.errno !== 'EPIPE' && !isOutputLost) failure = unwritable(error, kept !== undefined);
  }
  try {
    await failedFile?.keep();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure ??= error;
  }
  return failure;
}

/** Returns what the work returns. If it fails, the run is closed, and its new file of `--failed` is removed. */
async function orClose<Result>({ kept, failedFile }: Run, work: Promise<Result>): Promise<Result> {
  return orDiscard(failedFile, work).catch(async (error: unknown) => {
    await kept?.close();
    throw error;
  });
}

/** Runs the rows, prints them and the summary. Returns the exit code. */
export async function executeRun(session: Session, run: Run): Promise<number> {
  const { operation, kept } = run;
  const service = await session.service(operation.family);
  const open = kept && (await orClose(run, unsent(openRowsOf(session, operation, kept.header))));
  /** For rows that make another card or event. If the records cannot be read any more, none of them is sent. */
  const openProblem = async (row: Row): Promise<string | undefined> => {
    try {
      const repeated = await open?.repeatedBy(row);
      return repeated === undefined ? undefined : repeatText(repeated);
    } catch (error) {
      if (error instanceof Failure) return error.message;
      throw error;
    }
  };
  const policy = run.limits ?? session.policy;
  const send = makeRowSender(service, operation, policy, {
    openProblem: isOnceOnly(operation) && run.again !== true ? openProblem : undefined,
    onOtherBalance: (text) => session.notify(warning('BALANCE_CHANGED', text)),
    shown: run.shown,
  });
  const reconcile = makeReconciler(service, operation, policy);
  const report = await doRows(session, run, { isWrite: isWrite(operation), send, reconcile, ...open });
  await writeSummary(session, run, report);
  return report.exitCode;
}

/** Many rows to be done, before anything is asked or sent. */
export interface Prepared {
  readonly run: Run;
  /** The kind of change; undefined: a read. */
  readonly way: WriteWay | undefined;
  /** Why there are no rows, if there are none. */
  readonly nothing: string;
  sayCounts?(): Promise<void>;
  /** Says what the user must know, and asks. Returns the card statuses that it showed, by row. */
  ask(service: Service): Promise<Run['shown']>;
  openFailed(): Promise<FailedFile | undefined>;
  keep(): Promise<ActiveRun>;
}

/**
 * THE way to begin many rows: everything up to the first request. Guards first, then the question, then the files, so
 * that a refusal leaves nothing behind. Returns the exit code if there is nothing to send.
 */
export async function begin(session: Session, prepared: Prepared): Promise<Run | number> {
  const { run, way } = prepared;
  const { operation, rowCount, columns } = run;
  if (way !== undefined) guardWrite(session, operation, way);
  const isDryRun = way !== undefined && session.common.dryRun;
  if (isDryRun) {
    await printDryRunRows(session, operation, run.rows());
    if (rowCount > 0) await prepared.sayCounts?.();
  }
  if (rowCount === 0) {
    if (!isDryRun) {
      // An earlier call's file of `--failed` is not about this one.
      await (await prepared.openFailed())?.keep();
      await session.print({ kind: 'list', document: [], rows: [], columns });
    }
    await sayNothingToDo(session, prepared.nothing, run.left);
  }
  if (isDryRun || rowCount === 0) return 0;
  const shown = await prepared.ask(await session.service(operation.family));
  const failedFile = await prepared.openFailed();
  if (way === undefined) return { ...run, failedFile };
  const kept = await orDiscard(failedFile, prepared.keep());
  return { ...run, failedFile, kept, shown, rows: () => rowsOfRun(kept) };
}

/** Says why no row is sent, and what is left unchanged. */
export async function sayNothingToDo(session: Session, nothing: string, left: LeftUnchanged = {}): Promise<void> {
  await session.notify(note('NOTHING_TO_DO', `nothing to do: ${nothing}`));
  await notifyUnchanged(session, { ...left, unchanged: 0, older: undefined });
  const { common, output, context } = session;
  // Scripts find their last line whatever the file held.
  if (!common.dryRun && isJson(output.format)) await context.stderr.write(`${printJson(summaryJson({}))}\n`);
}
