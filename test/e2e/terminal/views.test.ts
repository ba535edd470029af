import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { ledgerIn } from '../../support/open-service.ts';
import { openTerminal } from '../../support/pty.ts';
import { serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';
import { screenOf } from './screen.ts';

const CARD = '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202';
const CARD_2 = '2d9c8e30-5174-4fac-9e63-70419cb2d303';
const SANDBOX = ['-p', 'sandbox', '--quiet'];

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

it.concurrent.each([
  ['doctor', 40],
  ['doctor', 80],
  ['doctor', 100],
  ['sandbox info', 40],
  ['sandbox info', 80],
])('%s breaks no word at %i columns', async (command, columns) => {
  const { code, text } = await dialogue(command.split(' '), [], { columns });
  expect([code, /\nRules that the sandbox chose:/.test(text)]).toEqual([0, command !== 'doctor']);
  // A command, a path or an address is one word, whatever its length.
  const long = linesOf(text).filter((line) => stringWidth(line) > columns && !/frontdesk |\/|https?:/.test(line));
  expect(long).toEqual([]);
  // Where there is little room, messages are below the names.
  if (command === 'doctor') expect(/^ok {7}node\n {4}Node \S+/m.test(text)).toBe(columns === 40);
});

const REPLACEMENT = '11111111-2222-3333-4444-555555555555';

it.each([60, 200])('the history on %i columns has each entry whole, and history show is a page', async (columns) => {
  const home = createHome();
  const server = await serve(({ method }) => ({ body: cardText('ACTIVE', method === 'POST' ? REPLACEMENT : CARD) }));
  const reissue = ['card', 'reissue', CARD, '--reason', 'damaged, ticket 4712', '--yes', '--expect', 'status=ACTIVE'];
  await runFrontdesk(reissue, { home, env: server.env });
  const { text } = await dialogue(['history'], [], { home, columns });
  const [first = '', ...below] = linesOf(text);
  const [, time = '', entry = ''] = /^(.{24,29}) {3}card reissue {5}applied +([0-9a-f]{6})$/.exec(first) ?? [];
  expect(time).toMatch(/^\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d:\d\d UTC$/);
  expect(below.slice(0, -1)).toEqual([`  ${CARD}  order-1`, `  New card ${REPLACEMENT}`]);
  expect(below.at(-1)).toMatch(/^ {2}Reason "damaged, ticket 4712" +\S+$/);
  expect(linesOf(text).map((line) => line.length)).toEqual([columns, 47, 47, columns]);
  const page = await dialogue(['history', 'show', entry], [], { home, columns });
  const shown = await runFrontdesk(['history', 'show', entry, '--json'], { home });
  const { entry: name, durationMs, requestId, user, host } = JSON.parse(shown.stdout) as Record<string, string>;
  expect(requestId).toBeNull();
  expect(linesOf(page.text)).toEqual([
    'Change        card reissue',
    'Outcome       applied',
    `Time          ${time}`,
    `Card          ${CARD}`,
    'Reference     order-1',
    `New card      ${REPLACEMENT}`,
    'Reason        damaged, ticket 4712',
    'Card status   ACTIVE',
    `By            ${user}`,
    'Profile       default',
    `Host          ${host}`,
    'HTTP status   200',
    `Took          ${durationMs} ms`,
    `Entry         ${name}`,
  ]);
});

const COUNT = 60;

/** A machine with so many blocks, the newest at 00:59. */
async function busyHome() {
  const home = createHome();
  const server = await serve([{ body: cardText('BLOCKED', CARD) }]);
  await runFrontdesk(['card', 'block', CARD, '--yes'], { home, env: server.env });
  const path = ledgerIn(home);
  const text = readFileSync(path, 'utf8');
  const [, name = ''] = /"entry":"([^"]+)"/.exec(text) ?? [];
  const at = (minute: number) =>
    text
      .replaceAll(name, `20260701T00${String(minute).padStart(2, '0')}00000-1-aaaa${String(minute).padStart(2, '0')}`)
      .replace(/"time":"[^"]+"/, `"time":"2026-07-01T00:${String(minute).padStart(2, '0')}:00.000Z"`);
  rmSync(path);
  const ofDay = path.replace(/\d{8}(?=\.[0-9a-f]+\.ndjson$)/, '20260701');
  writeFileSync(ofDay, Array.from({ length: COUNT }, (_, minute) => at(minute)).join(''), { mode: 0o600 });
  return home;
}

it.each([
  [80, 24],
  [60, 20],
  [120, 40],
])('the history keeps the newest on a screen of %i by %i, at the top, and counts the others', async (columns, rows) => {
  const terminal = openTerminal(['history'], { home: await busyHome(), columns, rows });
  await terminal.end;
  const screen = screenOf(terminal, columns, COUNT);
  // The prompt of the shell takes the last line.
  expect(screen.length).toBeLessThan(rows);
  expect(screen.findIndex((line) => line.startsWith('1 Jul 2026, 00:59:00 UTC'))).toBe(0);
  const shown = screen.filter((line) => line.startsWith('1 Jul 2026, 00:')).length;
  expect(screen.join('\n')).toContain(`\n${50 - shown} older changes not shown: add --limit 50`);
});

it('the history prints as many as --limit says, newest first, and the newest again at the end', async () => {
  const terminal = openTerminal(['history', '--limit', '55'], { home: await busyHome(), columns: 80, rows: 24 });
  const { text } = await terminal.end;
  const times = [...text.matchAll(/^1 Jul 2026, 00:(\d\d):00 UTC/gm)].map(([, minute]) => Number(minute));
  expect(times).toEqual(Array.from({ length: 55 }, (_, index) => COUNT - 1 - index));
  expect(text).toMatch(
    /\nNewest, at the top: 1 Jul 2026, 00:59:00 UTC, applied, entry aaaa59, card block [-0-9a-f]+\n$/,
  );
});

it('the history has local times with their zone, and the user', async () => {
  const home = createHome();
  const server = await serve([{ body: cardText('ACTIVE', CARD) }]);
  await runFrontdesk(['card', 'activate', CARD], { home, env: server.env });
  const path = ledgerIn(home);
  const text = readFileSync(path, 'utf8').replace(/"time":"[^"]+"/, '"time":"2026-07-01T22:04:05.123Z"');
  writeFileSync(path, text.replace(/"user":"[^"]+"/, '"user":"annabel.long-name"'));
  for (const [TZ, shown] of [
    ['Europe/Oslo', '2 Jul 2026, 00:04:05 +02:00'],
    ['Asia/Kolkata', '2 Jul 2026, 03:34:05 +05:30'],
    ['America/St_Johns', '1 Jul 2026, 19:34:05 -02:30'],
    ['UTC', '1 Jul 2026, 22:04:05 UTC'],
  ] as const) {
    expect((await dialogue(['history'], [], { home, columns: 100, env: { TZ } })).text).toMatch(
      new RegExp(`^${shown.replace('+', '\\+')} {3}card activate .*\n .* {2}annabel\\.long-name$`, 'm'),
    );
  }
});

const IDS = Array.from({ length: 26 }, (_, index) => `0b7a6c1e-3f52-4d8a-9c41-${String(index + 1).padStart(12, '0')}`);
const ACTIVATE_ALL = ['card', 'activate', ...IDS, '--yes', '-q', '-j', '1'];

it('a long run in a terminal counts what was applied, and shows three of each cause', async () => {
  const server = await serve(({ url }) =>
    IDS.slice(19, 24).some((id) => url.includes(id))
      ? { status: 409, body: {} }
      : { body: cardText('ACTIVE', url.split('/')[3]) },
  );
  const { text } = await dialogue(ACTIVATE_ALL, [], { env: server.env, columns: 120 });
  const rows = text.split('\n').filter((line) => /^ *\d+ {2}0b7a/.test(line));
  expect(rows).toEqual([20, 21, 22].map((row) => ` ${row}  ${IDS[row - 1]}  rejected: the service returned 409`));
  expect(text).toContain('\nand 2 more rejected: the service returned 409\n\n26 cards, run ');
  expect(text).toContain('\n  21 applied\n   5 rejected: 5 HTTP 409\n');
});

it('a run in a terminal has rows that were not reached on one line', async () => {
  const server = await serve(() => ({ status: 401, body: {} }));
  const { text } = await dialogue(ACTIVATE_ALL, [], { env: server.env, columns: 120 });
  expect(text.split('\n').filter((line) => /^ *\d+ {2}0b7a/.test(line))).toHaveLength(1);
  expect(text).toContain('\n25 rows were not reached\n');
});

it('runs list says how every row ended on 80 columns, in a line below', async () => {
  const home = createHome();
  const server = await serve(({ url }) =>
    url.includes(CARD) ? { status: 409, body: {} } : { body: cardText('ACTIVE', url.split('/')[3] ?? '') },
  );
  const other = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
  await runFrontdesk(['card', 'activate', CARD, other, '--yes', '--run', 'stolen-november'], { home, env: server.env });
  const { text } = await dialogue(['runs'], [], { home, columns: 80 });
  expect(text).toMatch(/^stolen-november +card activate +default +finished +2 +1 applied, 1 rejected/m);
  const narrow = await dialogue(['runs'], [], { home, columns: 50 });
  expect(narrow.text).toMatch(/^stolen-november .*\n {2}1 applied, 1 rejected$/m);
  expect((await runFrontdesk(['runs'], { home })).stdout).toMatch(/\tAPPLIED\t/);
  const page = await dialogue(['runs', 'show', 'stolen-november'], [], { home, env: { TZ: 'Asia/Kolkata' } });
  expect(page.text).toMatch(
    /^Run {11}stolen-november\nChange {8}card activate\nState {9}finished\nRows {10}2\n {14}1 applied\n {14}1 rejected\n/,
  );
  expect(page.text).toMatch(/^Started {7}\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d \+05:30$/m);
  const off = await runFrontdesk(['runs', 'show', 'stolen-november'], { home });
  expect(off.stdout).toMatch(/\tcard\.activate\t.*\d{4}-\d\d-\d\dT\S+Z$/m);
  const rows = await dialogue(['runs', 'results', 'stolen-november'], [], { home, columns: 80 });
  expect(rows.text).toMatch(/ rejected: the service returned 409$/m);
});

it.each([
  [
    ['runs'],
    'No runs yet. A change of several IDs, or of a file, creates one:\n  frontdesk card block --from cards.csv\n',
  ],
  [['history'], 'No changes recorded on this machine yet'],
  [['auth', 'status'], 'Profile default has no URL yet.\n'],
  [['profile', 'list'], 'no profiles yet. Create one: frontdesk auth login\n'],
])('an empty list says how it fills: `%s`', async (args, told) => {
  const { text } = await dialogue(args, [], { columns: 120 });
  expect(text).toContain(told);
  expect(text).not.toMatch(/^(?:RUN|TIME|FAMILY) /m);
});

it('the results of a run in a terminal say that no row has an outcome', async () => {
  const { text, home } = await dialogue([...SANDBOX, 'card', 'block', CARD, CARD_2, '-y', '--run', 'one'], []);
  expect(text).toMatch(/ applied$/m);
  const end = await dialogue(['-p', 'sandbox', 'runs', 'results', 'one', '--outcome', 'rejected,not_sent'], [], {
    home,
  });
  expect(end.code).toBe(0);
  expect(end.text).toContain('frontdesk: note: no row of one is rejected or not sent\n');
});
