import { expect, it } from 'vitest';
import { type OutputPort, StreamFailure } from '../../../src/base/context.ts';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonValue } from '../../../src/base/json/value.ts';
import { checkOutput } from '../../../src/screen/check-output.ts';
import { openUnder } from '../../../src/screen/column.ts';
import type { OutputOptions, Result } from '../../../src/screen/options.ts';
import { openRowWriter, renderResult, writingBeside } from '../../../src/screen/render.ts';
import { outputOptions, recordedOutput } from './recorded-output.ts';

const COLUMNS = [
  { name: 'cardId', header: 'CARD ID' },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'metadata', header: 'METADATA', wide: true },
] as const;

const A = parseJson('{"status":"ACTIVE","cardId":"a","currentBalance":10.10,"metadata":{"store":"x\\ty"},"extra":[]}');
const B = parseJson('{"cardId":"b","status":"BLOCKED","currentBalance":9.5,"metadata":{}}');

const one: Result = { kind: 'resource', resource: A, columns: COLUMNS };
const two: Result = { kind: 'list', document: [A, B], rows: [A, B], columns: COLUMNS };
const none: Result = { kind: 'list', document: parseJson('{"object":"list","data":[]}'), rows: [], columns: COLUMNS };

async function rendered(result: Result, changes: Partial<OutputOptions>, width?: number): Promise<string> {
  const output = recordedOutput(width);
  await renderResult(result, outputOptions(changes), output);
  return output.text();
}

async function streamed(rows: readonly JsonValue[], changes: Partial<OutputOptions>): Promise<string[]> {
  const output = recordedOutput();
  const writer = await openRowWriter(COLUMNS, outputOptions(changes), output, rows.length);
  for (const row of rows) await writer.row(row);
  await writer.close();
  return output.writes;
}

it('json and ndjson print a resource as the service sent it, digits and order kept', async () => {
  expect(await rendered(one, { format: 'json' })).toBe(
    '{\n  "status": "ACTIVE",\n  "cardId": "a",\n  "currentBalance": 10.10,\n  "metadata": {\n    "store": "x\\ty"\n  },\n  "extra": []\n}\n',
  );
  expect(await rendered(two, { format: 'ndjson', query: '{id:cardId,b:currentBalance}' })).toBe(
    '{"id":"a","b":10.10}\n{"id":"b","b":9.5}\n',
  );
  expect(await rendered(none, { format: 'json' })).toBe('{\n  "object": "list",\n  "data": []\n}\n');
  expect(await rendered(none, { format: 'ndjson' })).toBe('');
});

it('json and ndjson apply --query to the whole result; no match is null, and mask the token even here, in values and names', async () => {
  expect(await rendered(two, { format: 'json', query: '[?currentBalance>`9.50`].currentBalance' })).toBe(
    '[\n  10.10\n]\n',
  );
  expect(await rendered(one, { format: 'json', query: 'nothing' })).toBe('null\n');
  const resource = parseJson('{"m":"got secret1","secret1":[{"x":"secret1"}]}');
  const echo: Result = { kind: 'resource', resource, columns: [] };
  const maskData = (text: string) => text.replaceAll('secret1', '***');
  expect(await rendered(echo, { format: 'ndjson', maskData })).toBe('{"m":"got ***","***":[{"x":"***"}]}\n');
});

it('json and ndjson print one-time secrets, which table and csv hide', async () => {
  const result: Result = {
    kind: 'resource',
    resource: parseJson('{"activationData":"12345","prefix":"4","deep":{"activationData":"😀😀"}}'),
    columns: ['activationData', 'prefix'].map((name) => ({ name, header: name })),
  };
  const hideSensitive = ['activationData'];
  expect(await rendered(result, { format: 'ndjson', hideSensitive })).toContain('"activationData":"12345"');
  expect(await rendered(result, { format: 'csv', hideSensitive })).toBe(
    'activationData,prefix,deep.activationData\r\n"<hidden, 5 characters>",4,"<hidden, 2 characters>"\r\n',
  );
  expect(await rendered(result, { hideSensitive })).toBe('activationData\tprefix\n<hidden, 5 characters>\t4\n');
  expect(await rendered(result, { hideSensitive, query: 'activationData' })).toBe('<hidden, 5 characters>\n');
});

it('a stream of rows is one JSON array that is valid whenever it is closed', async () => {
  expect(await streamed([], { format: 'json' })).toEqual(['[]\n']);
  const writes = await streamed([B, parseJson('1.0')], { format: 'json' });
  expect(writes.join('')).toBe(
    '[\n  {\n    "cardId": "b",\n    "status": "BLOCKED",\n    "currentBalance": 9.5,\n    "metadata": {}\n  },\n  1.0\n]\n',
  );
  expect(writes).toHaveLength(3);
});

it('a stream of rows is collected for a query over json, which speaks of all rows', async () => {
  expect(await streamed([A, B], { format: 'json', query: 'length(@)' })).toEqual(['2\n']);
  expect(await streamed([], { format: 'json', query: '[0]' })).toEqual(['null\n']);
});

it('a stream of rows is one line a row for ndjson, csv and a pipe', async () => {
  expect(await streamed([A, B], { format: 'ndjson', query: 'cardId' })).toEqual(['"a"\n', '"b"\n']);
  expect(await streamed([A, B], { format: 'csv', columns: 'cardId,metadata' })).toEqual([
    'cardId,metadata\r\na,"{""store"":""x\\ty""}"\r\n',
    'b,{}\r\n',
  ]);
  expect(await streamed([A, B], {})).toEqual(['CARD ID\tSTATUS\tBALANCE\na\tACTIVE\t10.10\n', 'b\tBLOCKED\t9.5\n']);
  expect([await streamed([], {}), await streamed([], { header: false })]).toEqual([['CARD ID\tSTATUS\tBALANCE\n'], []]);
});

/** Rows on a terminal where something else stands, and what happens there. */
async function beside(write: OutputPort['write'], expectedRows: number) {
  const events: string[] = [];
  const around = { clear: () => void events.push('clear'), restore: () => void events.push('restore') };
  const terminal = writingBeside({ isTerminal: true, columns: 80, write }, around);
  return { events, writer: await openRowWriter([], outputOptions({ format: 'ndjson' }), terminal, expectedRows) };
}

it.each([
  ['a short run: row by row', 2, ['clear', '{"a":1}\n', 'restore', 'clear', '{"a":2}\n', 'restore']],
  ['a long run: together', 1000, ['clear', '{"a":1}\n{"a":2}\n', 'restore']],
])('what stands on a terminal is taken away while rows are written, in %s', async (_, expectedRows, expected) => {
  const { events, writer } = await beside(async (text) => void events.push(String(text)), expectedRows);
  for (const text of ['{"a":1}', '{"a":2}']) await writer.row(parseJson(text));
  await writer.flush();
  expect(events).toEqual(expected);
  await writer.close();
  expect(events).toEqual(expected);
});

it('what stands on a terminal is shown again when the row cannot be written, which the row says', async () => {
  const { events, writer } = await beside(() => Promise.reject(new StreamFailure('EIO', 'gone')), 1000);
  await writer.row(null);
  await writer.flush();
  expect(events).toEqual(['clear', 'restore']);
  await expect(writer.row(null)).rejects.toThrow('gone');
});

it('table off a terminal is a header and one tab-separated line per resource, tabs inside cells visible', async () => {
  expect(await rendered(two, { columns: 'cardId,metadata.store' })).toBe('CARD ID\tmetadata.store\na\tx\\ty\nb\t\n');
  expect(await rendered(one, { header: false })).toBe('a\tACTIVE\t10.10\n');
});

it('table off a terminal cuts nothing and draws no escape sequence', async () => {
  const resource = new Map([['cardId', `${'x'.repeat(40_000)}\u001b[2J`]]);
  const long: Result = { kind: 'resource', resource, columns: COLUMNS };
  expect(await rendered(long, { colour: true, header: false })).toBe(`${'x'.repeat(40_000)}\\x1b[2J\t\t\n`);
});

it('table off a terminal sorts by the value of a column, shown or not', async () =>
  expect(await rendered(two, { header: false, columns: 'cardId', sortBy: 'currentBalance' })).toBe('b\na\n'));

it.each<[Partial<OutputOptions>, string]>([
  [{ query: '[].{id:cardId,b:currentBalance}' }, 'id\tb\na\t10.10\nb\t9.5\n'],
  [{ query: '[].[cardId,status]', header: false }, 'a\tACTIVE\nb\tBLOCKED\n'],
  [{ query: '[].cardId' }, 'value\na\nb\n'],
  [{ query: '[0].{b:currentBalance}' }, 'b\n10.10\n'],
  [{ query: '[0].status' }, 'ACTIVE\n'],
  [{ query: 'nothing' }, 'null\n'],
  [{ query: '[].{id:cardId,b:currentBalance}', columns: 'b', sortBy: 'b' }, 'b\n9.5\n10.10\n'],
])('table off a terminal shows what a query finds: %j', async (changes, text) =>
  expect(await rendered(two, changes)).toBe(text),
);

it('table off a terminal prints text of frontdesk with one line end', async () => {
  const text: Result = { kind: 'text', text: 'hello', json: parseJson('{"hello":1.0}') };
  expect(await rendered(text, {})).toBe('hello\n');
  expect(await rendered(text, { format: 'ndjson' })).toBe('{"hello":1.0}\n');
});

const isOpen = openUnder('metadata');
it.each([
  [{ columns: '' }, '--columns: a column name is empty'],
  [{ columns: 'status,' }, '--columns: a column name is empty'],
  [{ columns: 'status,', query: '@' }, '--columns: a column name is empty'],
  [{ columns: 'metadata.' }, '--columns: there is no column "metadata."'],
  [{ format: 'json', columns: 'cardId' }, '--columns: not for json output'],
  [{ format: 'ndjson', sortBy: 'cardId', header: false }, '--sort-by, --no-header: not for ndjson output'],
  [{ columns: 'cardID' }, 'did you mean "cardId"'],
  [{ sortBy: 'nope' }, '--sort-by: there is no column "nope"'],
  [{ format: 'json', query: '[' }, '--query "["'],
] as const)('checkOutput refuses %o before anything is sent', async (changes, message) => {
  const faults = await checkOutput(outputOptions(changes), COLUMNS, isOpen);
  expect(faults.map((fault) => fault.message)).toEqual([expect.stringContaining(message)]);
});

it('checkOutput refuses to sort a run, and takes what fits', async () => {
  const messages = async (...args: Parameters<typeof checkOutput>) =>
    (await checkOutput(...args)).map((fault) => fault.problem);
  expect(await messages(outputOptions({ sortBy: 'cardId' }), COLUMNS, isOpen, true)).toEqual([
    '--sort-by: a run prints its rows in input order and cannot be sorted',
  ]);
  const fitting = outputOptions({ sortBy: 'cardId', columns: 'status', header: false });
  expect(await messages(fitting, COLUMNS, isOpen, false)).toEqual([]);
  expect(await messages(outputOptions({ columns: 'anything', query: '@' }), COLUMNS, isOpen)).toEqual([]);
});

it('checkOutput names every fault at once', async () => {
  const faults = await checkOutput(outputOptions({ query: '[', columns: 'x,y', sortBy: 'cardID' }), COLUMNS, isOpen);
  expect(faults.map((fault) => fault.message.split(':')[0])).toEqual(['--query "["']);
  const others = await checkOutput(outputOptions({ columns: 'nope', sortBy: 'cardID' }), COLUMNS, isOpen);
  expect(others.map((fault) => fault.problem)).toEqual([
    '--columns: there is no column "nope"',
    '--sort-by: there is no column "cardID": did you mean "cardId"',
  ]);
  expect(others[0]?.hints).toEqual([`choose from ${COLUMNS.map(({ name }) => name).join(', ')}`]);
});

it('a text of sentences is broken between words in a terminal only, and another text never', async () => {
  const text = 'The sandbox has its initial data again. Try: frontdesk card get 7c0e1111';
  const prose: Result = { kind: 'text', text, json: text, isProse: true };
  expect(await rendered(prose, {}, 30)).toBe(
    'The sandbox has its initial\ndata again. Try:\n  frontdesk card get 7c0e1111\n',
  );
  expect(await rendered(prose, {})).toBe(`${text}\n`);
  expect(await rendered({ kind: 'text', text, json: text }, {}, 30)).toBe(`${text}\n`);
});
