import { statSync } from 'node:fs';
import { ignoreErrors, ioFailure, type Unread } from '../files/io-failure.ts';
import type { StoredRow } from '../run/journal/entry.ts';
import {
  isRunName,
  type RunFolder,
  type RunHeader,
  readRunHeader,
  runFolder,
  runNames,
  type StoredRunHandle,
} from '../run/stored/run-folder.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import { type HistoryEntry, hostOf } from './history-event.ts';

/**
 * When the journal of a run was last written; undefined if there is none. If it cannot be checked, reading it says why.
 */
function changeTime({ journal }: RunFolder): number | undefined {
  try {
    return statSync(journal, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The rows of all recorded runs, from their journals. A run is not opened if its last change is not `isOfInterest`, or
 * its header shows that no row matches. `unread` gets runs that cannot be read or believed.
 */
export async function* runEntries(
  stateDir: string,
  page: { isOfInterest(timeMs: number): boolean },
  {
    operation,
    untilMs = Number.POSITIVE_INFINITY,
    among,
  }: {
    readonly operation?: string | undefined;
    readonly untilMs?: number | undefined;
    readonly among?: ReadonlySet<string> | undefined;
  },
  unread: Unread,
): AsyncGenerator<HistoryEntry> {
  const wanted = among && new Set([...among].map((entry) => entry.split(':', 1)[0]));
  const names = (await runNames(stateDir)).filter((name) => wanted?.has(name) !== false);
  const folders = names.map((name) => runFolder(stateDir, name));
  const changed = folders.flatMap((folder) => {
    const changedMs = changeTime(folder);
    return changedMs === undefined ? [] : [{ folder, changedMs }];
  });
  // What changed last comes first, and may make opening the others unnecessary.
  for (const { folder, changedMs } of changed.sort((one, other) => other.changedMs - one.changedMs)) {
    // A run with a wanted entry counts whenever it was changed: a clock may have been set back.
    if (among === undefined && !page.isOfInterest(changedMs)) continue;
    try {
      const header = await readRunHeader(folder);
      if (header === undefined || (operation !== undefined && header.operation !== operation)) continue;
      if (Date.parse(header.startedAt) < untilMs) yield* entriesOf({ folder, header });
    } catch (error) {
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
}

/** One row of a run; undefined without the row or its journal. */
export async function runEntry(stateDir: string, run: string, row: number): Promise<HistoryEntry | undefined> {
  if (!isRunName(run)) return undefined;
  const folder = runFolder(stateDir, run);
  const header = await readRunHeader(folder);
  const entries = header === undefined ? [] : entriesOf({ folder, header }, row, row);
  for await (const entry of entries) return entry;
  return undefined;
}

/** When the oldest readable run was begun, in milliseconds since 1970; undefined if there is none. */
export async function firstRun(stateDir: string): Promise<number | undefined> {
  let firstMs: number | undefined;
  for (const name of await runNames(stateDir)) {
    const header = await readRunHeader(runFolder(stateDir, name)).catch(() => undefined);
    if (header !== undefined) firstMs = Math.min(Date.parse(header.startedAt), firstMs ?? Number.POSITIVE_INFINITY);
  }
  return firstMs;
}

async function* entriesOf(run: StoredRunHandle, first = 1, last = run.header.inputRows): AsyncGenerator<HistoryEntry> {
  const stored = await StoredRun.readWhole(run);
  try {
    for (let row = first; row <= last; row += 1) {
      if (stored.has(row)) yield toEntry(run.header, await stored.entry(row));
    }
  } finally {
    await ignoreErrors(stored.close());
  }
}

function toEntry(header: RunHeader, stored: StoredRow): HistoryEntry {
  const { user, profile, operation, run } = header;
  const { id, reason, ending } = stored;
  const entry = `${run}:${stored.row}`;
  const time = stored.timeMs === undefined ? header.startedAt : new Date(stored.timeMs).toISOString();
  const { clientReference } = ending;
  return { entry, time, user, profile, host: hostOf(header.host), operation, id, reason, clientReference, ending, run };
}
