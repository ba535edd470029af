import type { Operation } from '../../api/operation.ts';
import type { CallCommand } from '../../commands/command.ts';
import { CANCELLED_EXIT_CODES, Failure, type Fault, note, usageFailure, warning } from '../../failure.ts';
import { shellQuote } from '../../files/safety.ts';
import type { CallResult } from '../../http/call.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import { isJsonObject, type JsonObject } from '../../json/value.ts';
import { failureLimit } from '../../options/limits.ts';
import type { RawInput } from '../../options/raw-input.ts';
import { plural } from '../../output/safe-text.ts';
import { HEADER_COLUMNS } from '../../plan/plan-columns.ts';
import { headerObject, type PlanDraft, type PlanRow } from '../../plan/plan-file.ts';
import { checkPlanPlace, openPlanWriter, type PlanWriter } from '../../plan/write-plan.ts';
import { type RunResult, runRows } from '../../run/engine.ts';
import { type FailedFile, orDiscard } from '../../run/failed-file.ts';
import { failedCall } from '../../run/row-outcome.ts';
import type { RowSlot } from '../../run/run-task.ts';
import type { Session } from '../../session.ts';
import { checkExpectations, readCardBefore } from '../confirm.ts';
import { collect, joinFailures } from '../faults.ts';
import { readSingleCall, type SingleCall } from '../read-call.ts';
import { demandedApprovals, refuseReason } from '../write-guards.ts';
import { shownBy } from './execute-run.ts';
import { type PlanOptions, readPlanOptions } from './plan-options.ts';
import type { PaceOptions } from './run-options.ts';
import { openRunOutput, writeSummary } from './run-output.ts';
import { comparedMembers, readCard, unmetBy } from './run-rows.ts';

/** The rows that are to be planned, checked as for a run. */
export interface PlanOrder {
  readonly operation: Operation;
  readonly plan: PlanOptions;
  readonly rows: () => AsyncIterable<readonly Row[]>;
  readonly rowCount: number;
  readonly unchanged: number;
  readonly pace: PaceOptions;
  /** Of `--failed`, when it was given. */
  readonly openFailed: () => Promise<FailedFile | undefined>;
}

/**
 * ISO 8601 to the microsecond. The clock gives milliseconds; the digits below are chance, so that equal rows that
 * are planned twice in one of them are two plans all the same.
 */
function momentOf(session: Session, nowMs: number): string {
  const below = String(Math.floor(session.context.random() * 1000)).padStart(3, '0');
  return new Date(nowMs).toISOString().replace('Z', `${below}Z`);
}

/**
 * Writes a plan of what `fill` adds, and prints it with what can be done with it; no file is left where `fill` answers
 * false or fails. `next`: what the commands on it begin with, and whether it is of no use before somebody approved it.
 */
export async function writePlan(
  session: Session,
  { path, lifeMs }: PlanOptions,
  about: Pick<PlanDraft, 'operation' | 'url' | 'profile' | 'rows' | 'unchanged'>,
  next: { readonly command?: string; readonly needsApproval?: boolean },
  fill: (writer: PlanWriter) => Promise<boolean>,
): Promise<boolean> {
  const { clock, user, pid } = session.context;
  const nowMs = clock.now();
  const times = { createdAt: momentOf(session, nowMs), expiresAt: new Date(nowMs + lifeMs).toISOString() };
  const writer = await openPlanWriter(path, { ...about, createdBy: user, ...times }, pid);
  try {
    if (!(await fill(writer))) {
      await writer.discard();
      return false;
    }
    const header = await writer.keep();
    await session.print({ kind: 'resource', resource: headerObject(header), columns: HEADER_COLUMNS });
    const call = `${next.command ?? session.output.command ?? 'frontdesk'} plan`;
    const file = shellQuote(path);
    const approve = next.needsApproval ? `have it approved: ${call} approve ${file} --key <key> --as <name>; ` : '';
    const message = `nothing was sent; look at it: ${call} show ${file}; ${approve}apply it: ${call} apply ${file}`;
    await session.notify(note('PLANNED', message));
    return true;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** The plan of a call of this session. A plan of one row needs approvals too: it is applied as a run. */
function writeOwnPlan(
  session: Session,
  operation: Operation,
  plan: PlanOptions,
  counts: Pick<PlanDraft, 'rows' | 'unchanged'>,
  fill: (writer: PlanWriter) => Promise<boolean>,
): Promise<boolean> {
  const { profile } = session;
  const url = session.baseUrl(operation.family);
  const about = { operation: operation.command, url, profile: profile.name, ...counts };
  const needsApproval = counts.rows > 0 && demandedApprovals(profile) > 0;
  return writePlan(session, plan, about, { needsApproval }, fill);
}

/** Reads the card of a row and holds it against what the row expects; what it answers is the card. */
function cardReader(session: Session, operation: Operation) {
  return async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const service = await session.service(operation.family);
    const read = await readCard(service, session.policy, row, slot);
    if (read.kind === 'failed') return read;
    const unmet = unmetBy(read.resource, row);
    if (unmet === undefined) return read;
    return failedCall(new Failure('PRECONDITION', `${operation.attempt} ${row.id ?? ''} was not planned: ${unmet}`));
  };
}

/** Reads all cards at the pace of a run; the rows go into the plan in their order. */
async function planCards(session: Session, order: PlanOrder, writer: PlanWriter): Promise<RunResult> {
  const { operation } = order;
  const failedFile = await order.openFailed();
  const output = await openRunOutput({
    session,
    isWrite: false,
    columns: [],
    rows: order.rowCount,
    take: ({ row, resource }) => writer.add({ ...row, before: comparedMembers(resource ?? null), drift: 'checked' }),
  });
  try {
    const reading = runRows<Row>({
      command: operation.command,
      isWrite: false,
      rows: eachRow(order.rows()),
      concurrency: session.preferences.concurrency.value,
      rate: order.pace.rate,
      maxFailures: failureLimit(order.pace.maxFailures, order.rowCount),
      journal: undefined,
      unknownRows: 'leave',
      ...shownBy(session, output),
      send: cardReader(session, operation),
      keep: failedFile?.add,
    }).then(async (report) => {
      await failedFile?.keep();
      return report;
    });
    return await orDiscard(failedFile, reading);
  } finally {
    await output.close();
  }
}

/** Calendars cannot be read back what is about to be changed, so the rows go into the plan as they are. */
async function planUnread(session: Session, order: PlanOrder, writer: PlanWriter): Promise<void> {
  const { signals } = session.context;
  let exitCode: number | undefined;
  const stopListening = signals.onSignal((signal) => {
    exitCode = CANCELLED_EXIT_CODES[signal];
  });
  try {
    for await (const batch of order.rows()) {
      for (const row of batch) await writer.add({ ...row, before: row.before, drift: 'unchecked' });
      if (exitCode !== undefined) throw new Failure('CANCELLED', 'no plan was written; nothing was sent', { exitCode });
    }
  } finally {
    stopListening();
  }
}

/**
 * Writes the plan of many rows: each card is read once, and what will be sent is kept with what was known. One row
 * that cannot be planned, and no plan is written (15). Answers the exit code.
 */
export async function makePlan(session: Session, order: PlanOrder): Promise<number> {
  const { operation, plan, rowCount: rows, unchanged } = order;
  let report: RunResult | undefined;
  const isMade = await writeOwnPlan(session, operation, plan, { rows, unchanged }, async (writer) => {
    if (operation.family !== 'cards' || rows === 0) {
      await planUnread(session, order, writer);
      return true;
    }
    report = await planCards(session, order, writer);
    return report.exitCode === 0 && report.tally.failed === 0;
  });
  return isMade || report === undefined ? 0 : reportUnplanned(session, order, report);
}

async function reportUnplanned(session: Session, order: PlanOrder, report: RunResult): Promise<number> {
  const message = `no plan was written: ${report.tally.failed} of ${plural(order.rowCount, 'row')} cannot be planned; nothing was sent`;
  await session.notify(warning('NOT_PLANNED', message));
  await writeSummary(session, { command: order.operation.command, report, run: undefined, canReconcile: false });
  return report.exitCode;
}

function rowOfSingle({ call, id }: SingleCall): Pick<PlanRow, 'row' | 'id' | 'body'> {
  return { row: 1, id, body: isJsonObject(call.body) ? call.body : undefined };
}

/** `--plan` on a call of one id, or of one event. Asks nothing. Answers the exit code. */
export async function planSingle(session: Session, command: CallCommand, input: RawInput): Promise<number> {
  const faults: Fault[] = [];
  const plan = readPlanOptions(input, faults);
  const failures = faults.length === 0 ? [] : [usageFailure(faults)];
  const single = await collect(failures, () => readSingleCall(session, command, input));
  if (single === undefined || failures.length > 0) throw joinFailures(failures);
  if (plan === undefined) throw new Error('a plan without --plan');
  const { operation } = single.call;
  refuseReason(session, operation, single.reason);
  for (const message of single.warnings) await session.notify(warning('SUSPICIOUS_ID', message));
  // A signal ends the program while it waits for the card, and must find nothing to clear away.
  await checkPlanPlace(plan.path);
  const before = operation.family === 'cards' ? await readPlannedCard(session, single) : undefined;
  await writeOwnPlan(session, operation, plan, { rows: 1, unchanged: 0 }, async (writer) => {
    await writer.add({ ...rowOfSingle(single), before, drift: before === undefined ? 'unchecked' : 'checked' });
    return true;
  });
  return 0;
}

async function readPlannedCard(session: Session, single: SingleCall): Promise<JsonObject> {
  const card = await readCardBefore(session, single, true);
  checkExpectations(single, card);
  return comparedMembers('card' in card ? card.card : null);
}
