import { CrashingRun, type Deed, isNoRun, type RunSettings } from './crashing-run.ts';
import { inLanes } from './lanes.ts';
import type { CrashStep } from './program.ts';
import { SeededRandom } from './seeded-random.ts';

export type Remains = CrashStep['remains'];

export interface Sweep {
  readonly settings: Omit<RunSettings, 'random'>;
  /** Which process dies at each of its steps; before any but the first one, another was killed with rows in flight. */
  readonly deed: Deed;
  /** What is left of the unsynced bytes at step `at`. */
  remainsAt(at: number): readonly Remains[];
  readonly scope: CrashStep['scope'];
  readonly seed: number;
  readonly holdMs?: number;
  /** Ends the sweep at the first breach: to see that a mutant is caught, one is enough. */
  readonly untilCaught?: boolean;
}

export interface SweepReport {
  /** Steps at which a process died. */
  readonly points: number;
  readonly kills: number;
  /** Rows that were reported as unknown, over all points. */
  readonly unknown: number;
  readonly breaches: readonly string[];
}

const LANES = 2;

/** Brings a run to where the process that is to die takes it up: rows in flight, and half a record in the journal. */
async function leadIn(run: CrashingRun, deed: Deed): Promise<void> {
  if (deed === 'begin') return;
  await run.go('begin', { at: 'applied', count: 2, laterMs: 0 });
  await run.server.quiet();
  // Unknown rows can only be settled when it is known which they are.
  if (deed !== 'resume') await run.go('resume', { at: 'applied', count: 1, laterMs: 0 });
  run.tearJournal();
}

/** Crashes at each step of a process in turn; after every second crash the next process crashes too. */
export async function sweepCrashPoints(sweep: Sweep): Promise<SweepReport> {
  const { settings, deed, scope, holdMs, seed } = sweep;
  const total = { points: 0, kills: 0, unknown: 0 };
  const found: string[] = [];
  const crashOnce = async (at: number, remains: Remains): Promise<boolean> => {
    const random = new SeededRandom(seed + at);
    const run = await CrashingRun.start({ ...settings, random });
    try {
      await leadIn(run, deed);
      const crash: CrashStep = { at, remains, scope, ...(holdMs === undefined ? {} : { holdMs }) };
      const end = await run.go(deed, crash);
      if (end.signal !== 'SIGKILL') return false;
      if (random.chance(0.5)) {
        const second = await run.go('resume', { ...crash, at: 1 + random.below(30) });
        if (isNoRun(second)) await run.go('begin', { ...crash, at: 1 + random.below(30) });
      }
      const { breaches, unknown } = await run.judge();
      total.points += 1;
      total.kills += run.kills;
      total.unknown += unknown;
      found.push(...breaches.map((breach) => `${breach}\n  ${run.log.join('\n  ')}`));
      return true;
    } finally {
      await run.end();
    }
  };
  await inLanes(LANES, async (at) => {
    let hasDied = false;
    for (const remains of sweep.remainsAt(at)) hasDied = (await crashOnce(at, remains)) || hasDied;
    return hasDied && !(sweep.untilCaught === true && found.length > 0);
  });
  return { ...total, breaches: found };
}
