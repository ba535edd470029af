import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cardId, playService, refusal } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { handMadeWorkbook, MAIN, type Sheet, sheetJsWorkbook, textRow } from '../support/workbooks.ts';

const HEADER = ['id', 'email', 'first_name', 'active'];
const UPDATE = ['calendar', 'subscribers', 'update', '--yes', '-j', '1', '-o', 'ndjson'];
const BLOCK = ['card', 'block', '--yes', '-j', '1', '-o', 'ndjson'];

const sheet = (rows: Sheet['rows'], name = 'Rows'): Sheet => ({ name, rows });

function homeWith(files: Readonly<Record<string, Uint8Array>>): Home {
  const home = createHome();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(home.path, 'work', name), bytes);
  return home;
}

/** Runs against a service that does what it is asked; what it saw, as `id body`. */
async function sent(args: readonly string[], home: Home, stdin?: Uint8Array) {
  const server = await startRecordingServer(playService());
  const result = await runFrontdesk(args, { env: server.env, home, ...(stdin === undefined ? {} : { stdin }) });
  const requests = server.requests.map(({ url, body }) => `${url.split('/').slice(3).join('/')} ${body}`);
  return { ...result, requests };
}

/** Message of a call that was refused with exit 2 and sent nothing. */
async function refused(args: readonly string[], home: Home): Promise<string> {
  const result = await sent(args, home);
  expect([result.requests, [result.code, result.stdout]]).toEqual([[], [2, '']]);
  // The shape of an error as it is printed; what is missing shows as undefined.
  return (JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '') as { error: { message: string } }).error.message;
}

const TWO = sheet([HEADER, ['s1', 'a@x', 'Ann', true], ['s2', 'b@x', 7, false]]);
const TWO_SENT = [
  's1 {"email":"a@x","first_name":"Ann","active":true}',
  's2 {"email":"b@x","first_name":"7","active":false}',
];

const LAST_YEAR = [
  ['id', 'email'],
  ['s9', 'z@x'],
];
const book = sheetJsWorkbook([TWO, sheet(LAST_YEAR, 'Last year')]);

test('the first sheet is read, and a notice says so if there are more', async () => {
  const home = homeWith({ 'rows.xlsx': book });
  const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
  expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({
    notice: {
      code: 'WORKBOOK',
      message: '"rows.xlsx": the first sheet, "Rows", is read, and not "Last year" (--sheet names another)',
    },
  });
});

test('the sheet that --sheet names is read without a notice', async () => {
  const home = homeWith({ 'rows.xlsx': book });
  const result = await sent([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Last year'], home);
  expect(result).toMatchObject({ code: 0, requests: ['s9 {"email":"z@x"}'] });
  expect(result.stderr).not.toContain('WORKBOOK');
});

test('--sheet with an unknown name is refused, with the nearest one', async () => {
  const home = homeWith({ 'rows.xlsx': book });
  const problem = (name: string) => refused([...UPDATE, '--from', 'rows.xlsx', '--sheet', name], home);
  const none = (name: string) => `--sheet: "rows.xlsx" has no sheet "${name}": `;
  expect(await problem('Last yaer')).toBe(`${none('Last yaer')}did you mean "Last year"? Nothing was sent.`);
  expect(await problem('Customers')).toBe(`${none('Customers')}its sheets are "Rows", "Last year". Nothing was sent.`);
});

test('--sheet without an .xlsx file or without --from is refused', async () => {
  const home = homeWith({ 'rows.csv': Buffer.from('id,email\ns1,a@x\n') });
  expect(await refused([...UPDATE, '--from', 'rows.csv', '--sheet', 'Rows'], home)).toBe(
    '--sheet is for .xlsx files, but "rows.csv" is not one. Nothing was sent.',
  );
  expect(await refused([...UPDATE, 's1', '--email', 'a@x', '--sheet', 'Rows'], home)).toContain('--sheet');
});

function sheetWith(before: string, ...rows: readonly string[]): Buffer {
  const part = `<worksheet xmlns="${MAIN}">${before}<sheetData>${rows.join('')}</sheetData></worksheet>`;
  return handMadeWorkbook({ rows: '', parts: { 'xl/worksheets/sheet1.xml': part } });
}

const NAMES = textRow(1, ['id', 'email', 'created']);
const FIRST = textRow(2, ['s1', 'a@x']);
const SECOND = textRow(3, ['s2', 'b@x']);

test.each([
  ['HIDDEN_ROWS', '1 of 2 rows is', ['', NAMES, FIRST.replace('<row', '<row hidden="1"'), SECOND]],
  ['HIDDEN_COLUMNS', '1 column ("email") is', ['<cols><col min="2" max="3" hidden="1"/></cols>', NAMES, FIRST, SECOND]],
])('what is hidden in a sheet is read, and a warning says so even with --quiet: %s', async (code, what, parts) => {
  const [before = '', ...rows] = parts;
  const home = homeWith({ 'rows.xlsx': sheetWith(before, ...rows) });
  const message = `${what} hidden in the sheet, but included in this run`;
  const run = (...more: readonly string[]) => sent([...UPDATE, '--from', 'rows.xlsx', ...more], home);
  const result = await run('--quiet');
  expect(result).toMatchObject({ code: 0, requests: ['s1 {"email":"a@x"}', 's2 {"email":"b@x"}'] });
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({ notice: { code, message } });
  const dry = await run('--dry-run', '-o', 'table');
  expect([dry.requests, dry.stderr]).toEqual([[], expect.stringContaining(message)]);
  expect((await run('--plan', 'p.ndjson', '-o', 'table')).stderr).toContain(message);
});

describe('a run from a workbook', () => {
  const cards = Array.from({ length: 4 }, (_, index) => [cardId(index + 1), `reason ${index + 1}`]);
  const book = sheetJsWorkbook([sheet([['x'], ['y']], 'Notes'), sheet([['cardId', 'reason'], ...cards], 'Cards')]);
  const args = [...BLOCK, '--from', 'rows.xlsx', '--sheet', 'Cards'];

  test('a run from an .xlsx file is resumed from its record, with its sheet', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    const failing = await startRecordingServer(
      playService(({ url }) => (url.includes(cardId(2)) ? refusal(404, 'CARD_NOT_FOUND') : undefined)),
    );
    const run = (...more: readonly string[]) => runFrontdesk(more, { env: failing.env, home });
    expect((await run(...args, '--max-failures', '1', '--failed', 'failed.csv')).code).toBe(15);
    rmSync(join(home.path, 'work', 'rows.xlsx'));
    // The run goes on at the service at which it began.
    const before = failing.requests.length;
    expect((await run('runs', 'resume', '--last', '-o', 'ndjson')).code).toBe(15);
    const bodies = failing.requests.slice(before).map(({ body }) => body);
    expect(bodies).toEqual(['{"reason":"reason 3"}', '{"reason":"reason 4"}']);
    const rows = await run('runs', 'results', '--last', '--as-input', '--outcome', 'rejected');
    expect(rows.stdout).toBe(`cardId,reason,_outcome\r\n${cardId(2)},reason 2,rejected\r\n`);
  });

  test('--failed does not write CSV under the name of an .xlsx file', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    expect(await refused([...args, '--failed', 'failed.xlsx'], home)).toBe(
      '--failed: failed.xlsx would be read as xlsx, but the rows are written as csv. Nothing was sent.',
    );
    expect(existsSync(join(home.path, 'work', 'failed.xlsx'))).toBe(false);
  });
});

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/workbooks/${name}`, import.meta.url)));

test('a hidden first sheet is skipped with a notice, and hidden rows are counted, as written by LibreOffice 7.4', async () => {
  const home = homeWith({ 'rows.xlsx': fixture('libreoffice-hidden.xlsx') });
  const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
  expect(result).toMatchObject({
    code: 0,
    requests: ['s1 {"email":"a@x"}', 's2 {"email":"b@x"}', '42 {"email":"c@x"}'],
  });
  const notices = result.stderr.split('\n').slice(0, 2);
  expect(notices.map((line) => JSON.parse(line).notice)).toEqual([
    {
      code: 'WORKBOOK',
      message:
        '"rows.xlsx": the first sheet that is not hidden, "Members", is read, and not "Archive" (hidden) (--sheet names another)',
    },
    { code: 'HIDDEN_ROWS', message: '2 of 3 rows are hidden in the sheet, but included in this run' },
  ]);
  const named = await sent([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Archive'], home);
  expect(named.requests).toEqual(['s9 {"email":"old@x"}']);
});

test('texts and booleans are sent as they are shown, as written by LibreOffice for German users', async () => {
  const home = homeWith({ 'rows.xlsx': fixture('libreoffice-texts.xlsx') });
  const { requests, stderr } = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
  expect(requests).toEqual([
    's1 {"email":"m1@x","first_name":"=1+1","active":true}',
    's2 {"email":"m2@x","first_name":"00042","active":false}',
    's3 {"email":"m3@x","first_name":"Anna Lee","active":true}',
    's4 {"email":"m4@x","first_name":"O’Neill\\nJr","active":false}',
    's5 {"email":"m5@x","first_name":"1E+11"}',
    's6 {"email":"m6@x","first_name":"\'\'tis"}',
  ]);
  expect(stderr).toContain('1 of 6 rows is hidden');
  expect(stderr).toContain('1 column (\\"email\\") is hidden');
});

test.each<[string, string, ...string[]]>([
  [
    'what formulas fill, errors and number formats',
    'formulas',
    'row 1, Members!B2 and 1 more, column id: is filled by a formula of another cell (stored as "s1"). Store its value as text',
    'row 1, Members!D2, column first_name: is a formula (stored as "=NA()"). Store its value as text',
    'row 2, Members!D3, column first_name: Err:502 is a spreadsheet error, not a value: correct the formula, and export it again',
    'row 3, Members!D4, column first_name: has the format "0%", so a spreadsheet may show something else (stored as 0.5). Store it as text',
    'row 4, Members!D5, column first_name: has the format "#,##0.00\\ [$€-407]", so a spreadsheet may show something else (stored as 5). Store it as text',
    'row 5, Members!D6, column first_name: is in a range (D6:D7) whose conditional format has a number format or hides values, so a spreadsheet may show something else. Remove that format. Nothing was sent.',
  ],
  [
    'cells with another look than what is stored, and merged cells',
    'faults',
    'row 1, Members!A2, column id: has the format "\'sub_\'00000", so a spreadsheet may show something else (stored as 42). Store it as text',
    'row 1, Members!C2, column first_name: has the format "0%", so a spreadsheet may show something else (stored as 50). Store it as text',
    `row 1, Members!D2, column last_name: has the format "dd\\.mm\\.yyyy", so a spreadsheet may show something else (stored as 46024). Store it as text`,
    'row 2, Members!D3, column last_name: is merged (D3:D5 is shown as one cell, but only its first cell is stored). Split it, and store each cell as text',
    'row 2, Members!C3, column first_name: is a formula (stored as "=1+1"). Store its value as text',
    'row 3, Members!C4 and 1 more, column first_name: is a number that spreadsheets may show otherwise (stored as 123456789012). Store it as text. Nothing was sent.',
  ],
])('%s are refused, as written by LibreOffice', async (_what, name, ...faults) => {
  const home = homeWith({ 'rows.xlsx': fixture(`libreoffice-${name}.xlsx`) });
  const said = (await refused([...UPDATE, '--from', 'rows.xlsx'], home)).split(/: (?=row )|; (?=row )/);
  expect(said).toEqual(['7 faults in "rows.xlsx"', ...faults]);
});

test('5,000 rows below a header that reaches the last column are read in no time', async () => {
  const letters = (column: number): string =>
    `${column < 26 ? '' : letters(Math.floor(column / 26) - 1)}${String.fromCharCode(65 + (column % 26))}`;
  const cell = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const names = Array.from({ length: 16_383 }, (_, column) => (column === 0 ? 'cardId' : `metadata.k${column}`));
  const header = [...names, 'reason'].map((name, column) => cell(`${letters(column)}1`, name)).join('');
  const rows = Array.from({ length: 5000 }, (_, index) => {
    const line = index + 2;
    return `<row r="${line}">${cell(`A${line}`, cardId(index))}${cell(`XFD${line}`, 'lost')}</row>`;
  });
  const home = homeWith({ 'rows.xlsx': sheetWith('', `<row r="1">${header}</row>`, ...rows) });
  // It took a minute.
  const result = await sent([...BLOCK, '--from', 'rows.xlsx', '--dry-run'], home);
  expect(result).toMatchObject({ code: 0, requests: [] });
  expect(result.stdout.split('"reason":"lost"')).toHaveLength(5001);
}, 20_000);
