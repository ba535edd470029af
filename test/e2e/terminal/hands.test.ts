import { describe, expect, it } from 'vitest';
import { openTerminal, type Terminal } from '../../support/pty.ts';
import { type RecordingServer, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type Home, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';

// What hands do at questions: keys before, during and after each of them, typed and pasted. Judged by the requests that
// the service received, and by how the program ended.

const OTHER = 'a1b2c3d4-2222-3333-4444-555566667777';
const TWO = '28b2c3d4-2222-3333-4444-555566667777';
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';
const BLOCK = `${DOWN}${DOWN}\r`;
const ENVIRONMENTS = [
  ['drawn', {}],
  ['in lines', { FRONTDESK_ACCESSIBLE: '1' }],
  ['on a terminal that draws nothing', { TERM: 'dumb' }],
] as const;

function paste(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

function service(onTestFinished: Parameters<typeof startRecordingServer>[1]) {
  return startRecordingServer(
    ({ url, method }) => ({
      body:
        method === 'POST' && url.endsWith('/block') ? cardText('BLOCKED', idIn(url)) : cardText('ACTIVE', idIn(url)),
    }),
    onTestFinished,
  );
}

function idIn(url: string): string {
  return url.split('/')[3] ?? '';
}

const writes = ({ lines }: RecordingServer) => lines.filter((line) => !line.startsWith('GET'));

/** One question: what leads to it, what stands there, and a text that would be its answer. */
interface Asked {
  readonly args: readonly string[];
  readonly steps?: readonly Step[];
  readonly seen: RegExp;
  readonly kind: 'yes' | 'menu' | 'text' | 'secret';
  readonly prepare?: (home: Home) => Promise<unknown>;
}

const IN_SANDBOX = ['0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101', '1c8b7d2f-4063-4e9b-8d52-6f308ba1c202'];
const RUN = ['-p', 'sandbox', 'card', 'block', ...IN_SANDBOX, '-y', '--run', 'monday'];
const EVENT = ['calendar', 'event', 'create', '--calendar', 'c', '--name', 'n'];

/** Every question of the program, by the place that asks it. A new question joins this list. */
const QUESTIONS: Readonly<Record<string, Asked>> = {
  'a single write': { args: ['card', 'block', CARD_ID], seen: /Block card .*\(y\/N/, kind: 'yes' },
  'a reason': {
    args: ['card', 'block', CARD_ID],
    steps: [[/\(y\/N/, 'r\r']],
    seen: /Reason \(Enter = none\)/,
    kind: 'text',
  },
  'a required reason': {
    args: ['-p', 'strict', 'card', 'block', CARD_ID],
    prepare: (home) =>
      runFrontdesk(
        ['profile', 'set', 'strict', '--cards-url', 'http://127.0.0.1:9', '--require-reason', '[A-Z]+-[0-9]+'],
        {
          home,
        },
      ),
    seen: /\? Reason/,
    kind: 'text',
  },
  'many rows': { args: ['card', 'block', CARD_ID, OTHER], seen: /Block cards: 2 rows.*\(y\/N/, kind: 'yes' },
  'an event': { args: [...EVENT, '--start', '2027-04-02'], seen: /Create event [\s\S]*\(y\/N/, kind: 'yes' },
  'a raw write': {
    args: ['api', 'POST', `/v1/cards/${CARD_ID}/activate`],
    seen: /POST [\s\S]*\(y\/N/,
    kind: 'yes',
  },
  'a missing id': { args: ['card', 'get'], seen: /\? Id of the card/, kind: 'text' },
  'a missing field': { args: EVENT, seen: /\? start/, kind: 'text' },
  'a wallet': { args: ['card', 'provision', CARD_ID, '--json'], seen: /wallet_b/, kind: 'menu' },
  'a file for a provision': {
    args: ['card', 'provision', CARD_ID, '--wallet', 'wallet_a'],
    seen: /\? File for the answer/,
    kind: 'text',
  },
  'a status to wait for': { args: ['card', 'wait', CARD_ID], seen: /Which status/, kind: 'menu' },
  'an age': { args: ['history', 'prune'], seen: /Delete what is older/, kind: 'text' },
  'a loss': { args: ['history', 'prune', '--older-than', '1d'], seen: /Delete all .*\(y\/N/, kind: 'yes' },
  'a run': {
    args: ['runs', 'show'],
    prepare: (home) => runFrontdesk(RUN, { home }),
    seen: /Which run/,
    kind: 'menu',
  },
  'a family': { args: ['auth', 'login', '-p', 'new'], seen: /Gift cards or calendars/, kind: 'menu' },
  'a base URL': { args: ['auth', 'login', '-p', 'new', '--family', 'cards'], seen: /Base URL/, kind: 'text' },
  'a token': {
    args: ['auth', 'login', '-p', 'new', '--cards-url', 'https://cards.example.com'],
    seen: /Token/,
    kind: 'secret',
  },
  'the id at the desk': { args: ['desk'], seen: /Card id/, kind: 'text' },
  'the menu of the desk': { args: ['desk'], steps: [[/Card id/, `${CARD_ID}\r`]], seen: /Look again/, kind: 'menu' },
};

/** Typed as soon as the program is there: it would answer any question, with its default or not. */
const EARLY = `y\r1\r\ry\r${DOWN}\r`;

async function ask(name: string, env: Readonly<Record<string, string>>, server: RecordingServer): Promise<Terminal> {
  const asked = QUESTIONS[name];
  if (asked === undefined) throw new Error(`no question ${name}`);
  const home = createHome();
  await asked.prepare?.(home);
  // A profile of its own: the environment says nothing of it.
  const isOwn = asked.args.includes('strict');
  const isNew = asked.args.includes('new');
  const terminal = openTerminal(asked.args, {
    home,
    columns: 200,
    env: { ...(isNew ? {} : server.env), ...env, ...(isOwn ? { FRONTDESK_CARDS_URL: undefined } : {}) },
  });
  terminal.type(EARLY);
  for (const [seen, typed] of asked.steps ?? []) {
    await terminal.waitFor(seen);
    terminal.type(String(typed));
  }
  return terminal;
}

describe.each(ENVIRONMENTS)('at each question, %s', { concurrent: true }, (_look, env) => {
  it.for(Object.keys(QUESTIONS))('what was typed before it stood there is no answer: %s', async (name, context) => {
    const server = await service(context.onTestFinished);
    const terminal = await ask(name, env, server);
    const seen = QUESTIONS[name]?.seen ?? /^/;
    await terminal.waitFor(seen);
    // The question still stands there: Ctrl-C leaves it, and the desk after it.
    terminal.type(CTRL_C);
    if (name === 'the menu of the desk') {
      await terminal.waitFor(/Look again[\s\S]*Card id/);
      terminal.type(CTRL_C);
    }
    const end = await terminal.end;
    expect({ code: end.code, writes: writes(server) }).toEqual({ code: name.includes('desk') ? 0 : 130, writes: [] });
    // What was switched on is switched off again.
    expect(end.output.split('\u001b[?2004h').length > 1).toBe(!('TERM' in env));
    expect(end.output.lastIndexOf('\u001b[?2004l')).toBeGreaterThanOrEqual(end.output.lastIndexOf('\u001b[?2004h'));
  });
});

/** Opens the desk on a card, the menu standing there. */
async function openMenu(server: RecordingServer, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const terminal = openTerminal(['desk'], { home: createHome(), env: { ...server.env, ...env } });
  await terminal.waitFor(/Card id/);
  terminal.type(`${CARD_ID}\r`);
  await terminal.waitFor(/Look again/);
  return terminal;
}

/** Leaves the desk from its menu. */
async function leave(terminal: Terminal) {
  terminal.type(CTRL_C);
  await terminal.waitFor(/Look again[\s\S]*Recent cards[\s\S]*Card id/);
  terminal.type(CTRL_C);
  return terminal.end;
}

describe.concurrent('at the menu of the desk', () => {
  it.for<[string, string]>([
    ['typed', `${OTHER}\r`],
    ['typed, beginning with a digit', `${TWO}\r`],
    ['pasted', paste(OTHER)],
    ['pasted with its line end', paste(`${OTHER}\r`)],
    ['pasted with its line end as some terminals have it', paste(`${TWO}\n`)],
  ])('an id means that card, and is shown: %s', async ([, typed], { onTestFinished }) => {
    const server = await service(onTestFinished);
    const terminal = await openMenu(server);
    // The pointer stands on a write: an Enter in the paste is not its answer.
    terminal.type(DOWN);
    await terminal.waitFor('❯ Activate');
    terminal.type(typed);
    const id = typed.includes(TWO) ? TWO : OTHER;
    await terminal.waitFor(new RegExp(`Card ${id.slice(0, 8)} `));
    await leave(terminal);
    expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`, `GET /v1/cards/${id}`]);
  });

  it.for<[string, string]>([
    ['a letter and Enter', 'a\r'],
    ['a digit and Enter', '3\r'],
    ['a word', 'block\r'],
    ['a paste of an answer', paste('y\r')],
    ['a paste of lines', paste('3\ry\ry\r')],
    ['a paste of arrows and Enter', paste(BLOCK)],
    ['lines at once', '3\ry\ry\r'],
    ['two ids', paste(`${OTHER} ${TWO}`)],
  ])('%s chooses no entry', async ([, typed], { onTestFinished }) => {
    const server = await service(onTestFinished);
    const terminal = await openMenu(server);
    terminal.type(typed);
    await terminal.waitFor(/> /);
    await leave(terminal);
    expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
  });

  it('every write asks, activation too, and a paste is no yes', async ({ onTestFinished }) => {
    const server = await service(onTestFinished);
    const terminal = await openMenu(server);
    terminal.type(`${DOWN}\r`);
    await terminal.waitFor(/Activate card [\s\S]*on default\s+\(127[\s\S]*\(y\/N/);
    terminal.type(paste('y\r'));
    await terminal.waitFor(/what is pasted is no answer/);
    terminal.type('y\ry\r');
    terminal.type(ESCAPE);
    await terminal.waitFor(/y\/N[\s\S]*❯ Look again/);
    await leave(terminal);
    expect(writes(server)).toEqual([]);
  });

  it('one paste of an id and answers does nothing to the card', async ({ onTestFinished }) => {
    const server = await service(onTestFinished);
    const terminal = openTerminal(['desk'], { home: createHome(), env: server.env });
    await terminal.waitFor(/Card id/);
    terminal.type(`${CARD_ID}\r3\ry\ry\r`);
    await terminal.waitFor(`${CARD_ID} 3 y y`);
    terminal.type('\r');
    await terminal.waitFor('Enter takes this card');
    terminal.type('\r');
    await terminal.waitFor(/Look again/);
    await leave(terminal);
    expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
  });
});

describe.concurrent('one step back', () => {
  it.for<[string, string]>([
    ['Esc', ESCAPE],
    ['Ctrl-C', CTRL_C],
  ])('%s ends a look and a wait for a status, and keys typed meanwhile do nothing', async ([, key], context) => {
    let isSlow = false;
    let hear: () => void = () => undefined;
    const server = await startRecordingServer(() => {
      if (isSlow) hear();
      return isSlow ? 'hang' : { body: cardText('ACTIVE') };
    }, context.onTestFinished);
    const asked = () =>
      new Promise<void>((resolve) => {
        hear = resolve;
      });
    const terminal = await openMenu(server);
    isSlow = true;
    const looks = asked();
    terminal.type('\r');
    await looks;
    terminal.type(`b\r${DOWN}\ra\r`);
    terminal.type(key);
    await terminal.waitFor(/cancelled[\s\S]*❯ Look again/);
    terminal.type(`${DOWN.repeat(4)}\r`);
    await terminal.waitFor(/Which status/);
    const waits = asked();
    terminal.type('\r');
    await waits;
    terminal.type(key);
    await terminal.waitFor(/Which status[\s\S]*cancelled[\s\S]*❯ Look again/);
    const end = await leave(terminal);
    expect({ code: end.code, lines: server.lines }).toEqual({
      code: 0,
      lines: Array(3).fill(`GET /v1/cards/${CARD_ID}`),
    });
    expect(end.text).toContain('This sitting: 1 look.');
  });

  it('Esc at the id question empties the line, and Ctrl-C leaves', async ({ onTestFinished }) => {
    const server = await service(onTestFinished);
    const terminal = openTerminal(['desk'], { home: createHome(), env: server.env });
    await terminal.waitFor(/Card id/);
    terminal.type(OTHER);
    await terminal.waitFor(OTHER);
    terminal.type(ESCAPE);
    await terminal.waitFor(new RegExp(`${OTHER}\\s*\\? Card id \\([^)]*\\)\\s*$`));
    terminal.type(CTRL_C);
    expect((await terminal.end).code).toBe(0);
    expect(server.lines).toEqual([]);
  });

  it('Esc at the question of a single command ends it with 130', async ({ onTestFinished }) => {
    const server = await service(onTestFinished);
    const end = await dialogue(['card', 'block', CARD_ID], [[/\(y\/N/, ESCAPE]], { env: server.env });
    expect({ code: end.code, leftBehind: end.leftBehind, writes: writes(server) }).toEqual({
      code: 130,
      leftBehind: [],
      writes: [],
    });
  });
});

describe.concurrent('a wrong answer', () => {
  it.for(ENVIRONMENTS)('is taken out of the line: %s', async ([, env], { onTestFinished }) => {
    const server = await service(onTestFinished);
    const steps: Step[] = [
      [/\(y\/N/, 'lost\r'],
      [/> answer y, n, or r/, 'n\r'],
    ];
    const end = await dialogue(['card', 'block', CARD_ID], steps, { env: { ...server.env, ...env } });
    expect({ code: end.code, writes: writes(server) }).toEqual({ code: 130, writes: [] });
    expect(end.text).not.toContain('lostn');
  });
});

describe.concurrent('bracketed paste is switched off', () => {
  it.for(['SIGTERM', 'SIGHUP'] as const)('at %s', async (signal, { onTestFinished }) => {
    const server = await service(onTestFinished);
    const end = await dialogue(['card', 'block', CARD_ID], [[/\(y\/N/, { signal }]], { env: server.env });
    expect(end.output.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(end.output.lastIndexOf('\u001b[?2004h'));
    expect(writes(server)).toEqual([]);
  });
});
