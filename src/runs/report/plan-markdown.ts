import type { JsonValue } from '../../base/json/value.ts';
import { groupThousands, plural } from '../../screen/text.ts';
import type { PlanRow } from '../plan/plan-file.ts';
import { changeColumns, planChanges, textOf } from '../plan/plan-row-lines.ts';
import { type PlanView, planFacts, planTitle } from '../plan/plan-view.ts';
import { markdownCode, plainText } from './plain-text.ts';

const MAX_LINES = 200;
const MAX_VALUE = 500;
/** Bytes of the rows, so that the whole stays under 64 KiB. */
const MAX_BYTES = 48 * 1024;
/** Most characters of one fact above the rows, such as a shared reason. */
const MAX_FACT = 1000;

/** Text from outside in a cell: a code span, in which nothing loads, links or mentions. */
function cell(value: JsonValue | undefined): string {
  const text = textOf(value);
  const shown =
    text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${groupThousands(text.length)} characters)` : text;
  return markdownCode(plainText(shown, shown.length), '|`\\');
}

/** A plan as GitHub's Markdown, under 64 KiB, for a pull request or a ticket: facts, and the rows as a table. */
export async function planMarkdown(view: Omit<PlanView, 'allRows'>, rows: AsyncIterable<PlanRow>, nowMs: number) {
  const { header, survey } = view;
  const facts = planFacts(view, nowMs).map(([label, text]) => {
    return `${label === '' ? '  -' : `- ${label}:`} ${markdownCode(plainText(text, MAX_FACT))}`;
  });
  // If the cards get different fields, each shows its own.
  const sends = changeColumns(header).length === 2 && survey.sharedBody() === undefined;
  const names = ['Row', 'Id', ...changeColumns(header).map(titled), ...(sends ? ['Sends'] : [])];
  const lines: string[] = [];
  let [shown, bytes] = [0, 0];
  for await (const row of rows) {
    const own = planChanges(row).map((values) => [
      String(row.row),
      cell(row.id ?? '-'),
      ...values.map(cell),
      ...(sends ? [cell(row.body)] : []),
    ]);
    const text = own.map((cells) => `| ${cells.join(' | ')} |`);
    bytes += Buffer.byteLength(text.join('\n')) + 1;
    if (lines.length + text.length > MAX_LINES || bytes > MAX_BYTES) break;
    lines.push(...text);
    shown += 1;
  }
  const table = [`| ${names.join(' | ')} |`, `| ${names.map(() => '---').join(' | ')} |`, ...lines].join('\n');
  const rest = header.rows - shown;
  const parts = [
    `## ${plainText(planTitle(header))}`,
    facts.join('\n'),
    ...(header.rows === 0 ? [] : [table]),
    ...(rest === 0 ? [] : [`and ${plural(rest, 'more row')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function titled(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
