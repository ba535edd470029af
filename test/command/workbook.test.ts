import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cardId, idLines, playService, refusal } from '../support/plain-service.ts';
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

describe('--from takes a workbook', () => {
  test('told by its name', async () => {
    const home = homeWith({ 'rows.xlsx': await writtenWorkbook([TWO]) });
    expect(await sent([...UPDATE, '--from', 'rows.xlsx'], home)).toMatchObject({ code: 0, requests: TWO_SENT });
  });

  test('told by its content, from stdin', async () => {
    const result = await sent([...UPDATE, '--from', '-'], createHome(), sheetJsWorkbook([TWO]));
    expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
  });

  test('told by --from-format', async () => {
    const home = homeWith({ rows: sheetJsWorkbook([TWO]) });
    const result = await sent([...UPDATE, '--from', 'rows', '--from-format', 'xlsx'], home);
    expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
  });

  test('for a read', async () => {
    const home = homeWith({ 'rows.xlsx': sheetJsWorkbook([sheet([['cardId'], [cardId(1)]])]) });
    const result = await sent(['card', 'get', '--from', 'rows.xlsx', '-o', 'ndjson'], home);
    expect(result).toMatchObject({ code: 0, requests: [`${cardId(1)} `] });
  });

  test('without a row: exit 0 and a notice', async () => {
    const home = homeWith({ 'rows.xlsx': sheetJsWorkbook([sheet([HEADER])]) });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(result).toMatchObject({ code: 0, requests: [] });
    expect(result.stderr).toContain('nothing to do: the input has no rows');
  });

  test('of 100,000 rows', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => [`s${index}`, `user${index}@example.com`, 'A', true]);
    const home = homeWith({
      'rows.xlsx': sheetJsWorkbook([sheet([HEADER, ...rows, ['s7', 'again@example.com', 'A', true]])]),
    });
    expect(await refused([...UPDATE, '--from', 'rows.xlsx'], home)).toBe(
      '1 fault in "rows.xlsx", nothing was sent: Rows!A100002, column id: the same id as in line 9 ("s7"); --allow-duplicates accepts that',
    );
  });
});

describe('the sheet', () => {
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

  test('is the first, and a notice says so when there are more', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(result).toMatchObject({ code: 0, requests: TWO_SENT });
    expect(JSON.parse(result.stderr.split('\n')[0] ?? '')).toEqual({
      notice: {
        code: 'WORKBOOK',
        message: '"rows.xlsx": the sheet "Rows" is read; there is also "Last year" (--sheet names another)',
      },
    });
  });

  test('is the one that --sheet names, without a notice', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Last year'], home);
    expect(result).toMatchObject({ code: 0, requests: ['s9 {"email":"z@x"}'] });
    expect(result.stderr).not.toContain('WORKBOOK');
  });

  test('is refused when there is none of that name, with the nearest', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    expect(await refused([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Last yaer'], home)).toBe(
      '--sheet: "rows.xlsx" has no sheet "Last yaer"; did you mean "Last year"?; nothing was sent',
    );
    expect(await refused([...UPDATE, '--from', 'rows.xlsx', '--sheet', 'Customers'], home)).toBe(
      '--sheet: "rows.xlsx" has no sheet "Customers"; its sheets are "Rows", "Last year"; nothing was sent',
    );
  });

  test('belongs to a workbook and to --from', async () => {
    const home = homeWith({ 'rows.csv': Buffer.from('id,email\ns1,a@x\n') });
    expect(await refused([...UPDATE, '--from', 'rows.csv', '--sheet', 'Rows'], home)).toBe(
      '--sheet belongs to workbooks (.xlsx), and "rows.csv" is none; nothing was sent',
    );
    expect(await refused([...UPDATE, 's1', '--email', 'a@x', '--sheet', 'Rows'], home)).toContain('--sheet');
  });

  test('has hidden rows, which are read, and a notice says so', async () => {
    const rows = `${textRow(1, ['id', 'email'])}${textRow(2, ['s1', 'a@x']).replace('<row', '<row hidden="1"')}`;
    const home = homeWith({ 'rows.xlsx': handMadeWorkbook({ rows }) });
    const result = await sent([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(result.requests).toEqual(['s1 {"email":"a@x"}']);
    expect(result.stderr).toContain(
      '\\"rows.xlsx\\": 1 row is hidden in the sheet \\"Rows\\" and read like the others',
    );
  });
});

describe('faults of a workbook are listed all at once, with their cells,', () => {
  test('and nothing is sent', async () => {
    const home = homeWith({
      'rows.xlsx': await writtenWorkbook([
        sheet([
          ['id', 'emial', 'first_name', 'active'],
          ['s1', 'a@x', 12.5, true],
          ['s1', 'b@x', new Date(0), 'maybe'],
          [null, 'c@x', 'Cy', true],
        ]),
      ]),
    });
    expect((await refused([...UPDATE, '--from', 'rows.xlsx'], home)).split(/: (?=Rows)|; (?=Rows!)/)).toEqual([
      '6 faults in "rows.xlsx", nothing was sent',
      'Rows!B1: unknown column "emial"; did you mean email?',
      'Rows!C2, column first_name: is a decimal number (12.5); store it as text, since it is sent as typed',
      'Rows!C3, column first_name: is a date or a time; store it as text, since dates are sent as typed',
      'Rows!D3, column active: must be true or false, not "maybe"',
      'Rows!A3, column id: the same id as in line 2 ("s1"); --allow-duplicates accepts that',
      'Rows!A4, column id: is empty',
    ]);
  });

  test('twenty of them, and how many more', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => [`s${index}`, index + 0.5]);
    const home = homeWith({ 'rows.xlsx': sheetJsWorkbook([sheet([['id', 'email'], ...rows])]) });
    const message = await refused([...UPDATE, '--from', 'rows.xlsx'], home);
    expect(message.match(/Rows!B\d+, column email/g)).toHaveLength(20);
    expect(message).toContain('30 faults');
    expect(message.endsWith('; and 10 more')).toBe(true);
  });

  test('also those of the older file', async () => {
    const home = homeWith({
      'new.xlsx': sheetJsWorkbook([TWO]),
      'old.xlsx': sheetJsWorkbook([sheet([HEADER, ['s1', 'a@x', 1.5, true]], 'Old')]),
    });
    expect(await refused([...UPDATE, '--from', 'new.xlsx', '--changed-from', 'old.xlsx'], home)).toBe(
      '--changed-from "old.xlsx", Old!C2, column first_name: is a decimal number (1.5); store it as text, since it is sent as typed',
    );
  });
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

  test('is resumed from its own copy, with its sheet', async () => {
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

  test('writes --failed as CSV, which is an input again', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    const failing = await startRecordingServer(playService(() => refusal(404, 'CARD_NOT_FOUND')));
    await runFrontdesk([...args, '--failed', 'failed.csv'], { env: failing.env, home });
    const failed = readFileSync(join(home.path, 'work', 'failed.csv'), 'utf8').split('\r\n');
    expect(failed[0]).toBe('cardId,reason,_row,_outcome,_error');
    expect(failed[1]).toContain(`${cardId(1)},reason 1,1,rejected,NOT_FOUND: `);
    const again = await sent([...BLOCK, '--from', 'failed.csv'], home);
    expect(again.requests).toEqual([1, 2, 3, 4].map((n) => `${cardId(n)}/block {"reason":"reason ${n}"}`));
  });

  test('does not write --failed under the name of a workbook', async () => {
    const home = homeWith({ 'rows.xlsx': book });
    expect(await refused([...args, '--failed', 'failed.xlsx'], home)).toBe(
      '--failed: failed.xlsx would be read as xlsx, but the rows are written as csv',
    );
    expect(existsSync(join(home.path, 'work', 'failed.xlsx'))).toBe(false);
  });

  test('is the same run under its name, and another one with another sheet', async () => {
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
    expect(other.stderr).toContain('run monday exists and is not this one: --sheet is not what it was begun with');
    expect(server.requests).toHaveLength(1);
  });
});

test('text of any other format is read as before', async () => {
  const result = await sent([...BLOCK, '--from', '-'], createHome(), Buffer.from(idLines(1)));
  expect(result).toMatchObject({ code: 0, requests: [`${cardId(1)}/block {}`] });
});
