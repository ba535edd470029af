import { afterAll, expect, it } from 'vitest';
import type { Stage } from './counting-server.ts';
import { CrashingRun, type Deed, isNoRun, type KillMoment } from './crashing-run.ts';
import { inLanes } from './lanes.ts';
import { BUILT_PROGRAM } from './program.ts';
import { chosenSeed, IS_LONG, SeededRandom } from './seeded-random.ts';
import { WRITE_NAMES, WRITES, type WriteName } from './writes.ts';

const KILLS_PER_WRITE = IS_LONG ? 170 : 5;
const ROWS = IS_LONG ? 150 : 60;
const LANES = 2;
const LIMIT_MS = IS_LONG ? 60 * 60_000 : 5 * 60_000;
const FAULTS = { refused: 0.03, dropped: 0.03, busy: 0.003 };
const seed = chosenSeed();

const killsOf = new Map<string, number>();
const total = { runs: 0, rows: 0, kills: 0, unknown: 0, unknownApplied: 0, dropped: 0, breaches: 0 };

afterAll(() => {
  process.stdout.write(`random kills, seed ${seed}: ${JSON.stringify(total)}\n`);
});

/** Any moment of a process: from its start on, by the clock, by the service, or by what it prints. */
function randomMoment(random: SeededRandom): KillMoment {
  const kind = random.pick<Stage | 'time' | 'printed'>(['time', 'printed', 'arrived', 'applied', 'answered']);
  if (kind === 'time') return { at: 'time', ms: random.below(600) };
  if (kind === 'printed') return { at: 'printed', lines: 1 + random.below(ROWS) };
  return { at: kind, count: 1 + random.below(30), laterMs: random.chance(0.5) ? 0 : random.below(4) };
}

/** Starts processes and kills them until that many were killed, or the run has come to its end under one of them. */
async function killUntilEnd(run: CrashingRun, kills: number, random: SeededRandom, deeds: readonly [Deed, ...Deed[]]) {
  const limit = run.kills + kills;
  let canOnlyBegin = false;
  while (run.kills < limit) {
    const deed = canOnlyBegin ? 'begin' : random.pick(deeds);
    const end = await run.go(deed, randomMoment(random));
    canOnlyBegin = isNoRun(end);
    if (end.signal === null && !canOnlyBegin) return;
  }
}

/** One run from its begin to its end, then the same again for what is unknown: sent again, or read back. */
async function trial(name: WriteName, number: number): Promise<readonly string[]> {
  const random = new SeededRandom(seed + number * 7919);
  const write = WRITES[name];
  const concurrency = random.pick([1, 2, 4, 8]);
  const run = await CrashingRun.start({
    program: BUILT_PROGRAM,
    write,
    rows: ROWS,
    concurrency,
    random: new SeededRandom(random.below(0x1_0000_0000)),
    faults: FAULTS,
    withHistory: true,
  });
  try {
    await run.go('begin', randomMoment(random));
    await killUntilEnd(run, 4 + random.below(6), random, ['begin', 'resume']);
    const first = await run.judge();
    const found = [...first.breaches];
    if (found.length === 0 && first.unknown > 0) {
      const before = run.server.order.length;
      const deed = write.statusAfter !== undefined && random.chance(0.5) ? 'reconcile' : 'resend';
      await killUntilEnd(run, 1 + random.below(3), random, [deed, deed, 'resume']);
      found.push(...(await run.judge()).breaches);
      const after = run.server.order.length;
      if (deed === 'reconcile' && after > before) found.push(`reading back applied ${after - before} rows`);
    }
    total.runs += 1;
    total.rows += ROWS;
    total.kills += run.kills;
    total.unknown += first.unknown;
    total.unknownApplied += first.unknownApplied;
    total.dropped += run.server.dropped;
    total.breaches += found.length;
    killsOf.set(name, (killsOf.get(name) ?? 0) + run.kills);
    return found.map((breach) => `trial ${number}: ${breach}\n  ${run.log.join('\n  ')}`);
  } finally {
    await run.end();
  }
}

it.each(WRITE_NAMES)(
  `K1 a run that is killed ${KILLS_PER_WRITE} times at random moments loses no %s and does none twice untold (FRONTDESK_CRASH_SEED=${seed})`,
  { timeout: LIMIT_MS },
  async (name) => {
    const found: string[] = [];
    await inLanes(LANES, async (number) => {
      found.push(...(await trial(name, number)));
      return (killsOf.get(name) ?? 0) < KILLS_PER_WRITE;
    });
    expect(found).toEqual([]);
  },
);
