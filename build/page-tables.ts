import { exitCodeRows } from '../src/describe/command-doc.ts';
import { COMMAND_LISTS } from '../src/describe/command-lists.ts';
import { ENVIRONMENT } from '../src/describe/environment.ts';
import { READ_TOOLS, WRITE_TOOLS } from '../src/mcp/tools.ts';

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\n/g, ' ');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Code inside a table: a bar would end the cell even there. */
function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** The tables that the README and the pages of docs/ carry, by the name in their marker. */
export function pageTables(): ReadonlyMap<string, string> {
  return new Map([
    [
      'exit-codes',
      table(
        ['exit', 'code', 'meaning', 'safe to repeat as it is'],
        exitCodeRows().map((row) => [String(row.exitCode), row.code, cell(row.meaning), row.repeat]),
      ),
    ],
    [
      'environment',
      table(
        ['variable', 'meaning', 'option'],
        ENVIRONMENT.map(({ name, text, option }) => [code(name), cell(text), option === undefined ? '' : code(option)]),
      ),
    ],
    [
      'tools',
      [
        `- Reading: ${READ_TOOLS.map(({ name }) => code(name)).join(', ')}`,
        `- With \`--allow-writes\`: ${WRITE_TOOLS.map(({ name }) => code(name)).join(', ')}`,
      ].join('\n'),
    ],
  ]);
}

const MARKED = /(<!-- generated:([a-z-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

/** A list of commands inside a line, also of a table. */
const LISTED = /(<!-- commands:([a-z-]+) -->).*?(<!-- \/commands -->)/g;

function listOf(name: string): string {
  const commands = Object.entries(COMMAND_LISTS).find(([known]) => known === name)?.[1];
  if (commands === undefined)
    throw new Error(`no list is called ${name}; there are ${Object.keys(COMMAND_LISTS).join(', ')}`);
  return commands.map(code).join(', ');
}

/** Markers whose text is measured, not derived from the declarations: left as they are. */
const WRITTEN_ELSEWHERE = ['bench'];

/**
 * Puts the tables between their markers (`<!-- generated:exit-codes -->` … `<!-- /generated -->`). A marker with
 * a name that no table has is an error, so that a misspelt one does not stay empty for ever. Lists of commands stand
 * between `<!-- commands:asks -->` and `<!-- /commands -->`.
 */
export function fillPage(page: string, tables: ReadonlyMap<string, string>): string {
  return page
    .replaceAll(MARKED, (whole, start: string, name: string, end: string) => {
      const text = tables.get(name);
      if (WRITTEN_ELSEWHERE.includes(name)) return whole;
      if (text === undefined) throw new Error(`no table is called ${name}; there are ${[...tables.keys()].join(', ')}`);
      return `${start}\n${text}\n\n${end}`;
    })
    .replaceAll(LISTED, (_, start: string, name: string, end: string) => `${start}${listOf(name)}${end}`);
}
