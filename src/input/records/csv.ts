import { unguardCell } from '../../output/formula-guard.ts';
import { quoteGiven } from '../given.ts';
import { countLineBreaks, RecordParser } from './record.ts';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const APOSTROPHE = 0x27;
const HEADER = /(?:[^"\r\n]+|"[^"]*")*/y;
const DELIMITERS = [',', ';', '\t'] as const;

interface QuoteFault {
  /** Index of the character at fault. */
  readonly at: number;
  readonly problem: string;
}

/**
 * The delimiter that separates the most names of a header, outside quotes; a header of one name has none, and
 * then it is the comma.
 */
export function sniffDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"?/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * RFC 4180 as a stream: any of the three delimiters, CRLF, LF or CR, quoted line breaks; a blank line is a row without values.
 * Stricter than spreadsheets about quotes, because a row that can be read in two ways must not be sent.
 * Written by hand since every fault needs its line and column, at the speed of a plain split (see bench).
 */
export class CsvParser extends RecordParser {
  readonly #raw: boolean;
  #index = 0;
  #delimiter: string | undefined;
  /** Positions of the next quote and the next CR at or after `#index`; looked up again once passed. */
  #nextQuote = -1;
  #nextReturn = -1;

  /** `raw`: cells are taken as they are. Else what the guard of our own CSV output added is taken away again. */
  constructor(raw: boolean) {
    super('a row of more than 8 million characters; is a closing quote missing?; nothing after it was read');
    this.#raw = raw;
  }

  protected override read(isLast: boolean): number {
    this.#index = 0;
    this.#nextQuote = -1;
    this.#nextReturn = -1;
    while (!this.ended && this.#index < this.text.length && this.#readRecord(isLast)) {
      // each call takes one record
    }
    return this.#index;
  }

  /** Takes one record; false when its end is not here yet. */
  #readRecord(isLast: boolean): boolean {
    const start = this.#index;
    if (this.#nextQuote < start) this.#nextQuote = indexOrEnd(this.text, '"', start);
    const end = this.#lineEnd(start);
    if (this.#nextQuote < end) return this.#readQuoted(start, isLast);
    if (!this.#hasBreak(end, isLast)) return false;
    const line = this.text.slice(start, end);
    if (line !== '') {
      this.#delimiter ??= sniffDelimiter(line);
      this.#add(line.split(this.#delimiter), this.line);
    } else if (this.header !== undefined)
      this.#add(
        Array.from(this.header.names, () => ''),
        this.line,
      );
    this.#stepOver(end);
    return true;
  }

  /** Index of the line break at or after `from`, or the end of the text. */
  #lineEnd(from: number): number {
    const text = this.text;
    if (this.#nextReturn < from) this.#nextReturn = indexOrEnd(text, '\r', from);
    const feed = indexOrEnd(text, '\n', from);
    return Math.min(feed, this.#nextReturn);
  }

  /** Is the line break at `end` all here? A CR at the very end may be half of CRLF. */
  #hasBreak(end: number, isLast: boolean): boolean {
    if (isLast) return true;
    return end < this.text.length && !(this.text.charCodeAt(end) === CR && end + 1 === this.text.length);
  }

  #stepOver(end: number): void {
    const isPair = this.text.charCodeAt(end) === CR && this.text.charCodeAt(end + 1) === LF;
    this.#index = end + (isPair ? 2 : 1);
    this.line += 1;
  }

  #readQuoted(start: number, isLast: boolean): boolean {
    const text = this.text;
    if (this.#delimiter === undefined) {
      const header = headerLine(text, start);
      if (header === undefined && !isLast) return false;
      this.#delimiter = sniffDelimiter(header ?? text.slice(start));
    }
    const cells: string[] = [];
    let index = start;
    for (;;) {
      const cell = this.#readCell(index, this.#delimiter, isLast);
      if (cell === undefined) return false;
      if ('problem' in cell) {
        this.#endAt(start, cell);
        return false;
      }
      cells.push(cell.value);
      if (text[cell.end] !== this.#delimiter) {
        if (!this.#hasBreak(cell.end, isLast)) return false;
        const line = this.line;
        this.line += countLineBreaks(text.slice(start, cell.end));
        this.#add(cells, line);
        this.#stepOver(cell.end);
        return true;
      }
      index = cell.end + 1;
    }
  }

  /** One cell from `start`; `end` is the delimiter or line break after it. Undefined: not all here yet. */
  #readCell(
    start: number,
    delimiter: string,
    isLast: boolean,
  ): { value: string; end: number } | QuoteFault | undefined {
    const text = this.text;
    if (text.charCodeAt(start) !== QUOTE) {
      const end = Math.min(this.#lineEnd(start), indexOrEnd(text, delimiter, start));
      const quote = text.slice(start, end).indexOf('"');
      if (quote === -1) return { value: text.slice(start, end), end };
      return {
        at: start + quote,
        problem: 'a quote inside a cell that does not begin with one; write "" inside quotes',
      };
    }
    let value = '';
    let from = start + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote === -1) return isLast ? { at: start, problem: 'a quote that is never closed' } : undefined;
      const after = text.charCodeAt(quote + 1);
      if (Number.isNaN(after) && !isLast) return undefined;
      value += text.slice(from, quote);
      if (after !== QUOTE) {
        const isEnd = Number.isNaN(after) || after === LF || after === CR || text[quote + 1] === delimiter;
        if (isEnd) return { value, end: quote + 1 };
        return { at: quote + 1, problem: 'text after the closing quote of a cell' };
      }
      value += '"';
      from = quote + 2;
    }
  }

  #add(cells: string[], line: number): void {
    if (!this.#raw) unguard(cells);
    if (this.header === undefined) {
      this.header = { names: cells, line };
      return;
    }
    this.row += 1;
    const { names } = this.header;
    if (cells.length === names.length) this.records.push({ row: this.row, line, names, values: cells });
    else this.faults.push({ line, problem: raggedProblem(cells, names) });
  }

  #endAt(start: number, fault: QuoteFault): void {
    const before = this.text.slice(start, fault.at);
    const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    const column = String(Array.from(before.slice(lineStart)).length + 1);
    const line = this.line + countLineBreaks(before);
    this.endWith({ line, problem: `${fault.problem}; nothing after it was read`, column });
  }
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

/** The first line from `start`, line breaks inside quotes included; undefined when its end is not here. */
function headerLine(text: string, start: number): string | undefined {
  HEADER.lastIndex = start;
  const [header = ''] = HEADER.exec(text) ?? [];
  return /[\r\n]/.test(text[HEADER.lastIndex] ?? '') ? header : undefined;
}

function unguard(cells: string[]): void {
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (cell !== undefined && (cell.charCodeAt(0) === APOSTROPHE || cell.includes('\\')))
      cells[index] = unguardCell(cell);
  }
}

function raggedProblem(cells: readonly string[], names: readonly string[]): string {
  const counts = `the row has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, the header ${names.length}`;
  if (cells.length < names.length)
    return `${counts}; the first one missing is ${quoteGiven(names[cells.length] ?? '')}`;
  return `${counts}; the first one too many is ${quoteGiven(cells[names.length] ?? '')} (a text with a delimiter in it needs quotes)`;
}
