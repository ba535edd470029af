import { note } from '../../failure.ts';
import { eachRow } from '../../input/records/rows.ts';
import { fromPlain } from '../../json/plain.ts';
import { printJson } from '../../json/print.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { rowColumns } from '../../plan/plan-columns.ts';
import { headerObject, type PlanHeader, planRunName, rowObject } from '../../plan/plan-file.ts';
import { type PlanView, planFacts, planTitle } from '../../plan/plan-view.ts';
import type { CheckedPlan } from '../../plan/read-plan.ts';
import { readRunHeader, runFolder } from '../../run/run-folder.ts';
import { showRun } from '../../run/run-list.ts';
import type { Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';
import { showApprovals } from './plan-approvals.ts';
import { portsOf } from './run-ports.ts';
import { isShownAsPage, rowsOfPlan, surveyPlan, writePlanView } from './survey-plan.ts';

/** What became of a plan, from its run on this machine. A killed run counts as stopped: it can be gone on with. */
export async function planState(session: Session, header: PlanHeader): Promise<Pick<PlanView, 'state' | 'run'>> {
  const { stateDir } = session.places;
  const name = planRunName(header.plan);
  if (stateDir !== undefined && (await readRunHeader(runFolder(stateDir, name))) !== undefined) {
    const run = await showRun(portsOf(session), name);
    return { state: run.state === 'interrupted' ? 'stopped' : run.state, run };
  }
  return { state: session.context.clock.now() < Date.parse(header.expiresAt) ? 'new' : 'expired' };
}

/** What a document says of a plan before its rows. */
interface Head {
  readonly plan: JsonObject;
  readonly approvals: JsonValue;
}

/** A write for each row takes longer than making the row. */
const PIECE_LENGTH = 65_536;

/** One JSON document, written row by row, so that a plan of any length needs no memory. */
async function printDocument(
  session: Session,
  { plan, approvals }: Head,
  rows: AsyncIterable<JsonObject>,
): Promise<void> {
  const { stdout } = session.context;
  const member = (value: JsonValue) => printJson(value, { indent: 2 }).replaceAll('\n', '\n  ');
  let text = `{\n  "plan": ${member(plan)},\n  "approvals": ${member(approvals)},\n  "rows": [`;
  let separator = '';
  for await (const row of rows) {
    text += `${separator}\n    ${printJson(row, { indent: 2 }).replaceAll('\n', '\n    ')}`;
    separator = ',';
    if (text.length < PIECE_LENGTH) continue;
    await stdout.write(text);
    text = '';
  }
  await stdout.write(`${text}${separator === '' ? '' : '\n  '}]\n}\n`);
}

/**
 * `plan show`: sends nothing, and works whatever became of the plan. On a terminal what a reviewer needs; else a
 * table of the rows, or one JSON document.
 */
export async function showPlan(session: Session, path: string, profile: ResolvedProfile | undefined): Promise<number> {
  const verified = await surveyPlan(session, path);
  const { header, survey } = verified;
  const view = {
    header,
    ...(await planState(session, header)),
    survey,
    ...(await showApprovals(session, profile, path)),
  };
  const { output, context } = session;
  if (isShownAsPage(session)) {
    await writePlanView(session, context.stdout, path, view);
  } else if (output.format === 'json' || output.query !== undefined) {
    const plan = new Map([...headerObject(header), ['state', view.state]]);
    await printAll(session, path, verified, { plan, approvals: fromPlain(view.approvals) });
  } else {
    await notifyFacts(session, view);
    await printTable(session, path, verified);
  }
  return 0;
}

/** For the log of a job: what a person sees above the rows. */
async function notifyFacts(session: Session, view: Omit<PlanView, 'allRows'>): Promise<void> {
  const facts = planFacts({ ...view, allRows: '' }, session.output.now);
  let last = '';
  await session.notify(note('PLAN', planTitle(view.header)));
  for (const [label, text] of facts) {
    last = label === '' ? last : label;
    await session.notify(note('PLAN', `${last}: ${text}`));
  }
}

async function* rowObjects(session: Session, path: string, plan: CheckedPlan): AsyncGenerator<JsonObject> {
  for await (const row of eachRow(rowsOfPlan(session, path, plan))) yield rowObject(row);
}

async function printAll(session: Session, path: string, plan: CheckedPlan, head: Head): Promise<void> {
  const rows = rowObjects(session, path, plan);
  if (session.output.query === undefined) return printDocument(session, head, rows);
  const all: JsonValue[] = [];
  for await (const row of rows) all.push(row);
  const document = fromPlain({ ...head, rows: all });
  // Under a query the columns are those of its result.
  await session.print({ kind: 'resource', resource: document, columns: [] });
}

async function printTable(session: Session, path: string, plan: CheckedPlan): Promise<void> {
  const writer = await session.openRows(rowColumns(plan.operation.family === 'cards'), plan.header.rows);
  for await (const row of rowObjects(session, path, plan)) await writer.row(row);
  await writer.close();
}
