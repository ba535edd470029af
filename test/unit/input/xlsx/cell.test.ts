import { expect, it } from 'vitest';
import { parseReference, readCell, type StoredCell } from '../../../../src/input/xlsx/cell.ts';
import { GENERAL, numberFormat } from '../../../../src/input/xlsx/number-format.ts';
import { columnLetters } from '../../../../src/output/column.ts';

const DATE = numberFormat('yyyy-mm-dd');

const cell = (more: Partial<StoredCell>): StoredCell => ({
  type: 'n',
  value: '',
  formula: undefined,
  format: GENERAL,
  ...more,
});

it.each<[string, Partial<StoredCell>, string]>([
  ['a text', { type: 's', value: 'Ann' }, 'Ann'],
  ['a text of digits, as typed', { type: 'str', value: '007.50' }, '007.50'],
  ['a text in a cell that shows dates', { type: 's', value: '2027-01-02', format: DATE }, '2027-01-02'],
  ['a text that is no longer than nothing', { type: 'inlineStr', value: '' }, ''],
  ['a whole number', { value: '42' }, '42'],
  ['a negative one', { value: '-42' }, '-42'],
  ['nought', { value: '0' }, '0'],
  ['a whole number with a point', { value: '42.0' }, '42'],
  ['one with an exponent', { value: '1.2E+3' }, '1200'],
  ['one whose exponent removes noughts', { value: '1200E-2' }, '12'],
  ['11 digits', { value: '12345678901' }, '12345678901'],
  ['15 digits that are shown', { value: '123456789012345', format: numberFormat('0') }, '123456789012345'],
  ['a number that fills its format', { value: '12345', format: numberFormat('00000') }, '12345'],
  ['one without a separator to show', { value: '42', format: numberFormat('#,##0') }, '42'],
  ['one with blanks about it', { value: '42', format: numberFormat('_-* #,##0_-;_-@_-') }, '42'],
  ['one in a color', { value: '42', format: numberFormat('[Red]0') }, '42'],
  ['a text in a format for numbers', { type: 's', value: ' 7 ', format: numberFormat('0.00') }, ' 7 '],
  ['a text in a format that cannot be read', { type: 's', value: '7', format: numberFormat('"') }, '7'],
  ['nothing', { value: '' }, ''],
  ['nothing, in a cell that shows dates', { value: '', format: DATE }, ''],
  ['true', { type: 'b', value: '1' }, 'TRUE'],
  ['false', { type: 'b', value: '0' }, 'FALSE'],
])('a cell is read as %s', (_what, stored, text) => {
  expect(readCell(cell(stored))).toEqual({ text });
});

it.each<[string, Partial<StoredCell>, string]>([
  [
    'a decimal number',
    { value: '12.5' },
    'is a decimal number (shown as "12.5", stored as 12.5). Store it as text: it is sent as typed',
  ],
  [
    'a small one',
    { value: '1E-3' },
    'is a decimal number (shown as "0.001", stored as 1E-3). Store it as text: it is sent as typed',
  ],
  [
    'a number that is none',
    { value: 'twelve' },
    'is a decimal number (shown as "twelve", stored as twelve). Store it as text: it is sent as typed',
  ],
  [
    'a number that shows as a date',
    { value: '46024', format: DATE },
    'is a date or a time (shown as "2026-01-02", stored as 46024). Store it as text: dates are sent as typed',
  ],
  [
    'a date of the strict format',
    { type: 'd', value: '2027-01-02' },
    'is a date or a time (shown as "2027-01-02", stored as "2027-01-02"). Store it as text: dates are sent as typed',
  ],
  [
    'a formula',
    { value: '2', formula: '1+1' },
    'is a formula (shown as "2", stored as "=1+1"). Store its value as text',
  ],
  [
    'a formula with a text',
    { type: 'str', value: 'x', formula: 'A1&B1' },
    'is a formula (shown as "x", stored as "=A1&B1"). Store its value as text',
  ],
  [
    'a formula without a value',
    { formula: '1+1' },
    'is a formula (shown as "0", stored as "=1+1"). Store its value as text',
  ],
  ['an error', { type: 'e', value: '#N/A' }, 'is an error (#N/A). Store the intended value as text'],
  [
    '16 digits',
    { value: '1234567890123450' },
    'is a number of more than 15 digits, which spreadsheets round (shown as "1.23457E+15", stored as 1234567890123450). Store it as text',
  ],
  [
    '20 digits with an exponent',
    { value: '1.2E+19' },
    'is a number of more than 15 digits, which spreadsheets round (shown as "1.2E+19", stored as 1.2E+19). Store it as text',
  ],
  ...(
    [
      ['"sub_"00000', '42', 'shown as "sub_00042", stored as 42'],
      ['00000', '42', 'shown as "00042", stored as 42'],
      ['0%', '42', 'shown as "4200%", stored as 42'],
      ['#,##0.00 "EUR"', '42', 'shown as "42.00 EUR", stored as 42'],
      ['#,##0', '1234', 'shown as "1,234", stored as 1234'],
      ['General', '123456789012', 'shown as "1.23457E+11", stored as 123456789012'],
      ['@', '123456789012', 'shown as "1.23457E+11", stored as 123456789012'],
      ['0;0', '-5', 'shown as "5", stored as -5'],
      ['#', '0', 'shown as "", stored as 0'],
      [';;;', '42', 'shown as "", stored as 42'],
      ['0,', '12000', 'shown as "12", stored as 12000'],
      ['[DBNum1]0', '42', 'shown in a custom format, stored as 42'],
      ['"', '42', 'shown in a custom format, stored as 42'],
    ] as const
  ).map(
    ([pattern, value, looks]) =>
      [
        `${value} in ${pattern}`,
        { value, format: numberFormat(pattern) },
        `is shown otherwise than it is stored (${looks}). Store the intended value as text`,
      ] as [string, Partial<StoredCell>, string],
  ),
  [
    'a text with another look',
    { type: 's', value: '42', format: numberFormat('"sub_"@') },
    'is shown otherwise than it is stored (shown as "sub_42", stored as "42"). Store the intended value as text',
  ],
  [
    'a text that is not shown',
    { type: 's', value: 'Ann', format: numberFormat(';;;') },
    'is shown otherwise than it is stored (shown as "", stored as "Ann"). Store the intended value as text',
  ],
  [
    'a date of an older Mac',
    { value: '44562', format: numberFormat('yyyy-mm-dd', true) },
    'is a date or a time (shown as "2026-01-02", stored as 44562). Store it as text: dates are sent as typed',
  ],
])('a cell is read as %s: a fault', (_what, stored, problem) => {
  expect(readCell(cell(stored)).problem).toBe(problem);
});

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
])('a number format shows a date: %s', (format) => {
  expect(numberFormat(format).isDate).toBe(true);
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
])('a number format shows a date: %s does not', (format) => {
  expect(numberFormat(format).isDate).toBe(false);
});

it.each([
  ['A1', 0, 1],
  ['C7', 2, 7],
  ['Z10', 25, 10],
  ['AA1', 26, 1],
  ['XFD1048576', 16_383, 1_048_576],
])('a place in a sheet: %s is read and named again', (reference, column, row) => {
  expect(parseReference(reference)).toEqual({ column, row });
  expect(`${columnLetters(column)}${row}`).toBe(reference);
});

it.each(['', 'A', '1', 'a1', 'A0', 'A01', 'ABCD1', '$A$1', 'A1:B2'])('a place in a sheet: %j is none', (reference) => {
  expect(parseReference(reference)).toBeUndefined();
});
