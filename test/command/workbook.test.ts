import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cardId, playService, refusal } from '../support/plain-service.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../support/run-frontdesk.ts';
import { handMadeWorkbook, type Sheet, sheetJsWorkbook, textRow, writtenWorkbook } from '../support/workbooks.ts';

const HEADER = ['id', 'email', 'first_name', 'active'];
const UPDATE = ['calendar', 'subscribers', 'update', '--yes', '-j', '1', '-o', 'ndjson'];
const BLOCK = ['card', 'block', '--yes', '-j', '1', '-o', 'ndjson'];

function sheet(rows: Sheet['rows'], name = 'Rows'): Sheet {
  return { name, rows };
}

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
  expect(result.requests).toEqual([]);
  expect([result.code, result.stdout]).toEqual([2, '']);
  // The shape of an error as it is printed; what is missing shows as undefined.
  return (JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '') as { error: { message: string } }).error.message;
}

const TWO = sheet([HEADER, ['s1', 'a@x', 'Ann', true], ['s2', 'b@x', 7, false]]);
const TWO_SENT = [
  's1 {"email":"a@x","first_name":"Ann","active":true}',
  's2 {"email":"b@x","first_name":"7","active":false}',
];

test('--from takes an .xlsx file by its name', async () => {
  const home = homeWith({ 'rows.xlsx': await writtenWorkbook([TWO]) });
  expect(await sent([...UPDATE, '--from', 'rows.xlsx'], home)).toMatchObject({ code: 0, requests: TWO_SENT });
});

test('--from takes an .xlsx file from stdin by its content', async () => {
  const result = await sent([...UPDATE, '--from', '-'], createHome(), sheetJsWorkbook([TWO]));
  expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
});

test('--from takes an .xlsx file by --from-format', async () => {
  const home = homeWith({ rows: sheetJsWorkbook([TWO]) });
  const result = await sent([...UPDATE, '--from', 'rows', '--from-format', 'xlsx'], home);
  expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
});

test('--from takes an .xlsx file of 20,000 rows', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`s${index}`, `user${index}@example.com`, 'A', true]);
  const home = homeWith({
    'rows.xlsx': sheetJsWorkbook([sheet([HEADER, ...rows, ['s7', 'again@example.com', 'A', true]])]),
  });
  expect(await refused([...UPDATE, '--from', 'rows.xlsx'], home)).toBe(
    '1 fault in "rows.xlsx": row 20001, Rows!A20002, column id: the same id as in line 9 ("s7"). --allow-duplicates accepts that. Nothing was sent.',
  );
});

const book = sheetJsWorkbook([
  TWO,
  sheet(
    [
      ['id', 'email'],
      ['s9', 'z@x'],
    ],
    'Last year',
  ),
]);

test('the first sheet is read, and a notice says so if there are more', async () => {
  const home = homeWith({ 'rows.xlsx': book });
  const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
  expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({
    notice: {
      code: 'WORKBOOK',
      message: '"rows.xlsx": the sheet "Rows" is read, and not "Last year" (--sheet names another)',
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
  expect(await refused([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Last yaer'], home)).toBe(
    '--sheet: "rows.xlsx" has no sheet "Last yaer": did you mean "Last year"? Nothing was sent.',
  );
  expect(await refused([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Customers'], home)).toBe(
    '--sheet: "rows.xlsx" has no sheet "Customers": its sheets are "Rows", "Last year". Nothing was sent.',
  );
});

test('--sheet without an .xlsx file or without --from is refused', async () => {
  const home = homeWith({ 'rows.csv': Buffer.from('id,email\ns1,a@x\n') });
  expect(await refused([...UPDATE, '--from', 'rows.csv', '--sheet', 'Rows'], home)).toBe(
    '--sheet is for .xlsx files, but "rows.csv" is not one. Nothing was sent.',
  );
  expect(await refused([...UPDATE, 's1', '--email', 'a@x', '--sheet', 'Rows'], home)).toContain('--sheet');
});

test('hidden rows of a sheet are read, and a warning says so even with --quiet', async () => {
  const rows = `${textRow(1, ['id', 'email'])}${textRow(2, ['s1', 'a@x']).replace('<row', '<row hidden="1"')}${textRow(3, ['s2', 'b@x'])}`;
  const home = homeWith({ 'rows.xlsx': handMadeWorkbook({ rows }) });
  const hidden = '1 of 2 rows is hidden in the sheet, but included in this run';
  const result = await sent([...UPDATE, '--from', 'rows.xlsx', '--quiet'], home);
  expect(result.requests).toEqual(['s1 {"email":"a@x"}', 's2 {"email":"b@x"}']);
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({
    notice: { code: 'HIDDEN_ROWS', message: hidden },
  });
  const dry = await sent([...UPDATE, '--from', 'rows.xlsx', '--dry-run', '-o', 'table'], home);
  expect(dry.requests).toEqual([]);
  expect(dry.stderr).toContain(hidden);
  const planned = await sent([...UPDATE, '--from', 'rows.xlsx', '--plan', 'p.ndjson', '-o', 'table'], home);
  expect(planned.stderr).toContain(hidden);
});

test('errors of an .xlsx file are listed with their cells, and nothing is sent', async () => {
  const home = homeWith({
    'rows.xlsx': await writtenWorkbook([
      sheet([
        ['id', 'email', 'first_name', 'active'],
        ['s1', 'a@x', 12.5, true],
        ['s1', 'b@x', new Date(0), 'maybe'],
        [null, 'c@x', 'Cy', true],
      ]),
    ]),
  });
  expect((await refused([...UPDATE, '--from', 'rows.xlsx'], home)).split(/: (?=row )|; (?=row )/)).toEqual([
    '5 faults in "rows.xlsx"',
    'row 1, Rows!C2, column first_name: is a number that spreadsheets may show otherwise (stored as 12.5). Store it as text',
    'row 2, Rows!C3, column first_name: has the format "dd/mm/yyyy", so a spreadsheet may show something else (stored as 25569). Store it as text',
    'row 2, Rows!D3, column active: must be true or false, not "maybe". Or save as .xlsx, which needs no words',
    'row 2, Rows!A3, column id: the same id as in line 2 ("s1"). --allow-duplicates accepts that',
    'row 3, Rows!A4, column id: is empty. Nothing was sent.',
  ]);
});

test.each([
  ['old.xlsx', sheetJsWorkbook([sheet([HEADER, ['s1', 'a@x', 'Anna', 'true'], ['s2', 'b@x', '7', false]], 'Old')])],
  ['old.csv', Buffer.from('id,email,first_name,active\ns1,a@x,Anna,true\ns2,b@x,7,FALSE\n')],
])('only cells that differ from %s are sent', async (older, bytes) => {
  const home = homeWith({ 'new.xlsx': sheetJsWorkbook([TWO]), [older]: bytes });
  const result = await sent([...UPDATE, '--from', 'new.xlsx', '--changed-from', older], home);
  expect(result).toMatchObject({ code: 0, requests: ['s1 {"first_name":"Ann"}'] });
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
    const first = await runFrontdesk([...args, '--max-failures', '1', '--failed', 'failed.csv'], {
      env: failing.env,
      home,
    });
    expect(first.code).toBe(15);
    rmSync(join(home.path, 'work', 'rows.xlsx'));
    // The run goes on at the service at which it began.
    const before = failing.requests.length;
    const resumed = await runFrontdesk(['runs', 'resume', '--last', '-o', 'ndjson'], { env: failing.env, home });
    expect(resumed.code).toBe(15);
    expect(failing.requests.slice(before).map(({ body }) => body)).toEqual([
      '{"reason":"reason 3"}',
      '{"reason":"reason 4"}',
    ]);
    const rows = await runFrontdesk(['runs', 'results', '--last', '--as-input', '--outcome', 'rejected'], { home });
    expect(rows.stdout).toBe(`cardId,reason,_outcome\r\n${cardId(2)},reason 2,rejected\r\n`);
  });

  test('a run from an .xlsx file writes --failed as CSV, which is valid input', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    const failing = await startRecordingServer(playService(() => refusal(404, 'CARD_NOT_FOUND')));
    await runFrontdesk([...args, '--failed', 'failed.csv'], { env: failing.env, home });
    const failed = readFileSync(join(home.path, 'work', 'failed.csv'), 'utf8').split('\r\n');
    expect(failed[0]).toBe('cardId,reason,_row,_outcome,_error');
    expect(failed[1]).toContain(`${cardId(1)},reason 1,1,rejected,"NOT_FOUND: `);
    const again = await sent([...BLOCK, '--from', 'failed.csv'], home);
    expect(again.requests).toEqual([1, 2, 3, 4].map((n) => `${cardId(n)}/block {"reason":"reason ${n}"}`));
  });

  test('--failed does not write CSV under the name of an .xlsx file', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    expect(await refused([...args, '--failed', 'failed.xlsx'], home)).toBe(
      '--failed: failed.xlsx would be read as xlsx, but the rows are written as csv. Nothing was sent.',
    );
    expect(existsSync(join(home.path, 'work', 'failed.xlsx'))).toBe(false);
  });

  test('--run with an .xlsx file is the same run under its name, and another one with another sheet', async () => {
    const home = homeWith({
      'rows.xlsx': sheetJsWorkbook([sheet([['cardId'], [cardId(1)]], 'One'), sheet([['cardId'], [cardId(2)]], 'Two')]),
    });
    const server = await startRecordingServer(playService());
    const run = (name: string) =>
      runFrontdesk([...BLOCK, '--from', 'rows.xlsx', '--sheet', name, '--run', 'monday'], { env: server.env, home });
    expect((await run('One')).code).toBe(0);
    expect((await run('One')).code).toBe(0);
    expect(server.requests).toHaveLength(1);
    const other = await run('Two');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('could not start run monday: it exists, and its rows differ. Nothing was sent.');
    expect(server.requests).toHaveLength(1);
  });
});

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet';

/** Two sheets, the first of them hidden, and hidden rows, as the two other programs write them. */
function hiddenBook(state: 'hidden' | 'veryHidden', row: string): Buffer {
  return handMadeWorkbook({
    rows: textRow(1, ['id', 'email']) + textRow(2, ['s9', 'old@x']),
    parts: {
      'xl/workbook.xml': `<workbook xmlns:r="x"><workbookPr/><sheets><sheet name="Archive" sheetId="1" state="${state}" r:id="r1"/><sheet name="Members" sheetId="2" r:id="r9"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${TYPE}" Target="worksheets/sheet1.xml"/><Relationship Id="r9" Type="${TYPE}" Target="worksheets/sheet2.xml"/></Relationships>`,
      'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${textRow(1, ['id', 'email'])}${textRow(2, ['s1', 'a@x'])}${textRow(3, ['s2', 'b@x']).replace('<row', row)}${textRow(4, ['42', 'c@x']).replace('<row', row)}</sheetData></worksheet>`,
    },
  });
}

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../fixtures/workbooks/${name}`, import.meta.url)));

test.each<[string, () => Buffer]>([
  ['LibreOffice 7.4', () => fixture('libreoffice-hidden.xlsx')],
  ['Excel', () => hiddenBook('hidden', '<row spans="1:2" hidden="1" ht="15" customHeight="1"')],
  ['Excel, hidden by a macro', () => hiddenBook('veryHidden', '<row hidden="1"')],
  ['hand, as rows without a height', () => hiddenBook('hidden', '<row ht="0" customHeight="1"')],
])(
  'a hidden first sheet is skipped with a notice, and hidden rows are counted, as written by %s',
  async (_program, make) => {
    const home = homeWith({ 'rows.xlsx': make() });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(result).toMatchObject({
      code: 0,
      requests: ['s1 {"email":"a@x"}', 's2 {"email":"b@x"}', '42 {"email":"c@x"}'],
    });
    const notices = result.stderr.split('\n').slice(0, 2);
    expect(notices.map((line) => JSON.parse(line).notice)).toEqual([
      {
        code: 'WORKBOOK',
        message: '"rows.xlsx": the sheet "Members" is read, and not "Archive" (hidden) (--sheet names another)',
      },
      { code: 'HIDDEN_ROWS', message: '2 of 3 rows are hidden in the sheet, but included in this run' },
    ]);
    const named = await sent([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Archive'], home);
    expect(named.requests).toEqual(['s9 {"email":"old@x"}']);
  },
);

test('an .xlsx file of hidden sheets alone is refused, with their names', async () => {
  const rows = textRow(1, ['id', 'email']) + textRow(2, ['s1', 'a@x']);
  const parts = {
    'xl/workbook.xml':
      '<workbook xmlns:r="x"><sheets><sheet name="Rows" sheetId="1" state="veryHidden" r:id="r1"/></sheets></workbook>',
  };
  const home = homeWith({ 'rows.xlsx': handMadeWorkbook({ rows, parts }) });
  expect(await refused([...UPDATE, '--from', 'rows.xlsx'], home)).toBe(
    '"rows.xlsx": every sheet is hidden. Name one with --sheet: its sheets are "Rows" (hidden). Nothing was sent.',
  );
});

test('cells with another look than what is stored, and merged cells, are refused, as written by LibreOffice', async () => {
  const home = homeWith({ 'rows.xlsx': fixture('libreoffice-faults.xlsx') });
  expect((await refused([...UPDATE, '--from', 'rows.xlsx'], home)).split(/: (?=row )|; (?=row )/)).toEqual([
    '7 faults in "rows.xlsx"',
    'row 1, Members!A2, column id: has the format "\'sub_\'00000", so a spreadsheet may show something else (stored as 42). Store it as text',
    'row 1, Members!C2, column first_name: has the format "0%", so a spreadsheet may show something else (stored as 50). Store it as text',
    `row 1, Members!D2, column last_name: has the format "dd\\.mm\\.yyyy", so a spreadsheet may show something else (stored as 46024). Store it as text`,
    'row 2, Members!D3, column last_name: is merged (D3:D5 is shown as one cell, but only its first cell is stored). Split it, and store each cell as text',
    'row 2, Members!C3, column first_name: is a formula (stored as "=1+1"). Store its value as text',
    'row 3, Members!C4 and 1 more, column first_name: is a number that spreadsheets may show otherwise (stored as 123456789012). Store it as text. Nothing was sent.',
  ]);
});

test('the errors of an .xlsx file name its other sheets', async () => {
  const books = sheetJsWorkbook([sheet([['x'], ['y']], 'Notes'), TWO]);
  const home = homeWith({ 'rows.xlsx': books, 'old.xlsx': books, 'new.csv': Buffer.from('id,email\ns1,a@x\n') });
  const hint = 'the sheet "Notes" is read, and not "Rows" (--sheet names another)';
  for (const args of [
    ['--from', 'rows.xlsx'],
    ['--from', 'new.csv', '--changed-from', 'old.xlsx'],
  ]) {
    const result = await sent([...UPDATE, ...args, '-o', 'table'], home);
    expect(result).toMatchObject({ code: 2, requests: [], stdout: '' });
    expect(result.stderr).toContain(hint);
  }
});

test('merged cells beside the table, or below it, do not matter', async () => {
  const rows = textRow(1, ['id', 'email']) + textRow(2, ['s1', 'a@x']);
  const merged = '<mergeCells><mergeCell ref="C1:E2"/><mergeCell ref="A9:B9"/></mergeCells>';
  const parts = { 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${merged}</worksheet>` };
  const home = homeWith({ 'rows.xlsx': handMadeWorkbook({ rows, parts }) });
  expect(await sent([...UPDATE, '--from', 'rows.xlsx'], home)).toMatchObject({
    code: 0,
    requests: ['s1 {"email":"a@x"}'],
  });
});

/** A sheet with something before its rows, and something behind them. */
function sheetWith(before: string, rows: string, behind = ''): Buffer {
  const part = `<worksheet>${before}<sheetData>${rows}</sheetData>${behind}</worksheet>`;
  return handMadeWorkbook({ rows: '', parts: { 'xl/worksheets/sheet1.xml': part } });
}

const PEOPLE = `${textRow(1, ['id', 'email', 'created', 'first_name'])}${textRow(2, ['s1', 'a@x', '', 'Ann'])}${textRow(3, ['s2', 'b@x', '', 'Ben'])}`;
const PEOPLE_SENT = ['s1 {"email":"a@x","first_name":"Ann"}', 's2 {"email":"b@x","first_name":"Ben"}'];

test('rows of an extension of an .xlsx file are no rows of the sheet', async () => {
  const more = `<extLst><ext><sheetData>${textRow(4, ['s9', 'z@x', '', 'Zoe'])}</sheetData></ext></extLst>`;
  const home = homeWith({ 'rows.xlsx': sheetWith('', PEOPLE, more) });
  expect(await sent([...UPDATE, '--from', 'rows.xlsx'], home)).toMatchObject({ code: 0, requests: PEOPLE_SENT });
});

test.each([
  ['hidden by hand', '<cols><col min="2" max="3" width="9" hidden="1"/></cols>', '1 column ("email") is'],
  ['of no width', '<cols><col min="2" max="4" width="0"/></cols>', '2 columns ("email", "first_name") are'],
  [
    'hidden as all others',
    '<sheetFormatPr defaultColWidth="0"/><cols><col min="1" max="2" width="9"/></cols>',
    '1 column ("first_name") is',
  ],
])('hidden columns %s are read, counted and named', async (_how, before, are) => {
  const home = homeWith({ 'rows.xlsx': sheetWith(before, PEOPLE) });
  const message = `${are} hidden in the sheet, but included in this run`;
  const result = await sent([...UPDATE, '--from', 'rows.xlsx', '--quiet'], home);
  expect(result).toMatchObject({ code: 0, requests: PEOPLE_SENT });
  expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({ notice: { code: 'HIDDEN_COLUMNS', message } });
  const dry = await sent([...UPDATE, '--from', 'rows.xlsx', '--dry-run', '-o', 'table'], home);
  expect(dry.stderr).toContain(message);
});

test('rows that are hidden by default are counted', async () => {
  const rows = PEOPLE.replace('<row r="3"', '<row r="3" hidden="0"');
  for (const format of ['zeroHeight="1"', 'defaultRowHeight="0"']) {
    const home = homeWith({ 'rows.xlsx': sheetWith(`<sheetFormatPr ${format}/>`, rows) });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(result).toMatchObject({ code: 0, requests: PEOPLE_SENT });
    expect(result.stderr).toContain('1 of 2 rows is hidden in the sheet');
  }
});

test('TRUE() and FALSE() in a sheet are booleans, also if several cells share them', async () => {
  const cell = (formula: string, value: string) => `<c t="b">${formula}<v>${value}</v></c>`;
  const rows = [
    textRow(1, ['id', 'active']),
    textRow(2, ['s1']).replace('</row>', `${cell('<f t="shared" ref="B2:B3" si="0">TRUE()</f>', '1')}</row>`),
    textRow(3, ['s2']).replace('</row>', `${cell('<f t="shared" si="0"/>', '1')}</row>`),
    textRow(4, ['s3']).replace('</row>', `${cell('<f>FALSE()</f>', '0')}</row>`),
  ];
  const home = homeWith({ 'rows.xlsx': sheetWith('', rows.join('')) });
  expect(await sent([...UPDATE, '--from', 'rows.xlsx'], home)).toMatchObject({
    code: 0,
    requests: ['s1 {"active":true}', 's2 {"active":true}', 's3 {"active":false}'],
  });
});

test.each([
  [
    'a cell that is a formula',
    `<row r="1"><c t="str"><f>"id"</f><v>id</v></c></row>${textRow(2, ['s1', 'b', 'c'])}`,
    '1 fault in "rows.xlsx": Rows!A1: is a formula (stored as "=\'id\'"). Store its value as text. Nothing was sent.',
  ],
  [
    'a name that is unknown',
    textRow(1, ['id', 'emial']) + textRow(2, ['s1', 'b', 'c']),
    '1 fault in "rows.xlsx": Rows!B1: unknown column "emial": did you mean email? Nothing was sent.',
  ],
  [
    'no name at all',
    textRow(2, ['id', 'email']) + textRow(3, ['s1', 'a@x', 'c']),
    '2 faults in "rows.xlsx": Rows, line 1: the column id is missing; Rows, line 1: the row is empty, but must contain the names of the columns. Nothing was sent.',
  ],
])('a sheet whose header has errors is not read on: %s', async (_what, rows, message) => {
  const home = homeWith({ 'rows.xlsx': sheetWith('', rows) });
  expect(await refused([...UPDATE, '--from', 'rows.xlsx'], home)).toBe(message);
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
  const home = homeWith({ 'rows.xlsx': sheetWith('', `<row r="1">${header}</row>${rows.join('')}`) });
  // It took a minute.
  const result = await sent([...BLOCK, '--from', 'rows.xlsx', '--dry-run'], home);
  expect(result).toMatchObject({ code: 0, requests: [] });
  expect(result.stdout.split('"reason":"lost"')).toHaveLength(5001);
}, 20_000);
