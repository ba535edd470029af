import { afterAll, expect, it } from 'vitest';
import { chosenSeed, IS_LONG, SeededRandom } from '../support/seeded-random.ts';
import { inLanes } from './lanes.ts';
import { UNSHARE } from './pod.ts';
import { SharedRun } from './shared-run.ts';

const TRIALS = IS_LONG ? 200 : 6;
const LANES = IS_LONG ? 4 : 2;
const LIMIT_MS = 60 * 60_000;
const seed = chosenSeed();

const total = { trials: 0, kills: 0, stops: 0, applied: 0, breaches: 0 };

afterAll(() => {
  process.stdout.write(`runs on several machines, seed ${seed}: ${JSON.stringify(total)}\n`);
});

async function trial(number: number): Promise<readonly string[]> {
  const run = await SharedRun.begin(new SeededRandom(seed + number * 7919));
  try {
    await run.goOn();
    const found = await run.judge();
    total.trials += 1;
    total.kills += run.kills;
    total.stops += run.stops;
    total.applied += run.server.order.length;
    total.breaches += found.length;
    return found.map((breach) => `trial ${number}: ${breach}\n  ${run.log.join('\n  ')}`);
  } finally {
    await run.end();
  }
}

it.skipIf(UNSHARE === undefined)(
  `G17 machines with clocks of their own that share a run do no row twice in ${TRIALS} trials with kills and pauses (FRONTDESK_CRASH_SEED=${seed}; needs unshare)`,
  { timeout: LIMIT_MS },
  async () => {
    const found: string[] = [];
    await inLanes(LANES, async (number) => {
      found.push(...(await trial(number)));
      return number < TRIALS;
    });
    expect(found).toEqual([]);
  },
);
