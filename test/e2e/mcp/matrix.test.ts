import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { PendingConfirmations } from '../../../src/mcp/asker.ts';
import { createServer } from '../../../src/mcp/server.ts';
import { WRITE_TOOLS } from '../../../src/mcp/tools.ts';
import {
  build,
  type End,
  endOf,
  isTrueOf,
  limitsAt,
  type Meeting,
  requestsAt,
  someTwins,
} from '../../support/matrix.ts';
import { toolSession } from '../../support/mcp-session.ts';
import { type OperationName, SAMPLE_CALLS, sampleId, WRITES } from '../../support/sample-calls.ts';

/** Tools that write against the events of the retry table: they end as the commands do (`test/e2e/matrix.test.ts`). */

const clock = { now: () => Date.now(), monotonic: () => 0, sleep: sleeping };

/** Nobody waits between attempts. Limits on people and on the whole are not reached. */
function sleeping(ms: number, signal?: AbortSignal): Promise<void> {
  return ms < 10_000 ? Promise.resolve() : new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}

/** Writes that assistants are offered. */
const TOOL_WRITES = WRITES.filter((name) => SAMPLE_CALLS[name].tool !== undefined);

/** Tool and arguments of a sample call. */
function toolCall(name: OperationName) {
  const { tool, argument, fields } = SAMPLE_CALLS[name];
  return { name: tool?.name ?? '', arguments: { ...(argument && { [argument]: sampleId(name) }), ...fields } };
}

async function play(meeting: Meeting): Promise<{ end: End; applied: number }> {
  const { write: name, event } = meeting;
  const stage = await build(meeting);
  const session = toolSession(stage.url, clock, { ...limitsAt(event), retries: 2, retryMaxTimeMs: 60_000 });
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
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  await client.connect(clientSide);
  const { structuredContent } = await client.callTool(toolCall(name));
  await client.close();
  await handle.close();
  await session.close();
  // The members that the server gives it.
  const { exitCode, outcome } = structuredContent as { exitCode: number; outcome: string };
  const applied = stage.server?.applications() ?? 0;
  const end = `${exitCode} ${outcome} ${requestsAt(stage)}`;
  await stage.close();
  return { end, applied };
}

/** A card is read twice more than by the command with --yes: it is shown to the person who is asked, and compared after the answer. */
function withLook(meeting: Meeting): End {
  const end = endOf(meeting);
  if (meeting.event.kind !== 'answers' || SAMPLE_CALLS[meeting.write].argument !== 'cardId') return end;
  return end.replace(/(\d+) GET$/, (_, count: string) => `${Number(count) + 2} GET`);
}

describe.concurrent.each(TOOL_WRITES)('%s', (write) => {
  it.each(someTwins(write, TOOL_WRITES))('a tool of mcp meets: %s', async (_, twin) => {
    const meeting = { write, ...twin };
    const { end, applied } = await play(meeting);
    expect(end).toBe(withLook(meeting));
    expect(isTrueOf(end, meeting, applied)).toBe(true);
  });
});
