import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawScreen } from '../../../build/terminal-screen.ts';
import { cardId } from '../../support/plain-service.ts';
import { openTerminal, type Terminal } from '../../support/pty.ts';
import { type Handler, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { menuWith } from './screen.ts';

/** Words that no line of a screen may begin with, at many distances, so that some stand where a line is broken. */
const OURS = ['frontdesk:EVIL', 'hint:EVIL', '::EVIL::', 'frontdesk card EVIL --yes;', '##[EVIL]', '##vso[EVIL]'];
const EVIL = `order-77: frontdesk card EVIL --yes; ${Array.from({ length: 18 }, (_, at) => `${'x'.repeat(at * 2)}: ${OURS[at % OURS.length]}`).join(' ')}`;
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

/** The rows of a screen that begin like a line of frontdesk, or hold a command of a CI service. */
function poses(output: string, columns: number): readonly string[] {
  return drawScreen(output, columns)
    .map((cells) => cells.map(({ character }) => character).join(''))
    .filter((line) => POSES.test(line) || /##(?:vso)?\[/.test(line));
}

interface Call {
  readonly args: readonly string[];
  /** Waited for, then typed. */
  readonly steps?: readonly (readonly [RegExp, string])[];
}

const NO: Call['steps'] = [[/\(y\/N/, '\r']];

const CALLS: readonly Call[] = [
  { args: ['card', 'get', CARD] },
  { args: ['card', 'get', CARD, SECOND] },
  { args: ['card', 'get', CARD, SECOND, '--columns', 'clientReference,status'] },
  { args: ['card', 'get', CARD, '--query', 'clientReference'] },
  { args: ['card', 'block', CARD], steps: NO },
  { args: ['card', 'block', CARD, '--reason', EVIL, '--yes'] },
  { args: ['card', 'block', CARD, '-v', '--yes'] },
  { args: ['card', 'block', UNCLEAR, '--yes'] },
  { args: ['card', 'block', UNCLEAR], steps: NO },
  { args: ['card', 'get', UNCLEAR] },
  { args: ['card', 'reissue', UNCLEAR, '--yes'] },
  { args: ['card', 'block', CARD, SECOND, UNCLEAR], steps: NO },
  { args: ['card', 'block', CARD, SECOND, UNCLEAR, '--reason', EVIL, '--yes'] },
  { args: ['card', 'block', CARD, SECOND, '--expect', 'status=ACTIVE', '--yes'] },
  { args: ['card', 'wait', CARD, '--status', 'BLOCKED', '--timeout', '1s', '--interval', '1s'] },
  { args: ['card', 'find', EVIL] },
  { args: ['history'] },
  { args: ['history', '--open'] },
  { args: ['history', 'reconcile'] },
  { args: ['runs', 'list'] },
  { args: ['runs', 'results', '--last'] },
  { args: ['runs', 'show', '--last'] },
  { args: ['runs', 'report', '--last', '--as', 'markdown'] },
  { args: ['runs', 'report', '--last', '--as', 'junit'] },
  { args: ['card', 'block', CARD, SECOND, '--plan', 'cards.plan', '--reason', EVIL] },
  { args: ['plan', 'show', 'cards.plan'] },
  { args: ['plan', 'apply', 'cards.plan'], steps: NO },
  { args: ['plan', 'apply', 'cards.plan', '--yes'] },
  { args: ['calendar', 'subscribers', 'list', '--calendar', 'c1'] },
  { args: ['calendar', 'subscribers', 'update', '--from', 'new.csv', '--changed-from', 'old.csv'], steps: NO },
  {
    args: [
      'calendar',
      'subscribers',
      'update',
      '--from',
      'new.csv',
      '--changed-from',
      'old.csv',
      '--plan',
      'subs.plan',
    ],
  },
  { args: ['plan', 'show', 'subs.plan'] },
  { args: ['calendar', 'subscribers', 'update', '--from', 'bad.csv'] },
  {
    args: [
      'calendar',
      'event',
      'create',
      '--calendar',
      'c1',
      '--name',
      EVIL,
      '--start',
      '2031-05-01',
      '--description',
      `one\n${EVIL}\nfrontdesk:EVIL`,
    ],
    steps: NO,
  },
  { args: ['calendar', 'event', 'create', '--calendar', 'c1', '--name', 'x', '--start', '2031-05-01', '--yes'] },
  { args: ['doctor', '--connect'] },
];

async function made(call: Call, home: Home, env: Readonly<Record<string, string>>, columns: number): Promise<string> {
  const terminal = openTerminal(call.args, { home, env: { ...env, ...NO_PAUSE }, columns, rows: 40 });
  for (const [seen, typed] of call.steps ?? []) {
    // A call that asks nothing ends without.
    await terminal.waitFor(seen).catch(() => undefined);
    terminal.type(typed);
  }
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

it.each([60])(
  'no text from outside poses as a line of frontdesk on a screen of %i columns',
  async (columns) => {
    const server = await startRecordingServer(service);
    const home = homeWithInputs();
    const found: Record<string, readonly string[]> = {};
    for (const call of CALLS) {
      const lines = poses(await made(call, home, server.env, columns), columns);
      if (lines.length > 0) found[call.args.map((arg) => arg.slice(0, 20)).join(' ')] = lines;
    }
    expect(found).toEqual({});
  },
  240_000,
);

async function through(terminal: Terminal, entries: readonly string[], columns: number): Promise<void> {
  for (const entry of entries) {
    await menuWith(terminal, /Card 0b7a6c1e/, columns, 40);
    terminal.type(entry);
  }
}

it.each([60])(
  'no text from outside poses as a line of frontdesk at a desk of %i columns',
  async (columns) => {
    const server = await startRecordingServer(service);
    const home = createHome();
    const open = (args: readonly string[]) =>
      openTerminal(['desk', ...args], { home, env: { ...server.env, ...NO_PAUSE }, columns, rows: 40 });
    const terminal = open([CARD]);
    await through(terminal, ['block\r'], columns);
    await terminal.waitFor(/\(y\/N/);
    terminal.type('y\r');
    await terminal.waitFor(/NOT BLOCKED/);
    await through(terminal, ['2\r'], columns);
    await terminal.waitFor(/Enter (?:goes back|shows)/);
    const details = terminal.output;
    terminal.type('\u001b');
    await through(terminal, ['leave\r'], columns);
    const { output } = await terminal.end;
    expect(poses(details, columns)).toEqual([]);
    expect(poses(output, columns)).toEqual([]);
    const again = open([]);
    await again.waitFor(/Recent cards/);
    again.type('q\r');
    expect(poses((await again.end).output, columns)).toEqual([]);
  },
  120_000,
);

it('off a terminal a text from outside begins no line and holds no command of a CI service, in JSON lines neither', async () => {
  const server = await startRecordingServer(service);
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
