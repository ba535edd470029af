import type { ClockPort } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { ioFailure, type Unread } from '../../files/io-failure.ts';
import { livingLocks } from '../../files/living-locks.ts';
import { plural } from '../../output/safe-text.ts';
import { readLastRecord } from '../journal/reader.ts';
import type { OutcomeCounts } from '../journal/record.ts';
import type { RunOverview, RunState } from './run-entry.ts';
import { type RunHeader, readRunHeader, requireRun, runFolder, runNames, type StoredRunHandle } from './run-folder.ts';
import type { RunPorts } from './run-store.ts';
import { StoredRun } from './stored-run.ts';

/** The state of a run that no process works on: `end` is how its last process ended, undefined where it was killed. */
export function endStateOf(end: 'finished' | 'stopped' | undefined, outcomes: OutcomeCounts | undefined): RunState {
  if (end !== 'finished') return end ?? 'interrupted';
  return (outcomes?.unknown ?? 0) > 0 ? 'unsettled' : 'finished';
}

/** The folders of those runs that a process works on. */
export async function heldRuns(runs: readonly Pick<StoredRunHandle, 'folder'>[], clock: ClockPort) {
  const locks = await livingLocks(
    runs.map(({ folder }) => folder.lock),
    clock,
  );
  return new Set(runs.map(({ folder }) => folder).filter(({ lock }) => locks.has(lock)));
}

type ListPorts = Pick<RunPorts, 'stateDir' | 'clock'>;

/** All runs, newest first. A run that cannot be read is left out, as it cannot be worked on either, and `unread` hears why. */
export async function listRuns(ports: ListPorts, unread: Unread = new Map()): Promise<readonly RunOverview[]> {
  const runs = (await runNames(ports.stateDir)).map((name) => ({ folder: runFolder(ports.stateDir, name) }));
  const held = await heldRuns(runs, ports.clock);
  const found: RunOverview[] = [];
  for (const { folder } of runs) {
    try {
      const header = await readRunHeader(folder);
      if (header !== undefined) found.push(await overview({ folder, header }, held.has(folder)));
    } catch (error) {
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
  return found.sort(newestFirst);
}

/** One run. USAGE when there is none. */
export async function showRun(ports: ListPorts, name: string): Promise<RunOverview> {
  const run = await requireRun(ports.stateDir, name);
  const held = await heldRuns([run], ports.clock);
  return overview(run, held.size > 0);
}

/**
 * The name of the run that was begun last (`--last`). USAGE when there is none; where one cannot be read, which may be
 * the last, USAGE, AUTH or LOCAL_IO.
 */
export async function lastRunName(ports: ListPorts): Promise<string> {
  const headers: RunHeader[] = [];
  for (const name of await runNames(ports.stateDir)) {
    const header = await readRunHeader(runFolder(ports.stateDir, name), true);
    if (header !== undefined) headers.push(header);
  }
  const last = headers.sort(newestFirst)[0];
  if (last === undefined) throw new Failure('USAGE', 'there is no run yet');
  return last.run;
}

function newestFirst(a: Pick<RunHeader, 'run' | 'startedAt'>, b: Pick<RunHeader, 'run' | 'startedAt'>): number {
  const [one, other] = [`${a.startedAt} ${a.run}`, `${b.startedAt} ${b.run}`];
  return one < other ? 1 : one > other ? -1 : 0;
}

async function overview(run: StoredRunHandle, isHeld: boolean): Promise<RunOverview> {
  const { folder, header } = run;
  const last = await readLastRecord(folder.journal);
  const end = last?.s === 'end' ? last : undefined;
  const outcomes = (isHeld ? undefined : end?.outcomes) ?? (await countOutcomes(run, isHeld));
  const { run: name, operation, profile, rows, startedAt, options } = header;
  const state = isHeld ? 'running' : endStateOf(end?.state, outcomes);
  const source = typeof options['source'] === 'string' ? { source: options['source'] } : {};
  return { run: name, operation, profile, state, rows, outcomes, startedAt, ...source };
}

/** Undefined: the journal is damaged. */
async function countOutcomes(run: StoredRunHandle, isHeld: boolean): Promise<OutcomeCounts | undefined> {
  const stored = await StoredRun.read(run);
  return stored.damage === undefined ? stored.outcomes(isHeld) : undefined;
}

/** So many open writes of one run are named. */
const MAX_OPEN = 5;

/** What is lost with a run besides its results, to be put after its name. `open`: its open entries in the history. */
export function lossOf(name: string, known: RunOverview | undefined, open: readonly string[]): string {
  const state = known?.state ?? 'finished';
  const unknown = known?.outcomes?.['unknown'] ?? 0;
  const more = open.length > MAX_OPEN ? ', …' : '';
  const named = open.length === 0 ? '' : ` (open: ${open.slice(0, MAX_OPEN).join(', ')}${more})`;
  const lost = [
    ...(state === 'finished' ? [] : [`is ${state}`]),
    ...(state === 'finished' || state === 'unsettled' ? [] : ['could not be resumed then']),
    ...(unknown > 0 ? [`has ${plural(unknown, 'row')} whose outcome is unknown${named}`] : []),
  ];
  const sent = /^plan-[0-9a-f]{12}$/.test(name) ? '. Its plan could be sent again then' : '';
  return `${lost.length === 0 ? '' : `, which ${lost.join(' and ')}`}${sent}`;
}
