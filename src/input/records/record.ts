import type { JsonObject, JsonValue } from '../../json/value.ts';

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
  /** Workbooks: the sheet. */
  readonly sheet?: string;
  /** Workbooks: the row is not shown, by a filter or by hand. */
  readonly isHidden?: boolean;
  /** Workbooks: what is wrong with cells, by their index in `values`. */
  readonly problems?: ReadonlyMap<number, string>;
  /** Plans: what stands beside the id, and the body exactly as it will be sent. */
  readonly planned?: Planned;
}

/** What a plan has of a row besides its number and id. */
export interface Planned {
  /** Undefined: the request has no body. */
  readonly body: JsonObject | undefined;
  /** A card: status and updatedAt as read. An update against an older file: the old cells. */
  readonly before?: JsonObject | undefined;
  /** Of a card: its reference and balance as read, for reviewers; never compared. */
  readonly about?: JsonObject | undefined;
  /** Whether the row is compared with `before` again right before it is sent. */
  readonly drift: 'checked' | 'unchecked';
}

/** Something wrong at a place of the input. */
export interface InputFault {
  /** 1-based. */
  readonly line: number;
  /** Given for JSON arrays, where many rows may share a line. */
  readonly row?: number;
  /** Its name, or `17` where only the position in the line is known; absent: the whole line, or `field`. */
  readonly column?: string;
  /** A field that no column brings. */
  readonly field?: string;
  /** Given for workbooks: the sheet, and the column of the cell from 0, if the fault lies in one. */
  readonly sheet?: string;
  readonly cell?: number;
  readonly problem: string;
  /** What was given as a card id and is none. */
  readonly refusedId?: string | undefined;
}

/** `plan` is no format of `--from`: its reader brings the parser. */
export const INPUT_FORMATS = ['csv', 'xlsx', 'ndjson', 'json', 'ids', 'plan'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];
/** The formats that are text. */
export type TextFormat = Exclude<InputFormat, 'xlsx'>;

/** Is the input a table, with one header for all rows and cells that are strings? */
export function isTable(format: string): boolean {
  return format === 'csv' || format === 'xlsx';
}

/** Is it a row of a table in which nothing stands? */
export function isEmptyRow({ values, problems }: RawRecord): boolean {
  return (problems === undefined || problems.size === 0) && values.every((value) => value === '');
}

/** The names of the columns, and where they stand. */
export interface InputHeader {
  readonly names: readonly string[];
  readonly line: number;
  /** Workbooks. */
  readonly sheet?: string;
}

/** What one piece of an input gave. */
export interface RecordBatch {
  readonly records: readonly RawRecord[];
  readonly faults: readonly InputFault[];
}

/** How an input is read. */
export interface ReadOptions {
  /** For messages: the file. */
  readonly name: string;
  /** undefined: found by the extension of `path`, else by the content. */
  readonly format: InputFormat | undefined;
  /** Of a plan: what reads its lines. */
  readonly parser?: RecordParser;
  /** Its extension may tell the format; `-` for stdin. */
  readonly path: string;
  /** `--csv-raw`: CSV cells are taken as they are. */
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
  /** What a person should know of how the input is read. */
  readonly notes?: readonly string[];
}

/**
 * A row may not be longer than this (UTF-16 units): far above any card with its transactions, and it stops a
 * quote that was never closed from taking the whole file into memory.
 */
export const MAX_RECORD_LENGTH = 8 * 1024 * 1024;

/**
 * Takes the text of an input piece by piece and gives back its rows. A fault after which nothing more can be
 * read (a quote that was never closed) sets `ended`.
 */
export abstract class RecordParser {
  /** The header of a CSV file once it was read, and the line it stands on. */
  header: InputHeader | undefined;
  ended = false;
  /** Text of the row that is not complete yet; `line` is the line on which it begins. */
  protected text = '';
  protected line = 1;
  protected row = 0;
  protected records: RawRecord[] = [];
  protected faults: InputFault[] = [];
  readonly #tooLong: string;

  /** `tooLong`: what is said of a row that is longer than any should be. */
  constructor(tooLong: string) {
    this.#tooLong = tooLong;
  }

  /** `isLast`: the input ends with this text, so the last row may lack its line break. */
  take(added: string, isLast: boolean): RecordBatch {
    this.records = [];
    this.faults = [];
    if (!this.ended) {
      this.text += added;
      this.text = this.text.slice(this.read(isLast, added === ''));
      if (this.text.length > MAX_RECORD_LENGTH && !this.ended)
        this.endWith({ line: this.line, problem: this.#tooLong });
    }
    return { records: this.records, faults: this.faults };
  }

  /** Line of the first character that was not taken yet. */
  currentLine(): number {
    return this.line + countLineBreaks(this.text);
  }

  /** Reads what is complete of the text, and returns where that ends. `isAll`: nothing was added to it. */
  protected abstract read(isLast: boolean, isAll: boolean): number;

  protected endWith(fault: InputFault): void {
    this.faults.push(fault);
    this.ended = true;
  }

  /** Keeps one element of the input as its next row. */
  protected addElement(element: Element): void {
    this.row += 1;
    if ('problem' in element) this.faults.push({ line: this.line, problem: element.problem });
    else this.records.push({ row: this.row, line: this.line, ...element });
  }
}

/** What an element holds: a row, which may bring its own number, or what is wrong. `isEnd`: nothing after it is read. */
export type Element =
  | (Omit<RawRecord, 'row' | 'line'> & { readonly row?: number })
  | { readonly problem: string; readonly isEnd?: boolean };

const LINE_BREAK = /\r\n|\n|\r/g;

/** Line breaks of every kind, CRLF as one. */
export function countLineBreaks(text: string): number {
  let count = 0;
  LINE_BREAK.lastIndex = 0;
  while (LINE_BREAK.test(text)) count += 1;
  return count;
}
