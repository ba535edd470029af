import { note } from '../../failure.ts';
import { eachRow } from '../../input/records/rows.ts';
import { fromPlain } from '../../json/plain.ts';
import { printJson } from '../../json/print.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { rowColumns } from '../../plan/plan-columns.ts';
import { headerObject, rowObject } from '../../plan/plan-file.ts';
import { type PlanView, planFacts, planTitle } from '../../plan/plan-view.ts';
import type { CheckedPlan } from '../../plan/read-plan.ts';
import type { Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';
import { isShownAsPage, planState, rowsOfPlan, showApprovals, surveyPlan, writePlanView } from './survey-plan.ts';

/** A write for each row takes longer than making the row. */
const PIECE_LENGTH = 65_536;

/**
 * `plan show`: sends nothing, and works whatever became of the plan. On a terminal what a reviewer needs; else a
 * table of the rows, or one JSON document.
 */
export async function showPlan(session: Session, path: string, profile: ResolvedProfile | undefined): Promise<number> {
  const plan = await surveyPlan(session, path);
  const { header, survey } = plan;
  const status = await planState(session, header);
  const view = { header, ...status, survey, ...(await showApprovals(session, profile, path)) };
  const { output, context } = session;
  if (isShownAsPage(session)) await writePlanView(session, context.stdout, path, view);
  else if (output.format === 'json' || output.query !== undefined) {
    const head = {
      plan: new Map([...headerObject(header), ['state', view.state]]),
      approvals: fromPlain(view.approvals),
    };
    await printDocument(session, head, rowObjects(session, path, plan));
  } else {
    await notifyFacts(session, view);
    await printTable(session, path, plan);
  }
  return 0;
}

/** For the log of a job: what a person sees above the rows. */
async function notifyFacts(session: Session, view: Omit<PlanView, 'allRows'>): Promise<void> {
  let last = '';
  await session.notify(note('PLAN', planTitle(view.header)));
  for (const [label, text] of planFacts(view, session.output.now)) {
    last = label === '' ? last : label;
    await session.notify(note('PLAN', `${last}: ${text}`));
  }
}

async function* rowObjects(session: Session, path: string, plan: CheckedPlan): AsyncGenerator<JsonObject> {
  for await (const row of eachRow(rowsOfPlan(session, path, plan))) yield rowObject(row);
}

/** One JSON document; without a query written row by row, so that a plan of any length needs no memory. */
async function printDocument(
  session: Session,
  head: { readonly plan: JsonObject; readonly approvals: JsonValue },
  rows: AsyncIterable<JsonObject>,
): Promise<void> {
  if (session.output.query !== undefined) {
    const all: JsonValue[] = [];
    for await (const row of rows) all.push(row);
    // Under a query the columns are those of its result.
    return session.print({ kind: 'resource', resource: fromPlain({ ...head, rows: all }), columns: [] });
  }
  const { stdout } = session.context;
  const member = (value: JsonValue) => printJson(value, { indent: 2 }).replaceAll('\n', '\n  ');
  let text = `{\n  "plan": ${member(head.plan)},\n  "approvals": ${member(head.approvals)},\n  "rows": [`;
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

async function printTable(session: Session, path: string, plan: CheckedPlan): Promise<void> {
  const writer = await session.openRows(rowColumns(plan.operation.family === 'cards'), plan.header.rows);
  for await (const row of rowObjects(session, path, plan)) await writer.row(row);
  await writer.close();
}
