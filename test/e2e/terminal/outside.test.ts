import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawScreen } from '../../../build/terminal-screen.ts';
import { cardId } from '../../support/plain-service.ts';
import { openTerminal } from '../../support/pty.ts';
import { type Handler, serve } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { menuWith } from './screen.ts';

/** Words that no line of a screen may begin with, at many distances, so that some stand where a line is broken. */
const OURS = ['frontdesk:EVIL', 'hint:EVIL', '::EVIL::', 'frontdesk card EVIL --yes;', '##[EVIL]', '##vso[EVIL]'];
const EVIL = `order-77: frontdesk card EVIL --yes; ${Array.from({ length: 18 }, (_, at) => `${'x'.repeat(at * 2)}: ${OURS[at % OURS.length]}`).join(' ')} \u001b]0;owned\u0007\u009b`;
const COLUMNS = 60;
const POSES = /^\s*(?:frontdesk:EVIL|hint:EVIL|::EVIL|frontdesk card EVIL)/;

const [CARD, SECOND, UNCLEAR] = [cardId(1), cardId(2), cardId(3)];

function evilCard(id: string) {
  return {
    cardId: id,
    status: EVIL,
    clientReference: EVIL,
    currentBalance: 1,
    initialBalance: 2,
    expiryDate: EVIL,
    [EVIL]: EVIL,
    Status: EVIL,
    metadata: { [EVIL]: EVIL, note: EVIL },
    transactions: [{ createdAt: EVIL, type: EVIL, amount: 1, transactionId: EVIL }],
  };
}

const service: Handler = ({ method, url }) => {
  const headers = { 'x-request-id': 'frontdesk:EVIL' };
  if (url.includes('/cards/')) {
    if (method === 'GET') return { body: evilCard(url.split('/')[3] ?? '') };
    return {
      status: url.includes(UNCLEAR) ? 500 : 409,
      headers,
      body: { errorCode: EVIL, message: EVIL, details: { [EVIL]: `"${EVIL}` } },
    };
  }
  if (method === 'GET')
    return { body: { url: '/v1/x', items: [{ id: EVIL, email: EVIL, first_name: EVIL, active: true }] } };
  return { status: 422, headers, body: { title: EVIL, detail: EVIL } };
};

/** What a terminal would obey; and rows of a screen that begin like a line of frontdesk, or hold a command of a CI service. */
function poses(output: string): readonly string[] {
  const lines = drawScreen(output, COLUMNS)
    .map((cells) => cells.map(({ character }) => character).join(''))
    .filter((line) => POSES.test(line) || /##(?:vso)?\[/.test(line));
  return [...lines, ...(output.match(/\u001b\]0;|[\u0080-\u009f]/g) ?? [])];
}

/** `$1` to `$3` are cards, `EVIL` the text from outside; behind `?` a question is answered with Enter. */
const CALLS = `
card get $1
card get $1 $2
card get $1 $2 --columns clientReference,status
card get $1 --query clientReference
? card block $1
card block $1 --reason EVIL --yes
card block $1 -v --yes
card block $3 --yes
? card block $3
card get $3
card reissue $3 --yes
? card block $1 $2 $3
card block $1 $2 $3 --reason EVIL --yes
card block $1 $2 --expect status=ACTIVE --yes
card wait $1 --status BLOCKED --timeout 1s --interval 1s
card find EVIL
history
history --open
history reconcile
runs list
runs results --last
runs show --last
runs report --last --as markdown
runs report --last --as junit
card block $1 $2 --plan cards.plan --reason EVIL
plan show cards.plan
? plan apply cards.plan
plan apply cards.plan --yes
calendar subscribers list --calendar c1
? calendar subscribers update --from new.csv --changed-from old.csv
calendar subscribers update --from new.csv --changed-from old.csv --plan subs.plan
plan show subs.plan
calendar subscribers update --from bad.csv
? calendar event create --calendar c1 --name EVIL --start 2031-05-01 --description LINES
calendar event create --calendar c1 --name x --start 2031-05-01 --yes
doctor --connect
`
  .trim()
  .split('\n');

const WORDS: Readonly<Record<string, string>> = {
  $1: CARD,
  $2: SECOND,
  $3: UNCLEAR,
  EVIL,
  LINES: `one\n${EVIL}\nfrontdesk:EVIL`,
};

async function made(call: string, home: Home, env: Readonly<Record<string, string>>): Promise<string> {
  const args = call.replace('? ', '').split(' ');
  const all = args.map((word) => WORDS[word] ?? word);
  const terminal = openTerminal(all, { home, env: { ...env, ...NO_PAUSE }, columns: COLUMNS });
  // A call that asks nothing ends without.
  if (call.startsWith('? ')) await terminal.talk([/\(y\/N/, '\r']).catch(() => undefined);
  return (await terminal.end).output;
}

function homeWithInputs(): Home {
  const home = createHome();
  const cell = `"${EVIL}"`;
  writeFileSync(join(home.path, 'new.csv'), `id,email,first_name\nsub_1,${cell},\n`);
  writeFileSync(join(home.path, 'old.csv'), `id,email,first_name\nsub_1,x ${cell.slice(1, -1)},${cell}\n`);
  writeFileSync(join(home.path, 'bad.csv'), `id,${cell},::EVIL::\nsub_1,${cell},${cell}\n`);
  return home;
}

it('no text from outside poses as a line of frontdesk on a screen', async () => {
  const server = await serve(service);
  const home = homeWithInputs();
  const found: Record<string, readonly string[]> = {};
  for (const call of CALLS) {
    const lines = poses(await made(call, home, server.env));
    if (lines.length > 0) found[call] = lines;
  }
  expect(found).toEqual({});
}, 240_000);

it('no text from outside poses as a line of frontdesk at a desk', async () => {
  const server = await serve(service);
  const home = createHome();
  const open = (args: readonly string[]) =>
    openTerminal(['desk', ...args], { home, env: { ...server.env, ...NO_PAUSE }, columns: COLUMNS });
  const terminal = open([CARD]);
  const choose = async (entry: string) => {
    await menuWith(terminal, /Card 0b7a6c1e/, COLUMNS, 40);
    terminal.type(entry);
  };
  await choose('block\r');
  await terminal.talk([/\(y\/N/, 'y\r']);
  await terminal.waitFor(/NOT BLOCKED/);
  await choose('2\r');
  await terminal.waitFor(/Enter (?:goes back|shows)/);
  const details = terminal.output;
  terminal.type('\u001b');
  await choose('leave\r');
  const { output } = await terminal.end;
  const again = open([]);
  await again.talk([/Recent cards/, 'q\r']);
  expect([details, output, (await again.end).output].flatMap(poses)).toEqual([]);
}, 120_000);

it('off a terminal a text from outside begins no line and holds no command of a CI service, in JSON lines neither', async () => {
  const server = await serve(service);
  const call = (args: readonly string[]) => runFrontdesk(args, { env: { ...server.env, ...NO_PAUSE } });
  const [table, failed, json] = await Promise.all([
    call(['card', 'get', CARD, SECOND, '--columns', 'cancelledAt,clientReference']),
    call(['card', 'block', CARD, SECOND, '--yes']),
    call(['card', 'block', CARD, '--yes', '--json']),
  ]);
  for (const { stdout, stderr } of [table, failed]) {
    const lines = `${stdout}\n${stderr}`.split('\n');
    expect(lines.filter((line) => POSES.test(line) || /##(?:vso)?\[/.test(line))).toEqual([]);
  }
  expect(json.stderr).not.toMatch(/##(?:vso)?\[/);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { service: { errorCode: EVIL, message: EVIL } } });
});
