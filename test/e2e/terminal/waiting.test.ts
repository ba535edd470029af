import { expect, it } from 'vitest';
import { moment } from '../../support/moment.ts';
import { openTerminal } from '../../support/pty.ts';
import { type Reply, serve } from '../../support/recording-server.ts';
import { createHome, runFrontdesk } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';
import { dialogue } from './dialogue.ts';

const OTHER_ID = '0b7a6c1e-3f52-4d8a-9c41-000000000002';
const ACTIVE = { body: cardText('ACTIVE') };
const BUSY = { status: 429, headers: { 'retry-after': '1' }, body: { errorCode: 'SLOW_DOWN', message: 'later' } };
const SPINNER = 'waiting for the service';
const GET = ['card', 'get', CARD_ID];

/** A service that answers every request after that time. */
function slowService() {
  return serve(async ({ method }) => {
    await new Promise((resolve) => setTimeout(resolve, 900));
    return method === 'GET' ? ACTIVE : { body: cardText('BLOCKED') };
  });
}

it.concurrent('T10 waiting shows a spinner in a terminal after a while, removes it before the result, and prints nothing elsewhere', async () => {
  const { env } = await slowService();
  const { code, text, output, leftBehind } = await dialogue(['card', 'get', CARD_ID], [], { env });
  expect({ code, leftBehind }).toEqual({ code: 0, leftBehind: [] });
  expect(text).toContain(SPINNER);
  const afterSpinner = output.slice(output.lastIndexOf(SPINNER) + SPINNER.length);
  // The line is erased before anything else is written.
  expect(afterSpinner).toMatch(/^, \d of 30 s(?:\u001b\[[?0-9]*[a-zA-Z])*\u001b\[0?K/);
  expect(text.slice(text.lastIndexOf('Card  '))).not.toContain(SPINNER);
  expect((await runFrontdesk(['card', 'get', CARD_ID], { env })).stderr).toBe('');
});

it.concurrent('waiting redraws nothing in a terminal without a known width, and uses 80 columns', async () => {
  const { env } = await slowService();
  const script = `stty cols 0 rows 0; $FD card get ${CARD_ID}; echo code=$?`;
  const { text } = await openTerminal([], { home: createHome(), env, script }).end;
  expect(text).toMatch(/^Status {8}ACTIVE$/m);
  expect(text).not.toContain(SPINNER);
  expect(text).toMatch(/\ncode=0\n$/);
});

/** A service whose last answer comes when the terminal has shown what a test waits for. */
async function heldService(first: readonly Reply[]) {
  const { came: held, come: release } = moment();
  const server = await serve(async (_request, count) => {
    const reply = first[count - 1];
    if (reply === undefined) await held;
    return reply ?? ACTIVE;
  });
  return { server, release };
}

it.concurrent('waiting counts the seconds up to the limit, and those of a pause down', async () => {
  const { server, release } = await heldService([{ ...BUSY, headers: { 'retry-after': '3' } }]);
  const terminal = openTerminal([...GET, '--timeout', '9s'], { home: createHome(), env: server.env, columns: 120 });
  for (const left of [3, 2, 1]) await terminal.waitFor(`the service returned 429, retrying in ${left} s`);
  for (const passed of [1, 2]) await terminal.waitFor(`waiting for the service, ${passed} of 9 s`);
  release();
  expect((await terminal.end).code).toBe(0);
  expect(server.lines).toHaveLength(2);
});

it.concurrent('waiting says that it checks the card when the timeout of a change is over', async () => {
  const server = await serve(({ method }) => (method === 'POST' ? 'hang' : ACTIVE));
  const args = ['card', 'block', CARD_ID, '--yes', '--timeout', '1s'];
  const terminal = openTerminal(args, { home: createHome(), env: server.env, columns: 120 });
  await terminal.waitFor('no reply within 1 s, checking the card');
  const { code, text } = await terminal.end;
  expect(code).toBe(8);
  expect(text).not.toContain('2 of 1 s');
});

it.concurrent('waiting prints at once what it waits for in accessible mode, and breaks no choice', async () => {
  const env = { ...(await serve([ACTIVE, { body: cardText('BLOCKED') }])).env, FRONTDESK_ACCESSIBLE: '1' };
  const steps = [[/ {2}4 BLOCKED\n[\s\S]*Which status do you want to wait for\? \(1 to 6\) /, '4\r']] as const;
  const { code, text } = await dialogue(['card', 'wait', CARD_ID, '--interval', '100ms'], steps, { env });
  expect(code).toBe(0);
  expect(text).toContain(`note: card ${CARD_ID}: waiting for BLOCKED\n(1 min left)\n`);
  expect(text).toContain(`note: card ${CARD_ID} is ACTIVE, waiting\nfor BLOCKED\n`);
  expect(text).not.toMatch(/[─█░]/);
});

it.concurrent('waiting prints one line after a while if nothing can be redrawn', async () => {
  const { server, release } = await heldService([]);
  const terminal = openTerminal(GET, { home: createHome(), env: { ...server.env, TERM: 'dumb' } });
  await terminal.waitFor('frontdesk: note: still waiting for the service, up to 30 s\n');
  release();
  const { code, output } = await terminal.end;
  expect(code).toBe(0);
  expect(output).not.toContain('\u001b');
});

it.concurrent('waiting is shown for a change too, and never over a question', async () => {
  const { env } = await slowService();
  const { code, text } = await dialogue(['card', 'block', CARD_ID], [[/\(y\/N/, 'y\r']], { env });
  expect(code).toBe(0);
  const [before = '', after = ''] = text.split(/✔ Block card(?![\s\S]*✔ Block card)/);
  expect(before).toContain(SPINNER);
  expect(before.slice(before.indexOf('? Block card'))).not.toContain(SPINNER);
  expect(after).toContain(SPINNER);
});

it.concurrent.each([
  ['--quiet', {}],
  ['--verbose', {}],
  ['--no-color', { TERM: 'dumb' }],
  ['--no-color', { CI: 'true' }],
])('waiting shows no spinner with %s %o', async (option, env) => {
  const service = await slowService();
  const { code, text } = await dialogue(['card', 'get', CARD_ID, option], [], { env: { ...service.env, ...env } });
  expect(code).toBe(0);
  expect(text).not.toContain(SPINNER);
});

it.concurrent('waiting is shown without color and marks with NO_COLOR and ASCII', async () => {
  const { env } = await slowService();
  const { output } = await dialogue(['card', 'get', CARD_ID, '--no-color'], [], { env: { ...env, LANG: 'C' } });
  expect(output).toContain(SPINNER);
  expect(output).not.toMatch(/\u001b\[[0-9;]*m|[^\x00-\x7f]/);
});

it.concurrent.for([
  ['SIGINT', 130, 'Ctrl-C'],
  ['SIGTERM', 143, 'SIGTERM'],
] as const)(
  'waiting that is ended by %s leaves the terminal as it was, the message apart',
  async ([signal, code, said]) => {
    const server = await serve(() => 'hang');
    const end = await dialogue(['card', 'get', CARD_ID], [[SPINNER, { signal }]], { env: server.env });
    expect({ code: end.code, leftBehind: end.leftBehind }).toEqual({ code, leftBehind: [] });
    expect(end.output).toMatch(
      new RegExp(
        `(?:\\u001b\\[(?:2K|1G|\\?25h|\\?2026l)|\\r|\\n)(?:\\u001b\\[[0-9;]*m)*frontdesk:(?:\\u001b\\[[0-9;]*m)* cancelled by ${said}`,
      ),
    );
  },
);

it.concurrent('a retry outside a terminal is reported and nothing is drawn, and with --quiet it is silent', async () => {
  const server = await serve([BUSY, ACTIVE, BUSY, ACTIVE]);
  const loud = await runFrontdesk(GET, { env: server.env });
  expect(loud.stderr).toMatch(/^frontdesk: note: the service returned 429 .*, waiting 1\.[0-9] s\n$/);
  const quiet = await runFrontdesk([...GET, '--quiet'], { env: server.env });
  expect([loud.code, quiet.code, quiet.stderr]).toEqual([0, 0, '']);
});

it('the progress of a run shows that the service asked for a pause, and how long it lasts', async () => {
  const { code, text } = await dialogue(['card', 'activate', CARD_ID, OTHER_ID, '--yes', '-j', '1'], [], {
    env: (await serve([BUSY, ACTIVE, { body: cardText('ACTIVE', OTHER_ID) }])).env,
  });
  expect(code).toBe(0);
  expect(text).toMatch(/0\/2 rows \(0 %\), the service asked for a pause \(429\) of [12] s more/);
});
