import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { cellText, chooseColumns, compareTexts, sortRows } from '../../../src/screen/column.ts';

const FIXED = [
  { name: 'cardId', header: 'CARD ID' },
  { name: 'status', header: 'STATUS' },
] as const;

it('chooseColumns answers the fixed columns without a choice, and the named ones in their order', () => {
  expect(chooseColumns(undefined, FIXED)).toBe(FIXED);
  expect(chooseColumns('metadata.store,status, transactions.0.amount', FIXED)).toEqual([
    { name: 'metadata.store', header: 'metadata.store' },
    { name: 'status', header: 'STATUS' },
    { name: 'transactions.0.amount', header: 'transactions.0.amount' },
  ]);
});

it.each([
  ['"text"', 'text'],
  ['10.10', '10.10'],
  ['1e400', '1e400'],
  ['true', 'true'],
  ['null', ''],
  ['{"a":[1.0,"x"]}', '{"a":[1.0,"x"]}'],
  ['[]', '[]'],
])('cellText shows %s as %s', (json, text) => expect(cellText(parseJson(json))).toBe(text));

it('cellText shows an absent value as nothing', () => expect(cellText(undefined)).toBe(''));

function sorted(values: string): string {
  const rows = parseJson(values);
  return Array.isArray(rows) ? rows.map((row) => row).length + printJson(sortRows(rows, 'v')) : '';
}

it('sortRows sorts numbers by value, not by text, and keeps their digits', () =>
  expect(sorted('[{"v":10},{"v":9.50},{"v":-1},{"v":1e1}]')).toBe('4[{"v":-1},{"v":9.50},{"v":10},{"v":1e1}]'));

it('sortRows puts rows without a value last and keeps the order of equal ones', () => {
  expect(sorted('[{"i":1},{"v":null,"i":2},{"v":"b","i":3},{"v":"a"},{"v":"b","i":4}]')).toBe(
    '5[{"v":"a"},{"v":"b","i":3},{"v":"b","i":4},{"i":1},{"v":null,"i":2}]',
  );
});

it('sortRows orders texts by code point, not by UTF-16 unit', () => {
  expect([Math.sign(compareTexts('\uffee', '😀')), Math.sign(compareTexts('😀', '\uffee'))]).toEqual([-1, 1]);
  expect([Math.sign(compareTexts('a', 'ab')), compareTexts('a', 'a')]).toEqual([-1, 0]);
  expect(Math.sign(compareTexts('Z', 'a'))).toBe(-1);
});
