import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../../src/api/operations.ts';
import { openService } from '../../../../src/engine/session/open-service.ts';
import type { Session } from '../../../../src/session.ts';
import { startRecordingServer } from '../../../support/recording-server.ts';

const POLICY = { timeoutMs: 5000, retries: 0, retryMaxTimeMs: 5000 };
const CARD = '0b7a6c1e-3f52-4d8a-9c41-000000000001';

it('sends no write of an operation that passed no guard, and reads all the same', async () => {
  const server = await startRecordingServer(() => ({ body: { cardId: CARD } }));
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const url = { url: server.url, source: 'environment', overrides: undefined };
  // What opening a service reads of a session, and nothing else.
  const session = {
    context: { env: server.env, clock, random: () => 0, version: '0', platform: 'linux', signals: { received: [] } },
    profile: { name: 'default', isSandbox: false, namedBy: undefined, cardsUrl: url },
    common: { verbose: false, ignoreExpiry: false },
    prompt: { available: false },
  } as unknown as Session;
  const permitted = new Set<string>();
  const service = await openService(session, 'cards', {
    mask: { add: () => undefined } as never,
    trustPems: async () => [],
    display: { waiting: () => undefined, clear: () => undefined },
    state: { writesUnderWay: 0, forgiven: 0, isCrashing: false },
    isLasting: false,
    isPermitted: ({ name }) => permitted.has(name),
  });
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
