import type { Problem } from '../records/record.ts';
import { quoteValue } from '../values.ts';
import type { CellFormat } from './cell-format.ts';

export interface StoredCell {
  /** `s`: a shared string; `str`, `inlineStr`: a string; `b`, `n`, `d`, `e`: boolean, number, date, error. */
  readonly type: string;
  /** For strings the string itself, for formulas the last result. */
  readonly value: string;
  /** Undefined: none. Empty: another cell has it for several. */
  readonly formula: string | undefined;
  /** An array formula of another cell fills it. */
  readonly isFilled?: boolean;
  readonly format: CellFormat;
}

/** The text of a cell, and why it cannot be used. */
export interface CellText {
  readonly text: string;
  readonly problem?: Problem;
}

const TEXT_TYPES: ReadonlySet<string> = new Set(['s', 'str', 'inlineStr']);
/** `General` shows no more digits, and none otherwise. */
const SHOWN_NUMBER = /^(?:0|-?[1-9]\d{0,10})$/;
/** As one of the files' programs writes a boolean. */
const BOOLEANS: Readonly<Record<string, string>> = { 1: 'TRUE', true: 'TRUE', 0: 'FALSE', false: 'FALSE' };

/**
 * What a cell says, as a CSV of the same sheet would have it. A problem if a spreadsheet may show something else than
 * is stored (dates, formats, long or decimal numbers), or makes the value itself (formulas).
 */
export function readCell(cell: StoredCell): CellText {
  const { value, formula, isFilled = false } = cell;
  if (value === '' && formula === undefined) return { text: '' };
  const text = isFilled ? undefined : textOf(cell);
  return text === undefined ? { text: value, problem: problemOf(cell) } : { text };
}

function problemOf(cell: StoredCell): Problem {
  const [kind, what, stored, advice] = faultOf(cell);
  return { kind, problem: `${what} (stored as ${stored}). ${advice}` };
}

function faultOf({ type, value, formula, isFilled, format }: StoredCell): readonly [string, string, string, string] {
  const stored = type === 'n' ? value : quoteValue(value);
  if (isFilled === true) return ['filled', 'is filled by a formula of another cell', stored, 'Store its value as text'];
  if (formula !== undefined && (format.showsBooleans || booleanFormula(value, formula) === undefined))
    return ['formula', 'is a formula', quoteValue(`=${formula}`), 'Store its value as text'];
  if (type === 'e') return ['error', 'is an error', value, 'Store the intended value as text'];
  if (type === 'd') return ['date', 'is a date', stored, 'Store it as text: dates are sent as typed'];
  if (type === 'n' && format.showsNumbers)
    return ['number', 'is a number that spreadsheets may show otherwise', stored, 'Store it as text'];
  const shown = `has the format ${quoteValue(format.name)}, so a spreadsheet may show something else`;
  const advice = format.advice ?? (TEXT_TYPES.has(type) ? 'Set its number format to General' : 'Store it as text');
  return [`format ${format.name}`, shown, stored, advice];
}

/** The text of a cell that shows it; undefined for any other. */
function textOf({ type, value, formula, format }: StoredCell): string | undefined {
  if (formula !== undefined) return format.showsBooleans ? booleanFormula(value, formula) : undefined;
  if (type === 'b') return format.showsBooleans ? BOOLEANS[value] : undefined;
  if (TEXT_TYPES.has(type)) return format.showsTexts ? value : undefined;
  return type === 'n' && format.showsNumbers && SHOWN_NUMBER.test(value) ? value : undefined;
}

/** A formula that is only a boolean; undefined for another one, or with another last result. */
function booleanFormula(value: string, formula: string): string | undefined {
  const word = /^\s*(TRUE|FALSE)\(\s*\)\s*$/i.exec(formula)?.[1]?.toUpperCase();
  return word !== undefined && (value === '' || BOOLEANS[value] === word) ? word : undefined;
}

/** Column (from 0) and row of a reference such as `C7`; undefined if it is none. */
export function parseReference(reference: string): { readonly column: number; readonly row: number } | undefined {
  const found = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference);
  if (found === null) return undefined;
  const [, letters = '', row = ''] = found;
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(row) };
}

/** Columns (from 0) and rows, with the last ones. */
export type CellRange = NonNullable<ReturnType<typeof parseRange>>;

/** Columns (from 0) and rows of a range such as `C2:D9`, in any order, or of one cell; undefined if it is none. */
export function parseRange(reference: string) {
  const [first = '', last = first, ...rest] = reference.split(':');
  const [start, end] = [parseReference(first), parseReference(last)];
  if (start === undefined || end === undefined || rest.length > 0) return undefined;
  const [left, right] = [Math.min(start.column, end.column), Math.max(start.column, end.column)];
  return { left, right, top: Math.min(start.row, end.row), bottom: Math.max(start.row, end.row) };
}
