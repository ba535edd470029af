import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { fromPlain } from '../../../../src/base/json/value.ts';
import type { InputFile } from '../../../../src/input/input-file.ts';
import { readChangedFrom } from '../../../../src/input/records/changed-from.ts';
import { checkInput } from '../../../../src/input/records/check-input.ts';
import { readRows } from '../../../../src/input/rows/row-file.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { handMadeWorkbook, sheetJsWorkbook, textRow, writtenWorkbook } from '../../../support/workbooks.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { inPieces } from './parse-records.ts';

type Rows = readonly (readonly string[])[];

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '_x000D_');
/** It writes a CR as it is, which XML reads as LF. */
const CHANGES_CR = 'a workbook of write-excel-file';
/** What all programs make of the same rows of texts. */
const WRITERS: Readonly<Record<string, (rows: Rows) => Uint8Array | Promise<Uint8Array>>> = {
  'a csv': (rows) => Buffer.from(rows.map((row) => `${row.map(quoted).join(',')}\n`).join('')),
  'a workbook by hand': (rows) =>
    handMadeWorkbook({ rows: rows.map((row, at) => textRow(at + 1, row.map(xml))).join('') }),
  'a workbook of SheetJS': (rows) => sheetJsWorkbook([{ name: 'Rows', rows }]),
  [CHANGES_CR]: (rows) => writtenWorkbook([{ name: 'Rows', rows }]),
};

const everywhere = (...cases: readonly (readonly [string, string?])[]) =>
  Object.keys(WRITERS).flatMap((writer) => cases.map(([text, what = '']) => [writer, text, what] as const));

async function fileOf(writer: string, rows: Rows): Promise<InputFile> {
  const bytes = (await WRITERS[writer]?.(rows)) ?? new Uint8Array();
  return { name: 'stdin', bytes: () => inPieces(bytes, 4096), close: async () => undefined };
}

/** What is sent of these rows, with the warnings, or else the faults. `old`: the rows of `--changed-from`. */
async function readBy(writer: string, rows: Rows, old?: Rows) {
  const how = { operation: OPERATIONS.subscriberUpdate, path: '-', csvRaw: false, sheet: undefined };
  const changedFrom = old && (await readChangedFrom(await fileOf(writer, old), how));
  const options = { format: undefined, shard: undefined, defaults: {}, resendUnknown: false, expectations: [] };
  const rowsTo = join(temporaryFolder(), 'rows');
  try {
    const input = await checkInput(
      await fileOf(writer, rows),
      { ...how, ...options, emptyCells: 'keep', changedFrom },
      { duplicates: 'refused', rowsTo },
    );
    const sent: string[] = [];
    for await (const batch of readRows(rowsTo, input.shape))
      for (const { id, body } of batch) sent.push(`${id} ${printJson(body ?? null)}`);
    return { sent, faults: [], warnings: input.warnings.map(({ message }) => message) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { sent: [], faults: error.faults.map(({ field, problem }) => `${field}: ${problem}`), warnings: [] };
  }
}

const HEADER = ['id', 'first_name', 'email'];
const sheet = (id: string, name: string, email = 'a@x') => [HEADER, [id, name, email], ['s2', 'Bob', 'b@x']];
const sentOf = (body: object) => `s1 ${printJson(fromPlain(body))}`;

const KEPT = [
  ...['\\x86', '\\x41', '\\u{202e}', 'C:\\x41', '%41', '&#65;', "'tis", "O'=1", '0042', '+a-b', '=1+1'],
  ...["Mon;'\nTue", "Mon;'\r\nTue", 'a\n\rb\r\nc\rd'],
].map((text) => [text] as const);

it.each(everywhere(...KEPT))('%s: the text %j is sent as it stands', async (writer, given) => {
  const text = writer === CHANGES_CR ? given.replaceAll('\r', '') : given;
  const { sent, faults } = await readBy(writer, sheet('s1', text));
  expect([sent[0], faults]).toEqual([sentOf({ email: 'a@x', first_name: text }), []]);
  expect((await readBy(writer, sheet('s1', text), sheet('s1', 'Ann'))).sent).toEqual([sentOf({ first_name: text })]);
  // A program that turns the line ends changes nothing.
  const turned = text.replaceAll('\r\n', '\n');
  expect((await readBy(writer, sheet('s1', turned), sheet('s1', text))).sent).toEqual([]);
});

const isError = (text: string): [string, string] => [
  text,
  `${text} is a spreadsheet error, not a value: correct the formula, and export it again`,
];
const ERRORS = ['#WERT!', '#NV', '#BEZUG!', '#¿NOMBRE?', '#CALC!', 'Err:502', '#N/A', '#ERROR!'].map(isError);
const ZEROS = '="00042" is a formula for "00042", as exports guard zeros: store "00042" in a column formatted as text';

it.each(everywhere(['="00042"', ZEROS], ...ERRORS))(
  '%s: %j is a fault in an ID and in a text, unless it has not changed',
  async (writer, text, problem) => {
    expect((await readBy(writer, sheet(text, 'Ann'))).faults).toEqual([`id: ${problem}`]);
    expect((await readBy(writer, sheet('s1', text))).faults).toEqual([`first_name: ${problem}`]);
    expect((await readBy(writer, sheet('s1', text), sheet('s1', 'Ann'))).faults).toEqual([`first_name: ${problem}`]);
    const same = await readBy(writer, sheet('s1', text, 'a@y'), sheet('s1', text));
    expect(same.sent).toEqual([sentOf({ email: 'a@y' })]);
  },
);

it.each(
  everywhere(
    ['s\u200b1', 'U+200B (zero width space)'],
    ['s1\u2060', 'U+2060 (word joiner)'],
    ['s\u00ad1', 'U+00AD (soft hyphen)'],
    ['“s1”', 'quotes around it (“…”)'],
    ['s1\n', 'U+000A at its end'],
    ['s1\u00a0', 'U+00A0 at its end'],
  ),
)('%s: %j is a fault in an ID, and a warning in a text', async (writer, text, what) => {
  const { faults } = await readBy(writer, sheet(text, 'Ann'));
  expect(faults).toEqual([expect.stringMatching(/^id: .*, which no ID has$/s)]);
  expect(faults[0]).toContain(`has ${what.replace(' at its end', '')}`);
  const warnings = [`1 cell of column first_name (row 1) has ${what}, and is sent as given`];
  for (const old of [undefined, sheet('s1', 'Ann')])
    expect(await readBy(writer, sheet('s1', text), old)).toMatchObject({ faults: [], warnings });
  expect((await readBy(writer, sheet('s1', text, 'a@y'), sheet('s1', text))).warnings).toEqual([]);
});

it.each(everywhere(['6,51E+31'], ['1E+11']))('%s: %j is an ID that a spreadsheet rounded', async (writer, id) => {
  expect((await readBy(writer, sheet(id, id))).faults).toEqual([expect.stringMatching(/^id: .*rounded/)]);
  expect((await readBy(writer, sheet('s1', id))).faults).toEqual([]);
});

it('a workbook by hand: half a surrogate pair is a fault in an ID and in a text', async () => {
  const half = 'has half of a surrogate pair: a program has cut the text';
  expect((await readBy('a workbook by hand', sheet('s1', 'a_xD83D_'))).faults).toEqual([`first_name: ${half}`]);
  expect((await readBy('a workbook by hand', sheet('s_xDE00_', 'Ann'))).faults).toEqual([
    expect.stringContaining('id: has half of a surrogate pair, which a URL cannot contain'),
  ]);
});

it.each(Object.keys(WRITERS))('%s of one column is no list of IDs', async (writer) => {
  expect((await readBy(writer, [['Person'], ['s1'], ['s2']])).faults).toEqual([
    expect.stringContaining('unknown column "Person"'),
    expect.stringContaining('the column id is missing'),
  ]);
});

it.each(Object.keys(WRITERS))('%s: a fault of 599 cells is listed once', async (writer) => {
  const rows = Array.from({ length: 599 }, (_, at) => [`s${at}`, '#NV', 'a@x']);
  expect((await readBy(writer, [HEADER, ...rows])).faults).toEqual([`first_name: ${isError('#NV')[1]}`]);
});
