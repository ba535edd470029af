import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it } from 'vitest';
import { openTerminal } from '../../support/pty.ts';
import { CARDS_TOKEN, type Handler, type Reply, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type Home, NO_PAUSE, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue, type Step } from './dialogue.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/frontdesk.js', import.meta.url));
const GET = `GET /v1/cards/${CARD_ID}`;
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
/** The menu's choices from the first one down. */
const [LOOK, , BLOCK, REISSUE, WAIT, HISTORY, ANOTHER, LEAVE] = [0, 1, 2, 3, 4, 5, 6, 7].map(
  (steps) => `${DOWN.repeat(steps)}\r`,
) as [string, string, string, string, string, string, string, string];

/** That text for the n-th time: everything that was ever on the terminal counts. */
function nth(text: string, times: number): RegExp {
  return new RegExp(`(?:${text}[\\s\\S]*?){${times}}`);
}

/** Stands in each menu when it is new; its choices are drawn again with every key. */
const MENU = '❯ Look again';
/** The question for the next card, asked: keys that mean something to the terminal itself, typed earlier, are lost. */
const NEXT_CARD = 'Recent cards[\\s\\S]*?\\? Card id';

/** A service of one card: block and reissue change it, unless `fails` answers the write. */
function service(fails: (line: string, count: number) => Reply | undefined = () => undefined): Handler {
  let status = 'ACTIVE';
  return ({ method, url }, count) => {
    const failed = fails(`${method} ${url}`, count);
    if (failed !== undefined) return failed;
    if (url.endsWith('/block')) status = 'BLOCKED';
    if (url.endsWith('/reissue')) {
      status = 'REISSUED';
      return { body: cardText('ACTIVE', '9999aaaa-2222-3333-4444-555566667777') };
    }
    return { body: cardText(status) };
  };
}

describe.concurrent('the desk', () => {
  it('shows a card, blocks it after a question, shows it anew and says what changed', async ({ onTestFinished }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `<${CARD_ID}>\r`],
      [/Enter takes this card/, '\r'],
      [nth(MENU, 1), BLOCK],
      [/y\/N/, 'y\r'],
      [/Changed: status ACTIVE (?:→|->) BLOCKED/, ''],
      [nth(MENU, 2), LEAVE],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env });
    expect(server.lines).toEqual([GET, GET, GET, `POST /v1/cards/${CARD_ID}/block`, GET]);
    expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: 0, leftBehind: [] });
    expect(end.text).toContain(`Card id (default, ${server.url.slice('http://'.length)})`);
    expect(end.text).toContain('This sitting: 2 looks, 1 blocked.');
    const history = await runFrontdesk(['history', '--json'], { home: end.home });
    expect(JSON.parse(history.stdout)).toMatchObject([{ operation: 'card.block', id: CARD_ID, outcome: 'applied' }]);
  });

  it('sends nothing without a yes: no, Ctrl-C and a letter leave the person in the menu', async ({
    onTestFinished,
  }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      // A letter goes to no choice, and is no answer.
      [nth(MENU, 1), 'b\r'],
      [/choose an entry, or paste a card id/, BLOCK],
      [/Block card/, '\r'],
      [nth('nothing was sent[\\s\\S]*❯ Look again', 1), REISSUE],
      [/Reissue card/, CTRL_C],
      [/Reissue card[\s\S]*❯ Look again/, CTRL_C],
      [nth(NEXT_CARD, 1), CTRL_C],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env });
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
    expect(end.code).toBe(0);
    expect(end.text).toMatch(/not confirmed;\s+nothing was sent/);
    expect(end.text).toContain('This sitting: 1 look.');
  });

  it('leaves at the end of input in the question before a write too, and sends nothing', async ({ onTestFinished }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), BLOCK],
      [/y\/N/, CTRL_D],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env });
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
    expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code: 0, leftBehind: [] });
    expect(end.text).toContain('This sitting: 1 look.');
  });

  it('offers recent cards by number, the new one of a reissue too, and leaves at the end of input', async ({
    onTestFinished,
  }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), REISSUE],
      [/y\/N/, 'y\r'],
      [nth(MENU, 2), ANOTHER],
      [/2 {2}9999aaaa-2222-3333-4444-555566667777[\s\S]*Card id/, '1\r'],
      [nth(MENU, 3), HISTORY],
      [nth(MENU, 4), ANOTHER],
      [nth(NEXT_CARD, 2), CTRL_D],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env, columns: 120 });
    expect(end.text).toContain(`1  ${CARD_ID}  REISSUED  order-1`);
    expect(server.lines).toEqual([GET, GET, GET, `POST /v1/cards/${CARD_ID}/reissue`, GET, GET]);
    expect(end.code).toBe(0);
  });

  it('names what its history had no room for, without an option that cannot be added there', async ({
    onTestFinished,
  }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), BLOCK],
      [/y\/N/, 'y\r'],
      [nth(MENU, 2), HISTORY],
      [nth(MENU, 3), LEAVE],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env, columns: 60 });
    expect(end.text).toMatch(/\nNot shown: .*profile/);
    expect(end.text).not.toContain('--columns');
    expect(end.code).toBe(0);
  });

  it('keeps an unknown outcome in every question, and ends with 8 while it is unknown', async ({ onTestFinished }) => {
    const server = await startRecordingServer(
      service((line) => (line.startsWith('POST') ? { status: 500 } : undefined)),
      onTestFinished,
    );
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), REISSUE],
      [/y\/N/, 'y\r'],
      [/Card 7c0e1111 \(default, [^)]*; 1 outcome unknown\)/, ANOTHER],
      [/Card id \([^)]*; 1 outcome unknown\)/, 'q\r'],
    ];
    const end = await dialogue(['desk'], steps, { env: { ...server.env, ...NO_PAUSE } });
    expect(end.code).toBe(8);
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${CARD_ID}/reissue`]);
    expect(end.text).toContain(
      `card reissue ${CARD_ID} is unknown; check it with\n  \`frontdesk card get ${CARD_ID}\``,
    );
    // Broken between words by us, not within them by the terminal; questions and what is waited for are drawn over.
    const lines = end.text.split('\n').map((line) => line.replace(/^.*waiting for the service, \d+ of \d+ s/, ''));
    expect(lines.filter((line) => line.length > 80 && !/[?✔]/.test(line))).toEqual([]);
  });

  it('settles an unknown outcome by a later look that shows it, and ends with 0', async ({ onTestFinished }) => {
    let isDown = false;
    const server = await startRecordingServer(({ method }, count) => {
      if (method === 'POST') isDown = true;
      // The write and what reads it back fail; a later look finds it done.
      if (method === 'POST' || (isDown && count < 8)) return { status: 500 };
      return { body: cardText(isDown ? 'BLOCKED' : 'ACTIVE') };
    }, onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), BLOCK],
      [/y\/N/, 'y\r'],
      [/; 1 outcome unknown\)/, LOOK],
      [/it was done/, ''],
      [nth(MENU, 3), LEAVE],
    ];
    const end = await dialogue(['desk', '--retries', '0', '--retry-max-time', '20s'], steps, { env: server.env });
    expect(end.code).toBe(0);
    expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([`POST /v1/cards/${CARD_ID}/block`]);
    const history = await runFrontdesk(['history', '--json'], { home: end.home });
    expect(JSON.parse(history.stdout)).toMatchObject([
      { operation: 'card.block', id: CARD_ID, outcome: 'confirmed_by_read', httpStatus: 200 },
    ]);
  });

  it('says what became of a write of before, and of one that is rejected', async ({ onTestFinished }) => {
    const home = createHome();
    let status = 500;
    const server = await startRecordingServer(({ method }) => {
      if (status === 500 || method === 'POST') return { status, body: {} };
      return { body: cardText('BLOCKED') };
    }, onTestFinished);
    const before = await runFrontdesk(['card', 'block', CARD_ID, '-y', '--retries', '0'], { home, env: server.env });
    expect(before.code).toBe(8);
    status = 422;
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [/The outcome of the card block is known now: it was done\.[\s\S]*❯ Look again/, REISSUE],
      [/y\/N/, 'y\r'],
      [/was rejected[\s\S]*❯ Look again/, LEAVE],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env, home });
    expect(end.code).toBe(0);
    expect(end.text).toContain('This sitting: 2 looks, 1 blocked (settled by a look), 1 rejected (reissue).');
    const history = await runFrontdesk(['history', '--json'], { home });
    expect(JSON.parse(history.stdout)).toMatchObject([{ outcome: 'rejected' }, { outcome: 'confirmed_by_read' }]);
  });

  it('names no login where the environment has the token', async ({ onTestFinished }) => {
    const server = await startRecordingServer(() => ({ status: 401 }), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), LEAVE],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env });
    expect(end.text).toContain(
      'hint: put a valid token into FRONTDESK_CARDS_TOKEN\nhint: choose Leave, and open the desk',
    );
    expect(end.text).not.toContain('Log in');
  });

  it('stays when the service is away and when the credential is refused, and finds a new login', async ({
    onTestFinished,
  }) => {
    const home = createHome();
    const server = await startRecordingServer(
      ({ headers }) =>
        headers['authorization'] === 'Bearer new-token-of-the-test' ? { body: cardText('ACTIVE') } : { status: 401 },
      onTestFinished,
    );
    const login = (token: string) =>
      runFrontdesk(['auth', 'login', '-p', 'live', '--family', 'cards', '--cards-url', server.url, '--token-stdin'], {
        home,
        stdin: token,
      });
    expect((await login('old-token-of-the-test')).code).toBe(0);
    const terminal = openTerminal(['desk', '-p', 'live'], { home });
    await terminal.waitFor(/Card id/);
    terminal.type(`${CARD_ID}\r`);
    await terminal.waitFor(nth(MENU, 1));
    expect((await login('new-token-of-the-test')).code).toBe(0);
    terminal.type(LOOK);
    await terminal.waitFor(/ACTIVE[\s\S]*❯ Look again/);
    terminal.type(LEAVE);
    const end = await terminal.end;
    expect(end.code).toBe(0);
    expect(end.text).toContain('Log in in another window');
    expect(server.lines).toEqual([GET, GET]);
  });

  it('offers no writes with a read-only profile, or of a card that was not found', async ({ onTestFinished }) => {
    const home = createHome();
    const server = await startRecordingServer(service(), onTestFinished);
    await runFrontdesk(['profile', 'set', 'live', '--cards-url', server.url, '--read-only', 'true'], { home });
    const env = { FRONTDESK_CARDS_TOKEN: CARDS_TOKEN };
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), `${DOWN.repeat(4)}\r`],
    ];
    const end = await dialogue(['desk', '-p', 'live'], steps, { home, env });
    expect(end.code).toBe(0);
    expect(end.text).toMatch(/Look again\s+Wait for a status\s+History of this card\s+Another card\s+Leave/);
    expect(end.text).not.toMatch(/Block|Reissue|Activate/);
    const none = await startRecordingServer(() => ({ status: 404 }), onTestFinished);
    const missing = await dialogue(['desk'], steps, { env: none.env });
    expect(missing.code).toBe(0);
    expect(missing.text).not.toMatch(/Block|Reissue|Activate/);
    expect(none.lines).toEqual([GET]);
    expect(server.lines).toEqual([GET]);
  });

  it('waits for a status that is chosen', async ({ onTestFinished }) => {
    const server = await startRecordingServer(
      (_, count) => ({ body: cardText(count < 3 ? 'WAITING_ACTIVATION' : 'ACTIVE') }),
      onTestFinished,
    );
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\r`],
      [nth(MENU, 1), WAIT],
      [/Which status/, `${DOWN}\r`],
      [nth(MENU, 2), LEAVE],
    ];
    const end = await dialogue(['desk'], steps, { env: server.env });
    expect(end.code).toBe(0);
    expect(server.lines).toEqual([GET, GET, GET]);
  });

  it('leaves by itself when nobody presses a key', async ({ onTestFinished }) => {
    const server = await startRecordingServer([], onTestFinished);
    const end = await dialogue(['desk', '--idle', '300ms'], [], { env: server.env });
    expect(end.code).toBe(0);
    expect(end.text).toContain('No key was pressed for a while, so the desk has ended; nothing more was done.\n');
    expect(end.leftBehind).toEqual([]);
  });

  it('ends with the code of a signal', async ({ onTestFinished }) => {
    const server = await startRecordingServer([], onTestFinished);
    const end = await dialogue(['desk'], [[/Card id/, { signal: 'SIGTERM' }]], { env: server.env });
    expect(end.code).toBe(143);
    expect(end.leftBehind).toEqual([]);
  });

  it('is numbered lines on a terminal that draws nothing', async ({ onTestFinished }) => {
    const server = await startRecordingServer(service(), onTestFinished);
    const steps: Step[] = [
      [/Card id/, `${CARD_ID}\n`],
      [/1 to 8/, '3\n'],
      [/y\/N/, 'y\n'],
      [/Changed: status ACTIVE (?:→|->) BLOCKED/, ''],
      [nth('1 to 8', 2), '8\n'],
    ];
    const end = await dialogue(['desk'], steps, { env: { ...server.env, TERM: 'dumb' } });
    expect(end.code).toBe(0);
    expect(end.output).not.toContain('\u001b');
    expect(server.lines).toEqual([GET, GET, GET, `POST /v1/cards/${CARD_ID}/block`, GET]);
  });

  it('names the sandbox in capitals, and the profile beside the host elsewhere', async () => {
    const end = await dialogue(['desk', '-p', 'sandbox'], [[/Card id \(SANDBOX\)/, CTRL_C]]);
    expect(end.code).toBe(0);
  });

  it('is refused off a terminal with 2, and asks the service nothing', async ({ onTestFinished }) => {
    const server = await startRecordingServer([], onTestFinished);
    const result = await runFrontdesk(['desk'], { env: server.env });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' });
    expect(result.stderr).toContain('the desk needs a terminal');
    expect(server.lines).toEqual([]);
  });
});

/** Resident memory of a process in MiB. */
function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** The desk on a terminal that draws nothing, of whose output only the end is kept: a sitting prints for ever. */
function openSitting(home: Home, env: Readonly<Record<string, string>>) {
  const terminal = spawn(process.execPath, [PROGRAM, 'desk'], {
    cols: 80,
    rows: 24,
    cwd: home.path,
    env: { ...env, HOME: home.path, TERM: 'dumb', LANG: 'C.UTF-8', FRONTDESK_STATE_DIR: home.stateDir },
  });
  let seen = '';
  let wake: () => void = () => undefined;
  terminal.onData((part) => {
    seen = (seen + part).slice(-4000);
    wake();
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    pid: terminal.pid,
    ended,
    /** Types a line once a question stands at the end of the output. */
    async answer(question: string, line: string): Promise<void> {
      while (!new RegExp(`${question} $`).test(seen)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      seen = '';
      terminal.write(`${line}\n`);
    },
  };
}

it.runIf(process.platform === 'linux')('holds its memory over 500 cards in one sitting', async () => {
  const server = await startRecordingServer(({ url }) => ({ body: cardText('ACTIVE', url.split('/').at(-1)) }));
  const sitting = openSitting(createHome(), server.env);
  let early = 0;
  for (let n = 1; n <= 500; n += 1) {
    await sitting.answer('Card id .*', `7c0e1111-2222-3333-4444-${String(n).padStart(12, '0')}`);
    await sitting.answer('1 to 8\\)', '7');
    if (n === 100) early = residentMiB(sitting.pid);
  }
  const late = residentMiB(sitting.pid);
  await sitting.answer('Card id .*', 'q');
  expect(await sitting.ended).toBe(0);
  expect(server.requests).toHaveLength(500);
  // What the collector leaves for later, and no more: a leak of what each card takes would show.
  expect(late - early).toBeLessThan(40);
});
