import { existsSync } from 'node:fs';
import type { ClockPort } from '../../base/context.ts';
import { Failure } from '../../base/failure.ts';
import { livingLocks } from '../../base/files/heartbeat.ts';
import { ioFailure, type Unread } from '../../base/files/io-failure.ts';
import { plural } from '../../screen/text.ts';
import { readLastRecord } from '../journal/reader.ts';
import type { OutcomeCounts } from '../journal/record.ts';
import type { RunOverview, RunState } from './run-entry.ts';
import { type RunFolder, readRunHeader, requireRun, runFolders, type StoredRunHandle } from './run-folder.ts';
import { placesOfRuns } from './run-order.ts';
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

/** The folders of all runs, the one that was begun last first. One without a place was never begun to its end. */
export async function foldersByTime(stateDir: string): Promise<readonly RunFolder[]> {
  const places = placesOfRuns(stateDir);
  const placeOf = ({ run }: RunFolder) => places.get(run) ?? -1;
  return (await runFolders(stateDir)).sort((one, other) => placeOf(other) - placeOf(one));
}

/**
 * The runs, the one that was begun last first. Reads no more headers than are asked for. A run that cannot be read is
 * left out, and `unread` gets the reason; without `unread` it is thrown.
 */
async function* newestRuns(
  folders: readonly RunFolder[],
  { isForReading = false, unread }: { readonly isForReading?: boolean; readonly unread?: Unread },
): AsyncGenerator<StoredRunHandle> {
  for (const folder of folders) {
    try {
      const header = await readRunHeader(folder, isForReading);
      if (header !== undefined) yield { folder, header };
    } catch (error) {
      if (unread === undefined) throw error;
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
}

/** Runs that are checked together: holders elsewhere are watched at the same time. */
const AT_ONCE = 100;

/**
 * The newest runs, of one state if wanted, and the number of older ones, which is a minimum with a state. A run that
 * cannot be read is left out, and `unread` gets the reason.
 */
export async function listRuns(
  ports: ListPorts,
  wanted: {
    readonly limit?: number;
    readonly state?: RunState | undefined;
    readonly profile?: string | undefined;
    readonly unread?: Unread;
  } = {},
) {
  const { limit = Number.POSITIVE_INFINITY, state, profile, unread = new Map<string, Failure>() } = wanted;
  const isAny = state === undefined && profile === undefined;
  const byTime = await foldersByTime(ports.stateDir);
  const found: RunOverview[] = [];
  let some: StoredRunHandle[] = [];
  const check = async (): Promise<void> => {
    const held = await heldRuns(some, ports.clock);
    for (const run of some) {
      try {
        const known = await overview(run, held.has(run.folder));
        const isOfProfile = profile === undefined || known.profile === profile;
        if (isOfProfile && (state === undefined || known.state === state)) found.push(known);
      } catch (error) {
        unread.set(run.folder.run, ioFailure('it could not be read', error, 'unchanged'));
      }
    }
    some = [];
  };
  for await (const run of newestRuns(byTime, { unread })) {
    if (some.push(run) >= AT_ONCE) await check();
    if (found.length + (isAny ? some.length : 0) > limit) break;
  }
  await check();
  const runs = found.slice(0, limit);
  const begun = byTime.filter(({ header }) => existsSync(header)).length - unread.size;
  const isCut = found.length > runs.length;
  return { runs, older: isCut ? Math.max(1, (isAny ? begun : found.length) - runs.length) : 0 };
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
