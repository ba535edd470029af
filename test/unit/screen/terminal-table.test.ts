import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import type { JsonValue } from '../../../src/base/json/value.ts';
import { CARD_COLUMNS } from '../../../src/cli/commands/card/columns.ts';
import { displayWidth } from '../../../src/screen/cut-text.ts';
import type { OutputOptions } from '../../../src/screen/options.ts';
import { openRowWriter, renderResult } from '../../../src/screen/render.ts';
import { outputOptions, recordedOutput } from './recorded-output.ts';

const COLUMNS = [
  { name: 'id', header: 'ID', keep: true },
  { name: 'name', header: 'NAME' },
  { name: 'amount', header: 'AMOUNT', align: 'right' },
  { name: 'status', header: 'STATUS', tone: 'status' },
] as const;

function row(id: string, name: string, amount = '10.10', status = 'ACTIVE'): JsonValue {
  return parseJson(JSON.stringify({ id, name, status }).replace('}', `,"amount":${amount}}`));
}

type Columns = Parameters<typeof openRowWriter>[0];

async function table(
  rows: readonly JsonValue[],
  width: number,
  changes: Partial<OutputOptions> = {},
  columns: Columns = COLUMNS,
): Promise<string> {
  const output = recordedOutput(width);
  await renderResult({ kind: 'list', document: rows, rows, columns }, outputOptions(changes), output);
  return output.text();
}

const linesOf = async (...given: Parameters<typeof table>) => (await table(...given)).split('\n');

it('a table on a terminal has a rule under its header, and columns as wide as their cells', async () => {
  expect(await linesOf([row('a1', 'Ann'), row('b2', '日本語 😀', '-5', 'BLOCKED')], 80)).toEqual([
    ...['ID  NAME       AMOUNT  STATUS', '──────────────────────────────'],
    ...['a1  Ann         10.10  ACTIVE', 'b2  日本語 😀      -5  BLOCKED', ''],
  ]);
});

it('T12 a table on a terminal is ASCII where the locale is not UTF-8', async () => {
  expect(await linesOf([row('a1', 'x'.repeat(80))], 40, { unicode: false })).toEqual([
    ...['ID  NAME                  AMOUNT  STATUS', '----------------------------------------'],
    ...['a1  xxxxxxxxxxxxxxxxx...   10.10  ACTIVE', ''],
  ]);
});

it('a table on a terminal has no rule for a screen reader', async () => {
  const lines = ['ID  NAME  AMOUNT  STATUS', 'a1  Ann    10.10  ACTIVE', ''];
  expect(await table([row('a1', 'Ann')], 80, { isAccessible: true })).toBe(lines.join('\n'));
  expect(await table([], 80, { isAccessible: true })).toBe('ID  NAME  AMOUNT  STATUS\n');
  const long = await table(Array(501).fill(row('a1', 'Ann')), 80, { isAccessible: true });
  expect(long.split('\n').slice(0, 2)).toEqual(lines.slice(0, 2));
});

it.each([60, 80, 120])('a table on a terminal fits into %i columns, whatever the cells', async (width) => {
  const rows = [
    row('7c0e2f3a-1111-2222-3333-444455556666', '日本語'.repeat(60)),
    row('b', 'مرحبا بالعالم '.repeat(30)),
    row('c', '😀'.repeat(100)),
    row('d', `Z${'\u0301'.repeat(5000)}`),
    row('e', 'x'.repeat(40_000)),
    row('f', '\ue000\ue000'),
  ];
  const lines = await linesOf(rows, width);
  expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
  // An id that people copy is not cut; what has no room beside it is left out and named.
  expect(lines[2]).toContain('7c0e2f3a-1111-2222-3333-444455556666');
  expect(lines.slice(8)).toEqual(width >= 80 ? [''] : ['Not shown (--columns names them): amount', '']);
  expect(lines[7]).toContain('\ue000\ue000');
});

it('T4 a table on a terminal is one line per row whatever is in the cells, with nothing a terminal obeys', async () => {
  const text = await table([row('a\nb', '\u001b]8;;http://x\u0007\u009b31m\u202e\r')], 120);
  expect(text.split('\n')).toHaveLength(4);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(text).toContain('a\\nb');
});

it('a table in a terminal colors by value only with color', async () => {
  expect(await table([row('a', 'x')], 80, { colour: true })).toContain('\u001b[32mACTIVE\u001b[39m');
  expect(await table([row('a', 'x')], 80)).not.toContain('\u001b');
});

it('a table on a terminal leaves the header out with --no-header, and shows it alone for no rows', async () => {
  expect(await table([row('a', 'x')], 80, { header: false })).not.toContain('AMOUNT');
  expect(await table([], 80)).toBe('ID  NAME  AMOUNT  STATUS\n────────────────────────\n');
});

it('T7 a table on a terminal streams padded columns past 500 rows', async () => {
  const rows = Array.from({ length: 502 }, (_, index) => row(`id${index}`, 'Ann'));
  const lines = await linesOf(rows, 80);
  expect([lines.length, lines[0]]).toEqual([505, 'ID     NAME  AMOUNT  STATUS']);
  expect([lines[1], lines[503]]).toEqual(['───────────────────────────', 'id501  Ann    10.10  ACTIVE']);
});

const WIDE = [
  { name: 'cardId', header: 'CARD ID', keep: true },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'balance', header: 'BALANCE', align: 'right' },
  { name: 'host', header: 'HOST', spare: true },
  { name: 'note', header: 'NOTE' },
  { name: 'resultId', header: 'RESULT ID' },
  { name: 'expires', header: 'EXPIRES' },
] as const;
const CARD = parseJson(
  `{"cardId":"7c0e2f3a-1111-2222-3333-444455556666","status":"WAITING_ACTIVATION","balance":100.10,"host":"example.com",
      "note":"${'n'.repeat(30)}","expires":"2031-03-31T23:59:59.000Z"}`,
);

const wide = (width: number, changes: Partial<OutputOptions> = {}) => linesOf([CARD], width, changes, WIDE);

it('a table of more columns than fit leaves out empty ones first, then spare ones, then those on the right, and names what it left out', async () => {
  expect((await wide(112))[0]).toBe(
    'CARD ID                               STATUS              BALANCE  HOST         NOTE             EXPIRES',
  );
  expect(await wide(90)).toEqual([
    'CARD ID                               STATUS              BALANCE  NOTE        EXPIRES',
    '─────────────────────────────────────────────────────────────────────────────────────────',
    '7c0e2f3a-1111-2222-3333-444455556666  WAITING_ACTIVATION   100.10  nnnnnnnnn…  2031-03-3…',
    'Not shown (--columns names them): host',
    '',
  ]);
  expect((await wide(90, { suggestions: undefined }))[3]).toBe('Not shown: host');
  expect(await wide(68)).toEqual([
    'CARD ID                               STATUS              BALANCE',
    '─────────────────────────────────────────────────────────────────',
    '7c0e2f3a-1111-2222-3333-444455556666  WAITING_ACTIVATION   100.10',
    'Not shown (--columns names them): host, note, expires',
    '',
  ]);
});

it('a table of more columns than fit shows a narrow one after all where a wide one had to go too', async () => {
  const columns = [
    { name: 'id', header: 'ID', keep: true },
    { name: 'status', header: 'STATUS', align: 'right', spare: true },
    { name: 'message', header: 'MESSAGE', below: 'plain' },
  ] as const;
  const rows = [parseJson(`{"id":"${'7'.repeat(36)}","status":404,"message":"${'m'.repeat(60)}"}`)];
  expect(await linesOf(rows, 60, {}, columns)).toEqual([
    'ID                                    STATUS',
    '────────────────────────────────────────────',
    '777777777777777777777777777777777777     404',
    `  ${'m'.repeat(58)}`,
    '  mm',
    '',
  ]);
});

it('a table of more columns than fit leaves none out that --columns named', async () => {
  expect((await wide(100, { columns: 'cardId,status,balance,host,note,resultId,expires' }))[0]).toBe(
    'CARD ID          STATUS           BALANCE  HOST         NOTE             RESULT ID  EXPIRES',
  );
});

it.each([
  [100, 'CARD ID                               STATUS  BALANCE  INITIAL  EXPIRES     CLIENT REFERENCE  DESIGN', ''],
  [80, 'CARD ID                               STATUS  BALANCE  INITIAL  CLIENT REFERENCE', ''],
  [60, 'CARD ID                               STATUS  BALANCE', '  client reference order-1'],
])('a table of cards in %i columns cuts no reference, and shows a time as its day', async (width, head, below) => {
  const card = `{"cardId":"7c0e2f3a-1111-2222-3333-444455556666","status":"ACTIVE","currentBalance":10.5,"initialBalance":50,
    "expiryDate":"2031-03-31T23:59:59Z","clientReference":"order-1","design":"plain"}`;
  const lines = await linesOf([parseJson(card)], width, {}, CARD_COLUMNS);
  expect([lines[0], lines[3]?.startsWith(below)]).toEqual([head, true]);
  expect(lines[2]?.includes('50  2031-03-31  order-1')).toBe(width === 100);
});

const RESULT = [
  { name: 'row', header: 'ROW', align: 'right' },
  { name: 'outcome', header: 'OUTCOME', tone: 'outcome' },
  { name: 'resultId', header: 'RESULT ID', keep: true, below: 'labelled' },
  { name: 'message', header: 'MESSAGE', below: 'plain' },
] as const;
const ROWS = [
  '{"row":1,"outcome":"applied","resultId":"7c0e2f3a-1111-2222-3333-444455556666"}',
  '{"row":2,"outcome":"rejected","message":"the service returned 409 (CARD_BLOCKED: the card is blocked already)"}',
].map((text) => parseJson(text));

async function drawn(width: number, fewest: number, columns: Columns = RESULT, rows: readonly JsonValue[] = ROWS) {
  const output = recordedOutput(width);
  const writer = await openRowWriter(columns, outputOptions(), output, fewest);
  for (const each of rows) await writer.row(each);
  await writer.close();
  return output.text().split('\n');
}

it.each([2, 1000])('a cell stands below its row where that has no room (streamed from %i rows)', async (fewest) => {
  expect((await drawn(44, fewest)).slice(2)).toEqual([
    expect.stringMatching(/^ *1 {2}applied$/),
    '  result id',
    '  7c0e2f3a-1111-2222-3333-444455556666',
    expect.stringMatching(/^ *2 {2}rejected$/),
    '  the service returned 409 (CARD_BLOCKED:',
    '  the card is blocked already)',
    '',
  ]);
});

it('a cell that may stand below its row stands in its row where there is room', async () => {
  expect((await drawn(140, 2)).slice(2)).toEqual([
    '  1  applied   7c0e2f3a-1111-2222-3333-444455556666',
    '  2  rejected                                        the service returned 409 (CARD_BLOCKED: the card is blocked already)',
    '',
  ]);
});

it('rows of a run on a terminal are held and drawn together when they are few', async () => {
  const output = recordedOutput(80);
  const writer = await openRowWriter(COLUMNS, outputOptions(), output, 2);
  await writer.row(row('a', 'x'));
  expect(output.writes).toEqual([]);
  await writer.close();
  expect(output.text()).toBe('ID  NAME  AMOUNT  STATUS\n────────────────────────\na   x      10.10  ACTIVE\n');
});

it('rows of a run on a terminal are shown one by one when they are many, within the width', async () => {
  const output = recordedOutput(70);
  const writer = await openRowWriter(COLUMNS, outputOptions(), output, 1000);
  await writer.row(row('a', '日'.repeat(50)));
  await writer.flush();
  await writer.row(row('b', 'x', '1e400'));
  await writer.flush();
  expect(output.writes).toHaveLength(2);
  await writer.close();
  const lines = output.text().split('\n');
  expect(lines.every((line) => displayWidth(line) <= 70)).toBe(true);
  expect(lines[3]).toContain('1e400');
});

const ID = '7c0e2f3a-1111-2222-3333-444455556666';

it('a narrow terminal has what names a row whole, and the rest below it', async () => {
  expect(await table([row(ID, 'Ann')], 40)).toBe(
    ['ID', '─'.repeat(36), ID, '  status ACTIVE', 'Not shown (--columns names them): name,', 'amount', ''].join('\n'),
  );
  const name = 'a-name-of-a-run-that-is-as-long-as-such-a-name-can-be-for-a-run-x';
  expect((await table([row(name.slice(0, 64), 'Ann')], 40)).split('\n')[2]).toBe(name.slice(0, 64));
});

it('a list that streams cuts no ID and no reference', async () => {
  const columns = [
    { name: 'id', header: 'ID', keep: true },
    { name: 'name', header: 'REFERENCE', keep: true, below: 'labelled', width: 20 },
    { name: 'status', header: 'STATUS', tone: 'status' },
  ] as const;
  const rows = [row(ID, 'order-2026-11-29-Bergen-0000004711'), row(ID, 'order-1')];
  expect((await drawn(80, 1000, columns, rows)).slice(2)).toEqual([
    `${ID}  order-2026-11-29-Bergen-0000004711  ACTIVE`,
    `${ID}  order-1               ACTIVE`,
    '',
  ]);
});
