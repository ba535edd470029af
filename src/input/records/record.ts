import type { JsonObject, JsonValue } from '../../base/json/value.ts';
import type { CsvDialect } from '../../screen/options.ts';
import type { PackedCells } from '../values.ts';

/** One row of an input: names and values, in the order of the input. */
export interface RawRecord {
  /** 1-based in the whole input; blank lines do not count. */
  readonly row: number;
  /** 1-based line of the file at which the row begins. */
  readonly line: number;
  /** One array for all rows of a CSV file. */
  readonly names: readonly string[];
  /** The names as in the input, if `--map` gave some others. */
  readonly columns?: readonly string[];
  /** CSV, workbooks and ID lists: strings. JSON: values as parsed. */
  readonly values: PackedCells<JsonValue>;
  readonly sheet?: string;
  /** Workbooks: the row is hidden, by a filter or by hand. */
  readonly isHidden?: boolean;
  /** Tables: what is wrong with cells, by their place. */
  readonly problems?: ReadonlyMap<number, Problem> | undefined;
  /** JSON: the row exactly as in the input. */
  readonly text?: string;
  readonly object?: JsonObject;
}

/** What is wrong. */
export interface Problem {
  readonly problem: string;
  /** What faults of one kind have in common if their words differ: they are counted, and the first is listed. */
  readonly kind?: string | undefined;
}

/** Something wrong at a place of the input. */
export interface InputFault extends Problem {
  /** 1-based. */
  readonly line: number;
  /** Below a header, and in JSON arrays, where many rows may share a line. */
  readonly row?: number | undefined;
  /** Absent: the same. */
  readonly ofRow?: number | undefined;
  /** Of several rows the last one. */
  readonly lastRow?: number;
  /** The column's name, or `17` if only the position is known. Missing: the whole line, or `field`. */
  readonly column?: string | undefined;
  readonly field?: string | undefined;
  /** Workbooks: the sheet. */
  readonly sheet?: string | undefined;
  /** Tables: the column of the cell from 0 if one is at fault. */
  readonly cell?: number | undefined;
  /** What was given as a card ID. */
  readonly refusedId?: string | undefined;
  /** The option that reads a header as the field that it nearly names. */
  readonly map?: string | undefined;
  /** Nothing behind it was read. */
  readonly isEnd?: boolean;
  /** It names something of its own, such as an ID: it is never counted with others. */
  readonly isUnique?: boolean | undefined;
  /** How many of its kind there are in the column, itself included. */
  readonly count?: number;
}

export type InputFormat = 'csv' | 'xlsx' | 'ndjson' | 'json' | 'ids';
export type TextFormat = Exclude<InputFormat, 'xlsx'>;

/** Is the input a table, with one header for all rows and cells that are strings? */
export function isTable(format: string): boolean {
  return format === 'csv' || format === 'xlsx';
}

export interface InputHeader {
  readonly names: readonly string[];
  /** The same as in the input, if `--map` gave some others. */
  readonly columns?: readonly string[];
  readonly line: number;
  readonly sheet?: string | undefined;
  /** Workbooks: names of hidden columns. */
  readonly hidden?: readonly string[];
}

export interface ReadOptions {
  /** For messages: the file. */
  readonly name: string;
  /** undefined: by the extension of `path`, else by the content. */
  readonly format: InputFormat | undefined;
  /** `-` for stdin. Its extension may give the format. */
  readonly path: string;
  readonly csvRaw: boolean;
  /** The sheet of a workbook; undefined: the first that is not hidden. */
  readonly sheet: string | undefined;
  /** It is the older file of `--changed-from`, which may have another format or sheet name. */
  readonly isOlder?: true;
  /** Are the IDs those of cards, which can be told from other text? */
  readonly takesCards: boolean;
  /** May a header have this name? Tells a header from an ID. */
  isColumn(name: string): boolean;
}

/** A piece of an input: its rows and faults, and what is known of the input so far. */
export interface ReadBatch {
  readonly records: readonly RawRecord[];
  readonly faults: readonly InputFault[];
  readonly notes: readonly string[];
  readonly format: InputFormat;
  readonly header: InputHeader | undefined;
  /** How a CSV is written, once its header was read. */
  readonly dialect?: CsvDialect | undefined;
}

/** Longest row in UTF-16 units, far above any card. An unclosed quote must not take the whole file into memory. */
export const MAX_RECORD_LENGTH = 8 * 1024 * 1024;

/** Where a line ends, and where the next one begins. */
export interface LineEnd {
  readonly at: number;
  readonly next: number;
}

/** Takes the text of an input piece by piece and returns its rows. `ended`: a fault makes the rest unreadable. */
export abstract class RecordParser {
  /** The header of a CSV once it was read, and its line. */
  header: InputHeader | undefined;
  dialect: CsvDialect | undefined;
  ended = false;
  /** Text that was not taken yet. `line`: the line on which it begins. */
  protected text = '';
  protected line = 1;
  protected row = 0;
  protected records: RawRecord[] = [];
  protected faults: InputFault[] = [];
  protected notes: string[] = [];
  readonly #tooLong: string;
  /** Length at which the text is read again: twice what was too short, so that a long row is read few times. */
  #enough = 0;
  /** The next CR. Searched again once it is passed. */
  #nextReturn = -1;
  #names: readonly string[] = [];

  /** `tooLong`: the problem of a row over the limit. */
  constructor(tooLong: string) {
    this.#tooLong = tooLong;
  }

  /** `isLast`: the last row may lack its line break. Without new text, everything is read again. */
  take(added: string, isLast: boolean): Pick<ReadBatch, 'records' | 'faults' | 'notes'> {
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

  /** Line of the first character that was not taken. */
  currentLine(): number {
    return this.line + countLineBreaks(this.text);
  }

  /** Reads a row, or what is between two, at `start`. Returns its end; undefined if it is incomplete. */
  protected abstract readNext(start: number, isLast: boolean): number | undefined;

  protected atEnd(): void {}

  /** The end of the line that holds `start`; undefined if it is incomplete. */
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
    this.faults.push({ ...fault, isEnd: true });
    this.ended = true;
  }

  protected addElement(element: Element): void {
    this.row += 1;
    if ('problem' in element) {
      const fault = { line: this.line, ofRow: this.row, problem: element.problem, kind: element.kind };
      if (element.isEnd === true) this.endWith(fault);
      else this.faults.push(fault);
      return;
    }
    const { names } = element;
    // Rows of one shape share their names, so that their roles are found once.
    const isSame = names.length === this.#names.length && names.every((name, index) => name === this.#names[index]);
    if (!isSame) this.#names = names;
    this.records.push({ row: this.row, line: this.line, ...element, names: this.#names });
  }
}

/** A row, or what is wrong with it. `isEnd`: nothing after it is read. */
export type Element = Omit<RawRecord, 'row' | 'line'> | (Problem & { readonly isEnd?: boolean });

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** Line breaks of every kind, CRLF as one. */
export function countLineBreaks(text: string): number {
  return text.split(LINE_BREAK).length - 1;
}
