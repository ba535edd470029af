import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { getPath, type JsonValue } from '../../../src/base/json/value.ts';
import { csvRowWriter, writeCsvResource } from '../../../src/screen/csv.ts';
import { unguardCell } from '../../../src/screen/formula-guard.ts';
import { recordedOutput } from './recorded-output.ts';

const columns = ['id', 'n', 'metadata'].map((name) => ({ name, header: name.toUpperCase() }));

const PLAIN = { header: true, csvRaw: false };
const BARE = { header: false, csvRaw: false };

async function rowsAsCsv(rows: readonly JsonValue[], style = PLAIN, width?: number): Promise<string> {
  const output = recordedOutput(width);
  const writer = csvRowWriter(columns, style, output);
  for (const row of rows) await writer.row(row);
  await writer.close();
  return output.text();
}

async function resourceAsCsv(resource: JsonValue, style = PLAIN) {
  const output = recordedOutput();
  await writeCsvResource(resource as Parameters<typeof writeCsvResource>[0], style, output);
  return output;
}

it('csv rows writes the header by field names, then one line per row', async () => {
  const rows = ['{"id":"a,b","n":-10.10,"metadata":{"k":"v"}}', '{"id":"say \\"x\\"\\n"}'];
  expect(await rowsAsCsv(rows.map((row) => parseJson(row)))).toBe(
    'id,n,metadata\r\n"a,b",-10.10,"{""k"":""v""}"\r\n"say ""x""\n",,\r\n',
  );
});

it('csv rows writes the header alone for no rows, and nothing without a header', async () =>
  expect([await rowsAsCsv([]), await rowsAsCsv([], BARE)]).toEqual(['id,n,metadata\r\n', '']));

it('csv rows guards texts and not numbers', async () =>
  expect(await rowsAsCsv([parseJson('{"id":"-1","n":-1}')], BARE)).toBe("'-1,-1,\r\n"));

it('csv rows writes a text as it is, and its controls as escapes on a terminal alone', async () => {
  const row = parseJson('{"id":"a\\u001b\\\\x41"}');
  expect(await rowsAsCsv([row], BARE)).toBe('a\u001b\\x41,,\r\n');
  expect(await rowsAsCsv([row], BARE, 80)).toBe('a\\x1b\\x41,,\r\n');
});

it('csv rows guards what a spreadsheet may split off a JSON cell', async () => {
  const row = parseJson('{"id":"x","metadata":{"k":"a;=1+1"}}');
  expect(await rowsAsCsv([row], BARE)).toBe(`x,,"{""k"":""a;'=1+1""}"\r\n`);
});

it('csv rows names an unusual delimiter in a first line, and leaves texts as they are with --csv-raw, but not their controls on a terminal', async () => {
  const output = recordedOutput();
  const dialect = { delimiter: '|', lineEnd: '\n', mark: '\ufeff' };
  await csvRowWriter(columns, { header: true, csvRaw: false, dialect }, output).close();
  expect(output.text()).toBe('\ufeffsep=|\nid|n|metadata\n');
  const row = parseJson('{"id":"=\\u001b"}');
  expect(await rowsAsCsv([row], { header: false, csvRaw: true })).toBe('=\u001b,,\r\n');
  expect(await rowsAsCsv([row], { header: false, csvRaw: true }, 80)).toBe('=\\x1b,,\r\n');
});

it('csv rows marks a line of one empty cell, which readers would skip', async () => {
  const output = recordedOutput();
  await csvRowWriter([{ name: 'x', header: 'X' }], BARE, output).row(parseJson('{}'));
  expect([output.text(), (await resourceAsCsv(new Map([['a', '']]), BARE)).text()]).toEqual(['""\r\n', '""\r\n']);
});

it('csv rows gives every text back to a CSV reader', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), async (texts) => {
      const csv = await rowsAsCsv(texts.map((id) => new Map([['id', id]])));
      const read: string[][] = parse(csv, { from_line: 2, relax_quotes: false });
      expect(read.map(([cell]) => unguardCell(cell ?? ''))).toEqual(texts);
    }),
  );
});

it("csv of one resource writes nested values by dotted column in the resource's own order", async () => {
  const card = parseJson('{"z":1.0,"metadata":{"b":"=x","a":{}},"t":[{"amount":5}],"e":[],"n":null,"=evil":"x"}');
  expect((await resourceAsCsv(card)).text()).toBe(
    `z,metadata.b,metadata.a,t.0.amount,e,n,'=evil\r\n1.0,'=x,{},5,[],,x\r\n`,
  );
});

it('csv of one resource writes what is long in pieces, and gives it back whole', async () => {
  const resource = new Map<string, JsonValue>([
    ['a', `=${'long "text"\n\u001b, '.repeat(20_000)}`],
    ...Array.from({ length: 30_000 }, (_, index): [string, JsonValue] => [`k${index}`, `v${index}`]),
  ]);
  const output = await resourceAsCsv(resource);
  expect(output.writes.length).toBeGreaterThan(8);
  const [names = [], cells = []] = parse(output.text(), { record_delimiter: '\r\n' });
  expect([names, cells.map(unguardCell)]).toEqual([[...resource.keys()], [...resource.values()]]);
});

it('csv of one resource gives keys that are empty or hold a dot or a quote columns of their own', async () => {
  const card = parseJson('{"metadata":{"a.b":"1","a":{"b":"2"},"":"3","q\\"":"4"}}');
  const [header, cells] = parse((await resourceAsCsv(card)).text());
  expect(header).toEqual(['metadata."a.b"', 'metadata.a.b', 'metadata.""', 'metadata."q\\""']);
  expect(cells).toEqual(['1', '2', '3', '4']);
  const names = ['metadata."a.b"', 'metadata.""', 'metadata."q\\""'];
  expect(names.map((name) => getPath(card, name))).toEqual(['1', '3', '4']);
});
