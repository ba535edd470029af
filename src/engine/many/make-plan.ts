import type { Operation } from '../../api/operation.ts';
import { type RunResult, runRows } from '../../bulk/engine.ts';
import { type FailedFile, orDiscard } from '../../bulk/failed-file.ts';
import { failedCall } from '../../bulk/row-outcome.ts';
import type { RowSlot } from '../../bulk/run-task.ts';
import type { CallCommand } from '../../commands/command.ts';
import { CANCELLED_EXIT_CODES, Failure, type Fault, note, usageFailure, warning } from '../../failure.ts';
import { shellQuote } from '../../files/safety.ts';
import type { CallResult } from '../../http/call.ts';
import { unmetExpectation } from '../../input/expect.ts';
import type { RawInput } from '../../input/raw-input.ts';
import type { Row } from '../../input/records/interpret.ts';
import { eachRow } from '../../input/records/rows.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { plural } from '../../output/safe-text.ts';
import { HEADER_COLUMNS } from '../../plan/plan-columns.ts';
import { headerObject, type PlanDraft, type PlanHeader } from '../../plan/plan-file.ts';
import { checkPlanPlace, openPlanWriter, type PlanWriter } from '../../plan/write-plan.ts';
import type { Session } from '../../session.ts';
import { checkExpectations, readCardBefore } from '../confirm.ts';
import { joinFailures } from '../join-failures.ts';
import { readSingleCall, type SingleCall } from '../read-call.ts';
import { demandedApprovals, refuseReason } from '../write-guards.ts';
import { announcing } from './execute-run.ts';
import { type PlanOptions, readPlanOptions } from './plan-options.ts';
import { failureLimitOf, type PaceOptions } from './run-options.ts';
import { openRunOutput, writeSummary } from './run-output.ts';
import { comparedMembers, readCard } from './run-rows.ts';

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

/** What a plan made now says of itself. */
export function planFacts(
  session: Session,
  about: Pick<PlanDraft, 'operation' | 'url' | 'profile' | 'rows' | 'unchanged'> & { readonly lifeMs: number },
): PlanDraft {
  const { lifeMs, ...facts } = about;
  const nowMs = session.context.clock.now();
  return {
    ...facts,
    createdBy: session.context.user,
    createdAt: momentOf(session, nowMs),
    expiresAt: new Date(nowMs + lifeMs).toISOString(),
  };
}

/** Prints a plan that was made, and what can be done with it. */
export async function printMadePlan(
  session: Session,
  header: PlanHeader,
  next: { readonly path: string; readonly command?: string | undefined; readonly needsApproval?: boolean },
): Promise<void> {
  await session.print({ kind: 'resource', resource: headerObject(header), columns: HEADER_COLUMNS });
  const call = `${next.command ?? session.output.command ?? 'frontdesk'} plan`;
  const file = shellQuote(next.path);
  const approve = next.needsApproval ? `have it approved: ${call} approve ${file} --key <key> --as <name>; ` : '';
  const message = `nothing was sent; look at it: ${call} show ${file}; ${approve}apply it: ${call} apply ${file}`;
  await session.notify(note('PLANNED', message));
}

/** Whether the plan is of no use before somebody approved it. A plan of one row needs it too: it is applied as a run. */
function needsApproval(session: Session, rows: number): boolean {
  return rows > 0 && demandedApprovals(session.profile) > 0;
}

/** Reads the card of a row and holds it against what the row expects; what it answers is the card. */
function cardReader(session: Session, operation: Operation) {
  return async (row: Row, slot: RowSlot): Promise<CallResult> => {
    const service = await session.service(operation.family);
    const read = await readCard(service, session.policy, row, slot);
    if (read.kind === 'failed') return read;
    const card = isJsonObject(read.resource) ? read.resource : new Map<string, JsonValue>();
    const unmet = unmetExpectation(card, row.expects);
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
      maxFailures: failureLimitOf(order.pace, order.rowCount),
      journal: undefined,
      unknownRows: 'leave',
      clock: session.context.clock,
      signals: announcing(session, output),
      send: cardReader(session, operation),
      keep: failedFile?.add,
      emit: (result) => output.emit(result),
      onEnded: (result) => output.onEnded(result),
      onPause: (untilMs) => output.onPause(untilMs),
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
  const { operation, plan, rowCount, unchanged } = order;
  const { name: profile } = session.profile;
  const about = { operation: operation.command, url: session.baseUrl(operation.family), profile, unchanged };
  const facts = planFacts(session, { ...about, rows: rowCount, lifeMs: plan.lifeMs });
  const writer = await openPlanWriter(plan.path, facts, session.context.pid);
  try {
    if (operation.family === 'cards' && rowCount > 0) {
      const report = await planCards(session, order, writer);
      if (report.exitCode !== 0 || report.tally.failed > 0) {
        await writer.discard();
        return await reportUnplanned(session, order, report);
      }
    } else await planUnread(session, order, writer);
    await printMadePlan(session, await writer.keep(), {
      path: plan.path,
      needsApproval: needsApproval(session, rowCount),
    });
    return 0;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function reportUnplanned(session: Session, order: PlanOrder, report: RunResult): Promise<number> {
  const message = `no plan was written: ${report.tally.failed} of ${plural(order.rowCount, 'row')} cannot be planned; nothing was sent`;
  await session.notify(warning('NOT_PLANNED', message));
  await writeSummary(session, { command: order.operation.command, report, run: undefined, canReconcile: false });
  return report.exitCode;
}

function rowOfSingle({ call, id, expectations }: SingleCall): Row {
  const record = { row: 1, line: 1, names: [], values: [] };
  const body = isJsonObject(call.body) ? call.body : undefined;
  return { row: 1, line: 1, id, params: call.params, body, expects: expectations, record };
}

/** `--plan` on a call of one id, or of one event. Asks nothing. Answers the exit code. */
export async function planSingle(session: Session, command: CallCommand, input: RawInput): Promise<number> {
  const faults: Fault[] = [];
  const plan = readPlanOptions(input, faults);
  const single = await readSingleOrFaults(session, command, input, faults);
  if (plan === undefined) throw new Error('a plan without --plan');
  refuseReason(session, single.call.operation, single.reason);
  for (const message of single.warnings) await session.notify(warning('SUSPICIOUS_ID', message));
  const { operation } = single.call;
  const row = rowOfSingle(single);
  const facts = planFacts(session, {
    operation: operation.command,
    url: session.baseUrl(operation.family),
    profile: session.profile.name,
    rows: 1,
    unchanged: 0,
    lifeMs: plan.lifeMs,
  });
  // A signal ends the program while it waits for the card, and must find nothing to clear away.
  await checkPlanPlace(plan.path);
  const before = operation.family === 'cards' ? await readPlannedCard(session, single) : undefined;
  const writer = await openPlanWriter(plan.path, facts, session.context.pid);
  try {
    await writer.add({ ...row, before, drift: before === undefined ? 'unchecked' : 'checked' });
    await printMadePlan(session, await writer.keep(), { path: plan.path, needsApproval: needsApproval(session, 1) });
  } catch (error) {
    await writer.discard();
    throw error;
  }
  return 0;
}

async function readPlannedCard(session: Session, single: SingleCall): Promise<JsonObject> {
  const card = await readCardBefore(session, single, true);
  checkExpectations(single, card);
  return comparedMembers('card' in card ? card.card : null);
}

async function readSingleOrFaults(
  session: Session,
  command: CallCommand,
  input: RawInput,
  faults: readonly Fault[],
): Promise<SingleCall> {
  try {
    const single = await readSingleCall(session, command, input);
    if (faults.length === 0) return single;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'USAGE' || faults.length === 0) throw error;
    throw joinFailures([usageFailure(faults), error]);
  }
  throw usageFailure(faults);
}
