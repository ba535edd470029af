import { utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../../src/base/failure.ts';
import { placeFault, toFaults } from '../../../../src/input/records/fault-place.ts';
import { openArchive } from '../../../../src/input/xlsx/zip.ts';
import {
  handMadeWorkbook,
  MAIN,
  oleContainer,
  PACKAGE,
  sheetJsWorkbook,
  sheetJsWorkbookWith,
  textRow,
  writtenWorkbook,
} from '../../../support/workbooks.ts';
import { makeZip, type ZipFile } from '../../../support/zip.ts';
import { type ReadAll, readAll, valuesOf } from './parse-records.ts';

const HEADER = ['id', 'email', 'first_name', 'active'];
const HEADER_ROW = textRow(1, HEADER);
const NAMES = ['id', 'email'];
const NAMES_ROW = textRow(1, NAMES);
const ONE_ROW = NAMES_ROW + textRow(2, ['s1', 'a@x']);

const faultsOf = (read: ReadAll) => toFaults(read.faults).map(({ where, problem }) => `${where}: ${problem}`);

/** What is wrong with cells, which the rows carry until it is known what their columns are. */
function problemsOf(read: ReadAll): readonly (readonly [number, string])[] {
  return read.records.flatMap(({ problems = [] }) => [...problems].map(([at, { problem }]) => [at, problem] as const));
}

const SHEET = 'xl/worksheets/sheet1.xml';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook of a header alone with another part, or each of its parts as `change` has it. */
const withPart = (name: string, part: string | undefined) =>
  handMadeWorkbook({ rows: HEADER_ROW, parts: { [name]: part } });
const changed = (change: (file: ZipFile) => ZipFile) =>
  handMadeWorkbook({ rows: HEADER_ROW, change: (files) => files.map(change) });

async function refusal(bytes: Uint8Array, path = 'rows.xlsx'): Promise<string> {
  const error = await readAll(bytes, { path }).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) throw new Error(`not refused: ${String(error)}`);
  expect(error.code).toBe('USAGE');
  return error.message;
}

const rows = [HEADER, ['s1', 'a@x', 'Ann', true], ['s2', ' b ', 12, false], ['s3', null, 'é😀', null]];
const values = [
  ['s1', 'a@x', 'Ann', 'TRUE'],
  ['s2', ' b ', '12', 'FALSE'],
  ['s3', '', 'é😀', ''],
];

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['SheetJS wrote it with shared texts', () => sheetJsWorkbook([{ name: 'Rows', rows }])],
  ['SheetJS wrote it with texts in the cells', () => sheetJsWorkbook([{ name: 'Rows', rows }], 'inline')],
  ['write-excel-file wrote it', () => writtenWorkbook([{ name: 'Rows', rows }])],
])('a workbook is read like the CSV file of its sheet when %s', async (_what, make) => {
  const read = await readAll(await make());
  expect([read.format, read.header]).toEqual(['xlsx', HEADER]);
  expect(valuesOf(read)).toEqual(values);
  expect([read.records.map(({ row, line }) => [row, line]), read.faults]).toEqual([
    [
      [1, 2],
      [2, 3],
      [3, 4],
    ],
    [],
  ]);
  expect(problemsOf(read)).toEqual([]);
});

it.each([1, 7, 8, 9, 1000])('a workbook is read like the CSV file of its sheet in pieces of %i', async (size) =>
  expect(valuesOf(await readAll(sheetJsWorkbook([{ name: 'Rows', rows }]), { size }))).toEqual(values),
);

it('a workbook is read like the CSV file of its sheet whatever text it holds', async () => {
  // What XML cannot hold is escaped by programs in ways of their own; the tests by hand have it. write-excel-file
  // numbers its texts by the members of an object, and so loses one that is called toString; it drops U+FFFD too.
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((value) => !/[\p{Cc}\ufffd-\uffff']|_x/u.test(value) && !(value in {}));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }), async (pairs) => {
      const sheet = { name: 'Rows', rows: [['id', 'email'], ...pairs] };
      for (const bytes of [sheetJsWorkbook([sheet]), await writtenWorkbook([sheet])]) {
        expect(valuesOf(await readAll(bytes))).toEqual(pairs);
      }
    }),
    { numRuns: 50 },
  );
});

it('a workbook is read like the CSV file of its sheet without the guard of frontdesk CSV, unless --csv-raw is given', async () => {
  const bytes = sheetJsWorkbook([{ name: 'Rows', rows: [['id'], ["'=1+1"]] }]);
  expect(valuesOf(await readAll(bytes))).toEqual([['=1+1']]);
  expect(valuesOf(await readAll(bytes, { csvRaw: true }))).toEqual([["'=1+1"]]);
});

const OTHER_TYPE = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const relations = (...of: readonly string[]) => `<Relationships xmlns="${PACKAGE}">${of.join('')}</Relationships>`;
const relation = (id: string, type: string, target: string, more = '') =>
  `<Relationship Id="${id}" Type="${type}" Target="${target}"${more}/>`;
const SHEET_RELATION = relation('r1', `${RELATIONS}/worksheet`, 'worksheets/sheet1.xml');

it.each<[string, Parameters<typeof handMadeWorkbook>[0]]>([
  ['with texts in its cells', { rows: ONE_ROW }],
  ['without places', { rows: ONE_ROW.replace(' r="1"', '').replace(' r="2"', '') }],
  [
    'with shared texts in runs, and readings of them',
    {
      texts:
        '<si><t>id</t></si><si><r><t>em</t></r><r><rPr><b/></rPr><t>ail</t></r></si><si><t>s1</t><rPh sb="0" eb="1"><t>no</t></rPh></si><si><t xml:space="preserve">a@x</t></si>',
      rows: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="s"><v>3</v></c></row>',
    },
  ],
  [
    'with character data and entities',
    {
      rows: `${NAMES_ROW}<row><c t="inlineStr"><is><t><![CDATA[s]]>&#49;</t></is></c><c t="str"><v>a&#x40;x</v></c></row>`,
    },
  ],
  [
    'with parts of other names, and a prefix everywhere',
    {
      rows: '',
      parts: {
        '_rels/.rels': `<p:Relationships xmlns:p="${PACKAGE}"><p:Relationship Id="x" Type="${OTHER_TYPE}/officeDocument" Target="/book/Main.xml"/></p:Relationships>`,
        'book/main.xml': `<x:workbook xmlns:x="${MAIN}" xmlns:rel="${OTHER_TYPE}"><x:sheets><x:sheet name="Rows" rel:id="z"/></x:sheets></x:workbook>`,
        'book/_rels/Main.xml.rels': relations(relation('z', `${OTHER_TYPE}/worksheet`, '../other/one.xml')),
        'other/one.xml': `<x:worksheet xmlns:x="${MAIN}"><x:sheetData>${ONE_ROW.replaceAll(/<(\/?)/g, '<$1x:')}</x:sheetData></x:worksheet>`,
      },
    },
  ],
  ['with Zip64 sizes', { rows: ONE_ROW, change: (files) => files.map((file) => ({ ...file, isZip64: true })) }],
  ['of parts not packed', { rows: ONE_ROW, change: (files) => files.map((file) => ({ ...file, isStored: true })) }],
  ['of no other part', { rows: ONE_ROW, parts: { 'xl/_rels/workbook.xml.rels': relations(SHEET_RELATION) } }],
])('a workbook made by hand is read: %s', async (_what, made) => {
  const read = await readAll(handMadeWorkbook(made));
  expect([read.header, ...valuesOf(read)]).toEqual([
    ['id', 'email'],
    ['s1', 'a@x'],
  ]);
});

it('a workbook made by hand is read with what XML cannot hold, as it was typed', async () => {
  const runs = '<c t="inlineStr"><is><r><t>a_x00</t></r><r><t>0A_b_x000A_</t></r></is></c><c t="s"><v>0</v></c>';
  const rows = [
    textRow(1, ['id', 'email']),
    textRow(2, ['a_x000D_&#10;b_x005F_x0041_', '_xZZZZ__x005F_x00af__x000d_']),
    `<row r="3">${runs}</row>`,
  ].join('');
  const texts = '<si><r><t>_x005F_</t></r><r><t>x0041_</t></r></si>';
  expect(valuesOf(await readAll(handMadeWorkbook({ rows, texts })))).toEqual([
    ['a\r\nb_x0041_', '_xZZZZ__x00af_\r'],
    // Spreadsheets read each run by itself.
    ['a_x000A_b\n', '_x0041_'],
  ]);
});

it.each([
  ['', ['TRUE'], []],
  ['"WAHR";"WAHR";"FALSCH"', ['TRUE'], []],
  ['0.00', ['TRUE'], []],
  ...['[=0]1;0', '0;0;1', '[=1]✗;✓', '1;1;1', '[=1]-;+', '[=1]００;１１'].map(
    (format): [string, string[], string[]] => [format, [], [format]],
  ),
  ['"FALSE";"FALSE";"TRUE"', [], ['"FALSE";"FALSE";"TRUE"']],
  ['"TRUE";"TRUE";"TRUE"', [], ['"TRUE";"TRUE";"TRUE"']],
  ['"NEIN";"NEIN";"JA"', [], ['"NEIN";"NEIN";"JA"']],
])('a boolean, also of a formula, in the format %j is read only where it is shown', async (format, shown, faulty) => {
  const styles = `<numFmts><numFmt numFmtId="200" formatCode="${format.replaceAll('"', '&quot;')}"/></numFmts><cellXfs><xf numFmtId="${format === '' ? 0 : 200}"/></cellXfs>`;
  const cells = ['<v>1</v>', '<f>TRUE()</f><v>1</v>'].map((cell) => `<row><c s="0" t="b">${cell}</c></row>`);
  const read = await readAll(handMadeWorkbook({ styles, rows: textRow(1, ['active']) + cells.join('') }));
  expect(
    valuesOf(read)
      .flat()
      .filter((value) => value === 'TRUE'),
  ).toEqual([...shown, ...shown]);
  const problem = (name: string) =>
    `has the format "${name.replaceAll('"', "'")}", so a spreadsheet may show something else`;
  expect(problemsOf(read).map(([, text]) => text.split(' (')[0])).toEqual([...faulty, ...faulty].map(problem));
});

it('a workbook made by hand is read with gaps between its cells, and without the empty rows at its end', async () => {
  const rows = `${HEADER_ROW}<row r="2"><c r="A2" t="str"><v>s1</v></c><c r="D2" t="b"><v>1</v></c></row><row r="9"/>`;
  const read = await readAll(handMadeWorkbook({ rows }));
  expect(read.faults).toEqual([]);
  expect(read.records.map(({ row, line, values }) => [row, line, values])).toEqual([[1, 2, ['s1', 2, 'TRUE']]]);
});

it.each([
  ['is missing', ''],
  ['has a format and no value', '<row r="3"><c r="A3" s="1"/></row>'],
])('a workbook made by hand is read and names a row between others that %s', async (_, between) => {
  const rows = `${HEADER_ROW}${textRow(2, ['s1'])}${between}${textRow(4, ['s2'])}`;
  const read = await readAll(handMadeWorkbook({ rows }));
  expect(read.faults).toMatchObject([{ line: 3, problem: 'the row is empty, but rows follow it: delete it' }]);
});

const faultyCells = [HEADER, ['s1', 'a@x', 'Ann', true]];
const writtenCell = (value: number | Date) =>
  writtenWorkbook([{ name: 'Rows', rows: [HEADER, ['s1', 'a@x', value, true]] }]);
const styledCell = (styles: string) =>
  handMadeWorkbook({ styles, rows: `${HEADER_ROW}<row><c r="C2" s="1"><v>46024</v></c></row>` });
const FORMAT = (format: string, stored: string) =>
  `has the format "${format}", so a spreadsheet may show something else (stored as ${stored})`;
const DECIMAL = 'is a number that spreadsheets may show otherwise (stored as 12.5)';
const NORMAL = '<cellStyleXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellStyleXfs><cellXfs><xf numFmtId="0"/></cellXfs>';
const NAMED_STYLES = '<cellStyleXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellStyleXfs>';
const SHARED_FORMULA = `${HEADER_ROW}<row><c r="C2" t="str"><f t="shared" si="0"/><v>x</v></c></row>`;
const sheetJsCell = (cell: Parameters<typeof sheetJsWorkbookWith>[2]) => sheetJsWorkbookWith(faultyCells, 'C2', cell);

it.each<[string, Buffer | Promise<Buffer>, string]>([
  ['a date of SheetJS', sheetJsCell({ t: 'n', v: 46024, z: 'dd/mm/yyyy' }), FORMAT('dd/mm/yyyy', '46024')],
  ['a date of write-excel-file', writtenCell(new Date(0)), FORMAT('dd/mm/yyyy', '25569')],
  [
    'a date with a format that every program knows',
    styledCell('<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'),
    FORMAT('number 14', '46024'),
  ],
  [
    'a number whose format is named by its style alone',
    styledCell(`${NAMED_STYLES}<cellXfs><xf/><xf xfId="1"/></cellXfs>`),
    FORMAT('number 14', '46024'),
  ],
  ['a formula of SheetJS', sheetJsCell({ t: 'n', v: 2, f: '1+1' }), 'is a formula (stored as "=1+1")'],
  ['a formula that others share', handMadeWorkbook({ rows: SHARED_FORMULA }), 'is a formula (stored as "=")'],
  ['a decimal number of SheetJS', sheetJsCell({ t: 'n', v: 12.5 }), DECIMAL],
  ['a decimal number of write-excel-file', writtenCell(12.5), DECIMAL],
])('a cell that cannot be taken is named: %s', async (_what, bytes, problem) => {
  const remedy = problem.startsWith('is a formula') ? 'Store its value as text' : 'Store it as text';
  expect(problemsOf(await readAll(await bytes))).toEqual([[2, `${problem}. ${remedy}`]]);
});

/** A sheet with something before its rows, and something behind them. */
function sheetWith(before: string, rows: string, behind = ''): Buffer {
  const part = `<worksheet xmlns="${MAIN}">${before}<sheetData>${rows}</sheetData>${behind}</worksheet>`;
  return handMadeWorkbook({ rows: '', parts: { [SHEET]: part } });
}

const IN_MAIN = 'xmlns:e="urn:else"';

/** What is said of the cell A2, or of what stands elsewhere. */
const inCell = (what: string) => [
  `row 1, Rows!A2, column id: has more than a spreadsheet shows ("${what}" in its cell). Store the intended value as text`,
];
const beside = (where: string, what: string) => [
  `Rows, ${where}: has more than a spreadsheet shows (${what}): save it in a spreadsheet`,
];
const inFormat = (place: string, range: string) => [
  `row 1, Rows!${place}: is in a range (${range}) whose conditional format has a number format or hides values, so a spreadsheet may show something else. Remove that format`,
];

const COLLAPSED_TEXT =
  'is in a group that is collapsed, and is not hidden itself, so only some programs show it. Expand the group';

const row2 = (cells: string) => `${NAMES_ROW}<row r="2">${cells}</row>`;

const FORMATTED = '<dxfs><dxf><numFmt numFmtId="170" formatCode=";;;&quot;s2&quot;"/></dxf></dxfs>';
const conditional = (range: string, rule = '<cfRule dxfId="0"/>') =>
  `</sheetData><conditionalFormatting sqref="${range}">${rule}</conditionalFormatting><sheetData>`;

it.each<[string, Parameters<typeof handMadeWorkbook>[0], readonly string[]]>([
  ['a value elsewhere', { rows: row2(`<c r="A2" t="str"><v>s1</v><e:v ${IN_MAIN}>s2</e:v></c>`) }, inCell('v, e:v')],
  ['a second value', { rows: row2('<c r="A2" t="str"><v>s1</v><v>s2</v></c>') }, inCell('v, v')],
  ['an escape in lower case', { rows: row2('<c r="A2" t="str"><v>a_x005f_x0041_</v></c>') }, inCell('v')],
  ['one in a run', { rows: row2('<c r="A2" t="inlineStr"><is><r><t>_x00e9_</t></r></is></c>') }, inCell('is')],
  [
    'one in a shared text',
    { texts: '<si><t>_x00aF_</t></si>', rows: row2('<c r="A2" t="s"><v>0</v></c>') },
    inCell('v'),
  ],
  ['a value of a declared namespace', { rows: row2('<c r="A2" t="str"><v xmlns="urn:else">s2</v></c>') }, inCell(':v')],
  [
    'a zero in a sheet that leaves zeros out',
    {
      rows: '',
      parts: {
        [SHEET]: `<worksheet xmlns="${MAIN}"><sheetViews><sheetView showZeros="0"/></sheetViews><sheetData>${NAMES_ROW}<row r="2"><c r="A2"><v>0</v></c><c r="B2"><v>10</v></c></row></sheetData></worksheet>`,
      },
    },
    [
      'row 1, Rows!A2, column id: has the format "zeros are not shown", so a spreadsheet may show something else (stored as 0). Store it as text',
    ],
  ],
  ['a second text', { rows: row2('<c r="A2" t="inlineStr"><is><t>s1</t><t>s2</t></is></c>') }, inCell('is')],
  [
    'a shared text with a run beside it',
    { texts: '<si><t>s1</t><r><t>s2</t></r></si>', rows: row2('<c r="A2" t="s"><v>0</v></c>') },
    inCell('v'),
  ],
  [
    'a row of another namespace',
    { rows: `${row2('<c t="str"><v>s1</v></c>')}<e:row ${IN_MAIN} r="3"><c t="str"><v>s2</v></c></e:row>` },
    beside('line 3', '"e:row" among its rows'),
  ],
  [
    'a cell of another namespace',
    { rows: row2(`<c t="str"><v>s1</v></c><e:c ${IN_MAIN} t="str"><v>a</v></e:c>`) },
    beside('line 2', '"e:c" among its cells'),
  ],
  [
    'an array formula of an ignored column that fills the next one',
    {
      rows: `${textRow(1, ['calendar', 'id'])}<row r="2"><c r="A2"><f t="array" ref="A2:B3">X</f><v>1</v></c><c r="B2" t="str"><v>s1</v></c></row><row r="3"><c r="B3" t="str"><v>s2</v></c></row>`,
    },
    [
      'row 1, Rows!A2, column calendar: is a formula (stored as "=X"). Store its value as text',
      'row 1, Rows!B2, column id: is filled by a formula of another cell (stored as "s1"). Store its value as text',
      'row 2, Rows!B3, column id: is filled by a formula of another cell (stored as "s2"). Store its value as text',
      'row 2, Rows!A3, column calendar: is filled by a formula of another cell, and the file has no value of it. Store its value as text',
    ],
  ],
  [
    'a conditional format with a number format',
    {
      styles: '<dxfs><dxf><font/></dxf><dxf><numFmt numFmtId="170" formatCode="0;0;0;&quot;x&quot;"/></dxf></dxfs>',
      rows: `${NAMES_ROW}${textRow(2, ['s1', 'a'])}</sheetData><conditionalFormatting sqref="B1:B9 A7"><cfRule dxfId="1"/></conditionalFormatting><conditionalFormatting sqref="A1:A9"><cfRule dxfId="0"/></conditionalFormatting><sheetData>`,
    },
    inFormat('B2, column email', 'B1:B9'),
  ],
  [
    'a conditional format of an extension with a number format',
    {
      rows: `${NAMES_ROW}${textRow(2, ['s1', 'a'])}</sheetData><extLst><ext><y:conditionalFormattings xmlns:y="y"><y:conditionalFormatting><y:cfRule><y:dxf><numFmt formatCode="0"/></y:dxf></y:cfRule><z:sqref xmlns:z="z">A2</z:sqref></y:conditionalFormatting></y:conditionalFormattings></ext></extLst><sheetData>`,
    },
    inFormat('A2, column id', 'A2'),
  ],
  [
    'a conditional format with a number format in an alternative',
    {
      styles: `<dxfs><dxf><a:AlternateContent xmlns:a="a"><a:Fallback><numFmt numFmtId="170" formatCode="0"/></a:Fallback></a:AlternateContent></dxf></dxfs>`,
      rows: `${NAMES_ROW}${textRow(2, ['s1', 'a'])}${conditional('A2')}`,
    },
    inFormat('A2, column id', 'A2'),
  ],
  [
    'a row in a group that is collapsed',
    {
      rows: `${NAMES_ROW}${textRow(2, ['s1', 'a']).replace('<row', '<row outlineLevel="1"')}<row r="3" collapsed="1"/>`,
    },
    [`Rows, line 2: ${COLLAPSED_TEXT}`],
  ],
  [
    'a column in a group that is collapsed',
    {
      rows: `</sheetData><cols><col min="2" max="2" outlineLevel="1"/><col min="3" max="3" collapsed="1"/></cols><sheetData>${NAMES_ROW}`,
    },
    [`Rows!B1: ${COLLAPSED_TEXT}`],
  ],
  ...['iconSet', 'dataBar'].map((name): [string, Parameters<typeof handMadeWorkbook>[0], readonly string[]] => [
    `an ${name} that hides the value`,
    { rows: `${NAMES_ROW}${textRow(2, ['s1'])}${conditional('A2', `<cfRule><${name} showValue="0"/></cfRule>`)}` },
    inFormat('A2, column id', 'A2'),
  ]),
  ...['B9:B2', 'B2:B9', 'C9:B2'].map((range): [string, Parameters<typeof handMadeWorkbook>[0], readonly string[]] => [
    `a conditional format of ${range}`,
    { styles: FORMATTED, rows: `${NAMES_ROW}${textRow(2, ['s1', 'a'])}${conditional(range)}` },
    inFormat('B2, column email', range),
  ]),
  [
    'merged cells from the last to the first',
    { rows: `${ONE_ROW}</sheetData><mergeCells><mergeCell ref="A9:A2"/></mergeCells><sheetData>` },
    [
      'row 1, Rows!A2, column id: is merged (A9:A2 is shown as one cell, but only its first cell is stored). Split it, and store each cell as text',
    ],
  ],
])('a cell that shows otherwise than it is stored is named: %s', async (_what, made, faults) => {
  const read = await readAll(handMadeWorkbook(made));
  const ofCells = read.records.flatMap((record) =>
    [...(record.problems ?? [])].map(([cell, { problem }]) =>
      placeFault(record, 'xlsx', record.names[cell] ?? '', problem),
    ),
  );
  expect(faultsOf({ ...read, faults: [...ofCells, ...read.faults] })).toEqual(faults);
});

/** A text and a number in row 2, with styles whose formats show anything, texts as they are, and another text. */
const stylesAround = (cols: string, row: string, [id, email] = ['', '']) =>
  handMadeWorkbook({
    styles: `<numFmts><numFmt numFmtId="170" formatCode="0;0;0;&quot;card B&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>`,
    rows: `</sheetData><cols>${cols}</cols><sheetData>${NAMES_ROW.replaceAll('<c', '<c s="0"')}<row r="2"${row}><c t="str"${id}><v>card A</v></c><c${email}><v>7</v></c></row>`,
  });
const maySeem = (format: string, stored: string, advice = 'Store it as text') =>
  `has the format "${format}", so a spreadsheet may show something else (stored as ${stored}). ${advice}`;
const CARD_B = [0, maySeem("0;0;0;'card B'", '"card A"', 'Set its number format to General')] as const;
const seven = (format: string) => [1, maySeem(format, '7')] as const;
const SEVEN_B = seven("0;0;0;'card B'");
const col = (min: number, max: number, style: number) => `<col min="${min}" max="${max}" style="${style}"/>`;

it.each<[string, Buffer, readonly (readonly [number, string])[]]>([
  ['of its column', stylesAround(col(1, 1, 2), ''), [CARD_B]],
  ['of several columns', stylesAround(col(1, 16384, 2), ''), [CARD_B, SEVEN_B]],
  ['of its row', stylesAround('', ' s="2" customFormat="1"'), [CARD_B, SEVEN_B]],
  ['of its column, though its row has one', stylesAround(col(1, 1, 2), ' s="1"'), [CARD_B, seven('number 14')]],
  ['of its column, which the workbook lacks', stylesAround(col(2, 2, 9), ''), [seven('unknown')]],
  ['of its column that shows texts as they are', stylesAround(col(1, 1, 1), ''), []],
  ['of its column and row, but has its own', stylesAround(col(1, 2, 2), ' s="2"', [' s="0"', ' s="0"']), []],
  ['of other columns', stylesAround(col(3, 9, 2), ''), []],
])('a cell without a style may have the one %s', async (_whose, bytes, problems) =>
  expect(problemsOf(await readAll(bytes))).toEqual(problems),
);

const FILL = '<alignment horizontal="fill"/>';
it.each([
  ['its own', `<cellXfs><xf/><xf numFmtId="0">${FILL}</xf></cellXfs>`],
  ['its own in an alternative', `<cellXfs><xf/><xf><a:F xmlns:a="a">${FILL}</a:F></xf></cellXfs>`],
  [
    'its named style',
    `<cellStyleXfs><xf/><xf>${FILL}</xf></cellStyleXfs><cellXfs><xf/><xf numFmtId="0" xfId="1"/></cellXfs>`,
  ],
  [
    'that of cells without one',
    `<cellStyleXfs><xf>${FILL}</xf><xf/></cellStyleXfs><cellXfs><xf xfId="1"/></cellXfs>`,
    '',
  ],
])(
  'a text and a number in a style that repeats them to fill the cell are faults: %s',
  async (_, styles, s = ' s="1"') => {
    const rows = `${NAMES_ROW.replaceAll('<c', '<c s="0"')}<row r="2"><c${s} t="str"><v>1</v></c><c${s}><v>7</v></c></row>`;
    const advice = 'Set its horizontal alignment to General';
    const problems = ['"1"', '7'].map((stored, at) => [at, maySeem('alignment: fill', stored, advice)]);
    expect(problemsOf(await readAll(handMadeWorkbook({ styles, rows })))).toEqual(problems);
  },
);

/** An array formula in the column `calendar` that fills the next one in rows 2 to 4. */
const filling = (rows: string) =>
  handMadeWorkbook({
    rows: `${textRow(1, ['calendar', 'id', 'email'])}<row r="2"><c r="A2"><f t="array" ref="A2:B4">X</f><v>1</v></c>${rows}`,
  });
const noValue = (place: string, name: string) =>
  `row ${Number(place.slice(1)) - 1}, Rows!${place}, column ${name}: is filled by a formula of another cell, and the file has no value of it. Store its value as text`;

it.each<[string, Buffer]>([
  ['has an empty cell', filling('<c r="B2" t="str"><v></v></c></row>')],
  ['lacks a cell', filling('<c r="C2" t="str"><v>a</v></c></row>')],
  ['lacks a row', filling('<c r="B2" t="str"><v>s1</v></c></row><row r="3"><c r="B3"><v>2</v></c></row>')],
])('what an array formula fills is a fault where the file %s', async (_what, bytes) =>
  expect(faultsOf(await readAll(bytes))).toEqual([noValue('A3', 'calendar'), noValue('B2', 'id')]),
);

it('what an array formula fills is a fault where SheetJS stores nothing', async () => {
  const sheet = utils.aoa_to_sheet([HEADER, ['s1', 'a@x', 'Ann', true], ['s2', 'b@x', 'Bob', true]]);
  utils.sheet_set_array_formula(sheet, 'B2:C3', 'A2:A3');
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Rows');
  expect(faultsOf(await readAll(write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer))).toEqual([
    noValue('B3', 'email'),
    noValue('C2', 'first_name'),
  ]);
});

it('what a program keeps in an extension of a row or a cell is left aside', async () => {
  const rows = `${NAMES_ROW}<row r="2"><c t="str"><v>s1</v><extLst><ext>x</ext></extLst></c><extLst/></row>`;
  const read = await readAll(handMadeWorkbook({ rows }));
  expect([valuesOf(read), read.faults, problemsOf(read)]).toEqual([[['s1', '']], [], []]);
});

/** A view that was scrolled before its pane was frozen. */
const frozenAt = (first: string, split: string) =>
  `<sheetViews><sheetView topLeftCell="${first}"><pane ${split} topLeftCell="D99" state="frozen"/></sheetView></sheetViews>`;

it.each([
  ['row 0.1 points high', textRow(2, ['s1']).replace('<row', '<row ht="0.1"')],
  ['row whose height is no number', textRow(2, ['s1']).replace('<row', '<row ht="0.1pt"')],
  ...['true', 'on', '2', ' 1 '].map((hidden) => [
    `row with hidden="${hidden}"`,
    textRow(2, ['s1']).replace('<row', `<row hidden="${hidden}"`),
  ]),
  ['row of a sheet that hides those that say nothing', textRow(2, ['s1']), '<sheetFormatPr zeroHeight="1"/>'],
  ['row of a sheet without height', textRow(2, ['s1']), '<sheetFormatPr defaultRowHeight="0"/>'],
  ['row above a frozen pane, to which nobody can scroll', textRow(2, ['s1']), frozenAt('A3', 'ySplit="1"')],
])('a %s counts as hidden', async (_what, row, before = '') => {
  const read = await readAll(sheetWith(before, textRow(1, ['id']) + row));
  expect(read.records.map(({ isHidden }) => isHidden)).toEqual([true]);
});

const DRAWN = 'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="urn:a"';
const DRAWINGS = relations(
  relation('d', `${RELATIONS}/drawing`, '../drawings/d.xml'),
  relation('v', `${RELATIONS}/vmlDrawing`, '../drawings/v.vml'),
);
const PIC = '<d:pic/><d:clientData/>';
const at = (name: string, [col, x]: readonly number[], [row, y]: readonly number[]) =>
  `<d:${name}><d:col>${col}</d:col><d:colOff>${x}</d:colOff><d:row>${row}</d:row><d:rowOff>${y}</d:rowOff></d:${name}>`;
const from = at('from', [1, 0], [1, 0]);
const twoCell = (to: string, what = PIC) => `<d:twoCellAnchor>${from}${to}${what}</d:twoCellAnchor>`;
/** An inch is 914,400, a usual row 190,500. */
const sized = (cx: number, cy: number) => `<d:ext cx="${cx}" cy="${cy}"/>${PIC}`;
const absolute = (x: number, cx: number) =>
  `<d:absoluteAnchor><d:pos x="${x}" y="190500"/>${sized(cx, 190_500)}</d:absoluteAnchor>`;
const LEGACY = 'xl/drawings/v.vml';
const control = (type: string) =>
  `<x:ClientData ObjectType="${type}"><br><x:Anchor> 1, 0, 1, 0, 2, 0, 2, 0</x:Anchor></x:ClientData>`;
const branch = (inside: string) => `<mc:Choice xmlns:mc="urn:mc">${inside}</mc:Choice>`;
const shape = (inside: string, look = '<a:noFill/>') => `<d:sp><d:spPr>${look}</d:spPr>${inside}</d:sp>`;
/** In F2, two columns behind the list. */
const apart = (what: string, rows = 1) =>
  `<d:twoCellAnchor>${at('from', [5, 0], [1, 0])}${at('to', [6, 0], [1 + rows, 0])}${what}</d:twoCellAnchor>`;
const CHILD_BOX = '<a:xfrm><a:chOff x="0" y="0"/><a:chExt cx="9" cy="9"/></a:xfrm>';
const placed = (x: number) => shape('', `<a:xfrm><a:off x="${x}" y="0"/><a:ext cx="9" cy="9"/></a:xfrm>`);
const grouped = (x: number) => apart(`<d:grpSp><d:grpSpPr>${CHILD_BOX}</d:grpSpPr>${placed(x)}</d:grpSp>`);
const GUIDE = '<a:gdLst><a:gd name="e" fmla="*/ -44 w 9"/></a:gdLst>';
const steps = (all: string) => `<a:pathLst><a:path w="9" h="9">${all}</a:path></a:pathLst>`;
const path = (step: string, edge = 'l') =>
  apart(shape('', `<a:custGeom>${GUIDE}<a:rect l="${edge}"/>${steps(step)}</a:custGeom>`));
const point = (x: number) => `<a:lnTo><a:pt x="${x}" y="9"/></a:lnTo>`;
const shadow = (dist: number, more = '') => apart(shape('', `<a:outerShdw blurRad="50800" dist="${dist}"${more}/>`));
const callout = (prst: string, place: number, fill = '') =>
  apart(
    shape(
      '',
      `<a:prstGeom prst="${prst}"><a:avLst>${`<a:gd fmla="val ${place}"/>`.repeat(2)}</a:avLst></a:prstGeom>${fill}`,
    ),
  );
const XFRM = '<a:xfrm><a:off x="0" y="0"/><a:ext cx="609600" cy="190500"/></a:xfrm>';
const texted = (text: string, body: string) =>
  apart(
    shape(`<d:txBody><a:bodyPr ${body}/><a:p><a:r><a:rPr sz="1100"/><a:t>${text}</a:t></a:r></a:p></d:txBody>`, XFRM),
  );
const styled = (idx: string) => apart(shape(`<d:style><a:effectRef idx="${idx}"/></d:style>`));
/** What Excel 2007 has, and a far one. */
const effects = (dist: number) =>
  `<a:effectStyle><a:effectLst><a:outerShdw blurRad="50800" dist="${dist}"/></a:effectLst><a:scene3d><a:camera prst="orthographicFront"><a:rot lat="0" lon="0" rev="0"/></a:camera></a:scene3d></a:effectStyle>`;
const DRAWINGML = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const THEME = `<a:theme xmlns:a="${DRAWINGML}"><a:themeElements><a:fmtScheme><a:effectStyleLst>${effects(20_000)}${effects(1_700_000)}</a:effectStyleLst></a:fmtScheme></a:themeElements></a:theme>`;
const thick = (w: number, what = apart) => what(`<d:cxnSp><d:spPr><a:ln w="${w}"/></d:spPr></d:cxnSp>`);

const drawnParts = (anchors: string, type = `${RELATIONS}/drawing`) => ({
  'xl/worksheets/_rels/sheet1.xml.rels': DRAWINGS.replace(`${RELATIONS}/drawing`, type),
  'xl/_rels/workbook.xml.rels': relations(SHEET_RELATION, relation('t', `${RELATIONS}/theme`, 'theme.xml')),
  'xl/theme.xml': THEME,
  [LEGACY]: `<xml>${anchors}<br>`,
  'xl/drawings/d.xml': `<d:wsDr ${DRAWN}>${anchors.startsWith('<x:') ? '' : anchors}</d:wsDr>`,
});

it.each<[string, string, readonly string[], string?]>([
  ['a picture over B2', twoCell(at('to', [2, 0], [2, 0])), ['B2']],
  ['one over B2 and a little more', twoCell(at('to', [2, 9000], [2, 9000])), ['B2']],
  ['one over B2:C3', twoCell(at('to', [2, 99_000], [2, 99_000])), ['B2', 'C2', 'B3', 'C3']],
  ['one beside the list', twoCell(at('to', [9, 0], [9, 0])).replace('<d:col>1<', '<d:col>3<'), []],
  ['a chart', twoCell(at('to', [2, 0], [2, 0]), '<d:graphicFrame/>'), ['B2']],
  ['a text without filling', twoCell(at('to', [2, 0], [2, 0]), shape('<a:t>s9</a:t>')), ['B2']],
  ['a ring', twoCell(at('to', [2, 0], [2, 0]), shape('<a:t> </a:t>')), []],
  ['a line', twoCell(at('to', [2, 0], [2, 0]), '<d:sp><d:spPr><a:prstGeom prst="line"/></d:spPr></d:sp>'), []],
  ['an arrow', twoCell(at('to', [2, 0], [2, 0]), '<d:cxnSp/>'), []],
  ['a picture of a size', `<d:oneCellAnchor>${from}${sized(600_000, 190_500)}</d:oneCellAnchor>`, ['B2']],
  ['one over two rows', `<d:oneCellAnchor>${from}${sized(600_000, 290_500)}</d:oneCellAnchor>`, ['B2', 'B3']],
  ['one at a place', absolute(700_000, 400_000), ['B2']],
  ['one that is narrow', absolute(700_000, 9000), ['B2']],
  ['one behind its column', twoCell(at('to', [1, 1_900_000], [2, 0])), ['B2', 'C2']],
  ['one of no width', absolute(700_000, 0), []],
  ['one over a name', twoCell(at('to', [2, 0], [2, 0])).replace('<d:row>1<', '<d:row>0<'), ['B1']],
  ['an anchor among alternatives', branch(twoCell(at('to', [2, 0], [2, 0]))), ['B2']],
  ['a picture among alternatives', twoCell(at('to', [2, 0], [2, 0]), branch(PIC)), ['B2']],
  ['one over what a text reaches into', absolute(700_000, 9000).replace('190500"/><', '590000"/><'), ['A4']],
  ['a group', grouped(0), []],
  ['a group of which a part is elsewhere', grouped(-44), ['A1', 'B1', 'C1']],
  ['a path', path(point(9)), []],
  ['a path that leaves its place', path(point(-44)), ['A1', 'B1', 'C1']],
  ['a path with a wide arc', path('<a:arcTo wR="22" hR="1"/>'), ['A1', 'B1', 'C1']],
  ['a path whose text is elsewhere', path(point(9), 'e'), ['A1', 'B1', 'C1']],
  ['a shadow', shadow(38_100), []],
  ['a callout', callout('wedgeRectCallout', -70_000), []],
  ['a callout whose tail is elsewhere', callout('wedgeRectCallout', -330_000), ['C1']],
  ['a line callout whose tail is elsewhere', callout('borderCallout1', -290_000), ['C1']],
  ['a text that fits', texted('s9', 'wrap="none"'), []],
  ['a text that is cut', texted('s9'.repeat(40), 'vertOverflow="clip" horzOverflow="clip"'), []],
  [
    'a text that shows beside its shape',
    texted('s9'.repeat(14), 'vertOverflow="clip" horzOverflow="overflow"'),
    ['C1'],
  ],
  ['a text that shows below its shape', texted('s9 '.repeat(99), ''), ['A1', 'B1', 'C1']],
  ['a shadow of the theme', styled('1'), []],
  ['a far shadow of the theme', styled('2'), ['C1']],
  ['a far shadow', shadow(1_700_000), ['C1']],
  ['an arrow beside the list', thick(76_200), []],
  ['a line that is thick', thick(3_400_000), ['C1']],
  ['a line like a bar', thick(254_000, (line) => twoCell(at('to', [2, 0], [2, 0]), line)), ['A1', 'B1', 'C1']],
  ['a long shape that is turned', apart(shape('', '<a:xfrm rot="2600000"/>'), 30), ['A1', 'B1', 'C1']],
  ['one that lies on its side', apart(shape('', '<a:xfrm rot="5400000"/>'), 30), []],
  ['a button', control('Button'), ['B2']],
  ['a comment that is shown', control('Note').replace('<br>', '<x:Visible/>'), ['B2']],
  ['a comment', control('Note'), []],
  ['a picture that is said to be a link', twoCell(at('to', [2, 0], [2, 0])), ['B2'], `${RELATIONS}/hyperlink`],
  ['a picture of another maker', twoCell(at('to', [2, 0], [2, 0])), ['B2'], 'urn:other'],
])('cells under drawings are faults: %s', async (_what, anchors, expected, type) => {
  const rows = [['id', 'email', 'first_name'], ['s1', 'a@x', 'Ann'], ['s1', 'a@x', 'Ann'], ['longer than its ID']];
  const parts = drawnParts(anchors, type);
  const read = await readAll(handMadeWorkbook({ rows: rows.map((row, at) => textRow(at + 1, row)).join(''), parts }));
  const ofRows = read.records.flatMap(({ line, problems = [] }) => [...problems].map(([cell]) => ({ line, cell })));
  expect([...read.faults, ...ofRows].map(({ line, cell = 9 }) => `${'ABC'[cell]}${line}`)).toEqual(expected);
});

it('all columns count as hidden if the row with their names is', async () => {
  const rows = textRow(1, ['id', 'email']).replace('<row', '<row hidden="1"') + textRow(2, ['s1', 'a@x']);
  const read = await readAll(sheetWith('', rows));
  expect([read.hidden, read.records.map(({ isHidden }) => isHidden)]).toEqual([['id', 'email'], [false]]);
});

it.each([
  ['hidden by hand', '<cols><col min="2" max="3" width="9" hidden="1"/></cols>', ['email', 'created']],
  ['that show no character', '<cols><col min="2" max="4" width="0.9"/></cols>', ['email', 'created', 'first_name']],
  ['left of a frozen pane', frozenAt('C9', 'xSplit="1"'), ['id', 'email']],
  ['not shown', '<sheetFormatPr defaultColWidth="0"/><cols><col min="1" max="3" width="9"/></cols>', ['first_name']],
])('columns %s are named', async (_how, before, names) => {
  const rows = textRow(1, ['id', 'email', 'created', 'first_name']) + textRow(2, ['s1', 'a@x', '', 'Ann']);
  expect((await readAll(sheetWith(before, rows))).hidden).toEqual(names);
});

it.each([
  ['rows of an extension', `<extLst><ext><sheetData>${textRow(3, ['s9', 'z@x'])}</sheetData></ext></extLst>`],
  ['merged cells elsewhere', '<mergeCells><mergeCell ref="C1:E2"/><mergeCell ref="A9:B9"/></mergeCells>'],
])('%s are no rows and no faults of a sheet', async (_what, behind) => {
  const read = await readAll(sheetWith('', ONE_ROW, behind));
  expect([valuesOf(read), read.faults, problemsOf(read)]).toEqual([[['s1', 'a@x']], [], []]);
});

it('TRUE() and FALSE() are booleans, also if several cells share one of them', async () => {
  const cell = (formula: string, value: string) => `<c t="b">${formula}<v>${value}</v></c></row>`;
  const rows = [
    textRow(1, ['id', 'active']),
    textRow(2, ['s1']).replace('</row>', cell('<f t="shared" ref="B2:B3" si="0">TRUE()</f>', '1')),
    textRow(3, ['s2']).replace('</row>', cell('<f t="shared" si="0"/>', '1')),
    textRow(4, ['s3']).replace('</row>', cell('<f>FALSE()</f>', '0')),
  ];
  const read = await readAll(sheetWith('', rows.join('')));
  expect([valuesOf(read), problemsOf(read)]).toEqual([
    [
      ['s1', 'TRUE'],
      ['s2', 'TRUE'],
      ['s3', 'FALSE'],
    ],
    [],
  ]);
});

it.each(['hidden', 'veryHidden'])('the first sheet that is not %s is read', async (state) => {
  const sheets = `<sheet name="Archive" state="${state}" r:id="r1"/><sheet name="Members" r:id="r1"/>`;
  const parts = {
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets}</sheets></workbook>`,
  };
  const read = await readAll(handMadeWorkbook({ rows: ONE_ROW, parts }));
  expect([read.sheet, valuesOf(read)]).toEqual(['Members', [['s1', 'a@x']]]);
});

/** An archive with one part, and the same with another content: of the same length. */
const small = (content: string, isZip64 = false) => makeZip([{ name: 'a', content, isStored: true }], isZip64);
const [SMALL, OTHER, LONG_END] = [small('s1'), small('s9'), small('s1', true)];

/** A copy with one byte that differs, counted from the end. */
function withOther(bytes: Buffer, fromEnd: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - fromEnd] = (copy[copy.length - fromEnd] ?? 0) + 1;
  return copy;
}

it.each<[string, Buffer[]]>([
  ['behind another', [SMALL, OTHER]],
  ['behind other bytes', [Buffer.from('#!/bin/sh\n'), SMALL]],
  ['whose directory begins elsewhere', [withOther(SMALL, 6)]],
  ['whose directory has another length', [withOther(SMALL, 10)]],
  ['with an end in 64 bits, behind another', [LONG_END, LONG_END]],
  ['with an end in 64 bits that says something else', [withOther(LONG_END, 6)]],
  ['with an end in 64 bits at another place', [withOther(LONG_END, 22 + 12)]],
  ['with an end in 64 bits of another length', [withOther(LONG_END, 22 + 20 + 52)]],
  ['with an end in 64 bits whose directory begins elsewhere', [withOther(LONG_END, 22 + 20 + 8)]],
])('an archive is refused that other programs read otherwise: %s', async (_what, pieces) => {
  await expect(openArchive(Buffer.concat(pieces))).rejects.toThrow('its directory is not where its end says');
});

it('an archive with an end in 64 bits is read', async () => {
  const read = (await openArchive(LONG_END)).read('a');
  expect(String((await read.next()).value)).toBe('s1');
});

it('a cell that cannot be taken is named in the header, and where no column is', async () => {
  expect(faultsOf(await readAll(sheetJsWorkbook([{ name: 'My Rows', rows: [['id', 1.5]] }])))).toEqual([
    `'My Rows'!B1: is a number that spreadsheets may show otherwise (stored as 1.5). Store it as text`,
  ]);
  expect(faultsOf(await readAll(sheetJsWorkbook([{ name: 'Rows', rows: [['id'], ['s1', null, 'x']] }])))).toEqual([
    'row 1, Rows!C2: its column has no name in row 1: write one there, or delete the cell',
  ]);
});

it('a workbook says that row 1 is empty when the header stands elsewhere, and without rows is an input without rows', async () => {
  const read = await readAll(sheetJsWorkbook([{ name: "Ann's", rows: [[], HEADER, ['s1']] }]));
  expect(faultsOf(read)).toEqual(["'Ann''s', line 1: the row is empty, but must contain the names of the columns"]);
  const empty = await readAll(sheetJsWorkbook([{ name: 'Rows', rows: [] }]));
  expect([empty.records, empty.faults]).toEqual([[], []]);
});

/** Two sheets, of which a spreadsheet shows the first, the one with s1. */
function twoSheets(sheet: string, around = '', type = `${RELATIONS}/worksheet`) {
  return handMadeWorkbook({
    rows: ONE_ROW,
    parts: {
      'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:q="urn:else" xmlns:r="${RELATIONS}"><sheets ${around}>${sheet}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(relation('r9', type, 'worksheets/sheet9.xml'), SHEET_RELATION),
      'xl/worksheets/sheet9.xml': `<worksheet xmlns="${MAIN}"><sheetData>${NAMES_ROW}${textRow(2, ['s9', 'b@x'])}</sheetData></worksheet>`,
    },
  });
}

it('a header cell that a conditional format shows otherwise is a fault', async () => {
  const read = await readAll(handMadeWorkbook({ styles: FORMATTED, rows: `${ONE_ROW}${conditional('A1:B1')}` }));
  expect(faultsOf(read)).toEqual([
    'Rows!A1, column id: is in a range (A1:B1) whose conditional format has a number format or hides values, so a spreadsheet may show something else. Remove that format',
    'Rows!B1, column email: is in a range (A1:B1) whose conditional format has a number format or hides values, so a spreadsheet may show something else. Remove that format',
  ]);
});

const STRICT = 'xmlns:s="http://purl.oclc.org/ooxml/spreadsheetml/main"';

it.each<[string, Parameters<typeof handMadeWorkbook>[0]]>([
  ['/xl/styles.xml: "s:numFmts"', { rows: ONE_ROW, styles: `<s:numFmts ${STRICT}/>` }],
  ['/xl/styles.xml: "s:xf"', { rows: ONE_ROW, styles: `<cellXfs><s:xf ${STRICT}/></cellXfs>` }],
  [`${SHEET}: "s:mergeCells"`, { rows: `${ONE_ROW}</sheetData><s:mergeCells ${STRICT}/><sheetData>` }],
  [`${SHEET}: "s:sheetData"`, { rows: `${ONE_ROW}</sheetData><s:sheetData ${STRICT}/><sheetData>` }],
])('an element of the other edition of the format, which other programs read too, is damage: %s', async (at, made) => {
  expect(await refusal(handMadeWorkbook(made))).toContain(
    `(${at} is of another edition of the format, which programs show in different ways)`,
  );
});

it.each([
  ['the first named style', '<cellStyleXfs><xf numFmtId="2"/></cellStyleXfs><cellXfs><xf numFmtId="0"/></cellXfs>'],
  ['it, where there are no others', '<cellStyleXfs><xf numFmtId="2"/></cellStyleXfs>'],
  ['the style called Normal', `${NORMAL}<cellStyles><cellStyle name="normal" xfId="1"/></cellStyles>`],
  ['the style of number 0', `${NORMAL}<cellStyles><cellStyle name="Standard" builtinId="0" xfId="1"/></cellStyles>`],
])('a cell without a style may be shown in the format of %s', async (_what, styles) => {
  const rows = `${NAMES_ROW}<row r="2"><c r="A2"><v>7</v></c></row>`;
  expect(problemsOf(await readAll(handMadeWorkbook({ rows, styles })))).toEqual([
    [0, `${FORMAT('number 2', '7')}. Store it as text`],
  ]);
});

it.each(['worksheet', 'sharedStrings', 'styles'])('a workbook whose %s is elsewhere is refused', async (kind) => {
  const other = relation('r9', `${RELATIONS}/${kind}`, 'worksheets/sheet1.xml', ' TargetMode="External"');
  const parts = { 'xl/_rels/workbook.xml.rels': relations(SHEET_RELATION, other) };
  expect(await refusal(handMadeWorkbook({ rows: NAMES_ROW, parts }))).toContain(
    `(xl/_rels/workbook.xml.rels: it refers to a ${kind} outside of the file)`,
  );
});

const ALTERNATIVES = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
/** What one program shows of it, another does not. */
const alternative = (content: string) =>
  `<mc:AlternateContent><mc:Choice Requires="z"/><mc:Fallback>${content}</mc:Fallback></mc:AlternateContent>`;
const OWN = `<sheetData>${ONE_ROW}</sheetData>`;
const OTHERS = `<sheetData>${textRow(2, ['s9', 'b@x'])}</sheetData>`;

it.each([
  ['all rows', alternative(OWN), 'row'],
  ['rows beside its own', OWN + alternative(OTHERS), 'row'],
  ['rows beside none', `<sheetData/>${alternative(OWN)}`, 'row'],
  ['rows of another alternative', OWN + alternative(alternative(OTHERS)), 'row'],
  ['columns', `${alternative('<cols><col min="1" max="1" hidden="1"/></cols>')}${OWN}`, 'col'],
  ['merged cells', `${OWN}${alternative('<mergeCells><mergeCell ref="A1:A2"/></mergeCells>')}`, 'mergeCell'],
])('a sheet that has %s in an alternative is refused: programs show different ones', async (_what, content, name) => {
  const parts = { 'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}" ${ALTERNATIVES}>${content}</worksheet>` };
  expect(await refusal(handMadeWorkbook({ rows: '', parts }))).toContain(
    `(xl/worksheets/sheet1.xml: "${name}" is in "mc:AlternateContent", which programs show in different ways)`,
  );
});

const ONE = [{ name: 'Rows', rows: [NAMES, ['s1', 'a@x']] }];
const oneRow = (parts: Readonly<Record<string, string>>) => handMadeWorkbook({ rows: ONE_ROW, parts });
const repacked = (change: (files: ZipFile[]) => readonly ZipFile[]) => handMadeWorkbook({ rows: ONE_ROW, change });
const BOOK = (sheet: string) => `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheet}</sheets></workbook>`;
const SHOWN = '<sheet name="Rows" sheetId="1" state="show" r:id="r1"/>';
const CONTROLS = alternative('<controls><control r:id="r1"/></controls>');
const ODD_DOCUMENT = relation('a', 'urn:else/officeDocument', 'xl/other.xml');
const DOCUMENT = relation('b', `${RELATIONS}/officeDocument`, 'xl/workbook.xml');
const CHARTS = '<sheet name="Other" r:id="r9"/><sheet name="Rows" r:id="r1"/>';
const ELSEWHERE = `<sheet r:id="r9" name="Rows" s:id="r1" xmlns:s="${RELATIONS}"/>`;

it.each<[string, Buffer | Promise<Buffer>]>([
  ['a sheet of a state that no program knows', oneRow({ 'xl/workbook.xml': BOOK(SHOWN) })],
  ['backslashes', repacked((files) => files.map((file) => ({ ...file, name: file.name.replaceAll('/', '\\') })))],
  ['no part of styles', repacked((files) => files.filter(({ name }) => name !== 'xl/styles.xml'))],
  ['no part of shared texts', repacked((files) => files.filter(({ name }) => name !== 'xl/sharedStrings.xml'))],
  ['an id of another namespace', twoSheets('<sheet q:id="r9" name="Rows" r:id="r1"/>')],
  ['an id without a namespace', twoSheets('<sheet id="r9" name="Rows" r:id="r1"/>')],
  ['an id whose prefix is declared nowhere', twoSheets('<sheet p:id="r9" name="Rows" r:id="r1"/>')],
  ['an id whose prefix means something else there', twoSheets(ELSEWHERE, 'xmlns:r="urn:else"')],
  [
    'an alternative of something else',
    oneRow({ [SHEET]: `<worksheet xmlns="${MAIN}" ${ALTERNATIVES}>${OWN}${CONTROLS}</worksheet>` }),
  ],
  ['a sheet of charts', twoSheets(CHARTS, '', `${RELATIONS}/chartsheet`)],
  ['a document whose relation only ends like it', oneRow({ '_rels/.rels': relations(ODD_DOCUMENT, DOCUMENT) })],
])('a workbook is read as spreadsheets show it: with %s', async (_what, bytes) =>
  expect(valuesOf(await readAll(await bytes))).toEqual([['s1', 'a@x']]),
);

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['made by hand', () => handMadeWorkbook({ rows: ONE_ROW })],
  ['of SheetJS', () => sheetJsWorkbook(ONE)],
  ['of write-excel-file', () => writtenWorkbook(ONE)],
])('a workbook is read as spreadsheets show it: with bytes behind its end, %s', async (_whose, make) =>
  expect(valuesOf(await readAll(Buffer.concat([await make(), Buffer.alloc(100_000)])))).toEqual([['s1', 'a@x']]),
);

const DECLARED = `<worksheet xmlns="${MAIN}"><sheetData>${NAMES_ROW}${textRow(2, ['s1', 'Günther'])}</sheetData></worksheet>`;

it.each(['windows-1252', 'ISO-8859-1', 'UTF-16'])('a part that says it is %s is refused', async (encoding) => {
  const parts = { [SHEET]: `<?xml version="1.0" encoding="${encoding}"?>${DECLARED}` };
  expect(await refusal(handMadeWorkbook({ rows: '', parts }))).toContain(
    `(${SHEET}: its encoding is ${encoding}, not UTF-8)`,
  );
});

it.each([' encoding="utf-8" standalone="yes"', ''])('a part that declares%s is read', async (declared) => {
  const parts = { [SHEET]: `<?xml version="1.0"${declared}?>${DECLARED}` };
  expect(valuesOf(await readAll(handMadeWorkbook({ rows: '', parts })))).toEqual([['s1', 'Günther']]);
});

it.each([
  ['whose relation is not of the format', 'name="Other"', 'urn:else/worksheet', 'the sheet "Other" is no worksheet'],
  ['of dialogs', 'name="Other"', `${RELATIONS}/dialogsheet`, 'the sheet "Other" is no worksheet'],
  ['without a name', '', `${RELATIONS}/worksheet`, 'a sheet has no name'],
])('a sheet %s is damage, because programs may show it first', async (_what, name, type, why) => {
  const sheets = `<sheet ${name} r:id="r9"/><sheet name="Rows" r:id="r1"/>`;
  expect(await refusal(twoSheets(sheets, '', type))).toContain(`(xl/workbook.xml: ${why})`);
});

it('a row under a prefix that it declares is read, if it means the namespace of the sheet', async () => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const row = `<n:row xmlns:n="${main}" r="2"><n:c t="str"><n:v>s1</n:v></n:c></n:row>`;
  expect(valuesOf(await readAll(handMadeWorkbook({ rows: NAMES_ROW + row })))).toEqual([['s1', '']]);
});

const good = { rows: HEADER_ROW };
const ofSheet = (change: Partial<ZipFile>) => changed((file) => (file.name === SHEET ? { ...file, ...change } : file));
const SAVE_XLSX = 'open it in the program that made it and save it as .xlsx';
const HIDDEN_BOOK = BOOK('<sheet name="Rows" sheetId="1" state="veryHidden" r:id="r1"/>');
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.spreadsheet';

it.each<[string, Uint8Array, string]>([
  [
    'text',
    Buffer.from('id,email\ns1,a@x\n'),
    `is text or something else, not an .xlsx file: --from-format csv reads a CSV under this name. Or ${SAVE_XLSX}`,
  ],
  ['an empty file', Buffer.alloc(0), 'is empty (0 bytes): save it again in the program that made it'],
  ['an encrypted workbook', oleContainer('EncryptedPackage'), 'is encrypted: save it without a password'],
  ['an encrypted ZIP', changed((file) => ({ ...file, flags: 1 })), 'is encrypted: save it without a password'],
  ['a .xls', oleContainer('Workbook'), `is in the older .xls format, or encrypted: ${SAVE_XLSX}, without a password`],
  [
    'a sheet with a pivot table',
    withPart('xl/worksheets/_rels/sheet1.xml.rels', relations(relation('p', `${RELATIONS}/pivotTable`, 'p.xml'))),
    'has a pivot table in the sheet "Rows": copy the list into a sheet of its own',
  ],
  ...[apart('<a:reflection/>'), shadow(0, ' sx="900000"'), path('<a:l><a:pt x="q"/></a:l>'), grouped(NaN)].map(
    (drawing): [string, Uint8Array, string] => [
      `a drawing that may show anywhere: ${drawing}`,
      handMadeWorkbook({ rows: ONE_ROW, parts: drawnParts(drawing) }),
      'has a drawing at F2 of the sheet "Rows" whose effects or path may cover any cell: delete it, or copy the list into a sheet of its own',
    ],
  ),
  [
    'an OpenDocument file',
    makeZip([
      { name: 'mimetype', content: OPEN_DOCUMENT },
      { name: 'content.xml', content: '<x/>' },
    ]),
    `is an OpenDocument file (.ods): ${SAVE_XLSX}`,
  ],
  [
    'a file of Apple Numbers',
    makeZip([{ name: 'Index/Document.iwa', content: 'x' }]),
    'is a file of Apple Numbers: export it as Excel (.xlsx) or CSV',
  ],
  [
    'a binary workbook',
    withPart('_rels/.rels', relations(relation('1', `${RELATIONS}/officeDocument`, 'xl/workbook.bin'))),
    `is in the binary .xlsb format: ${SAVE_XLSX}`,
  ],
  ...[
    ['a text document (.docx)', 'word/document.xml'],
    ['a presentation (.pptx)', 'ppt/presentation.xml'],
  ].map(([what = '', part]): [string, Uint8Array, string] => [
    what,
    withPart('_rels/.rels', relations(relation('1', `${RELATIONS}/officeDocument`, part ?? ''))),
    `is ${what}: copy its table into a spreadsheet, and save that as .xlsx`,
  ]),
  [
    'another ZIP file',
    makeZip([{ name: 'readme.txt', content: 'x' }]),
    'is a ZIP archive, not an .xlsx file: unpack it, and name the file in it',
  ],
  ['more than 1 GiB', changed((file) => ({ ...file, saidSize: 300_000_000 })), 'unpacks to more than 1 GiB'],
  [
    'one of hidden sheets alone',
    withPart('xl/workbook.xml', HIDDEN_BOOK),
    ': every sheet is hidden. Name one with --sheet: its sheets are "Rows" (hidden)',
  ],
])('a workbook is refused with exit 2: %s', async (_what, bytes, problem) =>
  expect(await refusal(bytes)).toBe(`stdin${problem.startsWith(':') ? '' : ' '}${problem}. Nothing was sent.`),
);

const rowsOf = (rows: string) => handMadeWorkbook({ rows });
const OUT_OF_STEP = `the part ${SHEET} does not match the directory`;
const inBook = (text: string) => withPart('xl/workbook.xml', text);
const TWO_PARTS = twoSheets('<sheet s:id="r9" name="Rows" r:id="r1"/>', `xmlns:s="${OTHER_TYPE}"`);
const MANY_STYLES = `<cellXfs>${'<xf/>'.repeat(100_001)}</cellXfs>`;
const MANY_RELATIONS = relations(relation('a', 'b', 'c').repeat(100_001));
const TWICE = relations(SHEET_RELATION, SHEET_RELATION);
const isBook = (file: ZipFile) => file.name === 'xl/workbook.xml';

it.each<[string, Uint8Array, string]>([
  ['another document', inBook('<document/>'), 'xl/workbook.xml: "document" is not of the format'],
  ['a workbook without a sheet', inBook(`<workbook xmlns="${MAIN}"/>`), 'it has no sheet'],
  ['a workbook without the part of its sheet', withPart(SHEET, undefined), `the part ${SHEET} is missing`],
  ['an unknown packing', changed((file) => ({ ...file, method: 12 })), 'it is packed in an unknown way'],
  ['a part twice', handMadeWorkbook({ ...good, change: (files) => [...files, ...files] }), 'it contains a part twice'],
  ['a DOCTYPE', inBook('<!DOCTYPE workbook [<!ENTITY a "b">]><workbook/>'), 'xl/workbook.xml: it has a document type'],
  [
    'a part that is not UTF-8',
    changed((file) => (isBook(file) ? { ...file, content: Buffer.from([0x3c, 0xff]) } : file)),
    'xl/workbook.xml is not UTF-8',
  ],
  ['tags that are nested without end', rowsOf('<row>'.repeat(100_000)), `${SHEET}: it is nested too deep`],
  ['endless cells', rowsOf(`<row>${'<c/>'.repeat(200_001)}</row>`), `${SHEET}: an element holds too many others`],
  ['a long text', rowsOf(textRow(1, ['x'.repeat(5_000_000)])), `${SHEET}: a text of more than 4 million characters`],
  ['mixed rows', rowsOf([1, 3, 2].map((row) => textRow(row, ['id'])).join('')), `${SHEET}: its rows are out of order`],
  ['a cell twice', rowsOf('<row r="1"><c r="A1"/><c r="A1"/></row>'), `${SHEET}: its cells are out of order`],
  [
    'a shared text that is not there',
    rowsOf('<row><c t="s"><v>7</v></c></row>'),
    `${SHEET}: a cell refers to a text that does not exist`,
  ],
  ...['x:y', 'AlternateContent'].map((name): [string, Buffer, string] => [
    `${name} among its shared texts, which programs count otherwise`,
    handMadeWorkbook({ texts: `<si><t>id</t></si><${name} xmlns:x="urn:x"/>`, rows: '' }),
    `xl/sharedStrings.xml: "${name}" is among its texts`,
  ]),
  [
    'more merged cells than a spreadsheet can use',
    rowsOf(`</sheetData><mergeCells>${'<mergeCell ref="Z1:Z2"/>'.repeat(50_001)}</mergeCells><sheetData>`),
    `${SHEET}: it has too many merged cells and conditional formats`,
  ],
  [
    'merged cells over more columns than a spreadsheet can use',
    rowsOf(
      `${textRow(1, [...'abcdefghij'])}${textRow(2, ['1'])}</sheetData><mergeCells>${'<mergeCell ref="A2:J2"/>'.repeat(20_001)}</mergeCells><sheetData>`,
    ),
    `${SHEET}: it has too many merged cells and conditional formats`,
  ],
  ['a sheet that names two parts', TWO_PARTS, 'xl/workbook.xml: a sheet has two parts'],
  ['one name for two', withPart('xl/workbook.xml', BOOK(SHOWN + SHOWN)), 'xl/workbook.xml: two sheets have one name'],
  ['one id for two', withPart('xl/_rels/workbook.xml.rels', TWICE), 'xl/workbook.xml: two of its parts have one id'],
  ...[
    ['_rels/.rels', 'officeDocument', 'the file', RELATIONS],
    ['xl/_rels/workbook.xml.rels', 'sharedStrings', 'xl/workbook.xml', RELATIONS],
    ['xl/_rels/workbook.xml.rels', 'styles', 'xl/workbook.xml', RELATIONS],
    ['xl/_rels/workbook.xml.rels', 'styles', 'xl/workbook.xml', OTHER_TYPE],
  ].map(([part = '', kind = '', source = '', edition = '']): [string, Uint8Array, string] => {
    const [one, other] = [RELATIONS, edition].map((base, at) =>
      relation(`x${at}`, `${base}/${kind}`, 'xl/workbook.xml'),
    );
    const bytes = withPart(part, relations(SHEET_RELATION, one ?? '', other ?? ''));
    return [`two of the kind ${kind} in ${edition}`, bytes, `${source}: it refers to two parts of the kind ${kind}`];
  }),
  ['another edition of XML', withPart(SHEET, '<?xml version="1.1"?><worksheet/>'), `${SHEET}: it is XML 1.1, not 1.0`],
  ['a part with another name before its bytes', ofSheet({ localName: SHEET.replace('1', '2') }), OUT_OF_STEP],
  ['a part that unpacks to more than it says', ofSheet({ saidSize: 10 }), OUT_OF_STEP],
  ['a part that unpacks to less than it says', ofSheet({ saidSize: 1_000_000 }), OUT_OF_STEP],
  ['a part that is not what its checksum says', ofSheet({ saidCrc: 1 }), OUT_OF_STEP],
  ['styles without end', handMadeWorkbook({ ...good, styles: MANY_STYLES }), '/xl/styles.xml: it is too large'],
  ['relations that would fill the memory', withPart('_rels/.rels', MANY_RELATIONS), '_rels/.rels: it is too large'],
  ...['0x1', '1e0', ' 1 ', '1.0', '+1', ''].map((style): [string, Buffer, string] => [
    `the style "${style}" of a cell`,
    rowsOf(`<row><c s="${style}"><v>1</v></c></row>`),
    `"${style}" is not a whole number`,
  ]),
  ...[
    ['a row', '<row s="0x0"/>', ''],
    ['a column', '</sheetData><cols><col min="1" max="2" style="0x0"/></cols><sheetData>', ''],
    ['where a column begins', '</sheetData><cols><col min="0x0" max="2"/></cols><sheetData>', ''],
    ['where a column ends', '</sheetData><cols><col min="1" max="0x0"/></cols><sheetData>', ''],
    ['a format', '', '<numFmts><numFmt numFmtId="0x0" formatCode="0"/></numFmts>'],
    ['the format of a style', '', '<cellXfs><xf numFmtId="0x0"/></cellXfs>'],
    ['the named style of a style', '', '<cellXfs><xf xfId="0x0"/></cellXfs>'],
    [
      'a conditional format',
      '</sheetData><conditionalFormatting sqref="A1"><cfRule dxfId="0x0"/></conditionalFormatting><sheetData>',
      '',
    ],
  ].map(([what, rows = '', styles = '']): [string, Buffer, string] => [
    `a number of ${what} that is not in digits`,
    handMadeWorkbook({ rows, styles }),
    '"0x0" is not a whole number',
  ]),
  ...[
    ['of which two are the same', '</sheetData><cols><col min="1" max="3"/><col min="3" max="4"/></cols><sheetData>'],
    ['from the last to the first', '</sheetData><cols><col min="2" max="1"/></cols><sheetData>'],
    ['before the first', '</sheetData><cols><col min="0" max="1"/></cols><sheetData>'],
  ].map(([what, rows = '']): [string, Buffer, string] => [
    `columns ${what}`,
    rowsOf(rows),
    `${SHEET}: its columns are out of order`,
  ]),
  ...[
    ['col', `${ONE_ROW}</sheetData><cols><col min="1" max="1"/></cols><sheetData>`],
    ['sheetFormatPr', `${ONE_ROW}</sheetData><sheetFormatPr zeroHeight="1"/><sheetData>`],
    ['row', `</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells><sheetData>${ONE_ROW}`],
    ['row', `${conditional('A2')}${ONE_ROW}`],
  ].map(([what, rows = '']): [string, Buffer, string] => [
    `${what} in another order: ${rows.slice(0, 40)}`,
    rowsOf(rows),
    `${SHEET}: "${what}" is out of order`,
  ]),
  ...[
    ['a sheet', SHEET, '<worksheet xmlns="urn:x"/>'],
    ['shared texts', 'xl/sharedStrings.xml', '<sst/>'],
  ].map(([what, part = '', text]): [string, Buffer, string] => [
    `${what} of another namespace`,
    withPart(part, text),
    `${part}: "${part === SHEET ? 'worksheet' : 'sst'}" is not of the format`,
  ]),
  ...['worksheets/./sheet1.xml', '/xl/./worksheets/sheet1.xml', 'worksheets/sheet1.xml/'].map(
    (target): [string, Buffer, string] => [
      `the target ${target}`,
      withPart('xl/_rels/workbook.xml.rels', relations(relation('r1', `${RELATIONS}/worksheet`, target))),
      `xl/_rels/workbook.xml.rels: "${target}" is no name of a part`,
    ],
  ),
  ...[
    '',
    '<d:wsDr>',
    `<d:wsDr ${DRAWN}>${twoCell(from.repeat(2))}</d:wsDr>`,
    `<?xml version="1.0" encoding="ISO-8859-1"?><d:wsDr ${DRAWN}/>`,
  ].map((part): [string, Buffer, string] => [
    `the drawings "${part}"`,
    handMadeWorkbook({
      rows: ONE_ROW,
      parts: { 'xl/worksheets/_rels/sheet1.xml.rels': DRAWINGS, 'xl/drawings/d.xml': part },
    }),
    `${SHEET}: its drawings cannot be read`,
  ]),
  ...['a2', 'A02', 'A2:A99999999', 'A1:B2:C3', ''].flatMap((range): [string, Buffer, string][] => [
    [
      `the range "${range}" of a conditional format`,
      handMadeWorkbook({ styles: FORMATTED, rows: `${ONE_ROW}${conditional(range)}` }),
      `${SHEET}: the cells of a conditional format cannot be read`,
    ],
    [
      `the range "${range}" of merged cells`,
      rowsOf(`${ONE_ROW}</sheetData><mergeCells><mergeCell ref="${range}"/></mergeCells><sheetData>`),
      `${SHEET}: its merged cells cannot be read`,
    ],
  ]),
])('a damaged workbook is refused with exit 2: %s', async (_what, bytes, why) =>
  expect(await refusal(bytes)).toBe(`stdin is damaged, or not an .xlsx file (${why}). Nothing was sent.`),
);

it('a workbook is refused with exit 2: XML that is not well formed', async () =>
  expect(await refusal(handMadeWorkbook({ rows: '<row></c>' }))).toContain(`${SHEET}: `));

it.each([1, 30, 100])('a workbook is refused with exit 2: a file that lacks its last %i bytes', async (count) => {
  const whole = handMadeWorkbook(good);
  expect(await refusal(whole.subarray(0, whole.length - count))).toBe(
    'stdin is damaged, or not an .xlsx file (the end of the file is missing: was it copied whole?). Nothing was sent.',
  );
});

it('a workbook is refused with exit 2: a part that unpacks to far more than its size, before it is unpacked', async () => {
  expect(await refusal(handMadeWorkbook({ ...good, rows: textRow(1, ['id']).repeat(2_000_000) }))).toMatch(
    /^stdin unpacks to \d+ times its size, which no real .xlsx file does\. Nothing was sent\.$/,
  );
});

it('a workbook is refused with exit 2: any other change of a byte, unless it leaves the rows as they are', async () => {
  const bytes = handMadeWorkbook({ rows: HEADER_ROW + textRow(2, ['s1', 'a@x', 'Ann', 'true']) });
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      const read = await readAll(changed, { path: 'rows.xlsx' }).catch((error: unknown) => error);
      // The checksum is compared at the end: what was read before it may have faults.
      if (!(read instanceof Error) && (read as ReadAll).faults.length > 0) return;
      if (read instanceof Failure) expect(read.code).toBe('USAGE');
      else expect(read).toMatchObject({ header: HEADER, records: [{ values: ['s1', 'a@x', 'Ann', 'true'] }] });
    }),
    { numRuns: 300 },
  );
});
