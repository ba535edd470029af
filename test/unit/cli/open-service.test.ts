import { expect, it } from 'vitest';
import { openService } from '../../../src/cli/open-service.ts';
import type { Session } from '../../../src/command/session.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { startRecordingServer } from '../../support/recording-server.ts';

const POLICY = { timeoutMs: 5000, retries: 0, retryMaxTimeMs: 5000 };
const CARD = '0b7a6c1e-3f52-4d8a-9c41-000000000001';

/** A service over a loopback server, and what it was asked. `waiting`: who hears that a call waits for its token. */
async function openAt(waiting: (listener: object | undefined) => void = () => undefined) {
  const server = await startRecordingServer(() => ({ body: { cardId: CARD } }));
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const url = { url: server.url, source: 'environment', overrides: undefined };
  // What opening a service reads of a session, and nothing else.
  const session = {
    context: { env: server.env, clock, random: () => 0, version: '0', platform: 'linux', signals: { received: [] } },
    selectedProfile: () => ({ name: 'default', isSandbox: false, namedBy: undefined, cardsUrl: url }),
    common: { verbose: false, ignoreExpiry: false },
    prompt: { available: false },
  } as unknown as Session;
  const permitted = new Set<string>();
  const service = await openService(session, 'cards', {
    mask: { add: () => undefined } as never,
    trustPems: async () => [],
    display: { waiting, clear: () => undefined },
    state: { isCrashing: false },
    isLasting: false,
    isFirst: true,
    isPermitted: ({ name }) => permitted.has(name),
  });
  return { server, service, permitted };
}

it('a service sends no write of an operation that passed no guard, and reads anyway', async () => {
  const { server, service, permitted } = await openAt();
  const call = (operation: (typeof OPERATIONS)['cardGet' | 'cardActivate' | 'cardBlock']) =>
    service.client.call({ operation, params: { cardId: CARD }, query: {}, body: undefined }, { policy: POLICY });
  await expect(call(OPERATIONS.cardActivate)).rejects.toThrow('a write that passed no guard');
  expect(server.lines).toEqual([]);
  permitted.add('card.activate');
  await call(OPERATIONS.cardActivate);
  await call(OPERATIONS.cardGet);
  await expect(call(OPERATIONS.cardBlock)).rejects.toThrow('a write that passed no guard');
  expect(server.lines).toEqual([`POST /v1/cards/${CARD}/activate`, `GET /v1/cards/${CARD}`]);
  await service.close();
});

it('a service tells the listener of the last call that is under way, and keeps none of one that has ended', async () => {
  const told: (object | undefined)[] = [];
  const { service } = await openAt((listener) => told.push(listener));
  const input = { operation: OPERATIONS.cardGet, params: { cardId: CARD }, query: {}, body: undefined };
  const call = (listener: object) => service.client.call(input, { policy: POLICY, listener });
  const [first, second, third] = [{ name: 'first' }, { name: 'second' }, { name: 'third' }];
  await Promise.all([call(first), call(second)]);
  await call(third);
  expect([told.at(-1), told.slice(0, -1)]).toEqual([third, [second, second]]);
  await service.close();
});
