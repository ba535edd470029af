import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { ledgerIn } from '../../support/open-service.ts';
import { openTerminal } from '../../support/pty.ts';
import { type Handler, serve } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';
import { screenOf } from './screen.ts';

// What a person sees on the two smallest terminals: what is whole, what stands last, and what is not there twice.

const SIZES: [columns: number, rows: number][] = [
  [80, 24],
  [100, 30],
];
const [LOST, STOLEN, BLOCKED, CANCELLED] = [
  '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202',
  '2d9c8e30-5174-4fac-9e63-70419cb2d303',
  '72e1e385-a6c9-44f1-b3b8-c596e1072808',
  'b62527c9-ea0d-4835-b7fc-09da254b6c0c',
];
const CARDS = `cardId,reason\n${LOST},lost\n${STOLEN},stolen\n${BLOCKED},lost\n${CANCELLED},lost\n`;

interface Call {
  readonly args: readonly string[];
  readonly home?: Home;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers no to its question. */
  readonly isAsked?: boolean;
}

/** The lines that stand on a terminal of that size after a call; at its question, if it asks. */
async function seen(
  { args, home = createHome(), env = { FRONTDESK_PROFILE: 'sandbox' }, isAsked = false }: Call,
  [columns, rows]: readonly [number, number],
): Promise<readonly string[]> {
  const terminal = openTerminal(args, { home, env: { ...env, ...NO_PAUSE }, columns, rows });
  if (isAsked) await terminal.waitFor(/\(y\/N.*\) *$/);
  const screen = screenOf(terminal, columns, rows);
  if (isAsked) terminal.type('n\r');
  await terminal.end;
  return isAsked ? screen : screenOf(terminal, columns, rows);
}

function fileIn(home: Home, name: string, text: string): string {
  const path = join(home.path, 'work', name);
  writeFileSync(path, text);
  return path;
}

it.concurrent('the question about several cards on 80 by 24', async () => {
  const home = createHome();
  const args = ['card', 'block', '--from', fileIn(home, 'cards.csv', CARDS)];
  expect((await seen({ args, home, isAsked: true }, [80, 24])).slice(1)).toEqual([
    'ROW  CARD                                  REFERENCE    BALANCE  NOW',
    `  1  ${LOST}  order-10002   100.10  ACTIVE`,
    '     reason: lost',
    `  2  ${STOLEN}  order-10003     0.00  ACTIVE`,
    '     reason: stolen',
    `  3  ${BLOCKED}  order-10008    33.33  BLOCKED`,
    '     ▲ already  reason: lost',
    `  4  ${CANCELLED}  order-10011     0.00  CANCELLED`,
    '     reason: lost',
    '',
    '▲ 1 of 4 is BLOCKED already.',
    'A block cannot be undone.',
    '? Block 4 cards (SANDBOX)? (y/N)',
  ]);
});

it.concurrent.each(SIZES)('a plan on %i by %i: made without its rows, and its question below them', async (...size) => {
  const home = createHome();
  const from = ['--from', fileIn(home, 'cards.csv', CARDS)];
  const made = (await seen({ args: ['card', 'block', ...from, '--plan', 'p.plan'], home }, size)).join('\n');
  expect(made).not.toContain(LOST);
  expect(made).toMatch(/\nBalances {13}133\.43 in all\n/);
  expect(made).toMatch(
    /plan show p\.plan -p sandbox\nfrontdesk: note: apply it: frontdesk plan apply p\.plan -p sandbox$/,
  );
  const shown = await seen({ args: ['plan', 'show', 'p.plan'], home }, size);
  const rows = shown.slice(shown.findIndex((line) => line.startsWith('ROW ')));
  expect(rows.filter((line) => line.includes('▲'))).toEqual([expect.stringMatching(/ ▲ already/)]);
  const asked = await seen({ args: ['plan', 'apply', 'p.plan'], home, isAsked: true }, size);
  expect(asked.slice(-rows.length - 4)).toEqual([
    ...rows,
    '',
    '▲ 1 of 4 was BLOCKED already when planned.',
    'A block cannot be undone.',
    expect.stringMatching(/^\? Apply plan [0-9a-f]{12}: block 4 cards \(SANDBOX\)\? \(y\/N\)$/),
  ]);
});

const subscribers = (rows: readonly string[]) => `id,email,first_name\n${rows.join('\n')}\n`;

it.concurrent.each(SIZES)('an update on %i by %i: what differs, and each cell that was emptied', async (...size) => {
  const home = createHome();
  const older = fileIn(home, 'old.csv', subscribers(['sub_1,a@x,P1', 'sub_2,b@x,P2', 'sub_3,c@x,', 'sub_4,d@x,P4']));
  const newer = fileIn(home, 'new.csv', subscribers(['sub_1,n@x,P1', 'sub_2,m@x,P2', 'sub_3,c@x,', 'sub_4,d@x,']));
  const args = ['calendar', 'subscribers', 'update', '--from', newer, '--changed-from', older];
  const changes = ['row 1 sub_1  email: a@x → n@x', 'row 2 sub_2  email: b@x → m@x'];
  const emptied = 'row 4 (line 5), sub_4: first_name was "P4" and is empty now.';
  const screen = (await seen({ args, home, isAsked: true }, size)).join('\n');
  expect(screen).toContain(`\n${changes.join('\n')}\n\n2 of 4 rows change\n▲ ${emptied}`);
  expect(screen).toMatch(/ does that\)\n\? Update 2 subscribers \(SANDBOX\)\? \(y\/N\)$/);
  expect(screen).not.toContain('sub_3');
  const dry = (await seen({ args: [...args, '--dry-run'], home }, size)).join('\n');
  expect(dry).toContain(`${changes.join('\n')}\nfrontdesk: note: ${emptied}`);
  expect(dry).toMatch(/\nfrontdesk: note: 2 rows would be sent \(-v shows the requests\); 2 of 4 rows[ \n]change$/);
  expect((await seen({ args: [...args, '--dry-run', '-v'], home }, size)).join('\n')).toContain(
    'POST http://127.0.0.1/',
  );
});

it.concurrent('rows that are sent again on 80 by 24: how each reads now, and what it may come to', async () => {
  let sent = 0;
  const server = await serve(({ url, method }) => {
    if (method === 'GET') return { body: cardText(url.includes(LOST) ? 'REISSUED' : 'ACTIVE', url.split('/')[3]) };
    sent += 1;
    return { status: 500, body: {} };
  });
  const home = createHome();
  const run = ['card', 'reissue', LOST, STOLEN, '--reason', 'lost', '--yes', '--run', 'monday'];
  await runFrontdesk(run, { home, env: { ...server.env, ...NO_PAUSE } });
  expect(sent).toBe(2);
  const args = ['runs', 'resume', 'monday', '--resend-unknown'];
  const screen = await seen({ args, home, env: server.env, isAsked: true }, [80, 24]);
  expect(screen.slice(screen.findIndex((line) => line.startsWith('ROW ')))).toEqual([
    expect.stringMatching(/^ROW {2}CARD +REFERENCE {2}BALANCE {2}NOW/),
    `  1  ${LOST}  order-1      10.10  REISSUED`,
    '     ▲ already',
    `  2  ${STOLEN}  order-1      10.10  ACTIVE`,
    '',
    'Reason  lost',
    '▲ The first one may have been done: this may make a second card with money on',
    'it.',
    '▲ 1 of 2 is REISSUED already.',
    'A reissue cannot be undone.',
    expect.stringMatching(/^\? Reissue 2 cards again at 127\.0\.0\.1:\d+ \(default\)\? \(y\/N\)$/),
  ]);
  expect(sent).toBe(2);
});

/** Whole, or not there: no part of an ID, of a reference or of an outcome. */
const CUT = /[0-9a-f]{8}-[0-9a-f-]{0,27}…|(?:order-|sub_|txn_)\w*…|\b(?:appl|reject|conf|not s|UNKN|unkn)[a-z ]*…/;

it.concurrent.for(SIZES)('no screen on %i by %i cuts what identifies, or is wider', async ([columns, rows]) => {
  const home = createHome();
  const env = { FRONTDESK_PROFILE: 'sandbox' };
  const file = fileIn(home, 'cards.csv', CARDS);
  await runFrontdesk(['card', 'reissue', LOST, '--yes', '--reason', 'damaged, ticket 4712'], { home, env });
  await runFrontdesk(['card', 'block', '--from', file, '--yes', '--run', 'monday'], { home, env });
  await runFrontdesk(['card', 'block', '--from', file, '--plan', 'p.plan'], { home, env });
  const calls = [
    ['card', 'get', STOLEN],
    ['card', 'get', LOST, STOLEN, BLOCKED, CANCELLED],
    ['card', 'get', STOLEN.replace('2d9c', '2d9d')],
    ['card', 'find', 'order-1'],
    ['card', 'block', BLOCKED, '--yes'],
    ['card', 'activate', STOLEN],
    ['card', 'block', '--from', file, '--dry-run'],
    ['plan', 'show', 'work/p.plan'],
    ['runs'],
    ['runs', 'show', 'monday'],
    ['runs', 'results', 'monday'],
    ['history', '--limit', '20'],
    ['history', '--id', LOST],
    ['calendar', 'subscribers', 'list', 'cal_tea_ceremony'],
    ['sandbox', 'info'],
    ['auth', 'status'],
  ];
  for (const args of calls) {
    const terminal = openTerminal(args, { home, env: { ...env, ...NO_PAUSE }, columns, rows });
    await terminal.end;
    expect([args, screenOf(terminal, columns, 500).filter((line) => CUT.test(line))]).toEqual([args, []]);
    // A command is pasted, and stays on one line whatever its length. What is redrawn stands there again and again.
    const { text } = await terminal.end;
    const isRedrawn = (line: string) => /rows \(|waiting for the service/.test(line);
    const isTooLong = (line: string) => stringWidth(line) > columns && !isRedrawn(line) && !line.includes('frontdesk ');
    expect([args, text.split('\n').filter(isTooLong)]).toEqual([args, []]);
  }
});

const [UNLIKELY, MISSING] = ['3eadaf41-6285-40bd-af74-8152adc3e404', '00000000-4063-4e9b-8d52-6f308ba1c202'];

/** A service of the cards above: one that is BLOCKED already, one whose changes end unknown, one that is not there. */
const answers: Handler = ({ url, method }) => {
  const id = url.split('/')[3] ?? '';
  const status = id === BLOCKED ? 'BLOCKED' : 'ACTIVE';
  if (id === MISSING) return { status: 404, body: { errorCode: 'CARD_NOT_FOUND', message: 'no card has this ID' } };
  if (method === 'GET') return { body: cardText(status, id) };
  if (id === UNLIKELY) return { status: 500, body: {} };
  if (id === BLOCKED)
    return { status: 409, body: { errorCode: 'CARD_NOT_BLOCKABLE', message: 'its status is BLOCKED' } };
  return { body: cardText(url.endsWith('/block') ? 'BLOCKED' : 'ACTIVE', url.endsWith('/reissue') ? CANCELLED : id) };
};

const RUN = ['card', 'block', STOLEN, BLOCKED, MISSING, UNLIKELY, '--yes', '--run', 'monday', '--retries', '0'];
const DOUBTFUL = ['card', 'reissue', UNLIKELY, '--yes', '--retries', '0'];

const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z/g, '<time>'],
  [/\d+ \w{3} \d{4}, [\d:]+ UTC +(card block +\w+) +(?=monday)/g, '<time>  $1  '], // as wide as the day
  [/(?<=Started +)\d+ \w{3} \d{4}, [\d:]+ UTC/g, '<time>'],
  [/\d\d:\d\d:\d\dZ \([\d:]+ your time\)/g, '<time>'],
  [/(?<= at )\d\d:\d\d$/gm, '<time>'],
  [/(?<=resolve )[0-9a-f]{6}/g, '<entry>'],
  [/(?<=run monday, )\d+ s$/gm, '<took>'],
  [new RegExp(` +${userInfo().username}$`, 'gm'), '  <user>'],
];

/** The last lines after a call on 80 columns. `isAsked`: its question gets a yes. */
interface Last {
  readonly args: readonly string[];
  readonly isAsked?: true;
  readonly before?: readonly string[];
  readonly shows: string;
}

const LAST: Readonly<Record<string, Last>> = {
  'a single change': {
    args: ['card', 'reissue', LOST, '--reason', 'damaged, ticket 4712'],
    isAsked: true,
    shows: `
✔ REISSUED at <time>
Old card   ${LOST}  order-1
New card   ${CANCELLED}  order-1  ACTIVE  10.10
Reason     damaged, ticket 4712
Show it: frontdesk card get ${CANCELLED}`,
  },
  'a refusal of what the card is already': {
    args: ['card', 'block', BLOCKED],
    isAsked: true,
    shows: `
✖ NOT BLOCKED: the card is BLOCKED already (409 CARD_NOT_BLOCKABLE). Nothing was
changed.
  ${BLOCKED}  order-1`,
  },
  'an unknown outcome': {
    args: DOUBTFUL.filter((word) => word !== '--yes'),
    isAsked: true,
    shows: `
▲ OUTCOME UNKNOWN - reissue card ${UNLIKELY}
  What happened  the service returned 500
  Sent           <time>
  Card check     status ACTIVE, ACTIVE before you confirmed (2 reads, 2 s apart)
  That means     status ACTIVE shows no reissue yet. It may still take effect
Do now
  1 Do not reissue again: it may make a second live card.
  2 Ask the team that runs the service: <time>, card
    ${UNLIKELY}, no request ID
  3 Then record it: frontdesk history resolve <entry> --as <applied|not_applied>`,
  },
  'a run': {
    args: RUN,
    shows: `
ROW  CARD                                  OUTCOME
  1  ${STOLEN}  applied
  2  ${BLOCKED}  rejected
     "its status is BLOCKED" (409 CARD_NOT_BLOCKABLE)
  3  ${MISSING}  rejected: no such card
  4  ${UNLIKELY}  UNKNOWN
     the service returned 500, the card read ACTIVE

4 cards, run monday, <took>
  1 applied
  2 rejected: 1 CARD_NOT_BLOCKABLE, 1 CARD_NOT_FOUND
  1 UNKNOWN: 1 HTTP 500; may have been applied
Next, which reads 1 card and sends nothing:
  frontdesk runs resume monday --reconcile
All 3 rows: frontdesk runs results monday --outcome rejected,unknown`,
  },
  'the history': {
    args: ['history'],
    before: RUN,
    shows: `
<time>  card block       UNKNOWN  monday:4
  ${UNLIKELY}  order-1  <user>
<time>  card block       rejected  monday:3
  ${MISSING}  <user>
<time>  card block       rejected  monday:2
  ${BLOCKED}  <user>
<time>  card block       applied  monday:1
  ${STOLEN}  order-1  <user>`,
  },
  'a run that is shown': {
    args: ['runs', 'show', 'monday'],
    before: RUN,
    shows: `
Run           monday
Change        card block
State         unsettled
Rows          4
              1 applied
              2 rejected
              1 UNKNOWN
Profile       default
Started       <time>
Next          frontdesk runs resume monday --reconcile`,
  },
};

it.concurrent.for(Object.entries(LAST))('%s on 80 by 24 ends so', async ([, { args, isAsked, before, shows }]) => {
  const { env } = await serve(answers);
  const home = createHome();
  if (before !== undefined) await runFrontdesk(before, { home, env: { ...env, ...NO_PAUSE } });
  const terminal = openTerminal(args, { home, env: { ...env, ...NO_PAUSE }, rows: 24 });
  if (isAsked) await terminal.talk([/\(y\/N[^)]*\)\s*$/, 'y\r']);
  const { text } = await terminal.end;
  // The card stands above the question alone.
  if (isAsked) expect(text.match(/Expires /g)).toHaveLength(1);
  const lines = shows.split('\n').slice(1);
  const screen = screenOf(terminal, 80, 24).slice(-lines.length).join('\n');
  expect(VARIABLE.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), screen)).toBe(lines.join('\n'));
});

it.concurrent('a card with an open change has its ID and the step to take on 24 lines', async () => {
  const more = '"metadata":{"a":1,"b":2,"c":3,"d":4,"e":5},"transactions":[{"type":"LOAD"},{"type":"LOAD"}]';
  const body = cardText('ACTIVE', UNLIKELY).replace('"metadata":{"store":"Bergen"}', more);
  const answer: Handler = (call, count) => (call.method === 'GET' ? { body } : answers(call, count));
  const { env } = await serve(answer);
  const home = createHome();
  await runFrontdesk(DOUBTFUL, { home, env: { ...env, ...NO_PAUSE } });
  // The prompt of the shell takes the last line.
  expect((await seen({ args: ['card', 'get', UNLIKELY], home, env }, [80, 24])).slice(-23).join('\n')).toMatch(
    /^ {2}NOT KNOWN whether it was done[\s\S]*history resolve \w{6} --as[\s\S]*\nCard {10}3eadaf41/,
  );
});

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
