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

/** When the record of a run was last written; undefined: there is none. What cannot be looked at is read, which tells why. */
function changeTime({ journal }: RunFolder): number | undefined {
  try {
    return statSync(journal, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The rows of all runs that have a record, from the run's records: they are not written twice. The records of a run
 * whose last change is not `isOfInterest`, or whose header shows that no row matches, are not opened. Of a run
 * that cannot be read, or is not believed, `unread` hears why.
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
  // What changed last comes first, and spares the opening of the others.
  for (const { folder, changedMs } of changed.sort((one, other) => other.changedMs - one.changedMs)) {
    // One that holds a wanted entry counts whenever it was changed: a clock may have been set back since.
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

/** One row of a run; undefined when there is none, or no record of it. */
export async function runEntry(stateDir: string, run: string, row: number): Promise<HistoryEntry | undefined> {
  if (!isRunName(run)) return undefined;
  const folder = runFolder(stateDir, run);
  const header = await readRunHeader(folder);
  const entries = header === undefined ? [] : entriesOf({ folder, header }, row, row);
  for await (const entry of entries) return entry;
  return undefined;
}

/** When the oldest run was begun, in milliseconds since 1970; undefined: there is none that can be read. */
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
