import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { inLanes } from './lanes.ts';
import { buildMutant, type Mutation } from './mutant.ts';
import { UNSHARE } from './pod.ts';
import { BUILT_PROGRAM } from './program.ts';
import { chosenSeed, IS_LONG, SeededRandom } from './seeded-random.ts';
import { SharedRun } from './shared-run.ts';

const TRIALS = IS_LONG ? 200 : 6;
const MUTANT_TRIALS = 40;
const LANES = IS_LONG ? 4 : 2;
const LIMIT_MS = 60 * 60_000;
const seed = chosenSeed();

const total = { trials: 0, kills: 0, stops: 0, applied: 0, breaches: 0 };
const folders: string[] = [];

// A busy machine takes long to remove copies of the program.
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`runs on several machines, seed ${seed}: ${JSON.stringify(total)}\n`);
}, 60_000);

async function trial(program: string, number: number): Promise<readonly string[]> {
  const run = await SharedRun.begin(program, new SeededRandom(seed + number * 7919));
  try {
    await run.goOn();
    const found = await run.judge();
    if (program === BUILT_PROGRAM) {
      total.trials += 1;
      total.kills += run.kills;
      total.stops += run.stops;
      total.applied += run.server.order.length;
      total.breaches += found.length;
    }
    return found.map((breach) => `trial ${number}: ${breach}\n  ${run.log.join('\n  ')}`);
  } finally {
    await run.end();
  }
}

/** Each is wrong in one line, and must be caught by the judge that the real program satisfies. */
const MUTANTS: readonly { wrong: string; mutation: Mutation; caught: RegExp }[] = [
  {
    wrong: 'does not look whether it still holds its run',
    mutation: {
      file: 'src/run/stored/run-store.ts',
      line: 'lost = lock.lost();',
      instead: 'lost = undefined;',
    },
    caught: /: (?:twice|lost): /,
  },
  {
    wrong: 'compares the clocks of two machines',
    mutation: {
      file: 'src/files/heartbeat.ts',
      line: 'const silentMs = this.look(path, file);',
      instead: "const silentMs = this.#clock.now() - process.getBuiltinModule('node:fs').statSync(path).mtimeMs;",
    },
    caught: /: untold: pod-\d+ lived, and its run was taken over/,
  },
  {
    wrong: 'waits for nobody elsewhere',
    mutation: {
      file: 'src/files/lock.ts',
      line: 'const WAIT_ELSEWHERE_MS = 90_000;',
      instead: 'const WAIT_ELSEWHERE_MS = 0;',
    },
    caught: /: (?:refused: pod-\d+ was alone|lost: the run cannot be finished: exit 2)/,
  },
];

describe.skipIf(UNSHARE === undefined)(
  `a run that machines with clocks of their own share (FRONTDESK_CRASH_SEED=${seed}; needs unshare)`,
  () => {
    it(`G17 does no row twice and ends by itself in ${TRIALS} trials with kills and pauses`, {
      timeout: LIMIT_MS,
    }, async () => {
      const found: string[] = [];
      await inLanes(LANES, async (number) => {
        found.push(...(await trial(BUILT_PROGRAM, number)));
        return number < TRIALS;
      });
      expect(found).toEqual([]);
    });

    it.each(MUTANTS)('shows a program that $wrong', { timeout: LIMIT_MS }, async ({ mutation, caught }) => {
      const { folder, program } = await buildMutant(mutation);
      folders.push(folder);
      const breaches: string[] = [];
      await inLanes(LANES, async (number) => {
        breaches.push(...(await trial(program, number)).filter((breach) => caught.test(breach)));
        return breaches.length === 0 && number < MUTANT_TRIALS;
      });
      expect(breaches).not.toEqual([]);
    });
  },
);
