import type { Failure, Notice } from '../base/failure.ts';
import type { JsonObject, JsonValue } from '../base/json/value.ts';
import type { Column } from './column.ts';

/** Formats that a variable, a profile and the settings may choose. */
export const KEPT_FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type KeptFormat = (typeof KEPT_FORMATS)[number];
export const FORMATS = [...KEPT_FORMATS, 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** The format of that name, or undefined. */
export function asFormat(name: unknown): Format | undefined {
  return FORMATS.find((format) => format === name);
}

/** JSON for programs? Other formats have columns. */
export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

/** How a result is written: the options of every command, resolved. */
export interface OutputOptions {
  readonly format: Format;
  /** `--out` of an `.xlsx` result: the new file instead of stdout. */
  readonly out?: string | undefined;
  /** Called for the first 1,000 rows that do not fit into a sheet. */
  readonly refuse?: ((failure: Failure) => Promise<void>) | undefined;
  /** `--columns`, `--sort-by`: for table, csv and xlsx. */
  readonly columns?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly header: boolean;
  readonly csvRaw: boolean;
  /** The dialect of csv; undefined: RFC 4180. */
  readonly dialect?: CsvDialect | undefined;
  readonly query?: string | undefined;
  /** Called for what a query did not fit (`isPartial`: it is missing), and for what is odd about it. */
  readonly warn?: ((notice: Notice, isPartial: boolean) => Promise<void>) | undefined;
  readonly raw?: boolean | undefined;
  readonly colour: boolean;
  /** False if the locale is not UTF-8: borders and marks are ASCII then. */
  readonly unicode: boolean;
  /** For screen readers: no bar and no rule, which would be read out. */
  readonly isAccessible?: boolean | undefined;
  /** Masks frontdesk's own token in messages. */
  readonly mask?: ((text: string) => string) | undefined;
  /** Masks it in what is printed, in every format; undefined: one-time secrets, which are printed as they came. */
  readonly maskData?: ((text: string) => string) | undefined;
  /** Members shown as `<hidden, 1204 characters>` in table and csv. */
  readonly hideSensitive: readonly string[];
  /** Milliseconds since 1970, for the time until an expiry. */
  readonly now: number;
  /**
   * The profile that suggested commands have to name, if any, and the commands that were just done, of which none is to
   * be repeated; undefined: none are suggested, as at the desk.
   */
  readonly suggestions?: { readonly profile: string | undefined; readonly done?: readonly string[] } | undefined;
}

/** Writes the rows of a result. Each call is awaited before the next. */
export interface RowWriter {
  /** `number`: row number in the input, for messages. */
  row(row: JsonValue, number?: number): Promise<void>;
  /** Ends the document (closes the JSON array, draws the lower border). Called once in any case. */
  close(): Promise<void>;
}

/** A row writer that may hold rows back to write them together. */
export interface RowStream extends RowWriter {
  /** Resolves once no row waits. Never rejects: `row` and `close` report failures. */
  flush(): Promise<void>;
}

/** What else is on the terminal, such as a line of progress. */
export interface Surroundings {
  /** Removes it, right before rows are written. */
  clear(): void;
  /** Draws it again, right after. */
  restore(): void;
}

/** What happens to a table that is taller than its terminal. */
export interface WhenTall {
  /** Prints all rows, so that the first ones scroll away; else leaves out what has no room. */
  readonly keepsAll: boolean;
  /** The line below the table. `left`: how many rows were left out. */
  text(left: number): string;
}

/** A line of a page: what it is, and its text; empty: left out. Texts from outside are safe already. */
export type Fact = readonly [label: string, text: string];

/** The lines of a row, fitted to a terminal. */
export type Block = (row: JsonValue, style: ViewStyle) => readonly string[];

/** The result of a command, independent of its format. */
export type Result =
  /**
   * One resource. `view`: what a terminal shows instead of its members. `facts`: what it shows on a page of its own.
   * `beside`: lines that the screen has besides.
   */
  | {
      readonly kind: 'resource';
      readonly resource: JsonValue;
      readonly columns: readonly Column[];
      readonly view?: 'card' | 'whole';
      readonly beside?: number;
      readonly facts?: (resource: JsonObject) => readonly Fact[];
    }
  /** `rows` for all formats but json, which prints `document` if given. */
  | {
      readonly kind: 'list';
      readonly document?: JsonValue;
      readonly rows: readonly JsonValue[];
      readonly columns: readonly Column[];
      /** Shown in a terminal instead of an empty table. */
      readonly whenEmpty?: string;
      readonly whenTall?: WhenTall;
      /** Several lines for each row, in a terminal instead of a table. */
      readonly block?: Block;
    }
  /**
   * A text for people, whose foreign parts are safe already, and the same as JSON. `isProse`: its long lines are broken
   * between words in a terminal.
   */
  | { readonly kind: 'text'; readonly text: string; readonly json: JsonValue; readonly isProse?: true };

/** What a view for people in a terminal may depend on. */
export type ViewStyle = Pick<OutputOptions, 'colour' | 'unicode' | 'isAccessible' | 'now' | 'suggestions'> & {
  readonly width: number;
};

/** How a CSV is written. `mark`: a byte order mark, or empty. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly mark: string;
}

export const RFC_4180: CsvDialect = { delimiter: ',', lineEnd: '\r\n', mark: '' };
