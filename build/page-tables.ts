import { exitCodeRows } from '../src/cli/describe/command-doc.ts';
import { COMMAND_LISTS } from '../src/cli/describe/command-lists.ts';
import { ENVIRONMENT } from '../src/cli/describe/environment.ts';
import { READ_TOOLS, WRITE_TOOLS } from '../src/mcp/tools.ts';

function code(text: string): string {
  return `\`${text}\``;
}

/** Text of Markdown: `<` would begin a tag. */
function plain(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** The lists that the README and the pages of docs/ carry, by the name in their marker. */
export function pageTables(): ReadonlyMap<string, string> {
  return new Map([
    [
      'exit-codes',
      list(
        exitCodeRows().map(({ exitCode, code: name, meaning, repeat }) => {
          const head = [String(exitCode), name].filter((word) => word !== '').join(' ');
          return `**${head}**: ${plain(meaning)}${repeat === '' ? '' : ` (repeat: ${repeat})`}`;
        }),
      ),
    ],
    [
      'environment',
      list([
        `As options: ${ENVIRONMENT.flatMap(({ name, option }) => (option === undefined ? [] : `${code(name)} (${code(option)})`)).join(', ')}`,
        ...ENVIRONMENT.flatMap(({ name, text, option }) =>
          option === undefined ? [`${code(name)}: ${plain(text)}`] : [],
        ),
      ]),
    ],
    [
      'tools',
      list([
        `Reading: ${READ_TOOLS.map(({ name }) => code(name)).join(', ')}`,
        `With \`--allow-writes\`: ${WRITE_TOOLS.map(({ name }) => code(name)).join(', ')}`,
      ]),
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
