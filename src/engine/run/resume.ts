import { Failure, warning } from '../../failure.ts';
import { dialectOf } from '../../input/records/dialect.ts';
import type { CallOptions } from '../../options/call-options.ts';
import { planRunName } from '../../plan/plan-file.ts';
import { type FailedFile, openFailedFile, orDiscard } from '../../run/failed-file.ts';
import { requireRunHeader, runFolder } from '../../run/run-folder.ts';
import type { RunHeader } from '../../run/run-header.ts';
import { refuseOtherPlace, resumeRun, staleRunWarning } from '../../run/run-store.ts';
import type { Session } from '../../session.ts';
import { refuseRunPrinting } from '../printing.ts';
import { guardWrite, requirePerson, type WriteWay } from '../write-guards.ts';
import { executeRun } from './execute-run.ts';
import { countApprovals } from './plan-approvals.ts';
import { columnsOfRun, failedFormatOf, operationOfRun, PLAN_INPUT, rowsOfRun } from './run-input.ts';
import { failedPathOf, loadLimits, loadPace, unknownRowsOf } from './run-options.ts';
import { portsOf } from './run-ports.ts';
import { placeOf, runColumns } from './run-rows.ts';
import { surveyPlan } from './survey-plan.ts';

async function confirmResend(session: Session, header: RunHeader): Promise<void> {
  if (session.common.yes) return;
  const hint = 'rows whose outcome is unknown may have been applied; add --yes to send them again all the same';
  requirePerson(session, '--resend-unknown', hint);
  const question = `Send the unknown rows of ${header.run} again? They may have been applied`;
  if (await session.prompt.confirm(question)) return;
  throw new Failure('CANCELLED', 'not confirmed; nothing was sent', { details: { outcome: 'not_sent' } });
}

/** Goes on with a run: done rows are not repeated and printed from the journal. */
export async function resume(session: Session, given: CallOptions, name: string): Promise<number> {
  const unknownRows = unknownRowsOf(given);
  const ports = portsOf(session);
  const header = await requireRunHeader(runFolder(ports.stateDir, name));
  session.adoptRun({ profile: header.profile, output: header.options['output'] });
  const operation = operationOfRun(header);
  const columns = runColumns(operation);
  await refuseRunPrinting(session.output, columns);
  guardWrite(session, operation, await wayOf(session, header));
  if (unknownRows === 'resend') await confirmResend(session, header);
  const service = await session.service(operation.family);
  refuseOtherPlace(header, placeOf(session, operation));
  const stale = staleRunWarning(header, ports.clock.now());
  if (stale !== undefined) await session.notify(warning('OLD_RUN', stale));
  // Before the run is taken up: a bad path must leave it as it is.
  const failedFile = await openFailed(session, given.failed, header);
  const run = await orDiscard(failedFile, resumeRun(ports, name));
  const pace = loadPace(header.options);
  return executeRun(session, {
    operation,
    service,
    limits: loadLimits(header.options, session.preferences),
    rows: () => rowsOfRun(session, run),
    rowCount: header.rows,
    pace: { rate: given.rate ?? pace.rate, maxFailures: given.maxFailures ?? pace.maxFailures },
    run,
    unknownRows,
    failedFile,
    columns,
  });
}

/**
 * What a resume sends. Of a plan's run the copy of the plan that it keeps is verified anew (USAGE), and so are the
 * approvals that it keeps, against the approvers as they are now.
 */
async function wayOf(session: Session, header: RunHeader): Promise<WriteWay> {
  if (header.inputFormat !== PLAN_INPUT) {
    const { rows, inputRows } = header;
    return { kind: 'rows', rows: header.options['shard'] === null ? rows : inputRows, inputRows };
  }
  const { input } = runFolder(session.stateDir(), header.run);
  const plan = await surveyPlan(session, input);
  if (planRunName(plan.header.plan) !== header.run || plan.header.operation !== header.operation) {
    throw new Failure('USAGE', `run ${header.run} keeps another plan (${plan.header.plan}); nothing was sent`);
  }
  const { approvals } = await countApprovals(session, input, input);
  return { kind: 'plan', plan: plan.header.plan, rows: header.rows, approved: approvals.length };
}

async function openFailed(
  session: Session,
  given: string | undefined,
  header: RunHeader,
): Promise<FailedFile | undefined> {
  const path = given ?? failedPathOf(header);
  if (path === undefined) return undefined;
  const folder = runFolder(session.stateDir(), header.run);
  const columns = await columnsOfRun(session, { header, folder });
  return openFailedFile({
    path,
    inputFormat: failedFormatOf(header, columns),
    dialect: header.inputFormat === 'csv' ? await dialectOf(folder.input) : undefined,
    columns,
    csvRaw: header.options['csvRaw'] === true,
    isKept: true,
    pid: session.context.pid,
  });
}
