import { describe, expect, it } from 'vitest';
import { openClient } from '../../../src/library/client.ts';
import { checkOptions } from '../../../src/library/options.ts';
import type { Client, WriteResult } from '../../../src/library/types.ts';
import {
  BLIND,
  build,
  type End,
  type Event,
  EXPECTED,
  limitsAt,
  NAMED_EVENTS,
  OBSERVED,
  requestsAt,
  SETTLED,
  WRITES,
  type WriteName,
} from '../../support/matrix.ts';
import { CARD_ID } from '../../support/sample-card.ts';

/** Every write of the library against every event of the retry table: it ends as the command does. */

/** Nobody waits between attempts, and the budget never ends. */
const clock = { now: () => Date.now(), monotonic: () => 0, sleep: () => Promise.resolve() };

const CALLS: Record<WriteName, (client: Client) => Promise<WriteResult<unknown>>> = {
  cardActivate: (client) => client.card.activate(CARD_ID),
  cardBlock: (client) => client.card.block(CARD_ID),
  cardReissue: (client) => client.card.reissue(CARD_ID, { reason: 'lost' }),
  cardProvisionWalletA: (client) => client.card.provision(CARD_ID, { wallet: 'wallet_a' }),
  cardProvisionWalletB: (client) => client.card.provision(CARD_ID, { wallet: 'wallet_b' }),
  calendarUpdate: (client) => client.calendar.update('id-1', { name: 'Tours' }),
  subscriberUpdate: (client) => client.calendar.subscribers.update('id-1', { active: false }),
  eventCreate: (client) =>
    client.calendar.createEvent({ calendar: 'cal-1', name: 'Party', start: '2026-05-01T10:00:00' }),
};

async function play(name: WriteName, event: Event, cardStatus: string): Promise<{ end: End; applied: number }> {
  const stage = await build(event, cardStatus);
  const service = { url: stage.url, token: 'token-of-the-matrix' };
  // The library has one limit for both.
  const { timeoutMs, connectTimeoutMs } = limitsAt(event);
  const options = checkOptions(
    { cards: service, calendar: service, timeoutMs: Math.min(timeoutMs, connectTimeoutMs) },
    {},
  );
  const client = openClient(options, { clock, random: () => 0, version: '1.2.3' });
  const result = await CALLS[name](client);
  await client.close();
  const exitCode = 'error' in result ? result.error.exitCode : 0;
  const end = `${exitCode} ${result.outcome} ${requestsAt(stage)}`;
  const applied = stage.server?.applications() ?? 0;
  await stage.close();
  return { end, applied };
}

describe.concurrent.each(WRITES)('%s', (name) => {
  it.each(NAMED_EVENTS)('meets: %s', async (eventName, event) => {
    const { end, applied } = await play(name, event, 'EXPIRED');
    expect(end).toBe(EXPECTED[name][eventName]);
    // What the service did is never told as not done.
    if (applied > 0) expect(end).toMatch(/^8 unknown /);
  });
});

describe.concurrent.each([
  ['cardActivate', 'ACTIVE', SETTLED],
  ['cardBlock', 'BLOCKED', SETTLED],
  ['cardReissue', 'REISSUED', OBSERVED],
  ['cardProvisionWalletA', 'ACTIVE', BLIND],
] as const)('%s, and the card reads %s afterwards', (name, status, expected) => {
  it.each(NAMED_EVENTS)('meets: %s', async (eventName, event) => {
    expect((await play(name, event, status)).end).toBe(expected[eventName]);
  });
});
