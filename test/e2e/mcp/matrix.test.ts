import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it } from 'vitest';
import { PendingConfirmations } from '../../../src/mcp/pending-confirmations.ts';
import { createServer } from '../../../src/mcp/server.ts';
import { WRITE_TOOLS } from '../../../src/mcp/tools.ts';
import {
  build,
  type End,
  type Event,
  EXPECTED,
  limitsAt,
  NAMED_EVENTS,
  OBSERVED,
  requestsAt,
  SETTLED,
  type WriteName,
} from '../../support/matrix.ts';
import { toolSession } from '../../support/mcp-session.ts';
import { CARD_ID } from '../../support/sample-card.ts';

/** Every tool that writes against every event of the retry table: it ends as the command does. */

const clock = { now: () => Date.now(), monotonic: () => 0, sleep: sleeping };

/** Nobody waits between attempts. Limits on people and on the whole are not reached. */
function sleeping(ms: number, signal?: AbortSignal): Promise<void> {
  return ms < 10_000 ? Promise.resolve() : new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
}

const CALLS = {
  cardActivate: ['card_activate', { cardId: CARD_ID }],
  cardBlock: ['card_block', { cardId: CARD_ID, reason: 'lost' }],
  cardReissue: ['card_reissue', { cardId: CARD_ID }],
  calendarUpdate: ['calendar_update', { calendarId: 'id-1', name: 'Tours' }],
  subscriberUpdate: ['subscriber_update', { subscriberId: 'id-1', active: false }],
  eventCreate: ['event_create', { calendar: 'cal-1', name: 'Party', start: '2026-05-01T10:00:00' }],
} as const satisfies Record<Exclude<WriteName, `cardProvision${string}`>, readonly [string, Record<string, unknown>]>;

type ToolWrite = keyof typeof CALLS;

async function play(name: ToolWrite, event: Event, cardStatus: string): Promise<{ end: End; applied: number }> {
  const stage = await build(event, cardStatus);
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
  const [tool, args] = CALLS[name];
  const { structuredContent } = await client.callTool({ name: tool, arguments: args });
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
function withLook(end: End, name: ToolWrite, event: Event): End {
  if (event.kind !== 'answers' || !name.startsWith('card')) return end;
  return end.replace(/(\d+) GET$/, (_, count: string) => `${Number(count) + 2} GET`);
}

// Object.keys gives string[]; these are the keys of CALLS itself.
const NAMES = Object.keys(CALLS) as ToolWrite[];

describe.concurrent.each(NAMES)('%s', (name) => {
  it.each(NAMED_EVENTS)('meets: %s', async (eventName, event) => {
    const { end, applied } = await play(name, event, 'EXPIRED');
    expect(end).toBe(withLook(EXPECTED[name][eventName], name, event));
    // What the service did is never told as not done.
    if (applied > 0) expect(end).toMatch(/^8 unknown /);
  });
});

describe.concurrent.each([
  ['cardActivate', 'ACTIVE', SETTLED],
  ['cardBlock', 'BLOCKED', SETTLED],
  ['cardReissue', 'REISSUED', OBSERVED],
] as const)('%s, and the card reads %s afterwards', (name, status, expected) => {
  it.each(NAMED_EVENTS)('meets: %s', async (eventName, event) => {
    expect((await play(name, event, status)).end).toBe(withLook(expected[eventName], name, event));
  });
});
