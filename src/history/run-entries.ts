import { stat } from 'node:fs/promises';
import { ignoreErrors, ignoreNotFound, ioFailure, type Unread } from '../files/io-failure.ts';
import type { StoredRow } from '../run/journal/entry.ts';
import {
  isRunName,
  type RunHeader,
  readRunHeader,
  runFolder,
  runNames,
  type StoredRunHandle,
} from '../run/stored/run-folder.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import { type HistoryEntry, hostOf } from './history-event.ts';

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
  }: { readonly operation?: string | undefined; readonly untilMs?: number | undefined },
  unread: Unread,
): AsyncGenerator<HistoryEntry> {
  // Names sort by time, so the newest runs come first and spare the opening of older ones.
  for (const name of [...(await runNames(stateDir))].sort().reverse()) {
    const folder = runFolder(stateDir, name);
    try {
      const changedMs = (await ignoreNotFound(stat(folder.journal)))?.mtimeMs;
      if (changedMs === undefined || !page.isOfInterest(changedMs)) continue;
      const header = await readRunHeader(folder);
      if (header === undefined || (operation !== undefined && header.operation !== operation)) continue;
      if (Date.parse(header.startedAt) < untilMs) yield* entriesOf({ folder, header });
    } catch (error) {
      unread.set(name, ioFailure('it could not be read', error, 'unchanged'));
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
