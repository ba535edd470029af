import { join } from 'node:path';
import { isShownAsPage, readPlan, reviewOf, writePlanView } from '../../bulk/plan-review.ts';
import { printLongDocument } from '../../bulk/row-requests.ts';
import { localCommand } from '../../command/command.ts';
import { note, usageFailure } from '../../failure.ts';
import { withTemporaryFolder } from '../../files/atomic.ts';
import { anyOf } from '../../json/shape.ts';
import { fromPlain, type JsonObject, type JsonValue } from '../../json/value.ts';
import { WORKBOOK } from '../../options/call-options.ts';
import { openUnder } from '../../output/column.ts';
import { isJson } from '../../output/options.ts';
import { rowColumns } from '../../plan/plan-columns.ts';
import { headerObject, type PlanRow, rowObject } from '../../plan/plan-file.ts';
import { changeObjects, changeTable } from '../../plan/plan-row-lines.ts';
import { type PlanView, planFacts, planTitle } from '../../plan/plan-view.ts';
import { type CheckedPlan, readPlanRows } from '../../plan/read-plan.ts';
import { eachRow, type Row } from '../../rows/row.ts';
import type { Session } from '../../session.ts';
import type { ResolvedProfile } from '../../settings/resolve.ts';
import { FILE, profileOf } from './plan-argument.ts';

/** Writes the plan as Markdown; with JSON on the command line, as a member of one JSON object. */
async function writeMarkdown(
  { context, output, preferences }: Session,
  view: Omit<PlanView, 'allRows'>,
  rows: AsyncIterable<PlanRow>,
): Promise<void> {
  if (output.columns !== undefined || output.query !== undefined || output.format === 'xlsx') {
    const problem = 'prints a whole document, of which --columns, --query and -o xlsx take no part';
    throw usageFailure([{ where: '--as', problem }]);
  }
  const { planMarkdown } = await import('../../report/plan-markdown.ts');
  const document = await planMarkdown(view, rows, output.now);
  const { source, value } = preferences.output;
  const isMember = source === 'flag' && isJson(value);
  const member = { plan: view.header.plan, as: 'markdown', document };
  await context.stdout.write(isMember ? `${JSON.stringify(member)}\n` : document);
}

async function* rowObjects(rows: AsyncIterable<Row>): AsyncGenerator<JsonObject> {
  for await (const row of rows) yield rowObject(row);
}

/** For a job's log: the facts as notices, then the rows. */
async function writeTable(
  session: Session,
  { header, operation }: CheckedPlan,
  view: Omit<PlanView, 'allRows'>,
  rows: AsyncIterable<Row>,
): Promise<void> {
  const { output } = session;
  let last = '';
  await session.notify(note('PLAN', planTitle(header)));
  for (const [label, text] of planFacts(view, output.now)) {
    last = label === '' ? last : label;
    await session.notify(note('PLAN', `${last}: ${text}`));
  }
  // A table has a line per change, CSV and NDJSON one per row with its whole body.
  const isTable = output.format === 'table' && output.columns === undefined;
  const columns = isTable ? changeTable(header) : rowColumns(operation.family === 'cards');
  const writer = await session.openRows(columns, header.rows);
  if (isTable) {
    for await (const row of rows) for (const change of changeObjects(row, columns)) await writer.row(change);
  } else for await (const row of rowObjects(rows)) await writer.row(row);
  await writer.close();
}

/** Shows a plan in any state: in a terminal what a reviewer needs, elsewhere its rows, or one JSON document. */
async function show(
  session: Session,
  path: string,
  profile: ResolvedProfile | undefined,
  as: 'markdown' | undefined,
  copyTo: string,
): Promise<void> {
  const plan = await readPlan(session, path, { copyTo });
  const { header } = plan;
  const view = await reviewOf(session, profile, path, plan);
  const rows = eachRow(readPlanRows(copyTo));
  const { output, context } = session;
  if (as === 'markdown') await writeMarkdown(session, view, rows);
  else if (isShownAsPage(session)) await writePlanView(session, context.stdout, path, view);
  else if (output.format === 'json' || output.query !== undefined) {
    const head = new Map<string, JsonValue>([
      ['plan', new Map([...headerObject(header), ['state', view.state]])],
      ['approvals', fromPlain(view.approvals)],
    ]);
    if (output.query === undefined) await printLongDocument(context, head, 'rows', rowObjects(rows));
    else {
      const all: JsonValue[] = [];
      for await (const row of rowObjects(rows)) all.push(row);
      // Under a query the columns are those of its result.
      await session.print({ kind: 'resource', resource: head.set('rows', all), columns: [] });
    }
  } else await writeTable(session, plan, view, rows);
}

export const command = localCommand({
  columns: rowColumns(true),
  isOpenColumn: openUnder('body', 'before', 'about'),
  description:
    'Shows what the plan would send and its state on this machine: new, expired, running, unsettled, stopped (rows are left, also if its process was killed) or finished. Sends nothing. Works for expired plans too. Outside a terminal, the rows go to stdout and the facts about the plan to stderr. With --json, prints the whole plan as one document.',
  arguments: { file: FILE },
  options: {
    as: { kind: 'choice', choices: ['markdown'], text: 'print Markdown, for a pull request or a ticket' },
    out: WORKBOOK.out,
  },
  examples: {
    'Review it before you approve or apply it': 'plan show stolen.plan',
    'For a pull request': 'plan show stolen.plan --as markdown',
    'The rows for a spreadsheet': 'plan show stolen.plan -o xlsx --out stolen.xlsx',
    'Print its state, for a script': 'plan show stolen.plan --json --query plan.state --raw',
  },
  output: async () => {
    const { PLAN_OUTPUT, PLAN_DOCUMENT } = await import('../../plan/plan-file.ts');
    return anyOf(PLAN_OUTPUT, PLAN_DOCUMENT);
  },
  async run(session, { file, as }) {
    const profile = await profileOf(session);
    const work = (folder: string) => show(session, file, profile, as, join(folder, 'plan'));
    await withTemporaryFolder(work, session.dropAtSignal);
  },
});
