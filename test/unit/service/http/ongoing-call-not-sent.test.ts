import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { createHttpClient } from '../../../../src/service/http/ongoing-call.ts';
import { createTransport } from '../../../../src/service/wire/transport.ts';
import {
  type Behavior,
  counted,
  type FaultServer,
  json,
  raw,
  startFaultServer,
} from '../../../support/fault-server.ts';
import { baseUrl, card, inputFor, POLICY, TOKEN } from './fakes.ts';

/** The service's own count is the judge (docs/faults.md G4): what it did is never reported as not done. */

let current: readonly Behavior[] = [];
let index = 0;
let server: FaultServer;

beforeAll(async () => {
  server = await startFaultServer({
    route: (request) => {
      if (request.method === 'GET') return counted(json(200, card('ACTIVE')), false);
      const behavior = current[Math.min(index, current.length - 1)];
      index += 1;
      return behavior;
    },
  });
});
afterAll(() => server.close());

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"object":"x"}';

/** A correct answer with bytes changed, taken out or put in, or cut anywhere: what a broken middle box makes of it. */
const garbage = fc
  .record({
    bytes: fc.constant(Buffer.from(WHOLE, 'latin1')),
    at: fc.nat(WHOLE.length - 1),
    remove: fc.nat(20),
    insert: fc.uint8Array({ maxLength: 20 }),
    cut: fc.nat(WHOLE.length),
    applies: fc.boolean(),
  })
  .map(({ bytes, at, remove, insert, cut, applies }) =>
    counted(raw(Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]).subarray(0, cut)), applies),
  );

const reset = (applies: boolean): Behavior => ({ applies, onRequest: (socket) => socket.resetAndDestroy() });

const behavior = fc.oneof(
  { weight: 6, arbitrary: garbage },
  { weight: 1, arbitrary: fc.boolean().map(reset) },
  { weight: 1, arbitrary: fc.constantFrom(500, 502, 503).map((status) => counted(json(status, ''), true)) },
  { weight: 1, arbitrary: fc.constant(counted(json(503, '', { 'Retry-After': '1' }), true)) },
  { weight: 1, arbitrary: fc.constantFrom(408, 429, 400, 404).map((status) => json(status, '')) },
);

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

it.each([OPERATIONS.cardBlock, OPERATIONS.cardReissue, OPERATIONS.calendarUpdate, OPERATIONS.eventCreate])(
  'whatever the service answers to a write: $name: done means never not_sent or rejected, and it is sent again only where the table allows',
  async (operation) => {
    const url = baseUrl(server.url);
    await fc.assert(
      fc.asyncProperty(fc.array(behavior, { minLength: 1, maxLength: 3 }), async (script) => {
        current = script;
        index = 0;
        const before = server.applications();
        const transport = createTransport({ baseUrl: url, clock });
        const client = createHttpClient({
          baseUrl: url,
          credential: { token: async () => TOKEN, renew: async () => undefined },
          clock,
          random: () => 0,
          version: '1.2.3',
          profile: 'demo',
          namedProfile: undefined,
          stoppedBy: () => undefined,
          transport,
        });
        const result = await client.call(inputFor(operation), { policy: { ...POLICY, timeoutMs: 1000 } });
        await transport.close();
        const applications = server.applications() - before;
        const { outcome } = result.callOutcome;
        if (applications > 0) expect(['applied', 'confirmed_by_read', 'unknown']).toContain(outcome);
        const isOnceOnly = operation.effect.unavailable === 'never';
        if (isOnceOnly) expect(applications).toBeLessThanOrEqual(1);
        expect(result.kind === 'answered' ? 0 : result.failure.exitCode).not.toBe(1);
      }),
      { numRuns: 250, seed: 20_260_102 },
    );
    expect(server.requests.length).toBeGreaterThan(0);
  },
  60_000,
);
