import type { Failure } from '../failure.ts';
import type { JsonValue } from '../json/value.ts';
import type { Column } from './column.ts';

/** Those that a variable, a profile and the settings may choose: a workbook is chosen by the option alone. */
export const KEPT_FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type KeptFormat = (typeof KEPT_FORMATS)[number];
export const FORMATS = [...KEPT_FORMATS, 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** The format of that name, if it is one. */
export function asFormat(name: unknown): Format | undefined {
  return FORMATS.find((format) => format === name);
}

/** Is it JSON, for programs? The others are made of columns. */
export function isJson(format: Format): boolean {
  return format === 'json' || format === 'ndjson';
}

/** How a result is to be written: the options that every command has, resolved. */
export interface OutputOptions {
  readonly format: Format;
  /** `--out` of a workbook: the new file that it goes to in the place of stdout. */
  readonly out?: string | undefined;
  /** Hears of each row that a workbook has no room for. */
  readonly refuse?: ((failure: Failure) => Promise<void>) | undefined;
  /** `--columns`, `--sort-by`: for table, csv and xlsx. */
  readonly columns?: string | undefined;
  readonly sortBy?: string | undefined;
  readonly header: boolean;
  readonly csvRaw: boolean;
  /** How csv is written; undefined: as RFC 4180 has it. */
  readonly dialect?: CsvDialect | undefined;
  /** `--query`, a JMESPath expression. */
  readonly query?: string | undefined;
  /** `--raw`: texts that a query finds are printed as they are. */
  readonly raw?: boolean | undefined;
  readonly colour: boolean;
  /** False where the locale is not UTF-8: borders and marks are then ASCII. */
  readonly unicode: boolean;
  /** For a screen reader: no bar and no rule, which are read out or are a silence. */
  readonly isAccessible?: boolean | undefined;
  /** Masks frontdesk's own token, should the service echo it; applied in every format. */
  readonly mask?: ((text: string) => string) | undefined;
  /** Members shown as `<hidden, 1204 characters>` in table and csv. */
  readonly hideSensitive: readonly string[];
  /** Wall clock, milliseconds since 1970, for how far away an expiry is. */
  readonly now: number;
  /**
   * How to call frontdesk again with the same profile, for commands ready to copy: `frontdesk -p demo`; undefined where no
   * command line can be given, as at the desk.
   */
  readonly command?: string | undefined;
}

/** Writes the rows of a result one after the other; each call is awaited before the next. */
export interface RowWriter {
  /** `number`: of the row in the input, for messages. */
  row(row: JsonValue, number?: number): Promise<void>;
  /** Ends the document (closes the JSON array, draws the lower border). Called once, whatever happened. */
  close(): Promise<void>;
}

/** Rows of a run. Some may still wait to be written together. */
export interface RowStream extends RowWriter {
  /** Resolves once no row waits; never rejects, as `row` and `close` say what went wrong. */
  flush(): Promise<void>;
}

/** What else stands on the terminal that rows are written to, such as a line of progress. */
export interface Surroundings {
  /** Right before rows are written: takes it away. */
  clear(): void;
  /** Right after: puts it back. */
  restore(): void;
}

/** What becomes of a table that is taller than its terminal, where the first rows are what matters. */
export interface WhenTall {
  /** All rows are printed, so the first ones scroll away; else those that have no room are left out. */
  readonly keepsAll: boolean;
  /** The line below the table; `left`: how many rows were left out. */
  text(left: number): string;
}

/** The result of a command, before it is decided how it looks. */
export type Result =
  /** One resource. `view` names what people get on a terminal instead of a list of its members. */
  | {
      readonly kind: 'resource';
      readonly resource: JsonValue;
      readonly columns: readonly Column[];
      readonly view?: 'card' | 'whole';
    }
  /** `document` is what json prints, the rows unless it says otherwise; `rows` is what the other formats print. */
  | {
      readonly kind: 'list';
      readonly document?: JsonValue;
      readonly rows: readonly JsonValue[];
      readonly columns: readonly Column[];
      /** The sentence in the place of an empty table on a terminal. */
      readonly whenEmpty?: string;
      readonly whenTall?: WhenTall;
    }
  /** Text of frontdesk's own for people (its parts from outside are safe already), and the same as JSON. */
  | { readonly kind: 'text'; readonly text: string; readonly json: JsonValue };

/** What a view of one resource for people at a terminal may depend on. */
export type ViewStyle = Pick<OutputOptions, 'colour' | 'unicode' | 'isAccessible' | 'now' | 'command'> & {
  readonly width: number;
};

/** How a CSV file is written; `mark` is a byte order mark or nothing. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly lineEnd: string;
  readonly mark: string;
}

export const RFC_4180: CsvDialect = { delimiter: ',', lineEnd: '\r\n', mark: '' };
