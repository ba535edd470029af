import { read } from '@e965/xlsx';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Failure } from '../../../src/base/failure.ts';
import { fromPlain, type JsonValue } from '../../../src/base/json/value.ts';
import { refuseTooManyRows, WorkbookWriter } from '../../../src/screen/workbook.ts';
import { readAll, valuesOf } from '../input/records/parse-records.ts';

const NOW = Date.UTC(2027, 3, 2, 12);

/** The bytes of a workbook of these rows, what was refused, and how its end failed. */
async function written(names: readonly string[], rows: readonly unknown[], maxRows?: number) {
  const pieces: Uint8Array[] = [];
  const refused: Failure[] = [];
  const writer = new WorkbookWriter(
    names.map((name) => ({ name, header: name })),
    { now: NOW, refuse: async (failure) => void refused.push(failure) },
    { write: async (bytes) => void pieces.push(Buffer.from(bytes)) },
    maxRows,
  );
  for (const row of rows) await writer.row(row instanceof Map ? (row as JsonValue) : fromPlain(row));
  const end = await writer.close().catch((error: Failure) => error);
  return { bytes: Buffer.concat(pieces), refused: refused.map(({ message, details }) => [message, details.row]), end };
}

const textOf = async (text: string) => valuesOf(await readAll((await written(['id'], [{ id: text }])).bytes))[0]?.[0];

it('a workbook that is written has one sheet with a bold, frozen header, columns formatted as text, and booleans that are booleans', async () => {
  const rows = [new Map(Object.entries({ id: '0042', active: true, n: null })), { id: '=1+1', active: false }];
  const { bytes } = await written(['id', 'active', 'n'], rows);
  const book = read(bytes, { cellNF: true, cellStyles: true, bookFiles: true });
  const sheet = book.Sheets['frontdesk'];
  expect([book.SheetNames, sheet?.['!ref']]).toEqual([['frontdesk'], 'A1:C3']);
  expect(sheet?.['A2']).toMatchObject({ t: 's', v: '0042', z: '@' });
  expect(sheet?.['A3']).toMatchObject({ t: 's', v: '=1+1' });
  expect(sheet?.['A3']).not.toHaveProperty('f');
  expect([sheet?.['B2']?.t, sheet?.['B2']?.v, sheet?.['B3']?.v, sheet?.['C2']]).toEqual(['b', true, false, undefined]);
  const part = (name: string) =>
    String((book as unknown as { files: Record<string, { content: Uint8Array }> }).files[name]?.content);
  const xml = part('xl/worksheets/sheet1.xml');
  expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(xml).toContain('<col min="1" max="3" width="22" customWidth="1" style="1"/>');
  expect(xml).toContain('<c r="A1" s="2" t="inlineStr">');
  expect(part('xl/styles.xml')).toContain('<xf numFmtId="49" fontId="1"');
  expect(part('xl/styles.xml')).toContain('<font><b/>');
  expect(xml).toContain('<c r="B2" s="3" t="b"><v>1</v></c>');
  expect(part('xl/styles.xml')).toContain('formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"');
});

it.each([
  ['a formula without a guard', '=1+1', '<t>=1+1</t>'],
  ['what XML cannot hold', 'a\u0001b\ufffe', '<t>a_x0001_b_xFFFE_</t>'],
  ['a carriage return', 'a\rb', '<t>a_x000D_b</t>'],
  ['what looks like such a spelling', '_x0041_', '<t>_x005F_x0041_</t>'],
  ['what LibreOffice takes for one', '_x0_ _x1f_', '<t>_x005F_x0_ _x005F_x1f_</t>'],
  ['blanks and lines', ' a\n', '<t xml:space="preserve"> a\n</t>'],
  ['markup', '<&>', '<t>&lt;&amp;&gt;</t>'],
  ['what reorders a line, as it is', '\u202eb', '<t>\u202eb</t>'],
  ['half a surrogate pair', 'a\ud800b', '<t>a_xD800_b</t>'],
  ['what looks like an escape of other programs', '\\x41', '<t>\\x41</t>'],
  ['a guard of zeros', '="00042"', `<t>'="00042"</t>`],
  ["a `'` that a reader would take away", "'=1", "<t>''=1</t>"],
])('a workbook that is written spells %s', async (_, text, xml) => {
  const { bytes } = await written(['id'], [{ id: text }]);
  const book = read(bytes, { bookFiles: true }) as unknown as { files: Record<string, { content: Uint8Array }> };
  expect(Buffer.from(book.files['xl/worksheets/sheet1.xml']?.content ?? []).toString('utf8')).toContain(
    `<c r="A2" s="1" t="inlineStr"><is>${xml}</is></c>`,
  );
  expect(await textOf(text)).toBe(text);
});

it('a workbook is read as it was written, whatever a text holds', async () => {
  const unit = fc.constantFrom(...`'=;\t\r\n\\x1b_0\u202e\0`, '\ud800');
  const texts = fc.oneof(fc.string({ unit, minLength: 1 }), fc.string({ unit: 'binary', minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect(await textOf(text)).toBe(text);
    }),
  );
});

it('a workbook that is written keeps numbers: they keep their digits, and lists and objects are JSON', async () => {
  const row = new Map(Object.entries({ a: fromPlain(12), b: fromPlain({ x: ['y'] }) }));
  expect(valuesOf(await readAll((await written(['a', 'b'], [row])).bytes))).toEqual([['12', '{"x":["y"]}']]);
});

it('a workbook that is written leaves out a row whose text is too long for a cell, says which, and ends with 15', async () => {
  const longest = 'x'.repeat(32_767);
  const { bytes, refused, end } = await written(['id'], [{ id: longest }, { id: `${longest}x` }, { id: 'last' }]);
  expect(valuesOf(await readAll(bytes))).toEqual([[longest], ['last']]);
  expect(refused).toEqual([['row 2 is not in the workbook: id has 32,768 characters, and a cell holds 32,767', 2]]);
  expect(end).toMatchObject({ exitCode: 15, message: '1 row is not in the workbook, which holds the others' });
});

it('a workbook that is written leaves out what no sheet has a line for', async () => {
  const { bytes, refused, end } = await written(['id'], [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }], 2);
  expect(valuesOf(await readAll(bytes))).toEqual([['a'], ['b']]);
  expect(refused.map(([message]) => message)).toEqual([
    'row 3 is not in the workbook: a sheet holds 2 rows',
    'row 4 is not in the workbook: a sheet holds 2 rows',
  ]);
  expect(end).toMatchObject({ exitCode: 15 });
  expect(() => refuseTooManyRows(1_048_575)).not.toThrow();
  expect(() => refuseTooManyRows(1_048_576)).toThrow('holds 1,048,575 rows below its header, and these are 1,048,576');
});

it('a workbook that is written names columns by their letters beyond Z, and refuses more than a sheet has', async () => {
  const names = Array.from({ length: 703 }, (_, index) => `c${index}`);
  const sheet = read((await written(names, [{ c25: 'z', c26: 'aa', c702: 'aaa' }])).bytes).Sheets['frontdesk'];
  expect([sheet?.['Z2']?.v, sheet?.['AA2']?.v, sheet?.['AAA2']?.v]).toEqual(['z', 'aa', 'aaa']);
  const many = Array.from({ length: 16_385 }, (_, index) => `c${index}`);
  await expect(written(many, [])).rejects.toMatchObject({ exitCode: 2 });
});

it('a workbook that is written tells a row or the end why its bytes cannot be written', async () => {
  const full = new Error('full');
  const sink = { write: () => Promise.reject(full) };
  const writer = new WorkbookWriter([{ name: 'id', header: 'id' }], { now: NOW, refuse: undefined }, sink);
  const work = async () => {
    for (let row = 0; row < 3000; row += 1) await writer.row(fromPlain({ id: `${row}${'x'.repeat(1000)}` }));
    await writer.close();
  };
  await expect(work()).rejects.toBe(full);
});
