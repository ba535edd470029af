import { basename } from 'node:path';
import { isOnceOnly, type Operation } from '../api/operation.ts';
import { checkExpectations, readCardBefore } from '../call/confirm.ts';
import { readSingleCall } from '../call/read-call.ts';
import { demandedApprovals, refuseReason } from '../call/write-guards.ts';
import { NO_OUTCOME } from '../call-outcome.ts';
import type { CallCommand, CallGiven } from '../command/command.ts';
import { refuseOtherCount } from '../command/faults.ts';
import { Failure, note, usageFailure, warning } from '../failure.ts';
import { shellQuote } from '../files/shell-quote.ts';
import type { CallInput } from '../http/call.ts';
import { subjectOf } from '../http/facts.ts';
import type { CheckedInput } from '../input/records/check-input.ts';
import type { InputOptions } from '../input/records/findings.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import type { CallOptions } from '../options/call-options.ts';
import { groupThousands, plural } from '../output/text.ts';
import { HEADER_COLUMNS } from '../plan/plan-columns.ts';
import { headerObject, type PlanOrigin, type PlanRow } from '../plan/plan-file.ts';
import { PlanSurvey } from '../plan/plan-view.ts';
import { checkPlanPlace, openPlanWriter } from '../plan/write-plan.ts';
import type { Row } from '../rows/row.ts';
import type { FailedFile } from '../run/failed-file.ts';
import { failedCall } from '../run/row-outcome.ts';
import type { RunResult, RunTask } from '../run/run-task.ts';
import type { Ports, Session } from '../session.ts';
import type { BulkCall } from './bulk-call.ts';
import { doRows } from './execute-run.ts';
import { isShownAsPage, writePlanView } from './plan-review.ts';
import { comparedMembers, pickMembers, readCard, unmetBy } from './row-requests.ts';
import type { Run } from './run.ts';
import { type TakeRow, writeSummary } from './run-output.ts';

/** `--plan`: writes what would be sent to a file, and sends no change. */
export interface PlanOptions {
  readonly path: string;
  readonly lifeMs: number;
}

type AddRow = (row: PlanRow) => Promise<void>;

/**
 * Writes a plan of the rows that `fill` adds, and prints its header. No file is left if `fill` returns false or fails.
 * `next`: what the suggested commands begin with, and how many approvals the plan needs.
 */
export async function writePlan(
  session: Session,
  { path, lifeMs }: PlanOptions,
  origin: PlanOrigin,
  next: { readonly command?: string; readonly demanded?: number },
  fill: (add: AddRow) => Promise<boolean>,
): Promise<boolean> {
  const { command = session.output.command ?? 'frontdesk', demanded = 0 } = next;
  const { clock, user, pid, random } = session.context;
  const nowMs = clock.now();
  const times = { createdAt: new Date(nowMs).toISOString(), expiresAt: new Date(nowMs + lifeMs).toISOString() };
  const nonce = Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
  const writer = await openPlanWriter(path, { ...origin, createdBy: user, ...times, nonce }, pid);
  const survey = new PlanSurvey();
  const add: AddRow = (row) => {
    survey.add(row);
    return writer.add(row);
  };
  try {
    if (!(await fill(add))) return false;
    const header = await writer.keep();
    if (isShownAsPage(session)) {
      const view = { header, state: 'new', survey, approvals: [], uncounted: [], demanded } as const;
      await writePlanView(session, session.context.stdout, path, view);
    } else {
      await session.print({ kind: 'resource', resource: headerObject(header), columns: HEADER_COLUMNS });
    }
    const call = `${command} plan`;
    const file = shellQuote(path);
    const next = [
      `nothing was sent. Review the plan: ${call} show ${file}`,
      ...(demanded > 0 ? [`have it approved: ${call} approve ${file} --key <key> --as <name>`] : []),
      `apply it: ${call} apply ${file}`,
    ];
    // A command ends its line, so that it can be pasted.
    for (const message of next) await session.notify(note('PLANNED', message));
    return true;
  } finally {
    await writer.discard();
  }
}

/** Writes the plan of a call. One of a single row needs approvals too, because it is applied as a run. */
function writeOwnPlan(
  session: Session,
  { command, family }: Operation,
  { plan: path, planExpires }: CallOptions,
  { expectations, ...origin }: Pick<PlanOrigin, 'rows' | 'unchanged'> & Pick<InputOptions, 'expectations'>,
  fill: (add: AddRow) => Promise<boolean>,
): Promise<boolean> {
  if (path === undefined || planExpires === undefined) throw new Error('a plan without --plan');
  const { profile } = session;
  const expect = expectations.length === 0 ? {} : { expect: expectations.map(({ field }) => field) };
  const about = { operation: command, url: session.baseUrl(family), profile: profile.name, ...origin, ...expect };
  const demanded = origin.rows === 0 ? 0 : demandedApprovals(profile);
  return writePlan(session, { path, lifeMs: planExpires.ms }, about, { demanded }, fill);
}

/** Plans a row. A card is read, compared with `--expect`, and remembered; calendars cannot be read. */
async function planner(session: Ports, { operation, rowCount }: Run): Promise<RunTask<Row>['send']> {
  if (operation.family !== 'cards' || rowCount === 0) {
    return async () => ({ kind: 'answered', resource: null, callOutcome: NO_OUTCOME, headers: [] });
  }
  const service = await session.service(operation.family);
  return async (row, slot) => {
    const read = await readCard(service, session.policy, row, slot);
    const unmet = read.kind === 'failed' ? undefined : unmetBy(read.resource, row);
    if (unmet === undefined) return read;
    return failedCall(
      new Failure('PRECONDITION', `could not plan to ${operation.verbPhrase} ${row.id ?? ''}: ${unmet}`),
    );
  };
}

/** Writes the plan of many rows, after one read of each card. No plan (15) if one row cannot be planned. */
export async function makePlan(
  session: Session,
  run: Run,
  { options, reading }: BulkCall,
  checked: CheckedInput,
  openFailedFile: () => Promise<FailedFile | undefined>,
): Promise<number> {
  const { operation, rowCount } = run;
  const { unchanged, missing, emptied } = checked;
  const { path, expectations } = reading;
  const emptiedCells = [...emptied.values()].reduce((sum, cells) => sum + cells, 0);
  const origin = {
    rows: rowCount,
    unchanged,
    expectations,
    ...(path === '' || path === '-' ? {} : { source: basename(path) }),
    ...(missing === 0 ? {} : { missing }),
    ...(emptiedCells === 0 ? {} : { emptied: emptiedCells }),
  };
  let report: RunResult | undefined;
  const isMade = await writeOwnPlan(session, operation, options, origin, async (add) => {
    const send = await planner(session, run);
    const failedFile = await openFailedFile();
    const take: TakeRow = ({ row, resource = null }) =>
      add(resource === null ? { ...row, drift: 'unchecked' } : { ...row, ...knownOf(resource), drift: 'checked' });
    report = await doRows(session, { ...run, failedFile }, { isWrite: false, send, printing: { take } });
    return report.exitCode === 0;
  });
  if (isMade || report === undefined) return 0;
  const message = `no plan was written, because ${groupThousands(report.tally.failed)} of ${plural(rowCount, 'row')} cannot be planned. Nothing was sent.`;
  await session.notify(warning('NOT_PLANNED', message));
  await writeSummary(session, { ...run, left: {} }, report);
  return report.exitCode;
}

/** USAGE if the planned change is open already. */
async function refuseOpenInPlan(session: Session, call: CallInput): Promise<void> {
  const { openBefore, repeatText } = await import('../call/open-guard.ts');
  const repeated = (await openBefore(session, call)).repeated.at(-1);
  if (repeated === undefined) return;
  const problem = `could not ${subjectOf(call)}: ${repeatText(repeated)}`;
  throw usageFailure([{ where: 'row 1', problem }], ['add --again to plan it anyway']);
}

/** `--plan` with one ID or event. Asks nothing. Returns the exit code. */
export async function planSingle(session: Session, command: CallCommand, given: CallGiven): Promise<number> {
  const { options } = given;
  const single = await readSingleCall(session, command, given);
  refuseOtherCount(options.expectRows, 1);
  const { call, id, reason, expectations, warnings } = single;
  const { operation, body } = call;
  refuseReason(session, operation, reason);
  if (options.again !== true && isOnceOnly(operation)) await refuseOpenInPlan(session, call);
  for (const each of warnings) await session.notify(each);
  // A signal may end the program during the read, and must leave nothing behind.
  await checkPlanPlace(options.plan ?? '');
  let row: PlanRow = {
    row: 1,
    id,
    body: isJsonObject(body) ? body : undefined,
    expects: expectations,
    drift: 'unchecked',
  };
  if (operation.family === 'cards') {
    const before = await readCardBefore(session, call, true);
    checkExpectations(single, before);
    row = { ...row, ...knownOf('card' in before ? before.card : null), drift: 'checked' };
  }
  await writeOwnPlan(session, operation, options, { rows: 1, unchanged: 0, expectations }, async (add) => {
    await add(row);
    return true;
  });
  return 0;
}

/** What a plan keeps of a card: what is compared again, and what identifies it for a reviewer. */
function knownOf(card: JsonValue): Pick<PlanRow, 'before' | 'about'> {
  return { before: comparedMembers(card), about: pickMembers(card, ['clientReference', 'currentBalance']) };
}
