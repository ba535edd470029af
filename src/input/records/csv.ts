import { countFrom } from '../../json/shorten.ts';
import { unguardCell } from '../../output/formula-guard.ts';
import { RFC_4180 } from '../../output/options.ts';
import { quoteValue } from '../values.ts';
import { EMPTY_BETWEEN, emptyEndNote } from './fault-place.ts';
import { countLineBreaks, type LineEnd, MAX_RECORD_LENGTH, RecordParser } from './record.ts';

const DELIMITERS = [',', ';', '\t'] as const;
/** What the formula guard adds, or escapes with. */
const GUARD = /['\\]/;
/** The first line in which some spreadsheets name the delimiter. */
const SEPARATOR_LINE = /^sep=[^"\s]$|^sep=\t$/i;
const NEVER_CLOSED = 'a quote that is not closed';

interface QuoteFault {
  /** Index of the character at fault in the row's text. */
  readonly at: number;
  readonly problem: string;
}

/** The delimiter that separates most names of a header, outside quotes. A comma if there is only one name. */
export function sniffDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"?/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * RFC 4180 as a stream: three delimiters, CRLF, LF or CR, quoted line breaks. Rows without any value are a note at the
 * end, where spreadsheets leave them, and faults elsewhere. Stricter about quotes than spreadsheets: a row that can be
 * read in two ways must not be sent. Written by hand because every fault needs its line and column, at the speed of a
 * plain split (see bench).
 */
export class CsvParser extends RecordParser {
  readonly #raw: boolean;
  #delimiter: string | undefined;
  /** Lines of the latest rows without any value. */
  #empty: number[] = [];

  /** `raw`: cells are taken as they are. Otherwise frontdesk's formula guard is removed. */
  constructor(raw: boolean) {
    super('a row of more than 8 million characters (is a closing quote missing?). Nothing after it was read');
    this.#raw = raw;
  }

  protected override readNext(start: number, isLast: boolean): number | undefined {
    const end = this.#endOfRow(start, isLast);
    if (end === undefined) return undefined;
    const text = this.text.slice(start, end.at);
    const hasQuotes = text.includes('"');
    if (text === '') {
      if (this.header !== undefined) this.#empty.push(this.line);
    } else if (this.header === undefined && this.#delimiter === undefined && SEPARATOR_LINE.test(text)) {
      this.#delimiter = text.slice('sep='.length);
    } else {
      this.#delimiter ??= sniffDelimiter(text);
      this.dialect ??= {
        delimiter: this.#delimiter,
        lineEnd: this.text.slice(end.at, end.next) || RFC_4180.lineEnd,
        mark: '',
      };
      const cells = hasQuotes ? cellsOf(text, this.#delimiter) : text.split(this.#delimiter);
      if ('problem' in cells) {
        if (isLast || cells.problem !== NEVER_CLOSED) this.#endAt(text, cells);
        return undefined;
      }
      this.#add(this.#raw || !GUARD.test(text) ? cells : cells.map(unguardCell));
    }
    this.line += hasQuotes ? 1 + countLineBreaks(text) : 1;
    return end.next;
  }

  protected override atEnd(): void {
    const [first] = this.#empty;
    if (first !== undefined) this.notes.push(emptyEndNote(this.#empty.length, first));
  }

  /** The end of the row that begins at `start`: a line break after an odd number of quotes belongs to a cell. */
  #endOfRow(start: number, isLast: boolean): LineEnd | undefined {
    let end = this.endOfLine(start, isLast);
    let isOpen = false;
    for (let from = start; end !== undefined; end = this.endOfLine(from, isLast)) {
      if (this.text.slice(from, end.at).split('"').length % 2 === 0) isOpen = !isOpen;
      if (!isOpen || end.at === this.text.length) return end;
      from = end.next;
    }
    // Too long, perhaps because of a misplaced quote.
    const { length } = this.text;
    return isOpen && length - start > MAX_RECORD_LENGTH ? { at: length, next: length } : undefined;
  }

  #add(cells: string[]): void {
    const { line } = this;
    if (this.header === undefined) {
      this.header = { names: cells, line };
      return;
    }
    const { names } = this.header;
    if (cells.length === names.length && cells.every((cell) => cell === '')) {
      this.#empty.push(line);
      return;
    }
    for (const empty of this.#empty) this.faults.push({ line: empty, problem: EMPTY_BETWEEN });
    if (this.#empty.length > 0) this.#empty = [];
    this.row += 1;
    if (cells.length === names.length) this.records.push({ row: this.row, line, names, values: cells });
    else this.faults.push({ line, problem: raggedProblem(cells, names) });
  }

  #endAt(row: string, { at, problem }: QuoteFault): void {
    const before = row.slice(0, at);
    const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    const column = String(countFrom(before, lineStart) + 1);
    const line = this.line + countLineBreaks(before);
    this.endWith({ line, problem: `${problem}. Nothing after it was read`, column });
  }
}

function cellsOf(row: string, delimiter: string): string[] | QuoteFault {
  const cells: string[] = [];
  for (let start = 0; ; ) {
    let end = row.indexOf(delimiter, start);
    if (end === -1) end = row.length;
    if (row[start] === '"') {
      end = closingQuote(row, start) + 1;
      if (end === 0) return { at: start, problem: NEVER_CLOSED };
      const isEnd = end === row.length || row[end] === delimiter;
      if (!isEnd) return { at: end, problem: 'text after the closing quote of a cell' };
      cells.push(row.slice(start + 1, end - 1).replaceAll('""', '"'));
    } else {
      const cell = row.slice(start, end);
      const quote = cell.indexOf('"');
      const problem = 'a quote inside a cell that does not start with one. Write "" inside quotes';
      if (quote !== -1) return { at: start + quote, problem };
      cells.push(cell);
    }
    if (end === row.length) return cells;
    start = end + 1;
  }
}

function closingQuote(row: string, start: number): number {
  let end = row.indexOf('"', start + 1);
  while (end !== -1 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
  return end;
}

function raggedProblem(cells: readonly string[], names: readonly string[]): string {
  const counts = `the row has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the header ${names.length}`;
  if (cells.length < names.length)
    return `${counts}. The first missing one is ${quoteValue(names[cells.length] ?? '')}`;
  return `${counts}. The first extra one is ${quoteValue(cells[names.length] ?? '')} (a text with a delimiter in it needs quotes)`;
}
