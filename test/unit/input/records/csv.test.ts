import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { sniffDelimiter } from '../../../../src/input/records/csv.ts';
import { placesOf, readAll, valuesOf } from './parse-records.ts';

const csv = (text: string | Uint8Array, size?: number) =>
  readAll(text, { format: 'csv', csvRaw: true, ...(size === undefined ? {} : { size }) });

test.each([
  ['LF', 'id,email\n1,a@x\n2,b@x\n'],
  ['CRLF', 'id,email\r\n1,a@x\r\n2,b@x\r\n'],
  ['CR', 'id,email\r1,a@x\r2,b@x\r'],
  ['no line break at the end', 'id,email\n1,a@x\n2,b@x'],
  ['semicolons', 'id;email\n1;a@x\n2;b@x\n'],
  ['tabs', 'id\temail\n1\ta@x\n2\tb@x\n'],
  ['quotes', '"id","email"\n"1","a@x"\n"2","b@x"\n'],
  ['a byte order mark', '\ufeffid,email\n1,a@x\n2,b@x\n'],
  ['blank lines before the header', '\n\r\nid,email\n1,a@x\n2,b@x\n'],
])('I22 a CSV input reads rows with %s', async (_, text) => {
  const read = await csv(text);
  expect([read.faults, read.header, valuesOf(read)]).toEqual([
    [],
    ['id', 'email'],
    [
      ['1', 'a@x'],
      ['2', 'b@x'],
    ],
  ]);
  expect(read.records.map((record) => record.row)).toEqual([1, 2]);
});

it('a CSV input keeps delimiters, line breaks and doubled quotes inside quotes, and gives the line of each row, line breaks in quotes and blank lines counted', async () => {
  expect(valuesOf(await csv('id,text\r\n1,"a,b\r\nc\nd ""e"""\r\n2,""\r\n'))).toEqual([
    ['1', 'a,b\r\nc\nd "e"'],
    ['2', ''],
  ]);
  const read = await csv('id,text\n1,"a\nb\r\nc"\n\n2,x\n3,"d\re"\n4,y\n');
  expect(read.records.map((record) => record.line)).toEqual([2, 6, 7, 9]);
  expect(read.faults.map((fault) => fault.line)).toEqual([5]);
});

it('a CSV input names each row without any value between others, and leaves those at the end out', async () => {
  const between = await csv('id\n\n""\nx\n');
  expect(valuesOf(between)).toEqual([['x']]);
  const problem = 'the row is empty, but rows follow it: delete it';
  expect(between.faults).toEqual([
    { line: 2, ofRow: 0.5, kind: 'empty row', problem },
    { line: 3, ofRow: 0.5, kind: 'empty row', problem },
  ]);
  const atEnd = await csv('id,email\r\n1,a@x\r\n\r\n,\r\n');
  expect([valuesOf(atEnd), atEnd.faults]).toEqual([[['1', 'a@x']], []]);
});

const FEW = 'the row has 2 cells, the header 3. The first missing one is "c"';
const MANY = 'the row has 4 cells, the header 2. The first extra one is "3"';

test.each([
  [
    'too few cells',
    ...(['a,b,c\n1,2\n', { line: 2, row: 1, kind: 'few' }] as const),
    `${FEW}: add its delimiter, with nothing between for an empty cell`,
  ],
  [
    'too many cells',
    ...(['a,b\n1,2,3,4\n', { line: 2, row: 1, kind: 'many' }] as const),
    `${MANY} (a text with a delimiter in it needs quotes)`,
  ],
  [
    'an empty cell too many',
    ...(['a,b\n1,2,\n', { line: 2, row: 1, kind: 'empty' }] as const),
    'the row has 3 cells, the header 2, and what is more is empty: delete the delimiters at the end',
  ],
  [
    'a quote inside a bare cell',
    ...(['a,b\n1,x"y\n', { line: 2, column: '4' }] as const),
    'a quote inside a cell that does not start with one. Write "" inside quotes. Nothing after it was read',
  ],
  [
    'text after a closing quote',
    ...(['a,b\n1,"x"y\n', { line: 2, column: '6' }] as const),
    'text after the closing quote of a cell. Nothing after it was read',
  ],
  [
    'a quote that is not closed',
    ...(['a,b\n1,2\n3,"x\ny\nz', { line: 3, column: '3' }] as const),
    'a quote that is not closed. Nothing after it was read',
  ],
])('I22 a CSV input says where there is %s', async (_, text, place, problem) => {
  expect((await csv(text)).faults).toEqual([{ ...place, problem }]);
});

it('a CSV input continues after a ragged row, so that all are reported at once', async () => {
  const read = await csv('a,b\n1\n2,2\n3,3,3\n4,4\n');
  expect([read.faults.map((fault) => fault.line), placesOf(read)]).toEqual([
    [2, 4],
    ['2:3', '4:5'],
  ]);
});

it('a CSV input takes the guard before a formula away again, unless cells are raw', async () => {
  const text = "id,text\n1,'=1+1\n2,'tis\n3,''=x\n4,'-5\n";
  expect(valuesOf(await readAll(text, { format: 'csv' })).map((row) => row[1])).toEqual(['=1+1', "'tis", "'=x", '-5']);
  expect(valuesOf(await readAll(text, { format: 'csv', csvRaw: true })).map((row) => row[1])).toEqual([
    "'=1+1",
    "'tis",
    "''=x",
    "'-5",
  ]);
});

test.each([
  ['a,b,c', ','],
  ['a;b;c', ';'],
  ['a\tb', '\t'],
  ['"a,b,c";d', ';'],
  ['id', ','],
  ['a,b;c,d', ','],
])('a CSV input tells the delimiter of the header %j', (header, delimiter) => {
  expect(sniffDelimiter(header)).toBe(delimiter);
});

it('a CSV input stops at a row of more than eight million characters instead of taking all of it into memory', async () => {
  expect((await csv(`a,b\n1,"${'x'.repeat(9_000_000)}`, 1_048_576)).faults).toEqual([
    {
      line: 2,
      problem: 'a row of more than 8 million characters (is a closing quote missing?). Nothing after it was read',
    },
  ]);
});

it('a CSV input names a quote that may not stand there, however much follows it', async () => {
  expect((await csv(`a,b\n1,12" pizza\n${'2,x\n'.repeat(2_200_000)}`, 1_048_576)).faults).toMatchObject([
    { line: 2, column: '5', problem: expect.stringMatching(/^a quote inside/) },
  ]);
});

it('a CSV input reads what another program wrote, whatever the cells, delimiter, line ends and pieces', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '\u{1f3ab}', ',', ';', '\t', '"', '\n', '\r', ' ', "'", '='),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }).chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }))),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      async (rows, delimiter, lineEnd, quoted, size) => {
        const names = (rows[0] ?? ['', '']).map((_, index) => `c${index}`);
        const text = stringify([names, ...rows], {
          delimiter,
          record_delimiter: lineEnd,
          quoted,
          // The writer quotes only the line end that it writes itself.
          quoted_match: /[\r\n]/,
        });
        const read = await csv(text, size);
        expect(read.header).toEqual(names);
        // Rows of empty cells at the end are what a spreadsheet leaves behind; between others they are faults.
        const full = rows.filter((cells) => cells.some((each) => each !== ''));
        expect(valuesOf(read)).toEqual(full);
        expect(read.faults).toHaveLength(rows.lastIndexOf(full.at(-1) ?? []) + 1 - full.length);
      },
    ),
  );
});

test.each([
  ['in a cell of a file with LF', 'id,email\n1,a@x\r2,b@x\n', 2],
  ['in a cell of a file with CRLF', 'id,email\r\n1,a@x\r\n2,b\r@x\r\n', 3],
  ['in a header', 'id,em\rail\n1,a@x\n', 2],
  ['in a file of which another line ends in LF', 'id,email\r1,a@x\n2,b@x\r', 2],
])('a CR alone %s is a fault, because it can be read in two ways', async (_, text, line) => {
  const read = await csv(text);
  expect([read.faults.map((fault) => fault.line), read.isEnded]).toEqual([[line], true]);
  expect(read.faults[0]?.problem).toMatch(/^a carriage return \(CR\) alone ends some lines, but not all/);
});

it('a CSV input gives the same rows and faults for pieces of any size', async () => {
  const text = '\ufeff\r\nid;"na""me"\r\n1;"a\r\nb"\r\n\r\n2;c\n3\r\n4;"d;""é\u{1f3ab}"""\r\n5;x"\r\n6;y';
  const whole = await csv(text);
  expect(whole.faults.map((fault) => [fault.line, fault.column])).toEqual([
    [5, undefined],
    [7, undefined],
    [9, '4'],
  ]);
  for (let size = 1; size <= Buffer.byteLength(text); size += 1) expect(await csv(text, size)).toEqual(whole);
});
