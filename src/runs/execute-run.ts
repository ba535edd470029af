import { GRACE_MS, type SignalName, StreamFailure, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure, type Notice, note, warning, warningOf } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import { printJson } from '../base/json/print.ts';
import { loopMayGoOn } from '../command/call-state.ts';
import { unsent } from '../command/faults.ts';
import type { Service, Session } from '../command/session.ts';
import { failureLimit } from '../input/options/limits.ts';
import { eachRow, type Row } from '../input/rows/row.ts';
import { supersededRows } from '../records/open-rows.ts';
import type { RowResult } from '../records/row-outcome.ts';
import type { ActiveRun } from '../records/stored/run-store.ts';
import { isJson } from '../screen/options.ts';
import { commandWords, outcomeWords } from '../screen/people-text.ts';
import { isWrite } from '../service/api/operation.ts';
import { dropReadersLater, keepToOutcome } from '../writes/interrupt.ts';
import { recordsNow, stillOpen } from '../writes/open-guard.ts';
import { forbiddenNow, guardWrite, type WriteScope } from '../writes/write-guards.ts';
import { type FailedFile, orDiscard } from './failed-file.ts';
import { laterCheck, rowsLeftUnknown } from './later-writes.ts';
import { openRowsOf } from './open-rows.ts';
import { makeReconciler, makeRowReader, makeRowSender, printDryRunRows } from './row-requests.ts';
import { runRows } from './row-runner.ts';
import type { Run } from './run.ts';
import { limitsOf, rowsOfRun } from './run-input.ts';
import { notifyUnchanged, openRunOutput, type RowPrinting, type RunOutput, writeSummary } from './run-output.ts';
import type { RunResult, RunTask } from './run-task.ts';
import { unwritable } from './stop.ts';
import { type LeftUnchanged, summaryJson } from './summary.ts';

type How = Pick<RunTask<Row>, 'isWrite' | 'isForbiddenFinal' | 'send' | 'reconcile' | 'aboutOf' | 'ended'> & {
  readonly printing?: RowPrinting;
};

/** Does the rows, shows them, and closes the files of the run, without a summary. */
export async function doRows(session: Session, run: Run, { printing, ...how }: How): Promise<RunResult> {
  const output = await orClose(run, openRunOutput(session, run, printing));
  let report: RunResult | undefined;
  const begin = async (): Promise<RunResult> => {
    // Who reports the signal or the crash said that nothing was sent, and ends the program: no row may be printed.
    refuseStopped(session);
    if (how.isWrite) keepToOutcome(session, () => report === undefined || isUnknown(report));
    const sending = sendRows(session, run, output, how);
    return how.isWrite ? session.underWay(sending, isUnknown) : sending;
  };
  report = await orClose(run, begin());
  const loop = loopMayGoOn(report.exitCode, session.context.signals.received);
  if (loop !== undefined) await session.notify(loop);
  await run.stored?.close();
  const failure = await finishFiles(output, run, report);
  if (report.exitCode === 0 && session.isPartial()) report = { ...report, exitCode: FAILURES.PARTIAL.exitCode };
  if (failure === undefined) return report;
  await session.notify(warningOf(failure));
  // An unknown outcome is worse than a missing file, which is worse than rows that a format cannot hold.
  const isWorse = failure.code === 'PARTIAL' ? report.exitCode !== 0 : isUnknown(report);
  return isWorse ? report : { ...report, exitCode: failure.exitCode };
}

function isUnknown({ exitCode }: RunResult): boolean {
  return exitCode === FAILURES.OUTCOME_UNKNOWN.exitCode;
}

/** CANCELLED after a signal, or a crash, that came before the run listened. */
function refuseStopped({ stoppedBy }: Session): void {
  const signal = stoppedBy();
  if (signal === undefined) return;
  throw Failure.unsent('CANCELLED', `cancelled by ${signalWords(signal)}`, { exitCode: CANCELLED_EXIT_CODES[signal] });
}

function sendRows(
  session: Session,
  {
    operation,
    rows,
    rowCount,
    pace,
    stored,
    unknownRows = 'leave',
    superseded,
    failedFile,
    limits = limitsOf(session),
  }: Run,
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
    journal: stored?.journal,
    unknownRows,
    superseded,
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
    sizeOf: ({ input }) => (typeof input === 'string' ? input.length : [...input.values()].reduce(addLength, 0)),
    onUnrecorded: (result) => void session.notify(unrecordedWarning(operation.command, result)),
    persist: failedFile?.add,
    emit,
    progress,
  });
}

/** The ID of a new card or event may stand nowhere else. */
function unrecordedWarning(command: string, { row: { row, id }, callOutcome }: RowResult<Row>): Notice {
  const { outcome, resultId } = callOutcome;
  const what = `row ${row}: ${commandWords(command)}${id === undefined ? '' : ` of ${outside(id)}`}`;
  const made = resultId === undefined ? '' : `. The ID in the response is ${outside(resultId)}`;
  return warning(
    'UNRECORDED',
    `${what} ended ${outcomeWords(outcome ?? 'unknown')}, and that could not be recorded${made}`,
  );
}

function addLength(bytes: number, cell: unknown): number {
  return bytes + (typeof cell === 'string' ? cell.length : 0);
}

/** Closes output and `--failed` file. Returns the first failure that the summary does not say. */
async function finishFiles(
  output: RunOutput,
  { failedFile, stored }: Run,
  { isOutputLost }: RunResult,
): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  try {
    await output.close();
  } catch (error) {
    if (error instanceof Failure) failure = error;
    else if (!(error instanceof StreamFailure)) throw error;
    // The reader of a pipe went away. The run ends by its outcomes, and the report says so.
    else if (error.errno !== 'EPIPE' && !isOutputLost) failure = unwritable(error, stored !== undefined);
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
async function orClose<Result>({ stored, failedFile }: Run, work: Promise<Result>): Promise<Result> {
  return orDiscard(failedFile, work).catch(async (error: unknown) => {
    await stored?.close();
    throw error;
  });
}

/** Runs the rows, prints them and the summary. Returns the exit code. */
export async function executeRun(session: Session, given: Run): Promise<number> {
  const { operation, stored } = given;
  const left = stored && rowsLeftUnknown(session, stored, given.unknownRows === 'resend');
  const run: Run = { ...given, superseded: left && (await orClose(given, left)) };
  await session.service(operation.family);
  const open = stored && (await orClose(run, unsent(openRowsOf(session, operation, stored, run))));
  const policy = run.limits ?? session.policy;
  const send = isWrite(operation)
    ? makeRowSender(session, operation, policy, {
        open: open?.before,
        stillOpen: (before) => stillOpen(session, operation, before),
        claim: open?.claim,
        later: stored && laterCheck(session, stored),
        forbidden: (write) => forbiddenNow(session, write),
        onOtherBalance: (text) => session.notify(warning('BALANCE_CHANGED', text)),
        shown: run.shown,
      })
    : makeRowReader(session, operation, policy);
  const isSuperseded = stored && (({ row }: Row) => supersededRows(stored.folder).has(row));
  const reconcile = makeReconciler(session, operation, policy, isSuperseded);
  const report = await doRows(session, run, { isWrite: isWrite(operation), send, reconcile, ...open });
  await writeSummary(session, run, report);
  return report.exitCode;
}

/** Many rows to be done, before anything is asked or sent. */
export interface Prepared {
  readonly run: Run;
  /** The kind of change; undefined: a read. */
  readonly scope: WriteScope | undefined;
  /** Why there are no rows, if there are none. */
  readonly nothing: string;
  sayCounts?(): Promise<void>;
  /** Says what the user must know, and asks. Returns the card statuses that it showed, by row. */
  ask(service: Service): Promise<Run['shown']>;
  openFailed(): Promise<FailedFile | undefined>;
  keep(): Promise<ActiveRun>;
}

/**
 * THE way to begin many rows: everything up to the first request. Guards first, then the question, then the run, so
 * that a refusal leaves nothing behind. Returns the exit code if there is nothing to send.
 */
export async function begin(session: Session, prepared: Prepared): Promise<Run | number> {
  const { run, scope } = prepared;
  const { operation, rowCount, columns } = run;
  if (scope !== undefined) guardWrite(session, operation, scope);
  const isDryRun = scope !== undefined && session.common.dryRun;
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
  // Before the question, which reads cards: a bad path is refused before the first request.
  const failedFile = await prepared.openFailed();
  const since = scope && (await orDiscard(failedFile, unsent(recordsNow(session, operation))));
  const ask = async () => prepared.ask(await session.service(operation.family));
  const shown = await orDiscard(failedFile, ask());
  if (scope === undefined) return { ...run, failedFile };
  const stored = await orDiscard(failedFile, prepared.keep());
  return { ...run, failedFile, stored, shown, since, rows: () => rowsOfRun(stored) };
}

/** Says why no row is sent, and what is left unchanged. */
export async function sayNothingToDo(session: Session, nothing: string, left: LeftUnchanged = {}): Promise<void> {
  await session.notify(note('NOTHING_TO_DO', `nothing to do: ${nothing}`));
  await notifyUnchanged(session, { ...left, unchanged: 0, older: undefined });
  const { common, output, context } = session;
  // Scripts find their last line whatever the file held.
  if (!common.dryRun && isJson(output.format)) await context.stderr.write(`${printJson(summaryJson({}))}\n`);
}
