/** A cell as the format writes it. */
export interface StoredCell {
  /** `s`: a shared text; `str`, `inlineStr`: a text; `b`, `n`, `d`, `e`: boolean, number, date, error. */
  readonly type: string;
  /** What stands in the cell: for texts the text itself. */
  readonly value: string;
  readonly isFormula: boolean;
  /** Its number is shown as a date or a time. */
  readonly isDate: boolean;
}

/** The text of a cell, and why it cannot be taken. */
export interface CellText {
  readonly text: string;
  readonly problem?: string;
}

const NUMBER = /^(-?)0*(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Spreadsheets keep no more digits of a number: what was typed as more was changed already. */
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

function readNumber(value: string): CellText {
  const text = wholeNumber(value);
  if (text === undefined) {
    return { text: value, problem: `is a decimal number (${value}); store it as text, since it is sent as typed` };
  }
  if (text.replace(/^-/, '').length <= MAX_DIGITS) return { text };
  return {
    text,
    problem: `is a number of more than ${MAX_DIGITS} digits, which spreadsheets round; store it as text`,
  };
}

/**
 * What a cell says, as a CSV file of the same sheet would have it. What a spreadsheet keeps differently from what
 * was typed (dates, decimal numbers) or makes itself (formulas) is a problem, with the words for it.
 */
export function readCell({ type, value, isFormula, isDate }: StoredCell): CellText {
  if (isFormula) return { text: value, problem: 'is a formula; store its value as text' };
  if (value === '') return { text: '' };
  if (type === 'd' || (type === 'n' && isDate)) {
    return { text: value, problem: 'is a date or a time; store it as text, since dates are sent as typed' };
  }
  if (type === 'n') return readNumber(value);
  if (type === 'b') return { text: value === '1' || value === 'true' ? 'TRUE' : 'FALSE' };
  if (type === 'e') return { text: value, problem: `is an error (${value}); store what is meant as text` };
  return { text: value };
}

/** The column of a reference such as `C7`, from 0, and its row; undefined when it is none. */
export function parseReference(reference: string): { readonly column: number; readonly row: number } | undefined {
  const found = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference);
  if (found === null) return undefined;
  const [, letters = '', row = ''] = found;
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(row) };
}

/** The letters of a column, from 0: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : `${columnLetters(Math.floor(column / 26) - 1)}${letter}`;
}
