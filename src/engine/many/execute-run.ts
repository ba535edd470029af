import { isWrite } from '../../api/operation.ts';
import { type SignalPort, StreamFailure, signalWords } from '../../context.ts';
import { FAILURES, Failure, warning } from '../../failure.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import { textAt } from '../../json/value.ts';
import { failureLimit } from '../../options/limits.ts';
import type { FailedFile } from '../../run/failed-file.ts';
import { runRows } from '../../run/row-runner.ts';
import type { RunResult, RunTask } from '../../run/run-task.ts';
import type { Session } from '../../session.ts';
import { GRACE_MS, keepToOutcome } from '../call/interrupt.ts';
import { makeReconciler, makeRowSender } from './row-requests.ts';
import type { Run } from './run.ts';
import { openRunOutput, type RunOutput, writeSummary } from './run-output.ts';

/** Does the rows by `send`, and shows them. What they came to is neither said nor judged here. */
export function sendRows(
  session: Session,
  { operation, rows, rowCount, limits, pace, kept, unknownRows, failedFile }: Run,
  { emit, progress, clear }: RunOutput,
  how: Pick<RunTask<Row>, 'isWrite' | 'send' | 'reconcile'>,
): Promise<RunResult> {
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
    clock: session.context.clock,
    signals: announcing(session, clear),
    dropStalledReaders: () => session.context.dropStalledReaders(),
    sizeOf,
    reasonOf: ({ body }) => textAt(body, 'reason'),
    keep: failedFile?.add,
    emit,
    progress,
  });
}

/** The cells of a row are kept until it is printed: `--failed` may need them. */
function sizeOf({ record: { values } }: Row): number {
  return values.reduce((bytes: number, value) => bytes + (typeof value === 'string' ? value.length : 0), 0);
}

function announcing(session: Session, clear: () => void): SignalPort {
  const { signals } = session.context;
  return {
    received: signals.received,
    onSignal: (listener) =>
      signals.onSignal((signal, count) => {
        if (count === 1) {
          const message = `${signalWords(signal)}: no new rows; waiting up to ${GRACE_MS / 1000} s for those in flight (again to stop at once)`;
          clear();
          void session.notify(warning('INTERRUPTED', message));
        }
        listener(signal, count);
      }),
  };
}

/** Ends the output and the failed file; answers the first failure that a person must hear of. */
async function finishFiles(
  output: RunOutput,
  failedFile: FailedFile | undefined,
  isKept: boolean,
): Promise<Failure | undefined> {
  let failure: Failure | undefined;
  try {
    await output.close();
  } catch (error) {
    // The reader of a pipe went away: the run has ended by its outcomes, and the report says so.
    if (!(error instanceof StreamFailure)) throw error;
    if (error.errno !== 'EPIPE') {
      const where = isKept ? '; they are kept in the run' : '';
      failure = new Failure('LOCAL_IO', `the results could not be written: ${error.message}${where}`);
    }
  }
  try {
    await failedFile?.keep();
  } catch (error) {
    await failedFile?.discard().catch(() => undefined);
    if (!(error instanceof Failure)) throw error;
    failure ??= error;
  }
  return failure;
}

/** Runs the rows, prints them, and ends with the summary. Answers the exit code of the run. */
export async function executeRun(session: Session, run: Run): Promise<number> {
  const { operation, kept, failedFile, limits } = run;
  const isWriting = isWrite(operation);
  const service = await session.service(operation.family);
  const output = await openRunOutput(session, run);
  let report: RunResult;
  if (isWriting) keepToOutcome(session);
  try {
    report = await sendRows(session, run, output, {
      isWrite: isWriting,
      send: makeRowSender(service, operation, limits.policy),
      reconcile: makeReconciler(service, operation, limits.policy),
    });
  } catch (error) {
    await failedFile?.discard().catch(() => undefined);
    throw error;
  } finally {
    await kept?.close();
  }
  const failure = await finishFiles(output, failedFile, kept !== undefined);
  // An unknown outcome is worse than a file that is missing.
  const { exitCode: runCode } = report;
  const exitCode = failure === undefined || runCode === FAILURES.OUTCOME_UNKNOWN.exitCode ? runCode : failure.exitCode;
  if (failure !== undefined) await session.notify(warning(failure.code, failure.message));
  await writeSummary(session, run, { ...report, exitCode });
  return exitCode;
}
