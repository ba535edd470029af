import { join } from 'node:path';
import { note } from '../../../base/failure.ts';
import { withTemporaryFolder } from '../../../base/files/atomic.ts';
import { anyOf } from '../../../base/json/shape.ts';
import type { JsonObject, JsonValue } from '../../../base/json/value.ts';
import { localCommand } from '../../../command/command.ts';
import { printDocument, refuseShaping } from '../../../command/printing.ts';
import type { Session } from '../../../command/session.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import { eachRow, type Row } from '../../../input/rows/row.ts';
import { rowColumns } from '../../../records/plan-columns.ts';
import { headerObject, rowObject } from '../../../runs/plan/plan-file.ts';
import { changeObjects, changeTable } from '../../../runs/plan/plan-row-lines.ts';
import { type PlanView, planFacts, planTitle } from '../../../runs/plan/plan-view.ts';
import { type CheckedPlan, readPlanRows } from '../../../runs/plan/read-plan.ts';
import { readPlan, reviewOf, writePlanView } from '../../../runs/plan-review.ts';
import { openUnder } from '../../../screen/column.ts';
import { printLongDocument } from '../../../screen/long-document.ts';
import { FILE } from './plan-argument.ts';

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
async function show(session: Session, path: string, as: 'markdown' | undefined, copyTo: string): Promise<void> {
  const plan = await readPlan(session, path, { copyTo });
  const { header } = plan;
  const view = await reviewOf(session, plan);
  const rows = eachRow(readPlanRows(copyTo));
  const { output, context } = session;
  if (as === 'markdown') {
    refuseShaping(output);
    const { planMarkdown } = await import('../../../runs/report/plan-markdown.ts');
    await printDocument(session, { plan: header.plan, as }, [await planMarkdown(view, rows, output.now)]);
  } else if (session.isPage()) await writePlanView(session, context.stdout, path, view);
  else if (output.format === 'json' || output.query !== undefined) {
    const head = new Map<string, JsonValue>([['plan', new Map([...headerObject(header), ['state', view.state]])]]);
    if (output.query === undefined) await printLongDocument(context.stdout, head, 'rows', rowObjects(rows));
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
    'Review it before you apply it': 'plan show stolen.plan',
    'For a pull request': 'plan show stolen.plan --as markdown',
    'The rows for a spreadsheet': 'plan show stolen.plan -o xlsx --out stolen.xlsx',
    'Print its state, for a script': 'plan show stolen.plan --json --query plan.state --raw',
  },
  output: async () => {
    const { PLAN_OUTPUT, PLAN_DOCUMENT } = await import('../../../runs/plan/plan-file.ts');
    return anyOf(PLAN_OUTPUT, PLAN_DOCUMENT);
  },
  async run(session, { file, as }) {
    // A plan is shown without a profile, but a named one must exist.
    if (session.common.profile !== undefined) void session.selectedProfile();
    const work = (folder: string) => show(session, file, as, join(folder, 'plan'));
    await withTemporaryFolder(work, session.dropAtSignal);
  },
});
