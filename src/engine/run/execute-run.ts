import { isWrite, type Operation } from '../../api/operation.ts';
import { type SignalPort, StreamFailure, signalWords } from '../../context.ts';
import { FAILURES, Failure, warning } from '../../failure.ts';
import type { CallPolicy } from '../../http/call.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import { textAt } from '../../json/value.ts';
import type { PaceOptions } from '../../options/call-options.ts';
import { failureLimit } from '../../options/limits.ts';
import type { Column } from '../../output/column.ts';
import type { RunResult } from '../../run/engine.ts';
import { runRows } from '../../run/engine.ts';
import type { FailedFile } from '../../run/failed-file.ts';
import type { ActiveRun } from '../../run/run-store.ts';
import type { LeftUnchanged } from '../../run/summary.ts';
import type { Service, Session } from '../../session.ts';
import { GRACE_MS, keepToOutcome } from '../interrupt.ts';
import { openRunOutput, type RunOutput, writeSummary } from './run-output.ts';
import { makeReconciler, makeRowSender } from './run-rows.ts';

export interface Execution {
  readonly operation: Operation;
  readonly service: Service;
  /** Those of the session, unless a run keeps its own. */
  readonly limits?: { readonly policy: CallPolicy; readonly concurrency: number };
  readonly rows: () => AsyncIterable<readonly Row[]>;
  /** Rows that this run does, for progress. */
  readonly rowCount: number;
  readonly pace: PaceOptions;
  /** Undefined on a read. */
  readonly run: ActiveRun | undefined;
  readonly unknownRows: 'leave' | 'reconcile' | 'resend';
  readonly failedFile: FailedFile | undefined;
  readonly columns: readonly Column[];
  readonly left?: LeftUnchanged;
}

/** How the rows of a run are shown, and how it hears a signal: after the person was told what the first one means. */
export function shownBy(session: Session, { emit, onEnded, onPause, onBegin, clear }: RunOutput) {
  return { clock: session.context.clock, signals: announcing(session, clear), emit, onEnded, onPause, onBegin, sizeOf };
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
export async function executeRun(session: Session, execution: Execution): Promise<number> {
  const { operation, service, run, failedFile, pace, rowCount } = execution;
  const own = { policy: session.policy, concurrency: session.preferences.concurrency.value };
  const { policy, concurrency } = execution.limits ?? own;
  const output = await openRunOutput({
    session,
    isWrite: isWrite(operation),
    columns: execution.columns,
    rows: rowCount,
  });
  const reconcile = makeReconciler(service, operation, policy);
  let uncompared = 0;
  let report: RunResult;
  if (isWrite(operation)) keepToOutcome(session);
  try {
    report = await runRows<Row>({
      command: operation.command,
      isWrite: isWrite(operation),
      rows: eachRow(execution.rows()),
      rowCount,
      concurrency,
      rate: pace.rate,
      maxFailures: failureLimit(pace.maxFailures, rowCount),
      journal: run?.journal,
      unknownRows: execution.unknownRows,
      ...shownBy(session, output),
      reasonOf: ({ body }) => textAt(body, 'reason'),
      send: makeRowSender(service, operation, policy),
      reconcile,
      keep: failedFile?.add,
      onEnded: (result) => {
        if (result.row.drift === 'unchecked' && result.source === 'sent') uncompared += 1;
        output.onEnded(result);
      },
    });
  } catch (error) {
    await failedFile?.discard().catch(() => undefined);
    throw error;
  } finally {
    await run?.close();
  }
  const failure = await finishFiles(output, failedFile, run !== undefined);
  // An unknown outcome is worse than a file that is missing.
  const { exitCode: runCode } = report;
  const exitCode = failure === undefined || runCode === FAILURES.OUTCOME_UNKNOWN.exitCode ? runCode : failure.exitCode;
  if (failure !== undefined) {
    await session.notify(warning(failure.code, failure.message));
  }
  await writeSummary(session, {
    ...execution.left,
    command: operation.command,
    report: { ...report, exitCode },
    run: run?.header.run,
    canReconcile: reconcile !== undefined,
    uncompared,
  });
  return exitCode;
}
