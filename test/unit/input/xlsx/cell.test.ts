import { describe, expect, it } from 'vitest';
import { columnLetters, parseReference, readCell, type StoredCell } from '../../../../src/input/xlsx/cell.ts';
import { showsDate } from '../../../../src/input/xlsx/workbook.ts';

const cell = (more: Partial<StoredCell>): StoredCell => ({
  type: 'n',
  value: '',
  isFormula: false,
  isDate: false,
  ...more,
});

describe('a cell is read as', () => {
  it.each<[string, Partial<StoredCell>, string]>([
    ['a text', { type: 's', value: 'Ann' }, 'Ann'],
    ['a text of digits, as typed', { type: 'str', value: '007.50' }, '007.50'],
    ['a text in a cell that shows dates', { type: 's', value: '2027-01-02', isDate: true }, '2027-01-02'],
    ['a text that is no longer than nothing', { type: 'inlineStr', value: '' }, ''],
    ['a whole number', { value: '42' }, '42'],
    ['a negative one', { value: '-42' }, '-42'],
    ['nought', { value: '0' }, '0'],
    ['a whole number with a point', { value: '42.0' }, '42'],
    ['one with an exponent', { value: '1.2E+3' }, '1200'],
    ['one whose exponent takes noughts away', { value: '1200E-2' }, '12'],
    ['15 digits', { value: '123456789012345' }, '123456789012345'],
    ['nothing', { value: '' }, ''],
    ['nothing, in a cell that shows dates', { value: '', isDate: true }, ''],
    ['true', { type: 'b', value: '1' }, 'TRUE'],
    ['false', { type: 'b', value: '0' }, 'FALSE'],
  ])('%s', (_what, stored, text) => {
    expect(readCell(cell(stored))).toEqual({ text });
  });

  it.each<[string, Partial<StoredCell>, string]>([
    ['a decimal number', { value: '12.5' }, 'is a decimal number (12.5); store it as text, since it is sent as typed'],
    ['a small one', { value: '1E-3' }, 'is a decimal number (1E-3); store it as text, since it is sent as typed'],
    [
      'a number that is none',
      { value: 'twelve' },
      'is a decimal number (twelve); store it as text, since it is sent as typed',
    ],
    [
      'a number that shows as a date',
      { value: '46024', isDate: true },
      'is a date or a time; store it as text, since dates are sent as typed',
    ],
    [
      'a date of the strict format',
      { type: 'd', value: '2027-01-02' },
      'is a date or a time; store it as text, since dates are sent as typed',
    ],
    ['a formula', { value: '2', isFormula: true }, 'is a formula; store its value as text'],
    ['a formula with a text', { type: 'str', value: 'x', isFormula: true }, 'is a formula; store its value as text'],
    ['a formula without a value', { isFormula: true }, 'is a formula; store its value as text'],
    ['an error', { type: 'e', value: '#N/A' }, 'is an error (#N/A); store what is meant as text'],
    [
      '16 digits',
      { value: '1234567890123450' },
      'is a number of more than 15 digits, which spreadsheets round; store it as text',
    ],
    [
      '20 digits with an exponent',
      { value: '1.2E+19' },
      'is a number of more than 15 digits, which spreadsheets round; store it as text',
    ],
  ])('%s: a fault', (_what, stored, problem) => {
    expect(readCell(cell(stored)).problem).toBe(problem);
  });
});

describe('a number format shows a date', () => {
  it.each([
    'dd/mm/yyyy',
    'yyyy-mm-dd',
    'm/d/yy h:mm',
    '[h]:mm:ss',
    '[mm]',
    'hh:mm AM/PM',
    '[$-407]d. mmmm yyyy;@',
    '[Red]yyyy',
    'd',
    'ss.0',
  ])('%s', (format) => {
    expect(showsDate(format)).toBe(true);
  });

  it.each([
    'General',
    'GENERAL',
    '0',
    '0.00',
    '#,##0.00 "days"',
    '[Red]0',
    '[$USD-409]#,##0',
    '0\\h',
    '_-* #,##0_-;_-@_-',
    '0_d',
    '*y0',
    '0.00E+00',
    '@',
    '# ?/?',
    '',
  ])('%s does not', (format) => {
    expect(showsDate(format)).toBe(false);
  });
});

describe('a place in a sheet', () => {
  it.each([
    ['A1', 0, 1],
    ['C7', 2, 7],
    ['Z10', 25, 10],
    ['AA1', 26, 1],
    ['XFD1048576', 16_383, 1_048_576],
  ])('%s is read and named again', (reference, column, row) => {
    expect(parseReference(reference)).toEqual({ column, row });
    expect(`${columnLetters(column)}${row}`).toBe(reference);
  });

  it.each(['', 'A', '1', 'a1', 'A0', 'A01', 'ABCD1', '$A$1', 'A1:B2'])('%j is none', (reference) => {
    expect(parseReference(reference)).toBeUndefined();
  });
});
