import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { openTerminal, type Terminal, type TerminalOptions } from '../../support/pty.ts';
import { CARDS_TOKEN, type Handler, type Reply, serve } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { SAMPLE_CALLS } from '../../support/sample-calls.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';
import { menuAfter, menuWith, screenOf } from './screen.ts';

const NEW_ID = '9999aaaa-2222-3333-4444-555566667777';
const GET = `GET /v1/cards/${CARD_ID}`;
const BLOCK = `POST /v1/cards/${CARD_ID}/block`;
const CTRL_C = '\u0003';
/** A verdict, right above the menu. */
const above = (verdict: string) => new RegExp(`${verdict}[^\\n]*\\n(?: {2}[^\\n]*\\n)?\\? Card `);

/** A service of two cards: block and reissue change the first, unless `fails` answers the write. */
function service(fails: (line: string, count: number) => Reply | undefined = () => undefined): Handler {
  let status = 'ACTIVE';
  return ({ method, url }, count) => {
    const failed = fails(`${method} ${url}`, count);
    if (failed !== undefined) return failed;
    if (url.includes(NEW_ID)) return { body: cardText('ACTIVE', NEW_ID) };
    if (url.endsWith('/block')) status = 'BLOCKED';
    if (url.endsWith('/reissue')) {
      status = 'REISSUED';
      return { body: cardText('ACTIVE', NEW_ID) };
    }
    return { body: cardText(status) };
  };
}

const refusal = (word: string, status: string) =>
  JSON.stringify({ errorCode: `CARD_NOT_${word}ABLE`, message: `the card was not ${word}ed: it is ${status}` });

const writeFails = (status: number, body?: string) =>
  service((line) => (line.startsWith('POST') ? { status, ...(body === undefined ? {} : { body }) } : undefined));

const DESK_WRITES = Object.values(SAMPLE_CALLS).filter(
  ({ command, tool, ends }) => command.startsWith('card ') && tool !== undefined && ends !== 'read',
).length;

type Size = Pick<TerminalOptions, 'columns' | 'rows'> & { readonly home?: Home };

/** Opens the desk on the card, in a window of 80 by 24. */
async function open(env: Readonly<Record<string, string>>, more: Size & { readonly args?: readonly string[] } = {}) {
  const { home = createHome(), args = [CARD_ID], columns = 80, rows = 24 } = more;
  const terminal = openTerminal(['desk', ...args], { home, columns, rows, env: { ...env, ...NO_PAUSE } });
  if (args.includes(CARD_ID)) await menuWith(terminal, /\? Card 7c0e1111/, columns, rows);
  return { terminal, home };
}

/** Does that in the menu and says yes. */
async function confirm(terminal: Terminal, entry: string): Promise<void> {
  terminal.type(`${entry}\r`);
  await terminal.talk([new RegExp(`\\? ${entry} card[^?]*\\?\\s+\\(y/N[^)]*\\)\\s*$`, 'i'), 'y\r']);
}

async function leave(terminal: Terminal) {
  terminal.type('leave\r');
  return terminal.end;
}

it.concurrent('the desk blocks a card after a question, and the line above the menu says so', async () => {
  const server = await serve(service());
  const { terminal, home } = await open(server.env);
  terminal.type('block\r');
  await terminal.talk(
    [/\? Block card 7c0e1111-2222-3333-4444-555566667777 \(order-1\) at\s+127/, 'r\r'],
    [/Reason \(Enter = none\)/, 'lost\r'],
    [/Reason +lost\nA block cannot be undone\.\n[\s\S]*\(y\/N\)\s*$/, 'y\r'],
  );
  const screen = await menuWith(terminal, above('✔ BLOCKED at \\d\\d:\\d\\d'));
  expect(screen.slice(0, 5)).toEqual([
    `Card          ${CARD_ID}`,
    'Status        BLOCKED',
    'Balance       10.10 of 50.00  [████░░░░░░░░░░░░░░░░]',
    expect.stringMatching(/^Expires {7}1 Jan 2031, 00:00 UTC/),
    'Reference     order-1',
  ]);
  // Nothing contradicts it.
  expect(screen.join('\n')).not.toMatch(/\bACTIVE/);
  const end = await leave(terminal);
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 0, lines: [GET, GET, GET, BLOCK, GET] });
  expect(end.text).toMatch(
    /: 1 applied\n {2}\d\d:\d\d {2}order-1 {2}7c0e1111 {2}block {2}applied, reason: lost\n1 card was looked at\./,
  );
  const history = await runFrontdesk(['history', '--json'], { home });
  expect(JSON.parse(history.stdout)).toMatchObject([{ operation: 'card.block', outcome: 'applied', reason: 'lost' }]);
});

it.concurrent('the desk says once what was refused and why, and marks what a card is already', async () => {
  const server = await serve(({ method, url }) => {
    if (method === 'GET') return { body: cardText('BLOCKED') };
    return { status: 409, body: url.endsWith('/block') ? refusal('BLOCK', 'BLOCKED') : refusal('ACTIVAT', 'BLOCKED') };
  });
  const { terminal } = await open(server.env);
  await confirm(terminal, 'block');
  const refused = (verb: string, code: string, then: string) =>
    above(`✖ NOT ${verb}: refused at \\d\\d:\\d\\d \\(HTTP 409, ${code}\\)\\. ${then}`);
  const blocked = await menuWith(terminal, refused('BLOCKED', 'CARD_NOT_BLOCKABLE', 'But the card'));
  // What the service says, the verdict says.
  expect(blocked.join('\n').match(/NOT BLOCKED|BLOCKABLE|the service/g)).toEqual(['NOT BLOCKED', 'BLOCKABLE']);
  expect(blocked.join('\n')).toMatch(/3 Activate(?: {4,}|\n)[\s\S]*4 Block {2}\(already\)[\s\S]*5 Reissue(?: {4,}|\n)/);
  await confirm(terminal, 'activate');
  const screen = await menuWith(terminal, refused('ACTIVATED', 'CARD_NOT_ACTIVATABLE', 'Nothing was'));
  expect(screen.join('\n').match(/NOT ACTIVATED|ACTIVATABLE|not ACTIVATed/g)).toEqual([
    'not ACTIVATed',
    'NOT ACTIVATED',
    'ACTIVATABLE',
  ]);
  // A no to what was done already, or may have been, is no word on that.
  for (const [verb, said] of [
    ['activate', 'Not activated'],
    ['block', 'Not blocked again'],
  ] as const) {
    terminal.type(`${verb}\r`);
    await terminal.talk([new RegExp(`\\? ${verb} card[^?]*\\?\\s+\\(y/N[^)]*\\)\\s*$`, 'i'), 'n\r']);
    await menuWith(terminal, new RegExp(`\n${said}\\. Nothing was sent\\.\n`));
  }
  expect((await leave(terminal)).text).toMatch(/: 2 rejected\n/);
});

it.concurrent('the desk takes at the menu what its question takes, and says what finds nothing', async () => {
  const server = await serve(service());
  const { terminal } = await open(server.env);
  await menuAfter(terminal, `${NEW_ID}\r`, /\? Card 9999aaaa/);
  terminal.type('order-7\r');
  await terminal.waitFor(/> "order-7" names no entry, and no card [^>]* frontdesk card find --import <file>\s*$/);
  // What is refused at a menu is not in the line: the next text is another entry.
  terminal.type('order-1\r');
  await terminal.talk([/\? Which card\?[\s\S]*2 7c0e1111[^\n]*order-1[\s\S]*Enter$/, '2\r']);
  await menuWith(terminal, /\? Card 7c0e1111/);
  terminal.type('\u001b[200~q\r\u001b[201~');
  await terminal.talk([/> pasted, not used: type it\s*$/, 'q\r']);
  const end = await terminal.end;
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 0, lines: [GET, `GET /v1/cards/${NEW_ID}`, GET] });
  expect(end.text).toMatch(/This session [^\n]*: no changes\n2 cards were looked at/);
});

it.concurrent('the desk keeps the head of the card and the verdict on a small screen, and counts the rest', async () => {
  const [columns, rows] = [60, 20];
  const metadata = Object.fromEntries(
    [...Array(11)].map((_, at) => [`member${at}`, `名前 ${at} 🎁 ${'so '.repeat(60)}`]),
  );
  const body = (status: string) =>
    JSON.stringify({ ...JSON.parse(cardText(status)), clientReference: 'طلب-20016 山田'.repeat(9), metadata });
  let status = 'ACTIVE';
  const server = await serve(({ method }) => {
    if (method === 'POST') status = 'BLOCKED';
    return { body: body(status) };
  });
  const { terminal } = await open(server.env, { columns, rows });
  terminal.type('wait\r');
  await terminal.waitFor(/Which status[\s\S]*then Enter$/);
  // A number means something else at another menu.
  expect(screenOf(terminal, columns, 100).join('\n')).not.toContain('All details');
  await menuAfter(terminal, CTRL_C, /Look again/, columns, 100);
  await confirm(terminal, 'block');
  await terminal.waitFor(/✔ BLOCKED at[\s\S]*then Enter$/);
  const screen = screenOf(terminal, columns, 100);
  expect(screen.length).toBeLessThanOrEqual(rows);
  expect([screen[0], screen[1]]).toEqual([`Card          ${CARD_ID}`, 'Status        BLOCKED']);
  expect(screen.join('\n')).toMatch(/ fields? \(2 = All details\)\n/);
  expect(screen.join('\n')).toMatch(above('✔ BLOCKED at'));
  terminal.type('all\r');
  for (let seen = '', left = ''; !seen.includes('Enter goes back'); ) {
    await terminal.more();
    seen = screenOf(terminal, columns, 100).join('\n');
    const [, more = left] = /Enter shows (\d+) more lines[^\n]*$/.exec(seen) ?? [];
    // One piece of output is no new page: a second Enter would be that of the next question.
    if (more !== left) terminal.type('\r');
    left = more;
  }
  expect(terminal.output).toContain('member10');
  await menuAfter(terminal, '\r', above('✔ BLOCKED at'), columns, 100);
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk does not break a card ID, at the question, below it, and at the menu', async () => {
  const { terminal } = await open((await serve(service())).env, { args: [], columns: 60, rows: 20 });
  await terminal.talk([/Card ID/, CARD_ID], [new RegExp(`\\n {2}${CARD_ID}$`), '\r']);
  await menuWith(terminal, /Card 7c0e1111/, 60, 20);
  // Key after key: all of it in one piece would be a paste.
  for (const [at, key] of [...NEW_ID].entries()) {
    terminal.type(key);
    await terminal.waitFor(new RegExp(`[ \\n]${NEW_ID.slice(0, at + 1)}\\n`));
  }
  expect(screenOf(terminal, 60, 20).join('\n')).toContain(`\n  ${NEW_ID}\n`);
  await menuAfter(terminal, '\r', /Card 9999aaaa/, 60, 20);
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk keeps an unknown outcome above the menu, after a look, on the next visit and in the next session', async () => {
  const server = await serve(writeFails(500));
  const { terminal, home } = await open(server.env);
  const verdict = above('▲ NOT KNOWN YET: the reissue was sent at \\d\\d:\\d\\d');
  await confirm(terminal, 'reissue');
  await menuWith(terminal, verdict);
  terminal.type('\r');
  // What was said with the write is gone, and the verdict is not.
  await menuWith(terminal, /Updated[^\n]*\n\n▲ NOT KNOWN YET: the reissue/);
  terminal.type('another\r');
  await terminal.talk([
    /1 7c0e1111 {2}order-1 {2}ACTIVE {2}reissue \d\d:\d\d: UNKNOWN[^\n]*\n\? Card ID, order number or 1 \([^)]*1 outcome\s+unknown\)\s*$/,
    '1\r',
  ]);
  await menuWith(terminal, verdict);
  terminal.type('reissue\r');
  // What is open is said first.
  await terminal.talk([/NOT KNOWN whether it was done: card reissue[\s\S]*\? Reissue card[\s\S]*\(y\/N/, CTRL_C]);
  await menuWith(terminal, verdict);
  expect((await leave(terminal)).code).toBe(8);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${CARD_ID}/reissue`]);
  const later = await open(server.env, { home });
  await menuWith(later.terminal, verdict);
  // Of a write of before this session is not asked to give account.
  expect((await leave(later.terminal)).code).toBe(0);
});

it.concurrent('the desk resolves an unknown block by a look that shows it, records that, and exits with 0', async () => {
  let status = 'ACTIVE';
  const server = await serve(({ method }) => (method === 'POST' ? { status: 500 } : { body: cardText(status) }));
  const { terminal, home } = await open(server.env);
  await confirm(terminal, 'block');
  await menuWith(terminal, /NOT KNOWN YET/);
  status = 'BLOCKED';
  await menuAfter(terminal, 'look\r', above('✔ BLOCKED at \\d\\d:\\d\\d, as a look at \\d\\d:\\d\\d showed'));
  const end = await leave(terminal);
  expect(end.code).toBe(0);
  expect(end.text).toMatch(/: 1 confirmed by read\n.*block {2}confirmed by read/);
  const history = await runFrontdesk(['history', '--json'], { home });
  expect(JSON.parse(history.stdout)).toMatchObject([{ outcome: 'confirmed_by_read', httpStatus: 200 }]);
});

it.concurrent('the desk shows the new card after a reissue, and for the old one what replaced it', async () => {
  const server = await serve(service());
  const { terminal, home } = await open(server.env);
  const beside = await open(server.env, { home });
  await confirm(terminal, 'reissue');
  const screen = await menuWith(terminal, above('✔ REISSUED at'));
  await menuAfter(beside.terminal, 'look\r', above('✔ REISSUED at \\d\\d:\\d\\d'));
  expect((await leave(beside.terminal)).text).toContain(`  replaced by ${NEW_ID}`);
  expect(screen).toContain(`Card          ${NEW_ID}`);
  expect(screen).toContain(`  replaces ${CARD_ID}`);
  // An id that is typed at the menu means that card.
  await menuAfter(terminal, CARD_ID, new RegExp(`replaced by ${NEW_ID}`));
  const end = await leave(terminal);
  expect(end.text).toMatch(new RegExp(`reissue {2}applied, new card\\s+${NEW_ID}\\n2 cards were looked at`));
  const later = await open(server.env, { home });
  await menuWith(later.terminal, new RegExp(`replaced by ${NEW_ID}`));
  await leave(later.terminal);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

it.concurrent('the desk records how an open write was resolved', async () => {
  const { terminal, home } = await open((await serve(writeFails(500))).env);
  await confirm(terminal, 'reissue');
  await menuWith(terminal, /\d Resolve an open write/);
  terminal.type('res');
  terminal.type('olve\r');
  await terminal.talk(
    [/What did you find out about the reissue/, '1\r'],
    [/ID of the new card \(Enter = not known\)/, `${NEW_ID}\r`],
    [/Note \(Enter = none\)/, 'seen in the console\r'],
  );
  const screen = await menuWith(terminal, above('✔ REISSUED: \\S+ found it out, and recorded it at'));
  expect(screen).toContain(`  replaced by ${NEW_ID}`);
  expect(screen.join('\n')).not.toContain('Resolve an open write');
  const end = await leave(terminal);
  expect({ code: end.code, done: /applied, as found out, new card/.test(end.text) }).toEqual({ code: 0, done: true });
  const history = await runFrontdesk(['history', '--json'], { home });
  const resolved = { as: 'applied', resultId: NEW_ID, note: 'seen in the console' };
  expect(JSON.parse(history.stdout)).toMatchObject([{ outcome: 'unknown', resolved }]);
});

it.concurrent('the desk says that a card has another order number than the one by which it was found', async () => {
  const server = await serve(service());
  const home = createHome();
  const orders = `clientReference,cardId\norder-77,${CARD_ID}\n`;
  expect((await runFrontdesk(['card', 'find', '--import', '-'], { home, env: server.env, stdin: orders })).code).toBe(
    0,
  );
  const { terminal } = await open(server.env, { home, args: [] });
  await terminal.talk([/Card ID/, 'order-77\r']);
  await terminal.waitFor(
    /This machine knew this card by the reference "order-77"\. Its reference is\s+"order-1"\.[\s\S]*\? Card 7c0e1111/,
  );
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk finds a card by its order number and by the beginning of its ID, and explains how', async () => {
  const server = await serve(service());
  const { terminal } = await open(server.env);
  terminal.type('another\r');
  for (const [typed, seen, kept] of [
    ['?', /card ID, such as 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101\.\nThese find/, ''],
    ['order-7', /> no card with this order number or beginning of an ID is known here/, 'order-7'],
    [CARD_ID.slice(0, -1), /> 31 digits, not 32/, CARD_ID.slice(0, -1)],
    [`${CARD_ID.slice(0, -1)}O`, /> character 36 is the letter O: an ID has 0-9 and a-f/, `${CARD_ID.slice(0, -1)}O`],
  ] as const) {
    await terminal.talk([/Card ID, order number or 1 \([^)]*\)\s*$/, `${typed}\r`]);
    // A text that means nothing stays in the line, and Ctrl-C empties it.
    await terminal.waitFor(new RegExp(`${seen.source}[\\s\\S]*order number or 1 \\([^)]*\\)\\s+${kept}$`));
    if (kept !== '') terminal.type(CTRL_C);
  }
  await terminal.talk([/Card ID, order number or 1 \([^)]*\)\s*$/, 'order-7\r']);
  await terminal.waitFor(/order number or 1 \([^)]*\)\s+order-7$/);
  // A paste takes its place. The ID is shown in the case that the service has.
  await menuAfter(terminal, `\u001b[200~${CARD_ID.toUpperCase()}\u001b[201~\r`, /\? Card 7c0e1111/);
  terminal.type(CTRL_C);
  await terminal.waitFor(/then Enter[\s\S]*Recent cards[\s\S]*Card ID, order number or 1 \([^)]*\)\s*$/);
  for (const typed of ['order-1', '7C0E1111', `see https://desk.example.com/cards/${CARD_ID}.`]) {
    terminal.type(`${typed}\r`);
    if (typed.startsWith('see')) {
      await terminal.talk([/> Enter takes this card[\s\S]*7c0e1111-2222-3333-4444-555566667777\s*$/, '\r']);
    }
    await menuWith(terminal, /Card 7c0e1111/);
    terminal.type(CTRL_C);
    await terminal.waitFor(/then Enter[\s\S]*Recent cards[\s\S]*Card ID, order number or 1 \([^)]*\)\s*$/);
  }
  terminal.type(CTRL_C);
  expect((await terminal.end).code).toBe(0);
  expect(server.lines).toEqual([GET, `GET /v1/cards/${CARD_ID.toUpperCase()}`, GET, GET, GET]);
});

it.concurrent('the desk writes the session to a file that is current after each change, and never over another', async () => {
  const server = await serve(service());
  const home = createHome();
  const csv = join(home.path, 'shift.csv');
  const { terminal } = await open(server.env, { home, args: [CARD_ID, '--report', csv] });
  expect(readFileSync(csv, 'utf8')).toBe('time,reference,card,what,how it ended,new card,reason\r\n');
  if (process.platform !== 'win32') expect(statSync(csv).mode & 0o777).toBe(0o600);
  await confirm(terminal, 'block');
  await menuWith(terminal, /BLOCKED at/);
  expect(readFileSync(csv, 'utf8')).toMatch(
    /\r\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d),order-1,7c0e1111-2222-3333-4444-555566667777,block,applied,,\r\n$/,
  );
  terminal.hangUp();
  await terminal.end;
  expect(readFileSync(csv, 'utf8')).toContain('block,applied');
  const again = await dialogue(['desk', '--report', csv], [], { env: server.env, home });
  const other = await dialogue(['desk', '--report', 'shift.txt'], [], { env: server.env, home });
  expect([again.code, other.code]).toEqual([2, 2]);
  expect(again.text).toMatch(/--report: .* exists[\s\S]*hint: give a name that is free, such as \S*shift-2\.csv/);
  writeFileSync(csv, 'mine');
  const markdown = join(home.path, 'shift.md');
  await leave((await open(server.env, { home, args: [CARD_ID, '--report', markdown] })).terminal);
  expect(readFileSync(markdown, 'utf8')).toContain('1 card was looked at.');
  expect(readFileSync(csv, 'utf8')).toBe('mine');
});

it.concurrent.each([
  ['keeps it where the profile keeps its token', [], '\\nThe token is stored\\.\\n', 0],
  ['keeps it for the session if the profile reads it from a file', ['--token-file', 'token'], 'is not stored', 4],
] as const)('the desk takes a new token without leaving, and %s', async (_, from, said, later) => {
  const home = createHome();
  const answer = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
    headers['authorization'] === 'Bearer new-token-of-the-test' ? { body: cardText('ACTIVE') } : { status: 401 };
  const server = await serve(answer);
  writeFileSync(join(home.path, 'work', 'token'), 'old-token-of-the-test', { mode: 0o600 });
  const login = ['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', server.url];
  const source = from.length > 0 ? from : ['--token-stdin'];
  expect((await runFrontdesk([...login, ...source], { home, stdin: 'old-token-of-the-test' })).code).toBe(0);
  const { terminal } = await open({}, { home, args: [CARD_ID, '-p', 'live'] });
  const screen = await menuWith(terminal, /\d Log in/);
  expect(screen.join('\n')).not.toMatch(/Block|Reissue|Activate|auth login|Nothing was sent/);
  expect(screen.join('\n').match(/hint: .*/g)).toEqual(['hint: choose Log in']);
  terminal.type('log\r');
  await terminal.talk([/Token of the gift cards \(profile live/, 'new-token-of-the-test\r']);
  await menuWith(terminal, new RegExp(`Status {8}ACTIVE[\\s\\S]*${said}`));
  // The token serves what follows, too.
  await menuAfter(terminal, 'look\r', /Updated[^\n]*\n\? Card/);
  const end = await leave(terminal);
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 0, lines: [GET, GET, GET] });
  expect(end.output).not.toContain('new-token');
  const kept = readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(kept.some((text) => text.includes('new-token'))).toBe(later === 0);
  expect((await runFrontdesk(['card', 'get', CARD_ID, '-p', 'live'], { home })).code).toBe(later);
});

it.concurrent('the desk says at once that the report cannot be written, and exits with 16 unless it can be again', async () => {
  const server = await serve(service());
  const home = createHome();
  const [folder, away] = [join(home.path, 'reports'), join(home.path, 'away')];
  for (const [comesBack, code] of [
    [false, 16],
    [true, 0],
  ] as const) {
    mkdirSync(folder);
    const csv = join(folder, 'shift.csv');
    const { terminal } = await open(server.env, { home, args: [CARD_ID, '--report', csv] });
    renameSync(folder, away);
    writeFileSync(folder, 'a file in the place of the folder');
    await confirm(terminal, 'block');
    const screen = await menuWith(terminal, above('✔ BLOCKED at'));
    expect(screen.join('\n').replaceAll(/\s+/g, ' ')).toMatch(
      /frontdesk: could not save the report \S+shift\.csv: could not create the folder .* \(EEXIST\) hint: keep the list/,
    );
    if (comesBack) {
      rmSync(folder);
      renameSync(away, folder);
    }
    await confirm(terminal, 'activate');
    await menuWith(terminal, above('✔ ACTIVATED at'));
    const end = await leave(terminal);
    expect(end.code).toBe(code);
    expect(end.text.endsWith('The report is not complete: keep this list.\n')).toBe(!comesBack);
    // The list is on the screen, whether the file was written or not.
    expect(end.text).toMatch(/: 2 applied\n.*block {7}applied\n.*activation {2}applied\n1 card was looked at\./);
    if (comesBack) expect(readFileSync(csv, 'utf8')).toMatch(/block,applied[\s\S]*activation,applied/);
    for (const each of [folder, away]) rmSync(each, { recursive: true, force: true });
  }
});

it.concurrent('the desk offers no login if the environment has the token', async () => {
  const { terminal } = await open((await serve(() => ({ status: 401 }))).env);
  expect((await menuWith(terminal, /FRONTDESK_CARDS_TOKEN/)).join('\n')).not.toContain('Log in');
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk changes nothing once its profile was made read-only beside it', async () => {
  const server = await serve(service());
  const home = createHome();
  const set = (...words: string[]) => runFrontdesk(['profile', 'set', 'live', ...words], { home });
  await set('--cards-url', server.url);
  const { terminal } = await open({ FRONTDESK_CARDS_TOKEN: CARDS_TOKEN, FRONTDESK_PROFILE: 'live' }, { home });
  terminal.type('block\r');
  await terminal.waitFor(/\(y\/N/);
  expect((await set('--read-only', 'true')).code).toBe(0);
  expect((await menuAfter(terminal, 'y\r', /profile live is read-only/)).join('\n')).not.toMatch(/Block|Reissue/);
  await set('--read-only', 'false');
  await menuAfter(terminal, 'look\r', /Block/);
  await leave(terminal);
  expect(server.lines).toEqual([GET, GET, GET]);
});

it.concurrent('the desk offers no changes with a read-only profile, or of a card that was not found', async () => {
  const home = createHome();
  const server = await serve(service());
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url, '--read-only', 'true'], { home });
  const { terminal } = await open({ FRONTDESK_CARDS_TOKEN: CARDS_TOKEN }, { home, args: [CARD_ID, '-p', 'live'] });
  const body = { errorCode: 'CARD_NOT_FOUND', message: `there is no card ${CARD_ID}` };
  const none = await serve(() => ({ status: 404, body }));
  const missing = await open(none.env);
  for (const each of [terminal, missing.terminal]) {
    const screen = await menuWith(each, /1 Look again/);
    expect(screen.join('\n')).not.toMatch(/Block|Reissue|Activate/);
    // A card that is not there has no status to wait for, and its ID stands once.
    const isMissing = each === missing.terminal;
    expect(screen.join('\n').includes('Wait for a status')).toBe(!isMissing);
    if (isMissing)
      expect(screen.join('\n').match(/7c0e1111\S*|no card .*/g)).toEqual([CARD_ID, 'no card has this ID', '7c0e1111,']);
    // Numbers are fixed: those of the changes stay free.
    const number = 6 + DESK_WRITES;
    expect(screen.join('\n')).toContain(`${number} Leave`);
    each.type(`${number}\r`);
    expect((await each.end).code).toBe(0);
  }
  expect([server.lines, none.lines]).toEqual([[GET], [GET]]);
});

it.concurrent('the desk waits for a status that is chosen, and shows the card that has it', async () => {
  const server = await serve((_, count) => ({ body: cardText(count < 3 ? 'WAITING_ACTIVATION' : 'ACTIVE') }));
  const { terminal } = await open(server.env);
  terminal.type('wait\r');
  await terminal.talk([/Which status/, 'active\r']);
  await terminal.waitFor(/ left \(Esc goes back\): the card is WAITING_ACTIVATION, waiting for ACTIVE/);
  await menuWith(terminal, /Status {8}ACTIVE/);
  expect([(await leave(terminal)).code, server.lines]).toEqual([0, [GET, GET, GET]]);
});

it.concurrent('the desk is drawn anew in a window of another size, and leaves nothing of the old one behind', async () => {
  const { terminal } = await open((await serve(service())).env, { columns: 120, rows: 40 });
  terminal.resize(60, 20);
  await terminal.waitFor(/then Enter[\s\S]*\d Wait for a status[\s\S]*then Enter$/);
  const screen = screenOf(terminal, 60, 100);
  expect(screen.length).toBeLessThanOrEqual(20);
  expect(screen.join('\n').match(/\? Card/g)).toHaveLength(1);
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk exits with the code of a signal', async () => {
  const end = await dialogue(['desk'], [[/Card ID/, { signal: 'SIGTERM' }]], { env: (await serve([])).env });
  expect([end.code, end.leftBehind]).toEqual([143, []]);
});

it.concurrent.for([
  ['a terminal that draws nothing', { TERM: 'dumb' }],
  ['a screen reader', { FRONTDESK_ACCESSIBLE: '1' }],
] as const)('the desk prints head and verdict before each menu, for %s', async ([, look]) => {
  const server = await serve(service());
  const head = `Card          ${CARD_ID}\\nStatus        `;
  const steps: Step[] = [
    [/Card ID/, 'order-9\n'],
    [
      /> order-9: no card [^\n]* is known here:\n {2}paste the whole card ID, or [^?]*--import <file>\n\? [^\n]*\)\s*$/,
      `${CARD_ID}\n`,
    ],
    [new RegExp(`${head}ACTIVE\\n[\\s\\S]*4 Block\\n[\\s\\S]*1 to \\d+\\) $`), '4\n'],
    [/y\/N[^)]*\) $/, 'y\n'],
    [
      new RegExp(`${head}BLOCKED\\n[\\s\\S]*BLOCKED at \\d\\d:\\d\\d\\n {2}1 Look again[\\s\\S]*1 to \\d+\\) $`),
      'look\n',
    ],
    [new RegExp(`(?:${head}BLOCKED\\n[\\s\\S]*BLOCKED at [\\s\\S]*){2}1 to \\d+\\) $`), 'leave\n'],
  ];
  const end = await dialogue(['desk'], steps, { env: { ...server.env, ...look } });
  expect(end.code).toBe(0);
  if ('TERM' in look) expect(end.output).not.toContain('\u001b');
  expect(server.lines).toEqual([GET, GET, GET, BLOCK, GET, GET]);
});

it.concurrent('the desk names the sandbox in capitals, and otherwise the profile and the host', async () => {
  expect((await dialogue(['desk', '-p', 'sandbox'], [[/Card ID or order number \(SANDBOX\)/, CTRL_C]])).code).toBe(0);
});

it.concurrent('the desk is refused outside a terminal with 2, and sends no request', async () => {
  const server = await serve([]);
  const result = await runFrontdesk(['desk'], { env: server.env });
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' });
  expect(result.stderr).toContain('the desk needs a terminal');
  expect(server.lines).toEqual([]);
});

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

it.runIf(process.platform === 'linux')('the desk keeps its memory over 150 cards in one session', async () => {
  const server = await serve(({ url }) => ({ body: cardText('ACTIVE', url.split('/').at(-1)) }));
  const terminal = openTerminal(['desk'], { home: createHome(), env: { ...server.env, TERM: 'dumb' } });
  let early = 0;
  for (let n = 1; n <= 150; n += 1) {
    const id = `7c0e1111-2222-3333-4444-${String(n).padStart(12, '0')}`;
    await terminal.talk([/Card ID[^?]* $/, `${id}\n`], [/1 to \d+\) $/, 'another\n']);
    if (n === 50) early = residentMiB(terminal.pid);
  }
  const late = residentMiB(terminal.pid);
  await terminal.talk([/Card ID[^?]* $/, 'q\n']);
  expect((await terminal.end).code).toBe(0);
  expect(server.requests).toHaveLength(150);
  // What the collector leaves for later, and no more: a leak of what each card takes would show.
  expect(late - early).toBeLessThan(40);
});

it.concurrent('the desk says that a card may be as it was last read, while it cannot be read again', async () => {
  const { terminal } = await open((await serve([{ body: cardText('ACTIVE') }, { status: 403 }])).env);
  const screen = await menuAfter(terminal, 'look\r', /Status {8}ACTIVE, as last read/);
  expect(screen.join('\n')).not.toMatch(/Block|Reissue|Activate/);
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the list of changes of a card keeps its columns on a color screen, and says what resolved one', async () => {
  const { terminal } = await open({ ...(await serve(writeFails(500))).env, FORCE_COLOR: '1' });
  await confirm(terminal, 'block');
  await menuWith(terminal, above('▲ NOT KNOWN YET: the block was sent'));
  terminal.type('resolve\r');
  await terminal.talk([/What did you find out/, '2\r'], [/Note \(Enter/, '\r']);
  await menuWith(terminal, above('✖ NOT BLOCKED: .* found it out'));
  terminal.type('history\r');
  await terminal.waitFor(/Enter goes back/);
  const screen = screenOf(terminal, 80, 24).join('\n');
  expect(screen).toMatch(
    /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC +card block +UNKNOWN +\w{6}\n {2}7c0e1111-\S+ {2}order-1 *\n/,
  );
  expect(screen).toMatch(/\n {2}resolved as not applied by (\S+) +\1\n/);
  await menuAfter(terminal, '\r', /Look again/);
  expect((await leave(terminal)).code).toBe(0);
});

it.concurrent('the desk names no option of another command when a change cannot be recorded', async () => {
  const server = await serve(service());
  const home = createHome();
  const state = join(home.path, 'own-state');
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, 'writes'), '');
  const { terminal } = await open({ ...server.env, FRONTDESK_STATE_DIR: state }, { home });
  await confirm(terminal, 'block');
  const screen = (await menuWith(terminal, above('✖ NOT BLOCKED: the request was not sent'))).join('\n');
  expect(screen).not.toContain('--no-history');
  expect([(await leave(terminal)).code, server.lines.filter((line) => line.startsWith('POST'))]).toEqual([0, []]);
});

it.concurrent('the desk prints the card of a question once for a screen reader, also when a reason is added', async () => {
  const server = await serve(service());
  const steps: Step[] = [
    [/1 to \d+\) $/, 'block\n'],
    [/r = add a reason\) $/, 'r\n'],
    [/Reason \(Enter = none\) $/, 'lost\n'],
    [/\(y\/N\) $/, 'n\n'],
    [/Not blocked[\s\S]*1 to \d+\) $/, 'leave\n'],
  ];
  const end = await dialogue(['desk', CARD_ID], steps, { env: { ...server.env, FRONTDESK_ACCESSIBLE: '1' } });
  expect(end.code).toBe(0);
  expect(end.text.match(/A block cannot be undone\./g)).toHaveLength(1);
  expect(server.lines).toEqual([GET, GET]);
});
