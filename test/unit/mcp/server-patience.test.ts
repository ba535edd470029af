import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, it } from 'vitest';
import { PendingConfirmations } from '../../../src/mcp/asker.ts';
import { createServer } from '../../../src/mcp/server.ts';
import { WRITE_TOOLS } from '../../../src/mcp/tools.ts';
import { toolSession } from '../../support/mcp-session.ts';
import { startRecordingServer } from '../../support/recording-server.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

it('A2 a question without an answer is over after five minutes, and a late yes sends nothing', async () => {
  const server = await startRecordingServer([{ body: cardText('ACTIVE') }]);
  const slept: number[] = [];
  const clock = {
    now: () => Date.now(),
    monotonic: () => 0,
    sleep: async (ms: number) => {
      slept.push(ms);
    },
  };
  const session = toolSession(server.url, clock, { timeoutMs: 2000, retries: 0, retryMaxTimeMs: 2000 });
  const never = new AbortController().signal;
  const serving = {
    session,
    tools: WRITE_TOOLS,
    confirmations: new PendingConfirmations(clock),
    ended: never,
    graceOver: never,
    underWay: new Set<Promise<unknown>>(),
  };
  const [clientSide, transport] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => createServer(serving), { transport });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  let answer: () => void = () => undefined;
  client.setRequestHandler(
    'elicitation/create',
    () =>
      new Promise((resolve) => {
        answer = () => resolve({ action: 'accept', content: { confirm: true } });
      }),
  );
  await client.connect(clientSide);
  const result = await client.callTool({ name: 'card_block', arguments: { cardId: CARD_ID } });
  answer();
  await client.ping();
  expect(result).toMatchObject({ isError: true, structuredContent: { outcome: 'not_sent', exitCode: 130 } });
  expect(JSON.stringify(result.content)).toContain('no answer came within 5 minutes. Nothing was sent.');
  expect(slept).toContain(300_000);
  expect(server.lines).toEqual([`GET /v1/cards/${CARD_ID}`]);
  await client.close();
  await handle.close();
  await session.close();
});
