import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { JsonNumber } from '../../../../src/base/json/value.ts';
import { placesOf, readAll, valuesOf } from './parse-records.ts';

const CARD = '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11';

function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

test.each([
  ['rows.csv', '[1]', 'csv'],
  ['rows.TSV', 'id', 'csv'],
  ['rows.ndjson', 'id', 'ndjson'],
  ['rows.jsonl', 'id', 'ndjson'],
  ['rows.json', '[]', 'json'],
  ['rows.json', '{"id":"1"}', 'ndjson'],
  ['rows.ids', 'id', 'ids'],
  ['-', '[{"id":"1"}]', 'json'],
  ['-', '\n\n  {"id":"1"}', 'ndjson'],
  ['-', 'id,email\n', 'csv'],
  ['-', 'id\n', 'csv'],
  ['rows.txt', 'email\n', 'csv'],
  ['rows.txt', 'emial\n', 'csv'],
  ['rows.txt', `${CARD}\n`, 'ids'],
  ['rows.txt', `"{${CARD}}"\n`, 'ids'],
  ['rows.txt', 'sub_1\n', 'csv'],
  ['rows.txt', '6,51E+31\n1E+11\n', 'ids'],
  ['rows.txt', '日本', 'csv'],
  ['rows.txt', `BEGIN:VCARD\nVERSION:4.0\n`, 'csv'],
  ['rows.txt', `email\n${CARD}\n${CARD}\n`, 'csv'],
  ['rows.txt', `hello\n${CARD}\n${CARD}\n`, 'ids'],
  ['rows.txt', `${CARD}\nhello\n`, 'ids'],
  ['-', 'a b\n', 'csv'],
])('the format of an input of %s beginning with %j is %s', async (path, text, format) => {
  expect((await readAll(text, { path })).format).toBe(format);
});

it('the format of an input of an empty input does not matter: there are no rows and no faults', async () => {
  for (const text of ['', '\n\n', '\ufeff', '   ']) {
    expect(await readAll(text)).toMatchObject({ records: [], faults: [] });
  }
});

it('a list of ids gives one row a line, without spaces around it and without blank lines', async () => {
  const read = await readAll('a\n  b\t\r\n\n\r\nc', { format: 'ids' });
  expect(valuesOf(read)).toEqual([['a'], ['b'], ['c']]);
  expect(placesOf(read)).toEqual(['1:1', '2:2', '3:5']);
});

it('a list of ids gives the same rows for pieces of any size', async () => {
  const text = 'a\r\nbé\r\rc\n\nd\r';
  const whole = await readAll(text, { format: 'ids' });
  expect(valuesOf(whole)).toEqual([['a'], ['bé'], ['c'], ['d']]);
  for (let size = 1; size <= 16; size += 1) expect(await readAll(text, { format: 'ids', size })).toEqual(whole);
});

it('NDJSON keeps names in their order and numbers digit for digit', async () => {
  const read = await readAll('{"id":"1","n":10.10}\n\n{"__proto__":null,"id":"2"}\n', { format: 'ndjson' });
  expect([read.faults, read.records.map((record) => record.names)]).toEqual([
    [],
    [
      ['id', 'n'],
      ['__proto__', 'id'],
    ],
  ]);
  expect(read.records[0]?.values[1]).toEqual(new JsonNumber('10.10'));
});

it('I20 NDJSON names line and column of each bad line and continues', async () => {
  const read = await readAll('{"id":"1"}\n  {"id":}\n{"a":1,"a":2}\n[1]\n5\n{"id":"6"}\n', { format: 'ndjson' });
  expect(read.faults).toEqual([
    { line: 2, ofRow: 2, column: '9', problem: 'expected a value' },
    { line: 3, ofRow: 3, column: '8', problem: 'the name "a" occurs twice in one object' },
    { line: 4, ofRow: 4, kind: 'element', problem: 'a row must be an object or an id, not an array' },
    { line: 5, ofRow: 5, kind: 'element', problem: 'a row must be an object or an id, not 5' },
  ]);
  expect(read.records.map((record) => record.row)).toEqual([1, 6]);
});

test.each([
  ['ndjson', '{"id":"1","n":1}\n{"id":"2","n":2}\n{"n":3,"id":"3"}\n{"n":4}\n'],
  ['json', '[{"id":"1","n":1},{"id":"2","n":2},{"n":3,"id":"3"},{"n":4}]'],
] as const)('rows of objects of %s share their names with the row before, if the same', async (format, text) => {
  const names = (await readAll(text, { format })).records.map((record) => record.names);
  expect(names).toEqual([['id', 'n'], ['id', 'n'], ['n', 'id'], ['n']]);
  expect(names[1]).toBe(names[0]);
});

const json = (text: string, size?: number) =>
  readAll(text, { format: 'json', ...(size === undefined ? {} : { size }) });

it('a JSON array gives its elements, one at a time, with the line on which each begins', async () => {
  const read = await json('[\n {"id":"1","t":"],}\\"[\\\\"},\n {"id":"2","m":{"a":[1,[2]]}} , "three"\n]\n');
  expect(read.faults).toEqual([]);
  expect(placesOf(read)).toEqual(['1:2', '2:3', '3:3']);
  expect(read.records[0]?.values).toEqual(['1', '],}"[\\']);
  expect(read.records[2]).toMatchObject({ names: ['id'], values: ['three'] });
});

it('a JSON array may be empty', async () => expect(await json(' [ ] ')).toMatchObject({ records: [], faults: [] }));

test.each([
  ['{"data":[]}', 1, '1', 'expected a JSON array, which starts with ['],
  ['[{"id":"1"}', 1, '12', 'the input ends before the array is closed'],
  ['[{"id":"1"},]', 1, '13', 'a comma after the last row: delete it'],
  ['[{"id":"1"}\n {"id":"2"}]', 2, '2', 'expected "," or "]" after a row'],
  ['[{"id":"1"}]\n x', 2, '2', 'there is text after the end of the JSON array'],
  ['[{"id":"1"},\n  {"id":\n   }]', 3, '4', 'expected a value'],
  ['[{"id":"1"},\n  {"a":1,"a":1}]', 2, '10', 'the name "a" occurs twice in one object'],
  ['[{"id":"a\nb"}]', 1, '10', 'a raw line break in a string'],
  ['[,]', 1, '2', 'expected a row'],
  ['["a" "b"]', 1, '6', 'expected "," or "]" after a row'],
])('I20 a JSON array says what is wrong with %j', async (text, line, column, problem) => {
  expect((await json(text)).faults).toEqual([{ line, column, problem }]);
});

it('a JSON array is the same in pieces of any size', async () => {
  const text = '[\n{"id":"é\\u00e9\\"","n":1.50},\r\n"b",{"m":{"x":[{"y":"]"}]}} ,\n{"id":1,}\n]';
  const whole = await json(text);
  expect(whole.faults).toEqual([{ line: 4, column: '9', problem: 'a comma after the last member: delete it' }]);
  for (let size = 1; size <= Buffer.byteLength(text); size += 1) expect(await json(text, size)).toEqual(whole);
});

it('a JSON array reads whatever JSON.stringify writes, in pieces of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), fc.constant(null)))),
      fc.constantFrom(undefined, 2),
      fc.integer({ min: 1, max: 40 }),
      async (wanted, indent, size) => {
        const read = await json(JSON.stringify(wanted, null, indent), size);
        expect(read.faults).toEqual([]);
        const entries = read.records.map((record) => record.names.map((name, index) => [name, record.values[index]]));
        expect(entries).toEqual(wanted.map((row) => Object.entries(row)));
      },
    ),
  );
});

const text = 'id,email\n1,é日本\u{1f3ab}\n2,b\n';
const rows = [
  ['1', 'é日本\u{1f3ab}'],
  ['2', 'b'],
];

test.each([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16LE with a mark', utf16(text, false)],
  ['UTF-16BE with a mark', utf16(text, true)],
])('the encoding of an input may be %s, in pieces of any size', async (_, bytes) => {
  for (let size = 1; size <= bytes.length; size += 1) {
    const read = await readAll(bytes, { format: 'csv', size });
    expect(read.faults).toEqual([]);
    expect(valuesOf(read)).toEqual(rows);
  }
});

test.each([
  [
    'Latin-1',
    Buffer.from('id,email\n1,a\n2,caf\u00e9\n3,c\n', 'latin1'),
    /not UTF-8\. Open the file in the program that made it, and save it as CSV UTF-8 or \.xlsx/,
  ],
  ['Windows-1250', Buffer.from('id,email\n1,a\n2,\u00a3ukasz\n', 'latin1'), /not UTF-8\. Open the file in the program/],
  ['Windows-1251', Buffer.from('id,email\n1,a\n2,\u00c8\u00e2\u00e0\u00ed\n', 'latin1'), /not UTF-8\. Open the file/],
  ['a character that is cut off', Buffer.from('id,email\n1,a\n2,\u00e9', 'utf8').subarray(0, -1), /not UTF-8/],
  ['half a surrogate pair', Buffer.concat([utf16('id,email\n1,a\n2,', false), Buffer.from([0, 0xd8])]), /surrogate/],
  ['an odd byte', Buffer.concat([utf16('id,email\n1,a\n2,', false), Buffer.from([0x41])]), /surrogate/],
])('I22 the encoding of an input is a fault with its line when there is %s', async (_, bytes, problem) => {
  for (const size of [1, 2, 3, 5, 7, 65_536]) {
    const read = await readAll(bytes, { format: 'csv', size });
    expect([read.faults, read.isEnded]).toEqual([[{ line: 3, problem: expect.stringMatching(problem) }], true]);
    expect(valuesOf(read)).toEqual([['1', 'a']]);
  }
});

it('the encoding of an input without a mark is not taken for UTF-16', async () => {
  const read = await readAll(utf16('id,email\n1,a\n', false).subarray(2));
  expect(read.faults).toEqual([{ line: 1, problem: expect.stringMatching(/^UTF-16 without a byte order mark\./) }]);
});

it.each([
  ['UTF-32', Buffer.from('\ufeffid,email\n1,a\n'.replace(/./gs, '$&\0'), 'utf16le')],
  ['a spreadsheet of 1990', Buffer.from('\x09\x08\x10\0\0\x06\x05\0,\n1,a\n', 'latin1')],
])('bytes that are no text are refused: %s', async (_, bytes) => {
  for (const size of [1, 7, 65_536]) {
    const read = await readAll(bytes, { format: 'csv', size });
    expect(read.faults).toEqual([
      { line: 1, problem: expect.stringMatching(/^bytes that are no text\. Open the file/) },
    ]);
    expect(read.header).toBeUndefined();
  }
});

const page = '<html><head><meta charset="utf-8"></head><body><table><tr><td>id</td></tr></table></body></html>';

const MSO = '<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">';

it.each([
  ['a web page', 'rows.xls', page],
  ['a web page', 'rows.xls', Buffer.from(`\ufeff${page}`, 'utf16le')],
  ['an XML spreadsheet of 2003', 'rows.xls', `<?xml version="1.0"?>\n${MSO}`],
  ['XML, not a table', 'rows.xml', '<?xml version="1.0"?><rows><row id="s1"/></rows>'],
  ['a PDF', 'rows.csv', '%PDF-1.7\n%\u00e2\u00e3\n'],
  ['a text document (RTF)', 'rows.csv', '{\\rtf1\\ansi id,email}'],
])('%s is refused as what it is, with a way out', async (what, path, content) => {
  const message = `stdin is ${what}: open it in the program that made it and save it as CSV UTF-8 or .xlsx. Nothing was sent.`;
  await expect(readAll(content, { path })).rejects.toMatchObject({ code: 'USAGE', message });
});

it.each([
  ['a gzip archive', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
  ['an archive', Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4])],
])('%s is to be unpacked', async (what, content) => {
  await expect(readAll(content, { path: 'rows.csv' })).rejects.toMatchObject({
    message: `stdin is ${what}: unpack it, and name the file in it. Nothing was sent.`,
  });
});
