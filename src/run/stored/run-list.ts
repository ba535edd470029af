import { statSync } from 'node:fs';
import type { ClockPort } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { livingLocks } from '../../files/heartbeat.ts';
import { ifPossible, ioFailure, type Unread } from '../../files/io-failure.ts';
import { plural } from '../../output/text.ts';
import { readLastRecord } from '../journal/reader.ts';
import type { OutcomeCounts } from '../journal/record.ts';
import type { RunOverview, RunState } from './run-entry.ts';
import { type RunFolder, readRunHeader, requireRun, runFolders, type StoredRunHandle } from './run-folder.ts';
import type { RunPorts } from './run-store.ts';
import { StoredRun } from './stored-run.ts';

/** The state of a run without a process. `end`: how the last one ended; undefined if it was killed. */
export function endStateOf(end: 'finished' | 'stopped' | undefined, outcomes: OutcomeCounts | undefined): RunState {
  if (end !== 'finished') return end ?? 'interrupted';
  return (outcomes?.unknown ?? 0) > 0 ? 'unsettled' : 'finished';
}

/** The folders of the runs that a process works on. */
export async function heldRuns(runs: readonly Pick<StoredRunHandle, 'folder'>[], clock: ClockPort) {
  const locks = await livingLocks(
    runs.map(({ folder }) => folder.lock),
    clock,
  );
  return new Set(runs.map(({ folder }) => folder).filter(({ lock }) => locks.has(lock)));
}

type ListPorts = Pick<RunPorts, 'stateDir' | 'clock'>;

/** How far apart two clocks on one disk may be: a header is written soon after the time in it. */
const APART_MS = 3_600_000;

/** The latest time at which a run was begun. Without one the run is read first. */
function latestBeginMs({ header }: RunFolder): number {
  return ifPossible(() => statSync(header).mtimeMs) ?? Number.POSITIVE_INFINITY;
}

/** The folders of all runs with that time, newest first. */
async function foldersByTime(stateDir: string) {
  const folders = (await runFolders(stateDir)).map((folder) => ({ folder, ms: latestBeginMs(folder) }));
  return folders.sort((one, other) => other.ms - one.ms);
}

/**
 * The runs, newest first. Reads no more headers than are asked for, and those of about the same time. A run that cannot
 * be read is left out, and `unread` gets the reason; without `unread` it is thrown.
 */
async function* newestRuns(
  byTime: Awaited<ReturnType<typeof foldersByTime>>,
  { isForReading = false, unread }: { readonly isForReading?: boolean; readonly unread?: Unread },
): AsyncGenerator<StoredRunHandle> {
  const read: StoredRunHandle[] = [];
  let isSorted = true;
  for (const { folder, ms } of byTime) {
    if (!isSorted) read.sort((one, other) => newestFirst(other, one));
    isSorted = true;
    for (let last = read.at(-1); last !== undefined; last = read.at(-1)) {
      if (Date.parse(last.header.startedAt) <= ms + APART_MS) break;
      read.pop();
      yield last;
    }
    try {
      const header = await readRunHeader(folder, isForReading);
      if (header === undefined) continue;
      read.push({ folder, header });
      isSorted = false;
    } catch (error) {
      if (unread === undefined) throw error;
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
  yield* read.sort(newestFirst);
}

/** Runs that are checked together: holders elsewhere are watched at the same time. */
const AT_ONCE = 100;

/**
 * The newest runs, of one state if wanted, and the number of older ones, which is a minimum with a state. A run that
 * cannot be read is left out, and `unread` gets the reason.
 */
export async function listRuns(
  ports: ListPorts,
  wanted: { readonly limit?: number; readonly state?: RunState | undefined; readonly unread?: Unread } = {},
) {
  const { limit = Number.POSITIVE_INFINITY, state, unread = new Map<string, Failure>() } = wanted;
  const byTime = await foldersByTime(ports.stateDir);
  const found: RunOverview[] = [];
  let some: StoredRunHandle[] = [];
  const look = async (): Promise<void> => {
    const held = await heldRuns(some, ports.clock);
    for (const run of some) {
      try {
        const known = await overview(run, held.has(run.folder));
        if (state === undefined || known.state === state) found.push(known);
      } catch (error) {
        unread.set(run.folder.run, ioFailure('it could not be read', error, 'unchanged'));
      }
    }
    some = [];
  };
  for await (const run of newestRuns(byTime, { unread })) {
    if (some.push(run) >= AT_ONCE) await look();
    if (found.length + (state === undefined ? some.length : 0) > limit) break;
  }
  await look();
  const runs = found.slice(0, limit);
  const begun = byTime.filter(({ ms }) => ms !== Number.POSITIVE_INFINITY).length - unread.size;
  const isCut = found.length > runs.length;
  return { runs, older: isCut ? Math.max(1, (state === undefined ? begun : found.length) - runs.length) : 0 };
}

/** One run. USAGE if it does not exist. */
export async function showRun(ports: ListPorts, name: string): Promise<RunOverview> {
  const run = await requireRun(ports.stateDir, name);
  const held = await heldRuns([run], ports.clock);
  return overview(run, held.size > 0);
}

/** The newest run (`--last`). USAGE if there is none; AUTH, USAGE or LOCAL_IO if one is unreadable. */
export async function lastRunName({ stateDir }: ListPorts): Promise<string> {
  const runs = newestRuns(await foldersByTime(stateDir), { isForReading: true });
  for await (const { header } of runs) return header.run;
  throw new Failure('USAGE', 'there is no run yet');
}

function newestFirst({ header: a }: StoredRunHandle, { header: b }: StoredRunHandle): number {
  const [one, other] = [`${a.startedAt} ${a.run}`, `${b.startedAt} ${b.run}`];
  return one < other ? 1 : one > other ? -1 : 0;
}

async function overview(run: StoredRunHandle, isHeld: boolean): Promise<RunOverview> {
  const { folder, header } = run;
  const last = readLastRecord(folder.journal);
  const end = last?.s === 'end' ? last : undefined;
  const stored = isHeld || end?.outcomes === undefined ? await StoredRun.read(run) : undefined;
  const known = stored === undefined ? end?.outcomes : stored.outcomes(isHeld);
  const outcomes = stored?.damage === undefined ? known : undefined;
  const { run: name, operation, profile, rows, startedAt, options } = header;
  const state = isHeld ? 'running' : endStateOf(end?.state, outcomes);
  const source = typeof options['source'] === 'string' ? { source: options['source'] } : {};
  return { run: name, operation, profile, state, rows, outcomes, startedAt, ...source };
}

/** Most open writes of a run that are named. */
const MAX_OPEN = 5;

/** What is lost with a run besides its results: `is stopped and …`. `open`: its open entries in the history. */
export function lossOf(name: string, known: RunOverview | undefined, open: readonly string[]): string {
  const state = known?.state ?? 'finished';
  const unknown = known?.outcomes?.['unknown'] ?? 0;
  const more = open.length > MAX_OPEN ? ', …' : '';
  const named = open.length === 0 ? '' : ` (open: ${open.slice(0, MAX_OPEN).join(', ')}${more})`;
  const lost = [
    ...(state === 'finished' ? [] : [`is ${state}`]),
    ...(unknown > 0 ? [`has ${plural(unknown, 'row')} whose outcome is unknown${named}`] : []),
    ...(state === 'finished' || state === 'unsettled' ? [] : ['cannot be resumed once deleted']),
    ...(/^plan-[0-9a-f]{12}$/.test(name) ? ['keeps its plan from being sent again'] : []),
  ];
  return [lost.slice(0, -1).join(', '), lost.at(-1) ?? ''].filter((part) => part !== '').join(' and ');
}
