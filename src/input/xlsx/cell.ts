import { quoteValue } from '../values.ts';
import { type NumberFormat, shownText } from './number-format.ts';

/** A cell as the format writes it. */
export interface StoredCell {
  /** `s`: a shared string; `str`, `inlineStr`: a string; `b`, `n`, `d`, `e`: boolean, number, date, error. */
  readonly type: string;
  /** For strings the string itself, for formulas the last result. */
  readonly value: string;
  /** Undefined: none. Empty: another cell has it for several. */
  readonly formula: string | undefined;
  readonly format: NumberFormat;
}

/** The text of a cell, and why it cannot be used. */
export interface CellText {
  readonly text: string;
  readonly problem?: string;
}

const NUMBER = /^(-?)0*(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Spreadsheets keep no more digits of a number: further ones are lost already. */
const MAX_DIGITS = 15;

/** The digits of a whole number, however it is written (`12`, `12.0`, `1.2E+1`); undefined for any other. */
function wholeNumber(value: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(value) ?? [];
  const point = whole.length + Number(exponent);
  const digits = `${whole}${fraction}`.padEnd(point, '0');
  if (whole === '' || point > 400 || /[1-9]/.test(digits.slice(Math.max(0, point)))) return undefined;
  const text = digits.slice(0, Math.max(0, point)).replace(/^0+/, '');
  return text === '' ? '0' : `${sign}${text}`;
}

/** What is wrong with the stored value, whatever is shown, and what to do; undefined if nothing. */
function storedProblem({ type, value, formula, format }: StoredCell): readonly [string, string] | undefined {
  if (formula !== undefined) return ['is a formula', 'Store its value as text'];
  if (type === 'd' || (type === 'n' && format.isDate)) {
    return ['is a date or a time', 'Store it as text: dates are sent as typed'];
  }
  if (type !== 'n') return undefined;
  const digits = wholeNumber(value);
  if (digits === undefined) return ['is a decimal number', 'Store it as text: it is sent as typed'];
  if (digits.replace(/^-/, '').length <= MAX_DIGITS) return undefined;
  return [`is a number of more than ${MAX_DIGITS} digits, which spreadsheets round`, 'Store it as text'];
}

const OTHER_LOOK = ['is shown otherwise than it is stored', 'Store the intended value as text'] as const;

/**
 * What a cell says, as a CSV of the same sheet would have it. A problem if a spreadsheet keeps something else than was
 * typed (dates, decimal numbers), shows something else than it keeps (`00042` for 42), or makes it itself (formulas).
 */
export function readCell(cell: StoredCell): CellText {
  const { type, value, formula, format } = cell;
  if (value === '' && formula === undefined) return { text: '' };
  const constant = booleanOf(cell);
  if (constant !== undefined) return { text: constant };
  if (type === 'b' && formula === undefined) return { text: value === '1' || value === 'true' ? 'TRUE' : 'FALSE' };
  if (type === 'e') return { text: value, problem: `is an error (${value}). Store the intended value as text` };
  const isNumber = type === 'n' && Number.isFinite(Number(value));
  const shown = type === 'd' || type === 'b' ? value : shownText(format, isNumber ? Number(value) : value)?.trim();
  const text = isNumber ? (wholeNumber(value) ?? value) : value;
  // A text is shown as it is if its format cannot be read.
  const isAsShown = shown === undefined ? !isNumber : shown === text.trim();
  const problem = storedProblem(cell) ?? (isAsShown ? undefined : OTHER_LOOK);
  if (problem === undefined) return { text };
  const [what, remedy] = problem;
  return { text, problem: `${what} (${looksOf(cell, shown)}). ${remedy}` };
}

/** A formula that is only a boolean; undefined for another one, or with another last result. */
function booleanOf({ value, formula }: StoredCell): 'TRUE' | 'FALSE' | undefined {
  const [, word] = /^\s*(TRUE|FALSE)\(\s*\)\s*$/i.exec(formula ?? '') ?? [];
  const isTrue = word?.toUpperCase() === 'TRUE';
  if (word === undefined || !['', isTrue ? '1' : '0', String(isTrue)].includes(value)) return undefined;
  return isTrue ? 'TRUE' : 'FALSE';
}

/** The words for what a cell shows and what it stores. `shown` undefined: not known. */
function looksOf({ type, value, formula }: StoredCell, shown: string | undefined): string {
  const given = type === 'n' ? value : quoteValue(value);
  const stored = formula === undefined ? given : quoteValue(`=${formula}`);
  return `${shown === undefined ? 'shown in a custom format' : `shown as ${quoteValue(shown)}`}, stored as ${stored}`;
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
