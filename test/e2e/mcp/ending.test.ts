import { expect, it } from 'vitest';
import { call, RawClient, YES } from '../../support/mcp-process.ts';
import { type Handler, startRecordingServer } from '../../support/recording-server.ts';
import { createHome, type RunOptions, runFrontdesk, SHORT_GRACE, withTimer } from '../../support/run-frontdesk.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 't', version: '1' },
};
const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: CLIENT };
const BLOCK = { cardId: CARD_ID, reason: 'lost' };

function lines(...messages: readonly (object | string)[]): string {
  return messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
}

/** A server at whose question about a block a client stands. */
async function asking(handler: Parameters<typeof startRecordingServer>[0], more: RunOptions = {}) {
  const server = await startRecordingServer(handler);
  const client = new RawClient(['--allow-writes'], { ...more, env: { ...server.env, ...more.env } });
  await client.initialize();
  client.send(call(1, 'card_block', BLOCK));
  const { id } = await client.question();
  return { server, client, sayYes: () => client.send({ jsonrpc: '2.0', id, result: YES }) };
}

/** Reads show the card, and a block is answered with what that returns. */
const blockedBy =
  (answer: () => Promise<void>): Handler =>
  async ({ method }) => {
    if (method === 'GET') return { body: cardText('ACTIVE') };
    await answer();
    return { body: cardText('BLOCKED') };
  };

async function outcomes(home: ReturnType<typeof createHome>): Promise<unknown> {
  return JSON.parse((await runFrontdesk(['history', '--json', '--query', '[].outcome'], { home })).stdout);
}

it('mcp needs a named service: the current profile does not count', async () => {
  const home = createHome();
  await runFrontdesk(['profile', 'set', 'live', '--cards-url', 'https://api.example.com'], { home });
  await runFrontdesk(['profile', 'use', 'live'], { home });
  const { code, stdout, stderr } = await runFrontdesk(['mcp'], { home });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('no service is named');
});

it('mcp lists no changes with a read-only profile, in spite of --allow-writes', async () => {
  const home = createHome();
  await runFrontdesk(['profile', 'set', 'look', '--cards-url', 'https://api.example.com', '--read-only', 'true'], {
    home,
  });
  const { code, stdout } = await runFrontdesk(['mcp', '-p', 'look', '--allow-writes'], {
    home,
    stdin: lines(INITIALIZE, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, call(2, 'card_block', BLOCK)),
  });
  expect(code).toBe(0);
  expect(stdout).not.toContain('"name":"card_block"');
  expect(stdout).toContain('card_block is not a tool of this server');
});

it('mcp finishes its calls at the end of stdin, the last without a line end, and exits with 0', async () => {
  const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
  const of = (id: number, given: unknown) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'runs_list', arguments: given },
  });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: null };
  // As JSON has it: in a program it would set the prototype.
  const hidden = JSON.parse(`{"cardId":"${CARD_ID}","__proto__":{"a":1}}`);
  const ofCards = [call(4, 'card_get', hidden), call(5, 'card_get', { cardId: CARD_ID })];
  const stdin = lines(INITIALIZE, list, of(2, null), of(3, ['x']), ...ofCards).trimEnd();
  const { code, stdout } = await runFrontdesk(['mcp'], { env: server.env, stdin });
  // A JSON-RPC message a line.
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: object });
  const results = answers.toSorted((one, other) => one.id - other.id).map(({ result }) => result);
  expect([code, results.length]).toEqual([0, 6]);
  expect(results.slice(1)).toMatchObject([
    { tools: [{ name: 'card_get' }, {}, {}, {}, {}, {}, {}] },
    { structuredContent: { text: '[]', exitCode: 0 } },
    { isError: true, structuredContent: { text: 'arguments: is not an argument of this tool' } },
    { isError: true, structuredContent: { text: '"__proto__": is not an argument of this tool' } },
    { structuredContent: { exitCode: 0 } },
  ]);
});

it('A5 mcp waits at the end of stdin for a change in progress, so that the history has its outcome', async () => {
  let answer: (() => void) | undefined;
  const { client, sayYes } = await asking(blockedBy(() => new Promise<void>((resolve) => (answer = resolve))));
  sayYes();
  await expect.poll(() => answer, { timeout: 30_000 }).toBeDefined();
  const ended = client.end();
  answer?.();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toContain('"outcome":"applied"');
  expect(await outcomes(client.home)).toEqual(['applied']);
});

it('SIGTERM ends mcp, and a change in progress with its outcome', async () => {
  const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 300));
  const { server, client, sayYes } = await asking(blockedBy(slowly));
  sayYes();
  await expect.poll(() => server.lines.length, { timeout: 30_000 }).toBe(3);
  client.running.child.kill('SIGTERM');
  expect([(await client.running.result).signal, await outcomes(client.home)]).toEqual(['SIGTERM', ['applied']]);
});

it('a signal ends mcp with 8 if the outcome of a change stays unknown', async () => {
  const { server, client, sayYes } = await asking(
    blockedBy(() => new Promise(() => undefined)),
    { env: SHORT_GRACE },
  );
  sayYes();
  await expect.poll(() => server.lines.length, { timeout: 30_000 }).toBe(3);
  client.running.child.kill('SIGTERM');
  expect([(await client.running.result).code, await outcomes(client.home)]).toEqual([8, ['unknown']]);
});

it('a signal ends a question of mcp, and nothing is sent', async () => {
  const { server, client } = await asking(() => ({ body: cardText('ACTIVE') }));
  client.running.child.kill('SIGTERM');
  expect([(await client.running.result).signal, server.lines]).toEqual(['SIGTERM', [`GET /v1/cards/${CARD_ID}`]]);
  expect(await outcomes(client.home)).toEqual([]);
});

it('a client that no longer reads ends mcp with 141, and nothing is sent', async () => {
  const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  const client = new RawClient(['--allow-writes'], { env: server.env });
  await client.initialize();
  client.running.child.stdout?.destroy();
  client.send(call(1, 'card_block', BLOCK));
  expect((await client.running.result).code).toBe(141);
  expect(server.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
});

it('A3 A6 mcp writes nothing but JSON-RPC to stdout, whatever comes in', async () => {
  const { code, stdout, stderr } = await runFrontdesk(['mcp', '-p', 'sandbox', '--verbose'], {
    stdin: lines(
      'hello',
      '',
      '{"jsonrpc":"2.0"}',
      '[]',
      '"text"',
      `{"jsonrpc":"2.0","id":9,"method":"x","params":{"long":"${'x'.repeat(5_000_000)}"}}`,
      INITIALIZE,
      '{"jsonrpc":"1.0","id":8,"method":"ping"}',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"card_get","name":"card_find"}}',
      { jsonrpc: '2.0', id: 1, method: 'prompts/list' },
      { jsonrpc: '2.0', id: 99, result: {} },
      call(2, 'card_get', { cardId: '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101' }),
    ),
  });
  const messages = stdout
    .trimEnd()
    .split('\n')
    // What a line holds is what this test asks.
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: unknown; error?: { code: number }; result?: object });
  expect(code).toBe(0);
  expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  expect(messages.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
    -32_700, -32_600, -32_600, -32_600, -32_600,
  ]);
  expect([8, 7].map((wanted) => messages.find(({ id }) => id === wanted)?.error?.code)).toEqual([-32_600, -32_600]);
  expect(messages.find(({ id }) => id === 1)?.error?.code).toBe(-32_601);
  expect(messages.find(({ id }) => id === 2)?.result).toMatchObject({ structuredContent: { exitCode: 0 } });
  expect(stderr).toContain('serving assistants with profile sandbox: reads only');
});

it('mcp reports progress to a client that asks for it', async () => {
  const server = await startRecordingServer(() => ({ body: cardText('ACTIVE') }));
  // It is said every ten seconds; here those pass at once.
  const client = new RawClient(['--allow-writes'], { env: { ...server.env, ...withTimer(10_000, 500) } });
  await client.initialize();
  client.send(call(1, 'card_block', BLOCK, { _meta: { progressToken: 'token-1' } }));
  await client.question();
  expect((await client.next((message) => message.method === 'notifications/progress')).params).toEqual({
    progressToken: 'token-1',
    progress: expect.any(Number),
    message: 'card_block goes on',
  });
});

it('mcp says once that it is the sandbox, whatever families are called', async () => {
  const { code, stdout, stderr } = await runFrontdesk(['mcp'], {
    env: { FRONTDESK_PROFILE: 'sandbox' },
    stdin: lines(
      INITIALIZE,
      call(1, 'card_get', { cardId: '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101' }),
      call(2, 'subscribers_list', { calendarId: 'cal_tea_ceremony' }),
    ),
  });
  expect([code, stdout.match(/"isError":true/)]).toEqual([0, null]);
  expect(stderr).toBe(
    'frontdesk: note: serving assistants with profile sandbox: reads only\nfrontdesk: note: this is the sandbox. No real cards or calendars are affected\n',
  );
});
