import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { JsonNumber, toPlain } from '../../../../src/base/json/value.ts';
import { type ChangedFrom, readChangedFrom } from '../../../../src/input/records/changed-from.ts';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { sheetJsWorkbook, sheetJsWorkbookWith } from '../../../support/workbooks.ts';

/** Reads an older file that is called `path`. */
function read(
  content: string | Uint8Array,
  path = 'old.csv',
  operation: Operation = OPERATIONS.subscriberUpdate,
  sheet?: string,
): Promise<ChangedFrom> {
  const file = {
    name: `"${path}"`,
    bytes: async function* () {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    },
    close: async () => undefined,
  };
  return readChangedFrom(file, { operation, path, csvRaw: false, sheet });
}

async function faultsOf(content: string | Uint8Array, path = 'old.csv'): Promise<readonly string[]> {
  const error = await read(content, path).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error('it was not refused');
  expect(error.code).toBe('USAGE');
  const place = `--changed-from "${path}", `;
  return error.faults.map(({ where, problem }) => {
    expect(where.startsWith(place)).toBe(true);
    return `${where.slice(place.length)}: ${problem}`;
  });
}

/** The fields that differ, with what they were; undefined when there is no such row. */
function changesOf(old: ChangedFrom, id: string, values: object): unknown {
  const changes = old.changes(id, new Map(Object.entries(values)));
  return changes === undefined ? undefined : Object.fromEntries(changes);
}

const plain = (cells: ReturnType<ChangedFrom['cells']>) => toPlain(new Map(cells));

it('an older file tells which values of a row differ', async () => {
  const old = await read('id,email,active,first_name\ns1,a,true,Ann\ns2,b,FALSE,\n');
  expect([old.name, changesOf(old, 's1', { email: 'a', active: true, first_name: 'Ann' })]).toEqual(['"old.csv"', {}]);
  expect(changesOf(old, 's1', { email: 'x', active: false })).toEqual({ email: 'a', active: true });
  expect(changesOf(old, 's2', { active: false, first_name: '' })).toEqual({});
  expect(changesOf(old, 's2', { last_name: 'new' })).toStrictEqual({ last_name: null });
  expect(changesOf(old, 's3', { email: 'c' })).toBeUndefined();
});

it('an older file compares digits, and texts, null and numbers apart', async () => {
  const old = await read('{"id":"e1","email":null,"first_name":"5","last_name":1.10}\n', 'old.ndjson');
  // An older file may hold what no field takes.
  const changes = (values: object) => changesOf(old, 'e1', values);
  expect(changes({ email: 'null', first_name: new JsonNumber('5'), last_name: new JsonNumber('1.10') })).toEqual({
    email: null,
    first_name: '5',
  });
  expect(changes({ last_name: null })).toEqual({ last_name: null });
  expect(changes({ email: null, last_name: new JsonNumber('1.1') })).toEqual({ last_name: null });
});

it('an older file tells how many of its rows the newer file lacks, and where an id stood before', async () => {
  const old = await read('id,email\ns1,a\ns2,b\ns3,c\n');
  expect(old.missing).toBe(3);
  expect([old.meet('s2', 5), old.meet('s2', 5), old.meet('s2', 9), old.meet('s2', 5)]).toEqual([0, 0, 5, 0]);
  expect([old.meet('s9', 1), old.missing]).toEqual([undefined, 2]);
  expect([old.meet('s1', 1), old.meet('s3', 2), old.missing]).toEqual([0, 0, 0]);
});

it('an older file tells ids apart that fall on the same place of its index', async () => {
  const old = await read('id,email\nAa,first\nBB,second\n');
  expect(['Aa', 'BB', 'C#'].map((id) => plain(old.cells(id)))).toEqual([{ email: 'first' }, { email: 'second' }, {}]);
  expect([old.meet('BB', 1), old.meet('Aa', 2), old.meet('C#', 3)]).toEqual([0, 0, undefined]);
});

it('an older file gives the cells of a row as they would be sent, and those that could be', async () => {
  const old = await read('id,email,active,first_name,note\ns1,a,true,,x\ns2,,,Ben,x\n');
  expect(plain(old.cells('s1'))).toEqual({ email: 'a', active: true, first_name: '' });
  expect([plain(old.cells('s2')), plain(old.cells('s9'))]).toEqual([{ email: '', active: '', first_name: 'Ben' }, {}]);
  const values = { email: 'x', active: false };
  expect(changesOf(old, 's1', values)).toEqual({ email: 'a', active: true });
  expect(changesOf(old, 's2', values)).toEqual({ email: '', active: null });
  expect(changesOf(old, 's1', { first_name: 'Ann' })).toEqual({ first_name: '' });
});

it('an older file tells in which of some columns a row has something', async () => {
  const old = await read('id,email,active,first_name\ns1,a,false,\n');
  old.noteEmpty('s1', ['email', 'active', 'first_name', 'last_name'], 'row 1 (line 2)');
  old.noteEmpty('s1', [], 'row 2 (line 3)');
  old.noteEmpty('s9', ['email'], 'row 3 (line 4)');
  const cell = { place: 'row 1 (line 2)', id: 's1' };
  expect(old.emptied).toEqual({
    count: 2,
    first: [
      { ...cell, field: 'email', old: 'a' },
      { ...cell, field: 'active', old: false },
    ],
  });
});

it('an older file of texts that look like booleans has them as texts', async () =>
  expect(plain((await read('id,email,active\ns1,true,true\n')).cells('s1'))).toEqual({ email: 'true', active: true }));

it('an older file of JSON lines has its values typed already', async () => {
  const old = await read('{"id":"s1","active":"true","email":"a"}\n{"id":"s2","active":true}\n', 'old.ndjson');
  expect(plain(old.cells('s1'))).toEqual({ active: 'true', email: 'a' });
  expect(changesOf(old, 's2', { active: true })).toEqual({});
});

it('an older file of thousands of rows knows each of them, in whatever order they are asked for', async () => {
  const count = 10_005;
  const old = await read(`id,email\n${Array.from({ length: count }, (_, index) => `s${index},${index}\n`).join('')}`);
  const asked = [0, 15, 16, 31, 32, 5000, 31, 9999, 10_000, 10_003, 10_004, 0];
  expect(asked.map((row) => changesOf(old, `s${row}`, { email: String(row) }))).toEqual(asked.map(() => ({})));
  expect(asked.map((row) => plain(old.cells(`s${row}`)))).toEqual(asked.map((row) => ({ email: String(row) })));
  expect(plain(old.cells('s99999'))).toEqual({});
  expect([old.missing, changesOf(old, 's9999', { email: '1' }), changesOf(old, `s${count}`, {})]).toEqual([
    count,
    { email: '9999' },
    undefined,
  ]);
});

const ROWS = [
  ['id', 'email'],
  ['s1', 'a'],
];

it('an older file may be a workbook', async () => {
  const bytes = sheetJsWorkbook([{ name: 'Rows', rows: ROWS }]);
  expect(changesOf(await read(bytes, 'old.xlsx'), 's1', { email: 'b' })).toEqual({ email: 'a' });
});

it.each([
  ['a row without an id', 'old.csv', 'id,email\ns1,a\n,b\n', 'row 2, line 3: the row has no ID'],
  ['a row of JSON without an id', 'old.ndjson', '{"id":7,"email":"a"}\n', 'line 1: the row has no ID'],
  ['an id twice', 'old.csv', 'id,email\ns1,a\ns2,b\ns1,c\n', 'row 3, line 4: its ID is in an earlier row too'],
  ['each kind of fault', 'old.csv', `id,email\n${',a\n'.repeat(30)}`, 'row 1, line 2 and 29 more: the row has no ID'],
  [
    'a row of too few cells',
    'old.csv',
    'id,email\ns1\n',
    expect.stringMatching(/^row 1, line 2: the row has 1 cell, the header 2/),
  ],
  ['what is no row', 'old.ndjson', '{"id":"s1"}\nno\n', expect.stringMatching(/^line 2, column 1: /)],
])('an older file is refused with %s', async (_, path, text, fault) =>
  expect(await faultsOf(text, path)).toEqual([fault]),
);

it('an older file is refused with a cell that no text can be made of, at its place, and says which sheet was read', async () => {
  expect(await faultsOf(sheetJsWorkbookWith(ROWS, 'B2', { t: 'n', f: '1+1', v: 2 }), 'old.xlsx')).toEqual([
    'row 1, Rows!B2, column email: is a formula (stored as "=1+1"). Store its value as text',
  ]);
  const two = sheetJsWorkbook([
    { name: 'Rows', rows: [...ROWS, ['', 'a']] },
    { name: 'Other', rows: ROWS },
  ]);
  const hintsOf = async (content: string | Uint8Array, path: string) =>
    (await read(content, path).catch((error: unknown) => error)) as Failure;
  expect((await hintsOf(two, 'old.xlsx')).hints).toEqual([expect.stringContaining('the first sheet, "Rows", is read')]);
  expect((await hintsOf('id,email\n,a\n', 'old.csv')).hints).toEqual([]);
});

it('an older file takes line ends of spreadsheets for one another, and a text for no other value', async () => {
  const old = await read(
    '{"id":"s1","email":"a\\r\\nb\\rc\\nd","first_name":"5"}\n{"id":"s2","first_name":"x\\ry"}\n',
    'old.ndjson',
  );
  expect(changesOf(old, 's1', { email: 'a\nb\nc\nd', first_name: '5' })).toEqual({});
  expect(changesOf(old, 's1', { email: 'abcd' })).toEqual({ email: 'a\r\nb\rc\nd' });
  expect(changesOf(old, 's2', { first_name: 'xy' })).toEqual({ first_name: 'x\ry' });
  expect(changesOf(old, 's1', { first_name: new JsonNumber('5') })).toEqual({ first_name: '5' });
});

it('an older file may have a row twice where both are equal, and its ID in one column only', async () => {
  expect((await read('id,email\ns1,a\ns1,a\n')).missing).toBe(1);
  const old = await read('{"cardId":"c1","id":"c2"}\n', 'old.ndjson', OPERATIONS.cardBlock);
  expect([old.meet('c1', 1), old.meet('c2', 1)]).toEqual([0, undefined]);
});

it('an older file finds the ID that lost its zeros or its case, whichever of its rows it stands in', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `0${index}00A`);
  const old = await read(`id,email\n${ids.map((id) => `${id},a\n`).join('')}00,b\n000b,c\n`);
  expect([old.neighbor('000a'), old.neighbor('3900A'), old.neighbor('B'), old.neighbor('0')]).toEqual([
    '0000A',
    '03900A',
    '000b',
    '00',
  ]);
  expect([old.neighbor('10A'), old.neighbor('')]).toEqual([undefined, undefined]);
});

it('an older file has no fault in a cell of a column that nothing reads', async () => {
  const rows = [
    ['id', 'email', 'notes', 'created'],
    ['s1', 'a', 'b', 'c'],
  ];
  for (const place of ['C2', 'D2']) {
    expect((await read(sheetJsWorkbookWith(rows, place, { t: 'n', f: '1+1', v: 2 }), 'old.xlsx')).missing).toBe(1);
  }
});
