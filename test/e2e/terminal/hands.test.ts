import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moment } from '../../support/moment.ts';
import { openTerminal, type Terminal } from '../../support/pty.ts';
import { CARDS_TOKEN, type Handler, type RecordingServer, serve } from '../../support/recording-server.ts';
import { createHome, ENDLESS_GRACE, runFrontdesk, SHORT_GRACE, withTimer } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';
import { OTHER, QUESTIONS, service, typedOf } from './questions.ts';

// What hands do at questions: keys before, during and after each of them, typed and pasted. Judged by the requests that
// the service received, and by how the program ended.

const TWO = '28b2c3d4-2222-3333-4444-555566667777';
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';
const GET = `GET /v1/cards/${CARD_ID}`;
const ENVIRONMENTS = [
  ['drawn', {}],
  ['in lines', { FRONTDESK_ACCESSIBLE: '1' }],
  ['on a terminal that draws nothing', { TERM: 'dumb' }],
] as const;

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

const writes = ({ lines }: RecordingServer) => lines.filter((line) => !line.startsWith('GET'));

/**
 * Typed before the program is there, and pasted: it would answer any question, with its default or not.
 */
const EARLY = `y\r1\r${paste('y\r1\r')}\ry\r${DOWN}\r${ESCAPE}`;

/** Stands there when several lines at once were no answer: why, or in the line that takes them as one. */
const NO_ANSWER = /not used|came at once|yes yes|\*{7}/g;

const refusalsAt = ({ output }: Terminal) => output.match(NO_ANSWER)?.length ?? 0;

async function refusedAgain(terminal: Terminal, before: number): Promise<void> {
  while (refusalsAt(terminal) === before) await terminal.more();
}

/** One question for each place in the source that asks: where it is not drawn, all of one place are asked in the same way. */
const ONE_OF_EACH_KIND = Object.entries(QUESTIONS)
  .filter(([, { isDrawnOnly }]) => isDrawnOnly !== true)
  .filter(([, { asks }], at, all) => all.slice(0, at).every(([, before]) => before.asks.at(-1) !== asks.at(-1)))
  .map(([name]) => name);

describe.each(ENVIRONMENTS)('at each question, %s', { concurrent: true }, (look, env) => {
  // Where it is not drawn, half of the kinds in each look: what differs there is how a line is read.
  const half = ONE_OF_EACH_KIND.filter((_, at) => at % 2 === (look === 'in lines' ? 0 : 1));
  const names = look === 'drawn' ? Object.keys(QUESTIONS) : half;
  it.for(names)('what is typed before a question, in one piece, or pasted is no answer: %s', async (name) => {
    const asked = QUESTIONS[name];
    if (asked === undefined) throw new Error(`no question ${name}`);
    const server = await service();
    const home = createHome();
    const { isAlone = false, isSecret = false, back = [] } = asked;
    await asked.prepare?.(home, isAlone ? {} : server.env);
    const before = writes(server).length;
    const terminal = openTerminal(asked.args, {
      home,
      columns: 200,
      env: { ...(isAlone ? { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN } : server.env), ...env },
      early: EARLY,
    });
    for (const step of asked.steps ?? []) await terminal.talk([step[0], typedOf(step, look === 'drawn')]);
    await terminal.waitFor(asked.seen);
    const isDumb = 'TERM' in env;
    const refusals = refusalsAt(terminal);
    terminal.type(isDumb ? 'yes\ryes\r' : paste('yes\ryes\r'));
    // What is secret leaves no mark in a line.
    if (!isSecret || look === 'drawn') await refusedAgain(terminal, refusals);
    if (!isDumb) terminal.type('yes\ryes\r');
    // The question still stands there: Ctrl-C leaves it, and the desk after it.
    terminal.type(CTRL_C);
    for (const seen of back) await terminal.talk([seen, CTRL_C]);
    const end = await terminal.end;
    expect(end).toMatchObject(asked.args[0] === 'desk' ? { code: 0, signal: null } : { code: null, signal: 'SIGINT' });
    expect(writes(server).slice(before)).toEqual([]);
    // What was switched on is switched off again.
    expect(end.output.split('\u001b[?2004h').length > 1).toBe(!isDumb);
    expect(end.output.lastIndexOf('\u001b[?2004l')).toBeGreaterThanOrEqual(end.output.lastIndexOf('\u001b[?2004h'));
  });
});

/** Opens the desk on a card, the menu standing there. */
async function openMenu(server: RecordingServer, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const terminal = openTerminal(['desk'], { home: createHome(), env: { ...server.env, ...env } });
  await terminal.talk([/Card ID/, `${CARD_ID}\r`]);
  await terminal.waitFor(/Look again/);
  return terminal;
}

async function leave(terminal: Terminal) {
  terminal.type(CTRL_C);
  await terminal.talk([/Look again[\s\S]*Recent cards[\s\S]*Card ID/, CTRL_C]);
  return terminal.end;
}

it.concurrent.for<[string, string]>([
  ['typed', `${OTHER}\r`],
  ['typed, beginning with a digit', `${TWO}\r`],
  ['pasted', paste(OTHER)],
  ['pasted with its line end', paste(`${OTHER}\r`)],
  ['pasted with its line end as some terminals have it', paste(`${TWO}\n`)],
])('an ID at the menu of the desk shows that card: %s', async ([, typed]) => {
  const server = await service();
  const terminal = await openMenu(server);
  // The pointer stands on a write: an Enter in the paste is not its answer.
  terminal.type(DOWN);
  await terminal.talk(['❯ 2 All details', typed]);
  const id = typed.includes(TWO) ? TWO : OTHER;
  await terminal.waitFor(new RegExp(`Card ${id.slice(0, 8)} `));
  await leave(terminal);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`, `GET /v1/cards/${id}`]);
});

it.concurrent.for<[string, string]>([
  ['a beginning that three entries have', 'a\r'],
  ['a number that is none', '77\r'],
  ['a word that begins none', 'unblock\r'],
  ['a paste of an answer', paste('y\r')],
  ['a paste of lines', paste('3\ry\ry\r')],
  ['a paste of a line end', paste('\r')],
  ['a paste of blanks', paste('  ')],
  ['a paste of arrows and Enter', paste(`${DOWN}${DOWN}${DOWN}\r`)],
  ['lines at once', '3\ry\ry\r'],
  ['two ids', paste(`${OTHER} ${TWO}`)],
])('%s chooses no entry at the menu of the desk', async ([, typed]) => {
  const server = await service();
  const terminal = await openMenu(server);
  terminal.type(typed);
  await terminal.waitFor(/> /);
  await leave(terminal);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
});

it.concurrent.for(['4', 'b', 'BLO', 'block'])('%j and Enter chooses that entry of the desk', async (typed) => {
  const server = await service();
  const terminal = await openMenu(server);
  terminal.type(typed);
  await terminal.waitFor(new RegExp(`\\) ${typed}`));
  // No key acts without Enter.
  expect(server.lines).toEqual([GET]);
  terminal.type('\r');
  await terminal.talk([/Block card .*\(y\/N/s, ESCAPE]);
  await terminal.waitFor(/y\/N[\s\S]*Look again/);
  await leave(terminal);
  expect(server.lines).toEqual([GET, GET]);
});

it.concurrent('a pasted number chooses no entry of a numbered list, with its line end or before Enter is typed', async () => {
  const server = await service();
  const terminal = await openMenu(server, { FRONTDESK_ACCESSIBLE: '1' });
  terminal.type(paste('3\r'));
  await terminal.talk([/\) 3\n> pasted, not used/, paste('3')], [/> pasted, not used[^\n]*\n[^\n]*\) 3/, '\r']);
  await terminal.waitFor(/(?:> pasted, not used[\s\S]*){2}/);
  // Typed after the paste was taken out of the line it counts.
  terminal.type(paste('3'));
  await terminal.talk(
    [/(?:> pasted, not used[\s\S]*){2}\) 3/, '\u00154\r'],
    [/Block card .*\(y\/N, r = add a reason\)\s*$/s, CTRL_C],
  );
  await terminal.waitFor(/y\/N[\s\S]*Look again/);
  await leave(terminal);
  expect(server.lines).toEqual([GET, GET]);
});

it.concurrent('one paste of an ID and answers does nothing to the card', async () => {
  const server = await service();
  const terminal = openTerminal(['desk'], { home: createHome(), env: server.env });
  await terminal.talk([/Card ID/, `${CARD_ID}\r3\ry\ry\r`], [`${CARD_ID} 3 y y`, '\r'], ['Enter takes this', '\r']);
  await terminal.waitFor(/Look again/);
  await leave(terminal);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
});

it.concurrent.for<[string, string]>([
  ['Esc', ESCAPE],
  ['Ctrl-C', CTRL_C],
])('%s ends a look and a wait for a status at the desk, and keys typed meanwhile do nothing', async ([, key]) => {
  let isSlow = false;
  let heard = moment();
  const server = await serve(() => {
    if (isSlow) heard.come();
    return isSlow ? 'hang' : { body: cardText('ACTIVE') };
  });
  const terminal = await openMenu(server);
  isSlow = true;
  terminal.type('\r');
  await heard.came;
  heard = moment();
  terminal.type(`b\r${DOWN}\ra\r`);
  terminal.type(key);
  await terminal.talk([/(?:Status {8}ACTIVE[\s\S]*){2}then Enter$/, `${DOWN.repeat(5)}\r`]);
  await terminal.waitFor(/Which status/);
  terminal.type('\r');
  await heard.came;
  terminal.type(key);
  await terminal.waitFor(/(?:Status {8}ACTIVE[\s\S]*){4}then Enter$/);
  const end = await leave(terminal);
  expect([end.code, server.lines]).toEqual([0, Array(3).fill(GET)]);
  expect(end.text).toContain('1 card was looked at.');
});

it.concurrent.for([
  ['drawn', {}, /\? Card ID or order number \([^)]*\)\s*$/],
  ['in lines', { FRONTDESK_ACCESSIBLE: '1' }, /(?:[\b] [\b]){36}$/],
] as const)('at the question for an ID Esc and Ctrl-C empty the line, then leave it: %s', async ([, env, empty]) => {
  const server = await service();
  const terminal = openTerminal(['desk'], { home: createHome(), env: { ...server.env, ...env } });
  await terminal.waitFor(/Card ID/);
  for (const key of [CTRL_C, ESCAPE]) {
    terminal.type(OTHER);
    await terminal.talk([new RegExp(`${OTHER}$`), key]);
    await terminal.waitFor(empty);
  }
  terminal.type(`${CARD_ID}\r`);
  await terminal.talk([/Another card/, CTRL_C], [/Another card[\s\S]*Card ID, order number or 1/, CTRL_C]);
  expect([(await terminal.end).code, server.lines]).toEqual([0, [`GET /v1/cards/${CARD_ID}`]]);
});

it.concurrent.for(ENVIRONMENTS)('a wrong answer is removed from the line: %s', async ([, env]) => {
  const server = await service();
  const steps: Step[] = [
    [/\(y\/N/, 'lost\r'],
    [/> answer y, n, or r/, 'n\r'],
  ];
  const end = await dialogue(['card', 'block', CARD_ID], steps, { env: { ...server.env, ...env } });
  expect({ code: end.code, writes: writes(server) }).toEqual({ code: 130, writes: [] });
  expect(end.text).not.toContain('lostn');
});

// Where all is drawn in lines and keys are read one by one, ^Z is a key without a meaning.
it.concurrent.for(ENVIRONMENTS.filter(([look]) => look !== 'in lines'))(
  'a question is shown again after ^Z and fg, and what was typed before that answers nothing: %s',
  async ([look, looks]) => {
    const server = await serve(() => ({ body: cardText('ACTIVE') }));
    const home = createHome();
    const program = `sh -c 'echo $$ > ${home.path}/pid; exec $FD card block ${CARD_ID}'`;
    const script = `set -m; ${program}; echo PUT-ASIDE; read -r over; fg; echo ENDED-WITH=$?; read -r over`;
    const terminal = openTerminal([], { home, env: { ...server.env, ...looks }, script });
    await terminal.waitFor(/\(y\/N.*reason\)/);
    // Where whole lines are read, the terminal makes a signal of the key.
    if (look === 'drawn') terminal.type('\u001a');
    else process.kill(Number(readFileSync(`${home.path}/pid`, 'utf8')), 'SIGTSTP');
    await terminal.talk(['PUT-ASIDE\n', 'over\ny\ny\n'], [/PUT-ASIDE[\s\S]*\(y\/N.*reason\)/, 'n\r']);
    // Until then the terminal stays open: what was written last is not lost.
    await terminal.talk([/ENDED-WITH=\d+\n/, '\n']);
    expect((await terminal.end).text).toMatch(/ENDED-WITH=130\n/);
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
  },
);

// How the desk ends, and what keeps it open: Ctrl-C while a write is under way, a credential that is missing, no key.

const BLOCK = `POST /v1/cards/${CARD_ID}/block`;

const LOOKS = [
  ['drawn', {}, `${DOWN}${DOWN}${DOWN}\r`],
  ['in lines', { FRONTDESK_ACCESSIBLE: '1' }, '4\r'],
  ['on a terminal that draws nothing', { TERM: 'dumb' }, '4\r'],
] as const;

/** A service whose block is answered when the test says so: a write under way. */
async function slowService() {
  const [arrives, answers] = [moment(), moment()];
  const handler: Handler = async ({ method }) => {
    if (method === 'GET') return { body: cardText('ACTIVE') };
    arrives.come();
    await answers.came;
    return { body: cardText('BLOCKED') };
  };
  return { server: await serve(handler), arrived: arrives.came, answer: answers.come };
}

async function blocking(
  { server, arrived }: { readonly server: RecordingServer; readonly arrived: Promise<void> },
  env: Readonly<Record<string, string>>,
  block: string,
): Promise<Terminal> {
  const terminal = openTerminal(['desk'], { home: createHome(), columns: 120, env: { ...server.env, ...env } });
  await terminal.talk([/Card ID/, `${CARD_ID}\r`], [/Look again/, block], [/Block card .*\(y\/N/s, 'y\r']);
  await arrived;
  return terminal;
}

const SENT = /The block was sent at \d\d:\d\d:\d\d\. Ctrl-C waits up to 5 s/;
const HEARD = /the request was already sent. Waiting up to 5 s/;
const UNKNOWN = /NOT KNOWN YET: the block was sent at[\s\S]*Look again/;
const SAYS_UNKNOWN = /: 1 UNKNOWN\n.*block {2}UNKNOWN \(entry [0-9a-f]{6}\)\n1 card was looked at\./;

/** What is typed while a block is under way (or the answer comes), what stands at the menu then, and how the desk ends. */
const WAYS = [
  [
    'returns to the menu with its outcome after Ctrl-C',
    ENDLESS_GRACE,
    [CTRL_C, HEARD, 'answer'],
    /BLOCKED at \d\d:\d\d[\s\S]*Look again/,
    0,
    /: 1 applied\n.*block {2}applied\n1 card was looked at\./,
  ],
  ['is not waited for longer than 5 s after Ctrl-C', SHORT_GRACE, [CTRL_C], UNKNOWN, 8, SAYS_UNKNOWN],
  ['is given up at a second Ctrl-C', ENDLESS_GRACE, [SENT, CTRL_C, HEARD, CTRL_C], UNKNOWN, 8, SAYS_UNKNOWN],
] as const;

it.concurrent.for(WAYS.flatMap((way) => LOOKS.map((look) => [way[0], look[0], way, look] as const)))(
  'a change in progress at the desk %s: %s',
  async ([, , [, grace, acts, seen, code, said], [, env, block]]) => {
    const service = await slowService();
    const terminal = await blocking(service, { ...grace, ...env }, block);
    for (const act of acts) {
      if (typeof act !== 'string') await terminal.waitFor(act);
      else if (act === 'answer') service.answer();
      else terminal.type(act);
    }
    await terminal.talk([seen, 'leave\r']);
    const end = await terminal.end;
    service.answer();
    expect({ code: end.code, lines: service.server.lines }).toEqual({ code, lines: [GET, GET, GET, BLOCK, GET] });
    expect(end.text).toMatch(said);
  },
);

it.concurrent('a window that is closed ends the desk by SIGHUP, at its menu or at a question', async () => {
  for (const block of ['', LOOKS[0][2]]) {
    const service = await slowService();
    const terminal = openTerminal(['desk', CARD_ID], { home: createHome(), env: service.server.env });
    await terminal.talk([/Look again/, block]);
    if (block !== '') await terminal.waitFor(/\(y\/N/);
    terminal.hangUp();
    expect(await terminal.end).toMatchObject({ code: null, signal: 'SIGHUP' });
    expect(service.server.lines.filter((line) => line !== GET)).toEqual([]);
  }
});

it.concurrent('a signal ends the desk with 8 while an outcome is unknown', async () => {
  const [, env, block] = LOOKS[0];
  const service = await slowService();
  const terminal = await blocking(service, { ...SHORT_GRACE, ...env }, block);
  terminal.type(CTRL_C);
  await terminal.waitFor(/NOT KNOWN YET[\s\S]*Look again/);
  terminal.hangUp();
  const { code } = await terminal.end;
  service.answer();
  expect(code).toBe(8);
});

it.concurrent('the desk says that a paste during a change was not used, and no key that is typed then does anything', async () => {
  const service = await slowService();
  const terminal = await blocking(service, ENDLESS_GRACE, LOOKS[0][2]);
  await terminal.waitFor(/The block was sent at/);
  for (const key of [DOWN, '\r', 'y', '\r', ESCAPE]) terminal.type(key);
  terminal.type('\u001b[200~a1b2c3d4-2222-3333-4444-555566667777\r\u001b[201~');
  terminal.type(DOWN);
  // The seconds of the wait are drawn anew: what was typed before has been read.
  await terminal.more();
  await terminal.more();
  service.answer();
  await terminal.talk([/pasted, not used: type it[\s\S]*BLOCKED at[\s\S]*Look again/, 'leave\r']);
  expect([(await terminal.end).code, service.server.lines]).toEqual([0, [GET, GET, GET, BLOCK, GET]]);
});

it.concurrent('Esc ends neither a change at the desk nor the look that follows', async () => {
  const [arrives, answers, looks] = [moment(), moment(), moment()];
  const server = await serve(async ({ method }, count) => {
    if (method === 'POST') {
      arrives.come();
      await answers.came;
    }
    if (count === 5) await looks.came;
    return { body: cardText(count > 3 ? 'BLOCKED' : 'ACTIVE') };
  });
  const terminal = await blocking({ server, arrived: arrives.came }, ENDLESS_GRACE, LOOKS[0][2]);
  terminal.type(ESCAPE);
  answers.come();
  // The look waits for so long that an Esc from before would have ended it.
  await terminal.waitFor(/\(y\/N[\s\S]* y\n[\s\S]*waiting for the service, 0/);
  looks.come();
  await terminal.talk(
    [/BLOCKED at[\s\S]*❯ 1 Look again/, CTRL_C],
    [/BLOCKED at[\s\S]*❯ 1 Look again[\s\S]*Card ID/, CTRL_C],
  );
  const end = await terminal.end;
  expect({ code: end.code, lines: server.lines }).toEqual({ code: 0, lines: [GET, GET, GET, BLOCK, GET] });
  expect(end.text).not.toMatch(/request was already sent|cancelled/);
});

/** A card token that says that it ended in 2001. */
const EXPIRED = ['{"alg":"none"}', '{"exp":1000000000}', 'x'].map((part) => btoa(part).replaceAll('=', '')).join('.');

it.concurrent.for([
  ['there is none', { FRONTDESK_CARDS_TOKEN: undefined }, undefined, 'there is no gift card credential for'],
  ['it has ended', { FRONTDESK_CARDS_TOKEN: EXPIRED }, undefined, 'expired'],
  ['its command fails', {}, 'false', ''],
  ['its command gives nothing', {}, 'true', ''],
] as const)('the desk is not opened without a credential: %s', async ([, token, command, why]) => {
  const server = await serve([]);
  const home = createHome();
  const login = ['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', server.url];
  if (command !== undefined) await runFrontdesk([...login, '--token-command', command], { home });
  const env = command === undefined ? { ...server.env, ...token } : {};
  const end = await dialogue(['desk', ...(command === undefined ? [] : ['-p', 'live'])], [], {
    home,
    env,
    columns: 200,
  });
  expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: 4, leftBehind: [] });
  expect(end.text).toContain(why);
  expect(end.text).not.toMatch(/Card ID|This session/);
});

const WARNING = 'The desk closes in a minute';

it.concurrent.for(LOOKS)('the desk warns a minute before it closes, at question and menu: %s', async (look) => {
  const server = await serve(() => ({ body: cardText('ACTIVE') }));
  const env = { ...server.env, ...withTimer(60_000, 500), ...look[1] };
  const home = createHome();
  const idle = await dialogue(['desk', '--idle', '61s'], [], { home, env, columns: 120 });
  expect({ code: idle.code, leftBehind: idle.leftBehind }).toEqual({ code: 0, leftBehind: [] });
  expect(idle.text).toMatch(new RegExp(`Card ID[\\s\\S]*${WARNING}[\\s\\S]*No key was pressed for a while`));
  const menu = await dialogue(['desk', '--idle', '61s'], [[/Card ID/, `${CARD_ID}\r`]], { home, env, columns: 120 });
  expect({ code: menu.code, leftBehind: menu.leftBehind }).toEqual({ code: 0, leftBehind: [] });
  expect(menu.text).toMatch(new RegExp(`Look again[\\s\\S]*${WARNING}[\\s\\S]*No key was pressed for a while`));
  expect(server.lines).toEqual([GET]);
});

it.concurrent('the desk stays if a key is pressed after the warning', async () => {
  const env = { ...(await serve(() => ({ body: cardText('ACTIVE') }))).env, ...withTimer(60_000, 3000) };
  const terminal = openTerminal(['desk', '--idle', '61s'], { home: createHome(), env, columns: 120 });
  await terminal.talk([WARNING, 'x']);
  await terminal.waitFor(/\) x\s*$/);
  // It is said again, a whole time later.
  await terminal.talk(
    [new RegExp(`${WARNING}[\\s\\S]*\\) x[\\s\\S]*${WARNING}`), CTRL_C],
    [/x\s*Paste the ID[^\n]*\n\? Card ID[^\n]*\)\s*$/, CTRL_C],
  );
  const end = await terminal.end;
  expect(end.code).toBe(0);
  expect(end.text).not.toContain('No key was pressed');
});
