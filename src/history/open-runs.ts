import { type Stats, statSync } from 'node:fs';
import { ignoreErrors, ioFailure } from '../files/io-failure.ts';
import { requireOwnState } from '../files/own-state.ts';
import {
  type RunFolder,
  readRunHeader,
  runFolder,
  runNames,
  runsFolder,
  type StoredRunHandle,
} from '../run/stored/run-folder.ts';
import { entryOfRow } from './history-event.ts';
import {
  type Index,
  type OpenPorts,
  type OpenWrite,
  openWriteOf,
  ROWS_DIGITS,
  type RunPart,
} from './open-index-file.ts';

/** Another change within this time may have the same change time. */
const SAME_TIME_MS = 2000;

/** The rows of a run whose outcome is unknown; those under way only where no process works on it. */
async function openRows(
  { StoredRun, readLastRecord }: RunRecords,
  run: StoredRunHandle,
  isHeld: boolean,
): Promise<readonly OpenWrite[]> {
  const { header } = run;
  // Most runs ended without unknown rows, as their last line says, and need no reading.
  const last = isHeld ? undefined : readLastRecord(run.folder.journal);
  if (last?.s === 'end' && last.outcomes !== undefined && (last.outcomes.unknown ?? 0) === 0) return [];
  const stored = await StoredRun.read(run);
  try {
    // What is behind the damage may be open too.
    if (stored.damage !== undefined) throw stored.damage;
    const found: OpenWrite[] = [];
    for (const row of stored.unsettled(isHeld)) {
      const { ending, run: _, ...begun } = entryOfRow(header, await stored.entry(row));
      found.push(openWriteOf(begun, ending));
    }
    return found;
  } finally {
    await ignoreErrors(stored.close());
  }
}

/** Loaded only if a run has news. */
async function loadRecords() {
  const [{ StoredRun }, { heldRuns }, { readLastRecord }] = await Promise.all([
    import('../run/stored/stored-run.ts'),
    import('../run/stored/run-list.ts'),
    import('../run/journal/reader.ts'),
  ]);
  return { StoredRun, heldRuns, readLastRecord };
}

type RunRecords = Awaited<ReturnType<typeof loadRecords>>;

/**
 * Updates the runs in the index. Returns whether anything is new. A run that was begun, resumed or removed changes the
 * folder of all runs. Without such a change only runs with a process are checked, with one those whose journal changed.
 */
export async function readRuns(index: Index, ports: OpenPorts): Promise<boolean> {
  const { stateDir, clock, ownRun, unread } = ports;
  const all = runsFolder(stateDir);
  requireOwnState(stateDir, all);
  const mtimeMs = statSync(all, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isSame = mtimeMs !== 0 && mtimeMs === index.runsMtimeMs;
  const held = [...index.runs].flatMap(([name, part]) => (part.mtimeMs === 0 ? [name] : []));
  if (isSame && held.length === 0) return false;
  const runs = new Map<string, RunPart>(isSame ? index.runs : []);
  const changed: { readonly folder: RunFolder; readonly facts: Stats }[] = [];
  for (const name of isSame ? held : await runNames(stateDir)) {
    const folder = runFolder(stateDir, name);
    const facts = statSync(folder.journal, { throwIfNoEntry: false });
    runs.delete(name);
    if (facts === undefined) continue;
    const known = index.runs.get(name);
    if (name === ownRun) {
      runs.set(name, { size: 0, open: [], ...known, mtimeMs: 0 });
      continue;
    }
    if (known !== undefined && known.mtimeMs === facts.mtimeMs && known.size === facts.size) runs.set(name, known);
    else changed.push({ folder, facts });
  }
  await readChanged(runs, changed, ports);
  const isNews = changed.length > 0 || runs.size !== index.runs.size || !isSame;
  index.runs = runs;
  const isWhole = unread === undefined || unread.size === 0;
  index.runsMtimeMs = isWhole && clock.now() - mtimeMs > SAME_TIME_MS ? mtimeMs : 0;
  return isNews;
}

async function readChanged(
  runs: Map<string, RunPart>,
  changed: readonly { readonly folder: RunFolder; readonly facts: Stats }[],
  { clock, unread }: OpenPorts,
): Promise<void> {
  if (changed.length === 0) return;
  const records = await loadRecords();
  const held = await records.heldRuns(changed, clock);
  for (const { folder, facts } of changed) {
    try {
      const header = await readRunHeader(folder, true);
      if (header === undefined) continue;
      const isHeld = held.has(folder);
      const open = await openRows(records, { folder, header }, isHeld);
      const rows = header.rowsSha256?.slice(0, ROWS_DIGITS);
      // A run with a process is checked again each time.
      runs.set(folder.run, { mtimeMs: isHeld ? 0 : facts.mtimeMs, size: facts.size, open, rows });
    } catch (error) {
      if (unread === undefined) throw error;
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
}
