import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read, utils } from '@e965/xlsx';
import { expect, it } from 'vitest';
import { cardId, openPlain, refusal } from '../support/plain-service.ts';
import { openTerminal } from '../support/pty.ts';
import { type Home, runFrontdesk, startFrontdesk } from '../support/run-frontdesk.ts';

const pathIn = (home: Home, name: string) => join(home.path, 'work', name);

/** A home whose commands reach a service that answers so. */
async function open(service?: Parameters<typeof openPlain>[0]) {
  const { run, ...place } = await openPlain(service);
  return { ...place, run: (...args: readonly string[]) => run(args) };
}

/** The cells of the only sheet, booleans as booleans. */
function cellsOf(home: Home, name: string): readonly (readonly unknown[])[] {
  const book = read(readFileSync(pathIn(home, name)));
  const [sheet = ''] = book.SheetNames;
  return utils.sheet_to_json<unknown[]>(book.Sheets[sheet] ?? {}, { header: 1, defval: null });
}

/** Texts that a spreadsheet, XML or the guard of csv could change. */
const TEXTS = [
  ...['0042', '=1+1', "'=1+1", '+49 30 1', 'Günther 日本 😀', '_x0041_', 'a\r\nb\tc', ' b ', '\u001b[31m', '1.50'],
];
const LIST_BODY = JSON.stringify({
  object: 'list',
  data: TEXTS.map((text, index) => ({
    id: `00${index}`,
    object: 'subscriber',
    email: `${index}@x`,
    first_name: text,
    last_name: null,
    active: index % 2 === 0,
  })),
});
const LIST = ['calendar', 'subscribers', 'list', 'c1', '--limit', '100'];
const UPDATE = ['calendar', 'subscribers', 'update', '--dry-run', '--json'];

it('-o xlsx writes a list to a new file that only its owner can read, and no cell differs when the file is input', async () => {
  const { home, server, run } = await open(() => ({ body: LIST_BODY }));
  // The name says the format, whatever a variable says.
  const env = { ...server.env, FRONTDESK_OUTPUT: 'json' };
  const made = await runFrontdesk([...LIST, '--out', 'old.xlsx'], { home, env });
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(made.stderr).toContain('saved in old.xlsx');
  expect(statSync(pathIn(home, 'old.xlsx')).mode & 0o777).toBe(0o600);
  const cells = cellsOf(home, 'old.xlsx');
  expect(cells[0]?.toSorted()).toEqual([
    ...['active', 'created', 'email', 'first_name', 'id', 'last_name', 'object', 'updated'],
  ]);
  expect(cells[2]).toContain('=1+1');
  expect(cells[1]?.at(cells[0]?.indexOf('active') ?? -1)).toBe(true);
  const csv = await run(...LIST, '-o', 'csv', '-q');
  writeFileSync(pathIn(home, 'old.csv'), csv.stdout);
  for (const older of ['old.xlsx', 'old.csv']) {
    const update = await run(...UPDATE, '--from', 'old.xlsx', '--changed-from', older);
    expect([update.code, update.stderr]).toEqual([0, expect.stringContaining('none of 10 rows differs')]);
  }
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

it('-o xlsx writes to a stdout that is no terminal, with the columns and the order asked for', async () => {
  const { home, run } = await open(() => ({ body: LIST_BODY }));
  const FD = ['-o', 'xlsx', '--columns', 'email,active', '--sort-by', 'first_name', '-q'];
  const { stdout, code } = await run(...LIST, ...FD);
  expect([code, stdout.slice(0, 2)]).toEqual([0, 'PK']);
  await run(...LIST, ...FD, '--out', 'a.xlsx');
  expect(cellsOf(home, 'a.xlsx').slice(0, 3)).toEqual([
    ['email', 'active'],
    ['8@x', true],
    ['7@x', false],
  ]);
});

it('-o xlsx is refused in a terminal without --out', async () => {
  const { home, server } = await open();
  const { code, text } = await openTerminal([...LIST, '-o', 'xlsx'], { home, env: server.env, columns: 120 }).end;
  expect([code, text, server.lines]).toEqual([2, expect.stringContaining('--out is missing'), []]);
});

it.each<[string, readonly string[]]>([
  ['a query', [...LIST, '--query', 'data']],
  ['a column that is none', [...LIST, '--columns', 'mail']],
  ['one card', ['card', 'get', cardId(1)]],
  ['a write of one', ['card', 'block', cardId(1), '--yes']],
  ['a plan that is made', ['card', 'block', cardId(1), '--plan', 'p.plan']],
  ['what is no list', ['doctor']],
  ['a raw call', ['api', 'GET', '/v1/cards/x']],
  ['a file that exists', [...LIST, '--out', 'there.xlsx']],
  ['stdout by a name', [...LIST, '--out', '-']],
  ['a folder that is missing', ['runs', '--out', 'no/a.xlsx']],
])('-o xlsx is refused with 2, and nothing is sent: %s', async (_, args) => {
  const { home, server, run, file, read: textOf } = await open();
  file('there.xlsx', 'mine');
  const { code, stdout } = await run(...args, '-o', 'xlsx');
  expect([code, stdout, textOf('there.xlsx'), server.lines]).toEqual([2, '', 'mine', []]);
  expect(readdirSync(join(home.path, 'work'))).toEqual(['there.xlsx']);
});

it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ['a variable', ['runs'], { FRONTDESK_OUTPUT: 'xlsx' }],
  ['a profile', ['profile', 'set', 'p', '--output', 'xlsx'], {}],
  ['the settings', ['config', 'set', 'output', 'xlsx'], {}],
  ['--out of another name', ['runs', '--out', 'a.txt'], {}],
  ['--out of csv', ['runs', '-o', 'csv', '--out', 'a.xlsx'], {}],
])('a workbook is chosen by -o or the name of --out alone: %s is refused', async (_, args, env) => {
  const { code, stdout, home } = await runFrontdesk(args, { env });
  expect([code, stdout, existsSync(pathIn(home, 'a.xlsx'))]).toEqual([2, '', false]);
});

it('-o xlsx of several cards has a row for each, without those that could not be read', async () => {
  const { home, run } = await open(({ url }) => (url.includes(cardId(2)) ? refusal(404, 'NO') : undefined));
  expect((await run('card', 'get', ...[1, 2, 3].map(cardId), '-o', 'xlsx', '--out', 'c.xlsx')).code).toBe(15);
  const [header = [], ...rows] = cellsOf(home, 'c.xlsx');
  expect(rows.map((row) => row[header.indexOf('cardId')])).toEqual([cardId(1), cardId(3)]);
  expect(rows[0]?.[header.indexOf('initialBalance')]).toBe('50.00');
  expect(rows[0]?.[header.indexOf('metadata')]).toBe('{"store":"Bergen"}');
});

it('-o xlsx of a read that stops has what was read', async () => {
  const { home, server } = await open(({ url }) => (url.includes(cardId(3)) ? 'hang' : undefined));
  const args = ['card', 'get', ...[1, 2, 3, 4].map(cardId), ...'-o xlsx --out c.xlsx -j 1 --retries 0'.split(' ')];
  const running = startFrontdesk(args, { home, env: server.env });
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(3);
  running.child.kill('SIGINT');
  await running.waitForOutput('Waiting up to');
  await running.signalAgain('SIGINT');
  expect((await running.result).signal).toBe('SIGINT');
  expect(cellsOf(home, 'c.xlsx').map(([id]) => id)).toEqual(['cardId', cardId(1), cardId(2)]);
});

it('-o xlsx of history, runs, results, rows to correct and a plan has the columns of csv', async () => {
  const { home, run } = await open(({ url }) => (url.includes('/s2') ? refusal(409, 'NO') : undefined));
  writeFileSync(pathIn(home, 'rows.csv'), 'id,first_name,active\ns1,=1,TRUE\ns2,0042,false\n');
  const update = ['calendar', 'subscribers', 'update', '--from', 'rows.csv'];
  expect([(await run(...update, '--yes')).code, (await run(...update, '--plan', 'p.plan')).code]).toEqual([15, 0]);
  const commands: Readonly<Record<string, readonly string[]>> = {
    'h.xlsx': ['history'],
    'r.xlsx': ['runs'],
    'results.xlsx': ['runs', 'results', '--last'],
    'input.xlsx': ['runs', 'results', '--last', '--outcome', 'rejected', '--as-input'],
    'plan.xlsx': ['plan', 'show', 'p.plan'],
  };
  for (const [name, command] of Object.entries(commands)) {
    expect([name, (await run(...command, '-o', 'xlsx', '--out', name)).code]).toEqual([name, 0]);
    const [header = ''] = (await run(...command, '-o', 'csv', '-q')).stdout.split(/\r?\n/);
    expect(cellsOf(home, name)[0]).toEqual(header.split(','));
  }
  expect(cellsOf(home, 'input.xlsx').slice(1)).toEqual([['s2', '0042', 'false', 'rejected']]);
  expect(cellsOf(home, 'plan.xlsx')).toHaveLength(3);
  const again = await run('calendar', 'subscribers', 'update', '--from', 'input.xlsx', '--dry-run', '--json', '-q');
  expect(JSON.parse(again.stdout).requests[0].body).toEqual({ first_name: '0042', active: false });
});

const hasLibreOffice = spawnSync('libreoffice', ['--version']).status === 0;

/** 200 texts of what a spreadsheet, XML or the guard of csv could change, always the same. */
function hostileTexts(): readonly string[] {
  const parts = [
    ["'", '=', ';', '\t', '\r', '\n', '\\x41', '_x0041_', '\u202e', '\u200b', '😀', 'é', '1', ' ', '"', '<', '&'],
    ['\u0001', '+', '-', '@', '="00042"', '\r\n', '\n\r', 'TRUE', '1E3', '00042', '\u00a0', 'Err:502', '#N/A!'],
    ['_x0_'],
  ].flat();
  const part = (at: number) => parts[at % parts.length] ?? '';
  return Array.from({ length: 200 }, (_, at) => `${part(at)}${part(at * 7 + 3)}${part(Math.floor(at / 9))}`);
}

/** Saves the list of the hostile texts as `name`, and that again by LibreOffice; the path of what it saved, by its ending. */
async function savedByLibreOffice(name: string, ...how: readonly string[]) {
  const texts = hostileTexts();
  const data = texts
    .slice(0, 100)
    .map((email, at) => ({ id: `s${at}`, email, first_name: texts[at + 100], active: at % 2 === 0 }));
  const { home, run } = await open(() => ({ body: { object: 'list', data } }));
  const to = name.endsWith('.csv') ? ['-o', 'csv', '-q'] : ['--out', name];
  const made = await run(...LIST, ...to, '--columns', 'id,email,first_name,active');
  expect(made.code).toBe(0);
  if (name.endsWith('.csv')) writeFileSync(pathIn(home, name), made.stdout);
  const [folder, saved] = [join(home.path, 'work'), join(home.path, 'saved')];
  const options = { cwd: folder, env: { ...process.env, HOME: home.path } };
  for (const format of ['xlsx', 'csv:Text - txt - csv (StarCalc):44,34,76,1']) {
    const args = ['--headless', ...how, '--convert-to', format, '--outdir', saved, name];
    expect(spawnSync('libreoffice', args, options).status).toBe(0);
  }
  const compare = async (ending: string) => {
    const files = ['--from', join(saved, `old.${ending}`), '--changed-from', name];
    return (await run(...UPDATE, '-o', 'table', ...files)).stderr;
  };
  return { compare, csv: () => readFileSync(join(saved, 'old.csv'), 'utf8') };
}

const NONE_DIFFERS = 'none of 100 rows differs from the older file';

it.skipIf(!hasLibreOffice)(
  'LibreOffice saves a workbook of 200 hostile texts and of booleans without a difference (needs libreoffice)',
  async () => {
    const { compare, csv } = await savedByLibreOffice('old.xlsx');
    expect(await compare('xlsx')).toContain(NONE_DIFFERS);
    expect(await compare('csv')).toContain(NONE_DIFFERS);
    expect([csv().split(',TRUE\n').length, csv().split(',FALSE\n').length]).toEqual([51, 51]);
  },
  120_000,
);

it.skipIf(!hasLibreOffice)(
  'LibreOffice saves a csv of 200 hostile texts without a difference if its columns are opened as text (needs libreoffice)',
  async () => {
    const { compare } = await savedByLibreOffice('old.csv', '--infilter=CSV:44,34,76,1,1/2/2/2/3/2/4/2');
    expect(await compare('xlsx')).toContain(NONE_DIFFERS);
    expect(await compare('csv')).toContain(NONE_DIFFERS);
  },
  120_000,
);
