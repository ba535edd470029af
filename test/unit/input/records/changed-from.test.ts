import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../../src/api/operations.ts';
import type { InputFile } from '../../../../src/input/input-file.ts';
import { ChangedFrom, readChangedFrom } from '../../../../src/input/records/changed-from.ts';
import { checkInput } from '../../../../src/input/records/check-input.ts';
import { ColumnRoles } from '../../../../src/input/records/columns.ts';
import { rowsOf } from '../../../../src/input/records/rows.ts';
import { fromPlain, toPlain } from '../../../../src/json/plain.ts';
import { isJsonObject } from '../../../../src/json/value.ts';
import { inPieces } from './parse-records.ts';

const operation = OPERATIONS.subscriberUpdate;
const OLDER = { path: 'old.ndjson', csvRaw: false, sheet: undefined, operation };

function fileOf(text: string): InputFile {
  return {
    name: 'a file',
    isRereadable: true,
    bytes: () => inPieces(Buffer.from(text), 64),
    close: async () => undefined,
  };
}

type Cells = Readonly<Record<string, string | boolean | number | null>>;
type Rows = readonly (readonly [id: string, cells: Cells])[];

const linesOf = (rows: Rows) => rows.map(([id, cells]) => `${JSON.stringify({ id, ...cells })}\n`).join('');

/** Ids that are easily taken for another one, and cells that are equal as texts only. */
const id = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((n) => `s${n}`),
  fc.constantFrom('é', 'É', 'Aa', 'BB', 'AaAa', 'BBBB', 'AaBB', 'toString', '__proto__', '"', '0', '00'),
);
const name = fc.constantFrom('Ann', 'ann', 'Ann ', 'null', 'true', '5', 'é', '"', '\\u0041');
const newer = fc.record({ first_name: name, last_name: name, active: fc.boolean() }, { requiredKeys: [] });
const older = fc.record(
  {
    first_name: fc.oneof(name, fc.constantFrom(null, 5, true, '', '\ud800')),
    last_name: name,
    active: fc.oneof(fc.boolean(), fc.constantFrom('true', null, '')),
  },
  { requiredKeys: [] },
);

/** Two files whose rows stand in different orders; the second has some of the ids of the first. */
const files = fc
  .uniqueArray(fc.tuple(id, older, fc.option(newer)), { selector: ([key]) => key, maxLength: 70 })
  .chain((rows) => {
    const kept = rows.flatMap(([key, , cells]): Rows => (cells === null ? [] : [[key, { email: 'a@b.c', ...cells }]]));
    return fc.record({
      old: fc.constant<Rows>(rows.map(([key, cells]) => [key, cells])),
      renewed: fc.shuffledSubarray([...kept], { minLength: kept.length }),
    });
  });

it('says of random pairs of files what a comparison cell by cell says, with the old values', async () => {
  await fc.assert(
    fc.asyncProperty(files, async ({ old, renewed }) => {
      const changedFrom = await readChangedFrom(fileOf(linesOf(old)), OLDER);
      const byId = new Map(old);
      const expected = renewed.flatMap(([key, cells], index) => {
        const before = byId.get(key) ?? {};
        const body = Object.entries(cells).filter(([field, value]) => before[field] !== value);
        const sendable = body.flatMap(([field]) => {
          const value = before[field];
          return typeof value === (field === 'active' ? 'boolean' : 'string') ? [[field, value]] : [];
        });
        if (body.length === 0) return [];
        return [{ row: index + 1, id: key, body: Object.fromEntries(body), before: Object.fromEntries(sendable) }];
      });
      const reading = {
        ...{ operation, changedFrom, keepsOldCells: true, path: 'new.ndjson', format: 'ndjson' as const },
        ...{ csvRaw: false, sheet: undefined, shard: undefined, defaults: {}, expectations: [] },
        ...{ emptyCells: 'keep' as const, resendUnknown: false },
      };
      const text = linesOf(renewed);
      const checked = await checkInput(fileOf(text), reading, { allowDuplicates: false });
      const found = [];
      for await (const rows of rowsOf(fileOf(text), reading)) {
        for (const { row, id: key, body, before } of rows)
          found.push({ row, id: key, body: toPlain(body ?? null), before: toPlain(before ?? null) });
      }
      expect(found).toEqual(expected);
      expect(checked).toMatchObject({
        selected: expected.length,
        unchanged: renewed.length - expected.length,
        missing: old.length - renewed.length,
      });
    }),
  );
});

it('compares 40,000 rows that have no room in memory as it compares few', () => {
  const changedFrom = new ChangedFrom('a file', new ColumnRoles(operation).fields);
  const cellsOf = (n: number) => ({ email: `a.${n}@example.com`, last_name: 'x'.repeat(n % 50) });
  const object = (cells: object) => {
    const value = fromPlain(cells);
    return isJsonObject(value) ? value : new Map();
  };
  const numbers = Array.from({ length: 40_000 }, (_, n) => n);
  expect(numbers.filter((n) => !changedFrom.add(`sub_${n}`, object(cellsOf(n))))).toEqual([]);
  expect(numbers.filter((n) => changedFrom.add(`sub_${n}`, new Map()))).toEqual([]);
  expect(
    numbers.filter((n) => Object.keys(changedFrom.changes(`sub_${n}`, cellsOf(n)) ?? { none: 1 }).length > 0),
  ).toEqual([]);
  // In another order, each with one cell that differs.
  const changed = numbers.toReversed().map((n) => changedFrom.changes(`sub_${n}`, { ...cellsOf(n), email: `${n}` }));
  expect(changed).toEqual(numbers.toReversed().map((n) => ({ email: `${n}` })));
  expect(toPlain(changedFrom.cells('sub_31999'))).toEqual({ email: 'a.31999@example.com', last_name: 'x'.repeat(49) });
  expect(changedFrom.changes('sub_40000', {})).toBeUndefined();
});

it('knows where in the newer file an id stood before', () => {
  const changedFrom = new ChangedFrom('a file', new ColumnRoles(operation).fields);
  for (const key of ['a', 'b', 'c']) changedFrom.add(key, new Map());
  expect([changedFrom.meet('b', 2), changedFrom.meet('b', 7), changedFrom.meet('b', 9)]).toEqual([0, 2, 2]);
  expect([changedFrom.meet('d', 3), changedFrom.missing]).toEqual([undefined, 2]);
});
