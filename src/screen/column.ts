import { compareDecimals } from '../base/json/decimal.ts';
import { printJson } from '../base/json/print.ts';
import { getPath, JsonNumber, type JsonValue } from '../base/json/value.ts';

export interface Column {
  /** The API's field name, or a dotted path into it: the header of a CSV, and the name for `--columns`. */
  readonly name: string;
  readonly header: string;
  readonly align?: 'right';
  /** In a terminal, the content of the cell gives its color. The words say the same. */
  readonly tone?: 'status' | 'outcome' | 'faint';
  /** Terminal columns of a table that streams before its cells are known. */
  readonly width?: number;
  /** Left out of tables unless `--columns` names it. CSV has it. */
  readonly wide?: true;
  /** IDs that people copy: cut last. */
  readonly keep?: true;
  /** Without room, the cell follows below the row: IDs after their header (`labelled`), messages alone (`plain`). */
  readonly below?: 'labelled' | 'plain';
  /** The cell for people in a terminal: `card block` for `card.block`. */
  people?(cell: string): string;
  /** A time, of which the day is shown if a terminal is too narrow. */
  readonly isTime?: true;
  /** Left out first if a terminal is too narrow. */
  readonly spare?: true;
}

/** The columns of a table that says more of each member, such as its shape. */
export function columnsOf(
  rows: Readonly<Record<string, { readonly column: Omit<Column, 'name'> }>>,
): readonly Column[] {
  return Object.entries(rows).map(([name, { column }]) => ({ name, ...column }));
}

export function plainColumns(headers: Readonly<Record<string, string>>): readonly Column[] {
  return Object.entries(headers).map(([name, header]) => ({ name, header }));
}

/** May a dotted path be a column although no fixed column has its name? */
export type IsOpenPath = (path: string) => boolean;

/** Accepts every path that begins with one of these members: `openUnder('metadata', 'transactions')`. */
export function openUnder(...members: readonly string[]): IsOpenPath {
  return (path) => members.some((member) => path.startsWith(`${member}.`) && path.length > member.length + 1);
}

/** The columns that `--columns` names, in that order, else all fixed ones. `checkOutput` has looked at the names. */
export function chooseColumns(spec: string | undefined, fixed: readonly Column[]): readonly Column[] {
  if (spec === undefined) return fixed;
  return columnNames(spec).map((name) => fixed.find((column) => column.name === name) ?? { name, header: name });
}

/** The names of `--columns`. */
export function columnNames(spec: string): readonly string[] {
  return spec.split(',').map((part) => part.trim());
}

/** The letters of a spreadsheet's column, from 0: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`;
}

/** A value as a cell: strings as they are, numbers digit for digit, absent and null empty. */
export function cellText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : printJson(value);
}

/** The rows sorted by one column: numbers by value, then strings by code point, then rows without a value. Stable. */
export function sortRows(rows: readonly JsonValue[], column: string): readonly JsonValue[] {
  const keyed = rows.map((row) => ({ row, key: getPath(row, column) ?? null }));
  return keyed.sort((a, b) => compareCells(a.key, b.key)).map(({ row }) => row);
}

function compareCells(a: JsonValue, b: JsonValue): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  const isNumber = a instanceof JsonNumber;
  if (isNumber && b instanceof JsonNumber) return compareDecimals(a.text, b.text);
  if (isNumber || b instanceof JsonNumber) return isNumber ? -1 : 1;
  return compareTexts(cellText(a), cellText(b));
}

/** Compares two strings by code point, the order of their UTF-8 bytes (not of UTF-16). */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Columns that `--failed` and `runs results --as-input` add to an input. */
export const OWN_COLUMNS = ['_row', '_outcome', '_error'] as const;

/** Is it one of `OWN_COLUMNS`? */
export function isOwnColumn(name: string): boolean {
  return OWN_COLUMNS.some((own) => own === name);
}
