import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/base/json/value.ts';
import { type Row, type RowExtra, type RowInput, RowMaker, type RowShape } from '../../../../src/input/rows/row.ts';
import { RowWriter, readRows } from '../../../../src/input/rows/row-file.ts';
import { temporaryFolder } from '../../base/files/place.ts';

const SHAPE: RowShape = {
  ...{ form: 'cells', columns: ['id', 'email', 'active'], idParam: 'id', ids: ['id'], expects: [] },
  ...{ fields: [{ name: 'email' }, { name: 'active', isBoolean: true }], sendsEmpty: false, onlyChanges: false },
};
const JSON_SHAPE: RowShape = { ...SHAPE, form: 'json', columns: [] };

interface Written {
  readonly given: RowInput;
  /** A JSON row as it stands in the input. */
  readonly text?: string;
  readonly extra?: RowExtra;
}

async function roundTrip(shape: RowShape, written: readonly Written[], isKept = false) {
  const path = join(temporaryFolder(), 'rows');
  const maker = new RowMaker(shape);
  const made = written.map(({ given, extra }, index) => maker.make(index + 1, given, extra));
  const writer = await RowWriter.open(path, isKept);
  for (const [index, row] of made.entries()) await writer.add(row, written[index]?.text, written[index]?.extra);
  await writer.end();
  await writer.close();
  return { path, made, read: await readAll(path, shape), file: readFileSync(path, 'utf8') };
}

async function readAll(path: string, shape: RowShape): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const batch of readRows(path, shape)) rows.push(...batch);
  return rows;
}

function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw new Error('it is no object');
  return value;
}

const bodies = (rows: readonly Row[]) => rows.map(({ body }) => (body === undefined ? undefined : printJson(body)));

it('the rows of a run are what was judged, when they are read of JSON: no number loses a digit, and a line break between tokens ends no line', async () => {
  const text = '{"id":"s1",\r\n "email":"a",\n "amount":12345678901234567.890}';
  const { read, file } = await roundTrip(JSON_SHAPE, [{ given: objectOf(text), text }]);
  expect(file).toBe('[1,{"id":"s1",  "email":"a",  "amount":12345678901234567.890}]\n');
  expect(read.map(({ row, id, input: given }) => [row, id, given])).toEqual([[1, 's1', objectOf(text)]]);
});

it('the rows of a run are what was judged, when they are read of a JSON array of ids and objects: an id first does not make the rest texts', async () => {
  const object = '{"id":"s2","email":null,"n":1.10}';
  const { read } = await roundTrip(JSON_SHAPE, [
    { given: 's1', text: '"s1"' },
    { given: objectOf(object), text: object },
  ]);
  expect([read.map(({ id }) => id), bodies(read)]).toEqual([
    ['s1', 's2'],
    ['{}', '{"email":null}'],
  ]);
  expect(read[1]?.input).toEqual(objectOf(object));
});

it('the rows of a run are what was judged, when they are read against an older file: exactly the changed fields are sent, with what they were', async () => {
  const shape = { ...SHAPE, onlyChanges: true };
  const was = new Map<string, JsonValue>([['email', null]]);
  const { read } = await roundTrip(shape, [{ given: ['s1', 'new@x', 'true'], extra: { was } }]);
  expect([bodies(read), read[0]?.before]).toEqual([['{"email":"new@x"}'], new Map()]);
  expect(Object.fromEntries(new RowMaker(shape).membersOf(read[0] as Row))).toEqual({ id: 's1', email: 'new@x' });
});

it('the rows of a run are what was judged, when they are read with an option for a column that is ignored: the option is sent, not the cell', async () => {
  const shape: RowShape = { ...SHAPE, fields: [{ name: 'email', isIgnored: true, value: 'flag@x' }] };
  expect(bodies((await roundTrip(shape, [{ given: ['s1', 'cell@x', ''] }])).read)).toEqual(['{"email":"flag@x"}']);
});

it('the rows of a run are what was judged, when they are read whatever texts they hold', async () => {
  const cell = fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 6 }), fc.string({ maxLength: 3 }));
  const wide = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('') }, cell), { minLength: 24, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(fc.array(wide, { maxLength: 40 }), async (rows) => {
      const { made, read } = await roundTrip(
        { ...SHAPE, columns: Array.from({ length: 24 }, (_, at) => (at === 0 ? 'id' : `c${at}`)) },
        rows.map((given) => ({ given })),
      );
      expect(read).toEqual(made);
    }),
    { numRuns: 30 },
  );
});

it('the rows of a run are what was judged, when they are read in whatever number and length', async () => {
  const rows = Array.from({ length: 1000 }, (_, index) => ({ given: [`s${index}`, '', 'true'] }));
  const { made, read, file } = await roundTrip(SHAPE, rows);
  expect(read).toEqual(made);
  expect(file.split('\n')).toHaveLength(5);
  // Also where one is longer than any piece that is read.
  const long = 'ü'.repeat(200_000);
  const { read: again } = await roundTrip(SHAPE, [{ given: ['s1', long, ''] }, { given: ['s2', 'b', ''] }]);
  expect(again.map(({ body }) => body?.get('email'))).toEqual([long, 'b']);
});

it.each([
  ['a line that ends too early', (text: string) => text.slice(0, -2)],
  ['a last line without its end', (text: string) => text.slice(0, -1)],
  ['a cut number of items', (text: string) => text.replace(',["s1","a","true"]', '')],
  ['no array', () => '{}\n'],
])('a file of rows that is not as it was written is damage: %s', async (_, damaged) => {
  const { path, file } = await roundTrip(SHAPE, [{ given: ['s1', 'a', 'true'] }]);
  writeFileSync(path, damaged(file));
  await expect(readAll(path, SHAPE)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: `the rows of the run are damaged at line 1 (${path}). Nothing was sent.`,
  });
});
