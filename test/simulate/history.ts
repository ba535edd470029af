import { type Entry, Judge, type PrintedRow, rowsIn } from './judge.ts';
import type { Plan } from './plan.ts';
import type { Program } from './program.ts';
import { World } from './world.ts';

/** What came of one history. */
export interface Verdict {
  readonly plan: Plan;
  /** Each breach of what the program promises; none: it kept all. */
  readonly found: readonly string[];
  readonly story: readonly string[];
  readonly processes: number;
  readonly requests: number;
}

const OVER = ['finished', 'unsettled'];
/** A resume ends a run: a second one only where the first was about the run, as after a 401. */
const RESUMES = 3;

/** Ends what is left to be ended, and asks the program for all that it knows. */
async function remainsOf(world: World) {
  const json = async <Value>(argv: readonly string[]): Promise<Value> => {
    const { stdout, stderr, exitCode } = await world.ask([...argv, '-o', 'json']);
    if (exitCode !== 0 && exitCode !== 15) throw new Error(`${argv.join(' ')} ends with ${exitCode}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const listRuns = () => json<{ run: string; state: string }[]>(['runs', 'list', '--limit', '1000']);
  const runs = new Map<string, readonly PrintedRow[]>();
  for (const { run } of await listRuns()) {
    for (let round = 0; round < RESUMES; round += 1) {
      const { stdout, stderr, exitCode } = await world.ask(['runs', 'resume', run, '-o', 'ndjson'], run);
      if (![0, 8, 15].includes(exitCode ?? -1)) throw new Error(`runs resume ${run} ends with ${exitCode}: ${stderr}`);
      runs.set(run, rowsIn(stdout));
      const state = (await listRuns()).find((each) => each.run === run)?.state ?? '';
      // Rows that another open write holds back wait until a person has closed that.
      const left = rowsIn(stdout).filter(
        ({ outcome, error }) => outcome === 'not_sent' && error?.code !== 'PRECONDITION',
      );
      if (OVER.includes(state) || (state === 'stopped' && left.length === 0)) break;
      if (round === RESUMES - 1) throw new Error(`${run} is ${state} after ${RESUMES} resumes`);
    }
  }
  const results = new Map<string, readonly PrintedRow[]>();
  for (const run of runs.keys()) {
    const { stdout } = await world.ask(['runs', 'results', run, '-o', 'ndjson']);
    results.set(run, rowsIn(stdout));
  }
  const history = await json<Entry[]>(['history', '--limit', '1000']);
  return { runs, results, history, open: await json<Entry[]>(['history', '--open', '--limit', '1000']) };
}

/** What nothing in a simulated process catches is that one's, and not the test's. */
async function catchingAll<Result>(world: World, work: () => Promise<Result>): Promise<Result> {
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.setUncaughtExceptionCaptureCallback((error) => world.scheduler.current?.fail(error));
  try {
    return await work();
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

export function judgeHistory(plan: Plan, program: Program): Promise<Verdict> {
  const world = new World(plan, program);
  return catchingAll(world, () => judgeWorld(world));
}

async function judgeWorld(world: World): Promise<Verdict> {
  const found: string[] = [];
  const hasEnded = await world.happen();
  if (!hasEnded) {
    const left = world.started.filter(({ process }) => !process.isGone).map(({ argv }) => argv.join(' '));
    found.push(`endless: the faults have stopped, and these have not: ${left.join('; ')}`, ...world.faults);
  } else {
    try {
      found.push(...new Judge(world, await remainsOf(world)).judge());
    } catch (error) {
      found.push(`stuck: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const { started, service, plan } = world;
  return { plan, found, story: world.story, processes: started.length, requests: service.arrivals.length };
}
