import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/service/api/operations.ts';
import type { Header } from '../../src/service/wire/exchange.ts';
import { answer, bench, card, inputFor, withPolicy } from '../unit/service/http/fakes.ts';
import { numberOf, Seeded } from './seeded.ts';

/** Goal G15: the wait that a service asks for is never undercut, in whatever form it asks. */

const SEED = numberOf('FRONTDESK_FUZZ_SEED', 20_261_120);
const RUNS = 1000;
/** The clock of the bench stands at 12:04:31Z. */
const NOW_MS = Date.UTC(2026, 0, 2, 12, 4, 31);

interface Asked {
  readonly headers: readonly Header[];
  /** Milliseconds that must pass, at least. */
  readonly waitMs: number;
}

function ask(seeded: Seeded): Asked {
  const seconds = seeded.below(50);
  const skewMs = (seeded.below(20_000) - 10_000) * 1000;
  const date = (offsetSeconds: number) => new Date(NOW_MS + skewMs + offsetSeconds * 1000).toUTCString();
  switch (seeded.below(4)) {
    case 0:
      return { headers: [['Retry-After', `${seconds}`]], waitMs: seconds * 1000 };
    case 1:
      return {
        headers: [
          ['Date', date(0)],
          ['Retry-After', date(seconds)],
        ],
        waitMs: seconds * 1000,
      };
    case 2: {
      const other = seeded.below(50);
      const headers = [seconds, other].map((value): Header => ['retry-after', `${value}`]);
      return { headers, waitMs: Math.max(seconds, other) * 1000 };
    }
    default:
      return { headers: [['RETRY-AFTER', ` ${seconds} `]], waitMs: seconds * 1000 };
  }
}

describe(`Retry-After (seed ${SEED})`, () => {
  it.each([429, 503])(
    `Retry-After of %i with ${RUNS} random values is waited for, and at most a tenth longer`,
    async (status) => {
      const seeded = new Seeded(SEED);
      for (let run = 0; run < RUNS; run += 1) {
        const { headers, waitMs } = ask(seeded);
        const { client, clock } = bench([answer(status, '', headers), answer(200, card('ACTIVE'))], {
          random: seeded.next(),
        });
        const result = await client.call(inputFor(OPERATIONS.cardGet), withPolicy());
        expect(result.kind, JSON.stringify(headers)).toBe('answered');
        const [slept = 0] = clock.sleeps;
        expect(slept, JSON.stringify(headers)).toBeGreaterThanOrEqual(waitMs);
        // Nothing asked for: the usual pause, half a second at most before the first retry.
        expect(slept, JSON.stringify(headers)).toBeLessThanOrEqual(waitMs === 0 ? 500 : waitMs * 1.1 + 1);
      }
    },
  );
});
