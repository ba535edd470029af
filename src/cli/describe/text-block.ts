import { type Example, type ExampleLines, examplesOf } from '../../input/options/option.ts';

/** A name and its meaning, of one line or several. */
export interface Row {
  readonly name: string;
  readonly text: string;
}

/** A part of a help page, independent of its width. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly Row[] }
  /** Lines as typed in a shell, with `frontdesk`. */
  | { readonly kind: 'examples'; readonly title: string; readonly examples: readonly Example[] };

export function text(paragraph: string): Block {
  return { kind: 'text', text: paragraph };
}

export function rows(title: string, meanings: Readonly<Record<string, string>>): Block {
  return { kind: 'rows', title, rows: Object.entries(meanings).map(([name, meaning]) => ({ name, text: meaning })) };
}

/** Tasks, each with its command line. */
export function examples(title: string, lines: ExampleLines): Block {
  return { kind: 'examples', title, examples: examplesOf(lines) };
}

const MIN_WIDTH = 40;
const MAX_WIDTH = 120;
const DEFAULT_WIDTH = 100;

/** Width of a help page: that of the terminal within limits, else 100 columns. */
export function helpWidth(columns: number | undefined, most = MAX_WIDTH): number {
  return Math.min(most, Math.max(MIN_WIDTH, columns ?? DEFAULT_WIDTH));
}

/** The blocks as lines of at most `width` columns. Only a longer word exceeds it. */
export function layOut(blocks: readonly Block[], width: number): string {
  return `${blocks.map((block) => layOutBlock(block, width).join('\n')).join('\n\n')}\n`;
}

function layOutBlock(block: Block, width: number): string[] {
  switch (block.kind) {
    case 'text':
      return block.text.split('\n').flatMap((paragraph) => wrap(paragraph, width));
    case 'rows':
      return [block.title, ...layOutRows(block.rows, width)];
    case 'examples':
      return [
        block.title,
        ...block.examples
          .flatMap(({ text, line }) => [...wrap(`# ${text}`, width - 2), ...foldCommand(line, width - 2)])
          .map((line) => `  ${line}`),
      ];
  }
}

function layOutRows(rows: readonly Row[], width: number): string[] {
  const limit = Math.floor(width * 0.4);
  const column = Math.max(0, ...rows.map((row) => row.name.length).filter((length) => length <= limit));
  const indent = ' '.repeat(column + 4);
  return rows.flatMap(({ name, text }) => {
    const [first = '', ...others] = wrap(text, width - indent.length).map((line) => `${indent}${line}`);
    if (text === '') return [`  ${name}`];
    if (name.length > column) return [`  ${name}`, first, ...others];
    return [`  ${name.padEnd(column)}  ${first.slice(indent.length)}`, ...others];
  });
}

/** Words that stay together: text in backticks, and an exit code with its name. */
const TOGETHER = /`[^`]*`|\b\d+ [A-Z_]{3,}/g;
const HELD = '\ue001';

/** A paragraph in lines of at most `width` columns. A command in backticks stays whole if it fits. */
export function wrap(paragraph: string, width: number): string[] {
  const text = paragraph.replace(TOGETHER, (words) => (words.length > width ? words : words.replaceAll(' ', HELD)));
  return fill(text.split(/\s+/), width, '', '').map((line) => line.replaceAll(HELD, ' '));
}

/** Parts in lines of at most `width` columns. `end` ends a line that another follows, `begin` begins that one. */
function fill(parts: readonly string[], width: number, end: string, begin: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [at, part] of parts.entries()) {
    const room = at === parts.length - 1 ? width : width - end.length;
    if (line !== '' && line.length + 1 + part.length > room) {
      lines.push(`${line}${end}`);
      line = `${begin}${part}`;
    } else {
      line = line === '' ? part : `${line} ${part}`;
    }
  }
  return [...lines, line];
}

/** A shell command on several lines that can be copied and run: broken only before an option or a word. */
export function foldCommand(command: string, width: number): string[] {
  return fill(commandParts(command), width, ' \\', '    ');
}

/** Words of a shell command. An option stays with its value. */
function commandParts(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    const isValue = last?.startsWith('-') === true && !last.includes(' ') && !word.startsWith('-');
    if (isValue) parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
  }
  return parts;
}
