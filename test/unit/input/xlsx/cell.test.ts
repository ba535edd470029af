import { expect, it } from 'vitest';
import { quoteValue } from '../../../../src/input/values.ts';
import { parseRange, parseReference, readCell, type StoredCell } from '../../../../src/input/xlsx/cell.ts';
import { cellFormat, GENERAL } from '../../../../src/input/xlsx/cell-format.ts';
import { columnLetters } from '../../../../src/screen/column.ts';

const DATE = cellFormat('yyyy-mm-dd');

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
  ['a text in a format for money', { type: 's', value: ' 7 ', format: cellFormat('_-* #,##0_-;_-@_-') }, ' 7 '],
  ['a text in a format with a date and @', { type: 's', value: 'x', format: cellFormat('[$-407]d. mmmm yyyy;@') }, 'x'],
  ['a text in the text format of a language', { type: 's', value: 'x', format: cellFormat('[$-407]@') }, 'x'],
  ['a text in one with a color', { type: 's', value: 'x', format: cellFormat('[BLUE][$-409]@') }, 'x'],
  ['a text in a color', { type: 's', value: 'x', format: cellFormat('0;0;0;[Red]@') }, 'x'],
  ['a text in a format with a quoted @', { type: 's', value: 'x', format: cellFormat('0" @ "') }, 'x'],
  ['a text that is no longer than nothing', { type: 'inlineStr', value: '' }, ''],
  ['a whole number', { value: '42' }, '42'],
  ['a negative one', { value: '-42' }, '-42'],
  ['nought', { value: '0' }, '0'],
  ['11 digits', { value: '12345678901' }, '12345678901'],
  ['-11 digits', { value: '-12345678901' }, '-12345678901'],
  ['a number in the format 0', { value: '42', format: cellFormat('0') }, '42'],
  ['a number in the format of texts', { value: '42', format: cellFormat('@') }, '42'],
  ['a number in GENERAL', { value: '42', format: cellFormat('GENERAL') }, '42'],
  ['nothing', { value: '' }, ''],
  ['nothing, in a cell that shows dates', { value: '', format: DATE }, ''],
  ['true', { type: 'b', value: '1' }, 'TRUE'],
  ['false', { type: 'b', value: '0' }, 'FALSE'],
  ['TRUE()', { type: 'b', value: '1', formula: 'TRUE()' }, 'TRUE'],
])('a cell is read as %s', (_what, stored, text) => expect(readCell(cell(stored))).toEqual({ text }));

const OTHERWISE = 'is a number that spreadsheets may show otherwise';

it.each<[string, Partial<StoredCell>, string]>([
  ['a decimal number', { value: '12.5' }, `${OTHERWISE} (stored as 12.5). Store it as text`],
  ['a whole number with a point', { value: '4711.0' }, `${OTHERWISE} (stored as 4711.0). Store it as text`],
  ['one with an exponent', { value: '1E3' }, `${OTHERWISE} (stored as 1E3). Store it as text`],
  ['one with noughts before it', { value: '007' }, `${OTHERWISE} (stored as 007). Store it as text`],
  ['less than nought', { value: '-0' }, `${OTHERWISE} (stored as -0). Store it as text`],
  ['12 digits', { value: '123456789012' }, `${OTHERWISE} (stored as 123456789012). Store it as text`],
  ['a number that is none', { value: 'twelve' }, `${OTHERWISE} (stored as twelve). Store it as text`],
  [
    'a number that shows as a date',
    { value: '46024', format: DATE },
    'has the format "yyyy-mm-dd", so a spreadsheet may show something else (stored as 46024). Store it as text',
  ],
  [
    'a date of the strict format',
    { type: 'd', value: '2027-01-02' },
    'is a date (stored as "2027-01-02"). Store it as text: dates are sent as typed',
  ],
  ['a formula', { value: '2', formula: '1+1' }, 'is a formula (stored as "=1+1"). Store its value as text'],
  ['another TRUE()', { value: '0', formula: 'TRUE()' }, 'is a formula (stored as "=TRUE()"). Store its value as text'],
  [
    'what a formula fills',
    { value: '2', isFilled: true },
    'is filled by a formula of another cell (stored as 2). Store its value as text',
  ],
  ['an error', { type: 'e', value: '#N/A' }, 'is an error (stored as #N/A). Store the intended value as text'],
  [
    'a boolean that is none',
    { type: 'b', value: '2' },
    'has the format "General", so a spreadsheet may show something else (stored as "2"). Store it as text',
  ],
  ...[
    '00000',
    '0%',
    '#,##0',
    '0;0',
    ';;;',
    '0,',
    '[DBNum1]0',
    '"',
    '[Red]0',
    '[$-2000401]0',
    '0;0;0;"another"',
    '['.repeat(200_000),
  ].map((pattern): [string, Partial<StoredCell>, string] => [
    `42 in ${pattern.slice(0, 20)}`,
    { value: '42', format: cellFormat(pattern) },
    `has the format ${quoteValue(pattern)}, so a spreadsheet may show something else (stored as 42). Store it as text`,
  ]),
  ...['"sub_"@', ';;;', '0;0;0;"another"', 'x@', '*x@', '[<5]0;@@', '[$x-407]@'].map(
    (pattern): [string, Partial<StoredCell>, string] => [
      `a text in ${pattern}`,
      { type: 's', value: 'Ann', format: cellFormat(pattern) },
      `has the format ${quoteValue(pattern)}, so a spreadsheet may show something else (stored as "Ann"). Set its number format to General`,
    ],
  ),
])('a cell is read as %s: a fault', (_what, stored, problem) => {
  expect(readCell(cell(stored)).problem?.problem).toBe(problem);
});

it.each([
  ['A1', 0, 1],
  ['C7', 2, 7],
  ['Z10', 25, 10],
  ['AA1', 26, 1],
  ['XFD1048576', 16_383, 1_048_576],
])('a place in a sheet: %s is read and named again', (reference, column, row) => {
  expect([parseReference(reference), `${columnLetters(column)}${row}`]).toEqual([{ column, row }, reference]);
});

it.each(['', 'A', '1', 'a1', 'A0', 'A01', 'ABCD1', '$A$1', 'A1:B2'])('a place in a sheet: %j is none', (reference) => {
  expect(parseReference(reference)).toBeUndefined();
});

it.each([
  ['C2:D9', { left: 2, right: 3, top: 2, bottom: 9 }],
  ['C7', { left: 2, right: 2, top: 7, bottom: 7 }],
  ['C:D', undefined],
  ['C2:D9:E1', undefined],
  ['', undefined],
])('a range of a sheet: %j', (reference, range) => expect(parseRange(reference)).toEqual(range));
