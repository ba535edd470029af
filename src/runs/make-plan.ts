import { basename } from 'node:path';
import { Failure, note, usageFailure, warning } from '../base/failure.ts';
import { shellQuote } from '../base/files/shell-quote.ts';
import { isJsonObject } from '../base/json/value.ts';
import { hintText } from '../base/next-step.ts';
import type { CallCommand, CallValues } from '../command/command.ts';
import { refuseOtherCount } from '../command/faults.ts';
import type { Ports, Session } from '../command/session.ts';
import type { CallOptions } from '../input/options/call-options.ts';
import type { CheckedInput } from '../input/records/check-input.ts';
import type { InputOptions } from '../input/records/findings.ts';
import type { Row } from '../input/rows/row.ts';
import { namedProfile } from '../profile/resolve.ts';
import { HEADER_COLUMNS } from '../records/plan-columns.ts';
import { failedCall } from '../records/row-outcome.ts';
import { groupThousands, plural } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { NO_OUTCOME } from '../service/call-outcome.ts';
import { maskPlain } from '../service/http/mask.ts';
import { type AttemptPorts, consider } from '../writes/attempt.ts';
import { readCard } from '../writes/deliver.ts';
import { heldFailure, knownOf, readingOf, reasonOf, type Write } from '../writes/judge.ts';
import { readSingleCall } from '../writes/read-call.ts';
import { refuseReason } from '../writes/write-guards.ts';
import type { BulkCall } from './bulk-call.ts';
import { doRows } from './execute-run.ts';
import type { FailedFile } from './failed-file.ts';
import { openCheck } from './open-rows.ts';
import { headerObject, type PlanOrigin, type PlanRow } from './plan/plan-file.ts';
import { PlanSurvey } from './plan/plan-view.ts';
import { checkPlanPlace, openPlanWriter } from './plan/write-plan.ts';
import { writePlanView } from './plan-review.ts';
import { readRowCard, writeOf } from './row-requests.ts';
import type { Run } from './run.ts';
import { type RowSink, writeSummary } from './run-output.ts';
import type { RunResult, RunTask } from './run-task.ts';

/** `--plan`: writes what would be sent to a file, and sends no change. */
export interface PlanOptions {
  readonly path: string;
  readonly lifeMs: number;
  /** The profile that the suggested commands have to name, if any. */
  readonly profile?: string | undefined;
}

type AddRow = (row: PlanRow) => Promise<void>;

/**
 * Writes a plan of the rows that `fill` adds, and prints its header. No file is left if `fill` returns false or fails.
 */
export async function writePlan(
  session: Session,
  { path, lifeMs, profile }: PlanOptions,
  origin: PlanOrigin,
  fill: (add: AddRow, skip: () => void) => Promise<boolean>,
): Promise<boolean> {
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
    if (!(await fill(add, writer.skip))) return false;
    const header = await writer.keep();
    session.done.push('the plan is written, and nothing was sent');
    if (session.isPage()) {
      const view = { header, state: 'new', survey } as const;
      await writePlanView(session, session.context.stdout, path, view, false);
    } else {
      await session.print({ kind: 'resource', resource: headerObject(header), columns: HEADER_COLUMNS });
    }
    const about = { about: path, profile };
    const review = { do: 'review the plan', words: 'nothing was sent. Review the plan', ...about } as const;
    // A command ends its line, so that it can be pasted.
    for (const next of [review, { do: 'apply it', ...about } as const])
      await session.notify(note('PLANNED', hintText(next)));
    return true;
  } finally {
    await writer.discard();
  }
}

function writeOwnPlan(
  session: Session,
  { command, family }: Operation,
  { plan: path, planExpires }: CallOptions,
  { expectations, ...origin }: Pick<PlanOrigin, 'rows' | 'unchanged' | 'skipped'> & Pick<InputOptions, 'expectations'>,
  fill: (add: AddRow, skip: () => void) => Promise<boolean>,
): Promise<boolean> {
  if (path === undefined || planExpires === undefined) throw new Error('a plan without --plan');
  const profile = session.selectedProfile();
  const expect = expectations.length === 0 ? {} : { expect: expectations.map(({ field }) => field) };
  const given = maskPlain({ ...origin, ...expect }, session.output.mask);
  const about = { operation: command, url: session.baseUrl(family), profile: profile.name, ...given };
  const plan = { path, lifeMs: planExpires.ms, profile: namedProfile(profile) };
  return writePlan(session, plan, about, fill);
}

/** Reads and judges what will be written. Calendars cannot be read. */
async function planWrite(write: Write, readCard: AttemptPorts<never>['readCard']) {
  if (write.call.operation.family !== 'cards') return { kind: 'planned', row: { drift: 'unchecked' } } as const;
  const { reading, notSent } = await consider({ ...write, mustRead: true }, { readCard });
  if (notSent !== undefined) return notSent;
  if (reading === undefined || 'failure' in reading) throw new Error('a plan of a card that was not read');
  const row = { ...knownOf(reading.card), drift: 'checked' } as const;
  return { kind: 'planned', row, resource: reading.card, callOutcome: reading.callOutcome } as const;
}

function planner(session: Ports, { operation }: Run): RunTask<Row>['send'] {
  return async (row, slot) => {
    const write = writeOf(operation, row);
    const planned = await planWrite(write, async () =>
      readingOf(await readRowCard(session, session.policy, row, slot)),
    );
    if (planned.kind === 'skipped') return planned;
    if (planned.kind === 'planned') {
      const { resource = null, callOutcome = NO_OUTCOME } = planned;
      return { kind: 'answered', resource, callOutcome, headers: [] };
    }
    const { held } = planned;
    if (held.why === 'unread')
      return { kind: 'failed', failure: held.failure, callOutcome: held.callOutcome ?? NO_OUTCOME };
    const attempted = `plan to ${operation.verbPhrase} ${row.id ?? ''}`;
    return failedCall(new Failure('PRECONDITION', reasonOf(write, held).problem, { attempted }));
  };
}

const CARD_ID_NAMES = ['cardId', 'id'];

/** Further rows are better left out in the file itself. */
const MAX_LEFT_OUT = 5;

/** How to get a plan of the rows that can be planned, and a file of those that cannot. */
function waysOn(
  { failed, rows }: CallOptions,
  { shape, path }: BulkCall['reading'],
  { format, columns, selected }: CheckedInput,
  refused: readonly Row[],
): readonly string[] {
  const column = columns.find((name) => CARD_ID_NAMES.includes(shape.map.get(name) ?? name));
  const isFew = refused.length <= MAX_LEFT_OUT && refused.length < selected;
  const takesWhere = path !== '' && rows === undefined && format !== 'ids';
  const without = refused.map(({ id = '' }) => `--where ${shellQuote(`${column}!=${id}`)}`);
  return [
    ...(isFew && takesWhere && column !== undefined ? [`to plan the other rows, add ${without.join(' ')}`] : []),
    ...(failed === undefined ? ['to get a file of the rows that cannot be planned, add --failed <file>'] : []),
  ];
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
  const origin = {
    rows: rowCount,
    unchanged,
    skipped: 0,
    expectations,
    ...(path === '' || path === '-' ? {} : { source: basename(path) }),
    ...(Object.keys(reading.shape.typed).length === 0
      ? {}
      : { shape: { ...reading.shape.typed, leftOut: checked.leftOut } }),
    ...(missing === 0 ? {} : { missing }),
    ...(emptied === undefined || emptied.count === 0 ? {} : { emptied: emptied.count }),
  };
  let report: RunResult | undefined;
  const refused: Row[] = [];
  const isMade = await writeOwnPlan(session, operation, options, origin, async (add, skip) => {
    const plan = planner(session, run);
    const send: RunTask<Row>['send'] = async (row, slot) => {
      const planned = await plan(row, slot);
      if (planned.kind === 'failed' && refused.length <= MAX_LEFT_OUT) refused.push(row);
      return planned;
    };
    const failedFile = await openFailedFile();
    const sink: RowSink = async ({ row, resource = null, callOutcome }) => {
      if (callOutcome.outcome === 'skipped') return skip();
      await add(
        resource === null ? { ...row, drift: 'unchecked' } : { ...row, ...knownOf(resource), drift: 'checked' },
      );
    };
    const how = { isWrite: false, isForbiddenFinal: true, send, printing: { sink } };
    report = await doRows(session, { ...run, failedFile }, how);
    return report.exitCode === 0;
  });
  if (isMade || report === undefined) return 0;
  const message = `no plan was written, because ${groupThousands(report.tally.failed)} of ${plural(rowCount, 'row')} cannot be planned. Nothing was sent.`;
  await session.notify(warning('NOT_PLANNED', message));
  for (const text of waysOn(options, reading, checked, refused)) await session.notify(note('NOT_PLANNED', text));
  await writeSummary(session, { ...run, left: {} }, report);
  return report.exitCode;
}

/** `--plan` with one ID or event: a plan of one row, whose failure is that of the call. Returns the exit code. */
export async function planSingle(session: Session, command: CallCommand, values: CallValues): Promise<number> {
  const { options } = values;
  const single = await readSingleCall(session, command, values);
  refuseOtherCount(options.expectRows, 1);
  const { call, id, reason, expects, warnings } = single;
  const { operation, params } = call;
  refuseReason(session, operation, reason);
  for (const each of warnings) await session.notify(each);
  // A signal may end the program during the read, and must leave nothing behind.
  await checkPlanPlace(options.plan ?? '');
  const row = { row: 1, id, params, body: isJsonObject(call.body) ? call.body : undefined, expects };
  const [repeat] = (await (await openCheck(session, operation, options))?.([{ row }])) ?? [];
  if (repeat !== undefined) throw usageFailure([{ where: 'row 1', problem: repeat.problem }]);
  const planned = await planWrite(single, (write) => readCard(session, write));
  if (planned.kind === 'held') throw heldFailure(single, planned.held);
  const origin = { rows: 1, unchanged: 0, skipped: 0, expectations: expects };
  await writeOwnPlan(session, operation, options, origin, async (add, skip) => {
    if (planned.kind === 'skipped') skip();
    else await add({ ...row, ...planned.row });
    return true;
  });
  return 0;
}
