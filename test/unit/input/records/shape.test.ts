import { expect, it } from 'vitest';
import type { Fault } from '../../../../src/base/failure.ts';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { isJsonObject } from '../../../../src/base/json/value.ts';
import { missingColumns, readShape, readTemplate, Shaper, shapeLines } from '../../../../src/input/records/shape.ts';

function shapeOf(options: Parameters<typeof readShape>[0], used: readonly string[] = []) {
  const faults: Fault[] = [];
  const shape = readShape(options, used, faults);
  return { shape, faults: faults.map(({ where, problem }) => `${where}: ${problem}`) };
}

const NAMES = ['Card Number', 'Store', 'Note'];
const VALUES = [
  ['c1', '12', ''],
  ['c2', ' 13 ', 'x=y'],
  ['c3', '', 'x'],
  ['c4', '12', 'x'],
];

function rowsTaken(options: Parameters<typeof readShape>[0]) {
  const shaper = new Shaper(shapeOf(options).shape);
  const records = VALUES.map((values, index) => ({ row: index + 1, line: index + 2, names: NAMES, values }));
  const taken = shaper.take({ records, faults: [], format: 'csv' });
  return { rows: taken.records.map(({ row }) => row), names: taken.records[0]?.names, leftOut: shaper.leftOut };
}

it.each([
  [{}, [1, 2, 3, 4]],
  [{ where: ['Store=12'] }, [1, 4]],
  [{ where: ['Store = 13'] }, [2]],
  [{ where: ['Store!=12'] }, [2, 3]],
  [{ where: ['Store='] }, [3]],
  [{ where: ['Note!='] }, [2, 3, 4]],
  [{ where: ['Note=x=y'] }, [2]],
  [{ where: ['Store=12', 'Note=x'] }, [4]],
  [{ rows: '2-3' }, [2, 3]],
  [{ rows: '4-9' }, [4]],
  [{ rows: '1-3', where: ['Store=12'] }, [1]],
])('a shape takes rows: %j', (options, rows) =>
  expect(rowsTaken(options)).toMatchObject({ rows, leftOut: 4 - rows.length }),
);

it('a shape reads a column of another name as a field', () =>
  expect(rowsTaken({ map: ['Card Number=cardId'] }).names).toEqual(['cardId', 'Store', 'Note']));

it.each([
  ['Store==12', 'Store='],
  ['Store!==12', 'Store!='],
])('a shape takes no rows by a sign of programs: %s', (text, column) => {
  expect(missingColumns(shapeOf({ where: [text] }).shape, NAMES)).toEqual([
    `--where: the input has no column "${column}": its columns are "Card Number", "Store", "Note"`,
  ]);
});

const COLUMNS = [' Card', 'Store ', ' a = b'];

it.each([
  [{ map: [' Card=cardId'] }, ['cardId', 'Store ', ' a = b']],
  [{ map: ['Store =note'] }, [' Card', 'note', ' a = b']],
  [{ map: [' a = b=note'] }, [' Card', 'Store ', 'note']],
  [{ map: [' Card = cardId'] }, ['cardId', 'Store ', ' a = b']],
])('a shape finds a column with blanks around its name: %j', (options, names) => {
  const { shape } = shapeOf(options);
  expect(missingColumns(shape, COLUMNS)).toEqual([]);
  expect(new Shaper(shape).header({ names: COLUMNS, line: 1 }).names).toEqual(names);
});

it.each([
  [' Card=c1', [1]],
  ['Store !=12', [2]],
  [' Card = c2', [2]],
])('a shape takes rows by a column with blanks around its name: %j', (where, rows) => {
  const record = (row: number, ...values: string[]) => ({ row, line: row + 1, names: COLUMNS, values });
  const records = [record(1, 'c1', '12'), record(2, 'c2', '13')];
  const taken = new Shaper(shapeOf({ where: [where] }).shape).take({ records, faults: [], format: 'csv' });
  expect(taken.records.map(({ row }) => row)).toEqual(rows);
});

const ID_TWICE = 'the row has a member cardId, and --map reads that field from "Card"';
const SHOP_TWICE = 'the row has a member metadata.shop, and --map reads that field from "Shop"';

it.each([
  ['{"Card":"c1"}', undefined],
  ['{"cardId":"c1"}', ID_TWICE],
  ['{"Card":"c1","cardId":"c2"}', ID_TWICE],
  ['{"Card":"c1","metadata":{"shop":"x"}}', SHOP_TWICE],
  ['{"Card":"c1","a":"x","b":"y"}', undefined],
])('a row in JSON has no member of a field that --map reads from another: %s', (text, problem) => {
  const object = parseJson(text);
  if (!isJsonObject(object)) throw new Error(text);
  const { shape } = shapeOf({ map: ['Card=cardId', 'Shop=metadata.shop', 'a=b', 'b=a'] });
  const record = { row: 7, line: 9, names: [...object.keys()], values: [...object.values()], object };
  const { faults } = new Shaper(shape).take({ records: [record], faults: [], format: 'ndjson' });
  expect(faults.map(({ line, problem: said }) => [line, said])).toEqual(problem === undefined ? [] : [[9, problem]]);
});

it.each([
  [{ map: ['x'] }, '--map: must be "<column>=<field>", not "x"'],
  [{ map: ['x='] }, '--map: must be "<column>=<field>", not "x="'],
  [{ map: ['=x'] }, '--map: must be "<column>=<field>", not "=x"'],
  [{ map: ['a=id', 'b=id'] }, '--map: there are two columns or fields in "a=id" and "b=id"'],
  [{ map: ['a=id', 'a=email'] }, '--map: there are two columns or fields in "a=id" and "a=email"'],
  [{ where: ['Store'] }, '--where: must be "<column>=<value>" or "<column>!=<value>", not "Store"'],
  [{ rows: '3-2' }, '--rows: must be n-m, such as 1-10 or 7-7, not "3-2"'],
  [{ rows: '0-2' }, '--rows: must be n-m, such as 1-10 or 7-7, not "0-2"'],
  [{ rows: '7' }, '--rows: must be n-m, such as 1-10 or 7-7, not "7"'],
])('a shape is refused: %j', (options, fault) => expect(shapeOf(options).faults).toEqual([fault]));

it('a shape names the columns that there are when it needs another', () => {
  const { shape } = shapeOf({ map: ['Card=cardId'], where: ['Shop!=1'] }, ['Ticket']);
  const there = 'its columns are "Card Number", "Store", "Note"';
  expect(missingColumns(shape, NAMES)).toEqual([
    `--map: the input has no column "Card": ${there}`,
    `--where: the input has no column "Shop": ${there}`,
    `{Ticket}: the input has no column "Ticket": ${there}`,
  ]);
});

it.each([
  ['lost', undefined],
  ['lost, ticket {Ticket No}', ['lost, ticket ', { column: 'Ticket No' }]],
  ['{{x}} {A}{B}', ['{', 'x', '}', ' ', { column: 'A' }, { column: 'B' }]],
  ['{}', { problem: 'has {} or a brace alone: {Column} is the cell of a column, {{ and }} are braces' }],
  ['a { b', { problem: 'has {} or a brace alone: {Column} is the cell of a column, {{ and }} are braces' }],
])('the text of an option: %j', (text, parts) => expect(readTemplate(text)).toEqual(parts));

it('a shape says what it does', () => {
  const { shape } = shapeOf({ map: ['Card Number=cardId'], where: ['Store=12'], rows: '1-10' });
  expect(shapeLines(shape.typed, 340)).toEqual([
    'column "Card Number" is read as cardId',
    '340 rows are left out (--where "Store=12", --rows 1-10)',
  ]);
  expect(shapeLines({}, 0)).toEqual([]);
});
