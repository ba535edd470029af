import { countFrom } from '../../base/json/shorten.ts';
import { unguardCell } from '../../screen/formula-guard.ts';
import { RFC_4180 } from '../../screen/options.ts';
import { packCells, quoteValue } from '../values.ts';
import { zerosProblem } from './columns.ts';
import { emptyBetween, emptyEndNote } from './fault-place.ts';
import {
  countLineBreaks,
  type LineEnd,
  MAX_RECORD_LENGTH,
  type Problem,
  type RawRecord,
  RecordParser,
} from './record.ts';

const DELIMITERS = [',', ';', '\t'] as const;
/** Rows without these have no guard of formulas, and none of zeros. */
const GUARD = /'|="/;
const DOUBLED = String.raw`each line end is there twice (\r\r\n): save the file again with one line end for each row`;
const MIXED =
  'a carriage return (CR) alone ends some lines, but not all: put the cell that holds it in quotes, or save the file again with one kind of line end';
/** The first line in which some spreadsheets name the delimiter. */
const SEPARATOR_LINE = /^sep=[^"\s]$|^sep=\t$/i;
const NEVER_CLOSED = 'a quote that is not closed';

interface QuoteFault {
  /** Index of the character at fault in the row's text. */
  readonly at: number;
  readonly problem: string;
}

/** The guards of zeros among the cells of a row, by their index. */
function zerosOf(cells: readonly string[]): RawRecord['problems'] {
  const problems = new Map<number, Problem>();
  cells.forEach((cell, index) => {
    const problem = zerosProblem(cell);
    if (problem !== undefined) problems.set(index, problem);
  });
  return problems.size === 0 ? undefined : problems;
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
  /** The end of the line before. */
  #lastEnd = '';
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
    const lineEnd = this.text.slice(end.at, end.next);
    if (text === '' && lineEnd === '\r\n' && this.#lastEnd === '\r') {
      this.endWith({ line: this.line, problem: DOUBLED });
      return undefined;
    }
    this.#lastEnd = lineEnd;
    const usual = this.dialect?.lineEnd ?? lineEnd;
    if (lineEnd !== '' && (lineEnd === '\r') !== (usual === '\r')) {
      this.endWith({ line: this.line, problem: MIXED });
      return undefined;
    }
    const hasQuotes = text.includes('"');
    if (text === '') {
      if (this.header !== undefined) this.#empty.push(this.line);
    } else if (this.header === undefined && this.#delimiter === undefined && SEPARATOR_LINE.test(text)) {
      this.#delimiter = text.slice('sep='.length);
    } else if (!this.#readRow(text, lineEnd, isLast)) return undefined;
    this.line += hasQuotes ? 1 + countLineBreaks(text) : 1;
    return end.next;
  }

  /** Reads the header or a row. Returns false if it is incomplete or ends the input. */
  #readRow(text: string, lineEnd: string, isLast: boolean): boolean {
    this.#delimiter ??= sniffDelimiter(text);
    this.dialect ??= { delimiter: this.#delimiter, lineEnd: lineEnd || RFC_4180.lineEnd, mark: '' };
    const cells = text.includes('"') ? cellsOf(text, this.#delimiter) : text.split(this.#delimiter);
    if ('problem' in cells) {
      if (isLast || cells.problem !== NEVER_CLOSED) this.#endAt(text, cells);
      return false;
    }
    if (GUARD.test(text)) this.#add(this.#raw ? cells : cells.map(unguardCell), zerosOf(cells));
    else this.#add(cells);
    return true;
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

  #add(cells: string[], problems?: RawRecord['problems']): void {
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
    for (const empty of this.#empty) this.faults.push(emptyBetween(empty, this.row));
    if (this.#empty.length > 0) this.#empty = [];
    this.row += 1;
    // A row without empty cells is packed already.
    const values = cells.includes('') ? packCells(cells.entries()) : cells;
    if (cells.length === names.length) this.records.push({ row: this.row, line, names, values, problems });
    else this.faults.push({ line, row: this.row, ...raggedProblem(cells, names) });
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
    const cell = cellAt(row, start, delimiter);
    if ('problem' in cell) return cell;
    cells.push(cell.text);
    if (cell.end === row.length) return cells;
    start = cell.end + 1;
  }
}

/** The cell that begins at `start`. Without quotes around it, too, `="00042"` is one: its fault says what was meant. */
function cellAt(row: string, start: number, delimiter: string): { text: string; end: number } | QuoteFault {
  const isGuard = row.startsWith('="', start);
  if (row[start] === '"' || isGuard) {
    const end = closingQuote(row, isGuard ? start + 1 : start) + 1;
    if (end === 0) return { at: start, problem: NEVER_CLOSED };
    const isEnd = end === row.length || row[end] === delimiter;
    if (!isEnd) return { at: end, problem: 'text after the closing quote of a cell' };
    return { text: isGuard ? row.slice(start, end) : row.slice(start + 1, end - 1).replaceAll('""', '"'), end };
  }
  const found = row.indexOf(delimiter, start);
  const end = found === -1 ? row.length : found;
  const text = row.slice(start, end);
  const quote = text.indexOf('"');
  const problem = 'a quote inside a cell that does not start with one. Write "" inside quotes';
  return quote === -1 ? { text, end } : { at: start + quote, problem };
}

function closingQuote(row: string, start: number): number {
  let end = row.indexOf('"', start + 1);
  while (end !== -1 && row[end + 1] === '"') end = row.indexOf('"', end + 2);
  return end;
}

function raggedProblem(cells: readonly string[], names: readonly string[]): Problem {
  const counts = `the row has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the header ${names.length}`;
  if (cells.length < names.length)
    return {
      kind: 'few',
      problem: `${counts}. The first missing one is ${quoteValue(names[cells.length] ?? '')}: add its delimiter, with nothing between for an empty cell`,
    };
  if (cells.slice(names.length).every((cell) => cell === ''))
    return { kind: 'empty', problem: `${counts}, and what is more is empty: delete the delimiters at the end` };
  const extra = quoteValue(cells[names.length] ?? '');
  return {
    kind: 'many',
    problem: `${counts}. The first extra one is ${extra} (a text with a delimiter in it needs quotes)`,
  };
}
