import { expect, it } from 'vitest';
import { moment } from '../../support/moment.ts';
import { openTerminal, type Terminal } from '../../support/pty.ts';
import { type Handler, type RecordingServer, serve } from '../../support/recording-server.ts';
import { createHome, ENDLESS_GRACE, runFrontdesk, SHORT_GRACE, withTimer } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';

// How the desk ends, and what keeps it open: Ctrl-C while a write is under way, a credential that is missing, no key.

const GET = `GET /v1/cards/${CARD_ID}`;
const BLOCK = `POST /v1/cards/${CARD_ID}/block`;
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';

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
  expect((await terminal.end).code).toBe(0);
  expect(service.server.lines).toEqual([GET, GET, GET, BLOCK, GET]);
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
  const server = await serve(() => ({ body: cardText('ACTIVE') }));
  const env = { ...server.env, ...withTimer(60_000, 3000) };
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
