import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { CsvDialect } from '../../output/options.ts';

/** One row of an input as it was read: names and values side by side, in the order of the input. */
export interface RawRecord {
  /** 1-based in the whole input; blank lines do not count. */
  readonly row: number;
  /** 1-based line of the file at which the row begins. */
  readonly line: number;
  /** One array for all rows of a CSV file. */
  readonly names: readonly string[];
  /** CSV, workbooks and id lists: strings. JSON: values as parsed. */
  readonly values: readonly JsonValue[];
  readonly sheet?: string;
  /** Workbooks: the row is not shown, by a filter or by hand. */
  readonly isHidden?: boolean;
  /** Workbooks: what is wrong with cells, by their index in `values`. */
  readonly problems?: ReadonlyMap<number, string>;
  /** JSON: the row as it stands in the input, and what it holds. */
  readonly text?: string;
  readonly object?: JsonObject;
}

/** Something wrong at a place of the input. */
export interface InputFault {
  /** 1-based. */
  readonly line: number;
  /** Given for JSON arrays, where many rows may share a line. */
  readonly row?: number | undefined;
  /** Its name, or `17` where only the position in the line is known; absent: the whole line, or `field`. */
  readonly column?: string | undefined;
  /** A field that no column brings. */
  readonly field?: string | undefined;
  /** Given for workbooks: the sheet, and the column of the cell from 0, if the fault lies in one. */
  readonly sheet?: string | undefined;
  readonly cell?: number | undefined;
  /** Given for tables: the column from 0. */
  readonly index?: number | undefined;
  readonly problem: string;
  /** What was given as a card id and is none. */
  readonly refusedId?: string | undefined;
}

export type InputFormat = 'csv' | 'xlsx' | 'ndjson' | 'json' | 'ids';
/** The formats that are text. */
export type TextFormat = Exclude<InputFormat, 'xlsx'>;

/** Is the input a table, with one header for all rows and cells that are strings? */
export function isTable(format: string): boolean {
  return format === 'csv' || format === 'xlsx';
}

/** The names of the columns, and where they stand. */
export interface InputHeader {
  readonly names: readonly string[];
  readonly line: number;
  readonly sheet?: string | undefined;
  /** Workbooks: names of columns that the sheet does not show. */
  readonly hidden?: readonly string[];
}

/** What one piece of an input gave. */
export interface RecordBatch {
  readonly records: readonly RawRecord[];
  readonly faults: readonly InputFault[];
  readonly notes: readonly string[];
}

/** How an input is read. */
export interface ReadOptions {
  /** For messages: the file. */
  readonly name: string;
  /** undefined: found by the extension of `path`, else by the content. */
  readonly format: InputFormat | undefined;
  /** Its extension may tell the format; `-` for stdin. */
  readonly path: string;
  readonly csvRaw: boolean;
  /** The sheet of a workbook; undefined: the first that is not hidden. */
  readonly sheet: string | undefined;
  /** It is the older file of `--changed-from`, which need not be a workbook nor call its only sheet the same. */
  readonly isOlder?: true;
  /** Names that a header may have, to tell a header from an id. */
  readonly columns: readonly string[];
}

/** A piece of an input: its rows and faults, and what is known of the input by then. */
export interface ReadBatch extends RecordBatch {
  readonly format: InputFormat;
  readonly header: InputHeader | undefined;
  /** How a CSV is written, once its header was read. */
  readonly dialect?: CsvDialect | undefined;
}

/**
 * A row may not be longer than this (UTF-16 units): far above any card with its transactions, and it stops a
 * quote that was never closed from taking the whole file into memory.
 */
export const MAX_RECORD_LENGTH = 8 * 1024 * 1024;

/** Where a line ends, and where the next one begins. */
export interface LineEnd {
  readonly at: number;
  readonly next: number;
}

/**
 * Takes the text of an input piece by piece and gives back its rows. A fault after which nothing more can be
 * read (a quote that was never closed) sets `ended`.
 */
export abstract class RecordParser {
  /** The header of a CSV file once it was read, and the line it stands on. */
  header: InputHeader | undefined;
  dialect: CsvDialect | undefined;
  ended = false;
  /** What was not taken yet; `line` is the line on which it begins. */
  protected text = '';
  protected line = 1;
  protected row = 0;
  protected records: RawRecord[] = [];
  protected faults: InputFault[] = [];
  protected notes: string[] = [];
  readonly #tooLong: string;
  /** Length from which on the text is read again: twice what was too short, so that a long row is not read many times. */
  #enough = 0;
  /** The CR at or behind the line that is looked for; looked up again once it is passed. */
  #nextReturn = -1;
  #names: readonly string[] = [];

  /** `tooLong`: what is said of a row that is longer than any should be. */
  constructor(tooLong: string) {
    this.#tooLong = tooLong;
  }

  /** `isLast`: the input ends with this text, so the last row may lack its line break. Without new text all is read again. */
  take(added: string, isLast: boolean): RecordBatch {
    this.records = [];
    this.faults = [];
    this.text += added;
    if (isLast || added === '' || this.text.length >= Math.min(this.#enough, MAX_RECORD_LENGTH)) {
      let index = 0;
      this.#nextReturn = -1;
      for (let next: number | undefined = 0; next !== undefined; ) {
        index = next;
        next = this.ended || index === this.text.length ? undefined : this.readNext(index, isLast);
      }
      this.text = this.text.slice(index);
      this.#enough = 2 * this.text.length;
    }
    if (isLast && !this.ended) this.atEnd();
    if (this.text.length > MAX_RECORD_LENGTH && !this.ended) this.endWith({ line: this.line, problem: this.#tooLong });
    return { records: this.records, faults: this.faults, notes: this.notes };
  }

  /** Line of the first character that was not taken yet. */
  currentLine(): number {
    return this.line + countLineBreaks(this.text);
  }

  /** Reads what stands at `start`, a row or what is between two. Answers where that ends; undefined: it is not all here. */
  protected abstract readNext(start: number, isLast: boolean): number | undefined;

  protected atEnd(): void {}

  /** The end of the line that holds `start`; undefined: it is not all here. */
  protected endOfLine(start: number, isLast: boolean): LineEnd | undefined {
    const { text } = this;
    if (this.#nextReturn < start) this.#nextReturn = indexOrEnd(text, '\r', start);
    const at = Math.min(indexOrEnd(text, '\n', start), this.#nextReturn);
    const isReturn = at === this.#nextReturn;
    // A CR at the very end may be half of CRLF.
    if (!isLast && at + (isReturn ? 1 : 0) >= text.length) return undefined;
    return { at, next: Math.min(text.length, at + (isReturn && text[at + 1] === '\n' ? 2 : 1)) };
  }

  protected endWith(fault: InputFault): void {
    this.faults.push(fault);
    this.ended = true;
  }

  protected addElement(element: Element): void {
    this.row += 1;
    if ('problem' in element) {
      this.faults.push({ line: this.line, problem: element.problem });
      return;
    }
    const { names } = element;
    // Rows of one shape share their names, so that what these are for is found once.
    const isSame = names.length === this.#names.length && names.every((name, index) => name === this.#names[index]);
    if (!isSame) this.#names = names;
    this.records.push({ row: this.row, line: this.line, ...element, names: this.#names });
  }
}

/** What an element holds: a row, or what is wrong. `isEnd`: nothing after it is read. */
export type Element = Omit<RawRecord, 'row' | 'line'> | { readonly problem: string; readonly isEnd?: boolean };

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** Line breaks of every kind, CRLF as one. */
export function countLineBreaks(text: string): number {
  return text.split(LINE_BREAK).length - 1;
}
