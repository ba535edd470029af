import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ClockPort } from '../base/context.ts';
import { ifPossible, ignoreErrors, ioFailure, type Unread } from '../base/files/io-failure.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { machineName } from '../base/files/process-identity.ts';
import { appendLines } from './ledger.ts';
import { addLine, runMark } from './stored/open-folder.ts';
import { type RunFolder, readRunHeader, runFolder } from './stored/run-folder.ts';
import { heldRuns } from './stored/run-list.ts';
import { StoredRun } from './stored/stored-run.ts';
import { type Closing, closing, entryOfRow, type HistoryEntry, isClosed } from './write-record.ts';

/** What the look-up of open writes needs. */
export interface OpenPorts {
  readonly stateDir: string;
  readonly clock: ClockPort;
  /** Only writes about this; absent: all. Rows of runs are not chosen by it. */
  readonly key?: string | undefined;
  /** The run that this process works on: what is open of it is its own concern. */
  readonly ownRun?: string | undefined;
  /** Gets what cannot be read, by name. Without it, the first failure is thrown. */
  readonly unread?: Unread | undefined;
  /** False: nothing is tidied up. */
  readonly mayWrite?: false;
}

/**
 * An open write. `isInProgress`: a process is sending it, and nobody else may close it. `mayEndElsewhere`: one of another
 * machine or container may be sending it.
 */
export interface OpenEntry extends HistoryEntry {
  readonly isInProgress?: boolean;
  readonly mayEndElsewhere?: boolean;
}

const markHead = z.object({ run: z.string(), at: z.optional(z.undefined()) });
const closedRow = z.object({ row: z.int(), ...closing.shape });

/** Records what closed a row of a run, in the run's folder: it goes with the run. Rejects with the system's error. */
export async function closeRow(stateDir: string, entry: string, how: Closing): Promise<void> {
  const [, run = '', row] = /^(.*):(\d+)$/.exec(entry) ?? [];
  const { path } = runFolder(stateDir, run);
  // A run that was removed meanwhile has no open rows.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  await appendLines(join(path, `closed.${machineName()}.ndjson`), `${JSON.stringify({ row: Number(row), ...how })}\n`);
}

export function closingsOf({ path }: Pick<RunFolder, 'path'>): ReadonlyMap<number, Closing> {
  const found = new Map<number, Closing>();
  for (const name of readdirSync(path).filter((each) => each.startsWith('closed.'))) {
    for (const line of readFileSync(join(path, name), 'utf8').split('\n')) {
      const { data } = closedRow.safeParse(ifPossible(() => JSON.parse(line)));
      if (data === undefined) continue;
      const before = found.get(data.row);
      found.set(data.row, {
        supersededBy: before?.supersededBy ?? data.supersededBy,
        resolved: data.resolved ?? before?.resolved,
      });
    }
  }
  return found;
}

/** The rows of a run that a later change superseded: to send them again would undo it. */
export function supersededRows(folder: Pick<RunFolder, 'path'>): ReadonlySet<number> {
  const closed = [...closingsOf(folder)].filter(([, { supersededBy }]) => supersededBy !== undefined);
  return new Set(closed.map(([row]) => row));
}

/** The run whose row made a name that can exist once: the name is a link to the run's mark. AUTH, LOCAL_IO. */
export function runOfName(stateDir: string, path: string): string | undefined {
  // Before it is opened: nothing may ever come out of a pipe.
  requireOwnState(stateDir, path);
  const line = ifPossible(() => readFileSync(path, 'utf8'))?.split('\n', 1)[0] ?? '';
  const { data } = markHead.safeParse(ifPossible(() => JSON.parse(line)));
  return data?.run;
}

/** What a mark says of its run: the unknown rows, for a journal of that size and time. */
interface Known {
  readonly size: number;
  readonly mtimeMs: number;
  readonly rows: readonly HistoryEntry[];
}

function knownOf(stateDir: string, run: string): Known | undefined {
  const path = runMark(stateDir, run);
  requireOwnState(stateDir, path);
  const lines = ifPossible(() => readFileSync(path, 'utf8')) ?? '';
  return ifPossible(() => JSON.parse(lines.trimEnd().split('\n').at(-1) ?? ''));
}

/** The rows of a run with an unknown outcome. If a process works on it, its rows in flight are in progress. */
async function unknownRows(folder: RunFolder, isHeld: boolean): Promise<readonly OpenEntry[]> {
  const header = await readRunHeader(folder, true);
  if (header === undefined) return [];
  const stored = await StoredRun.read({ folder, header });
  try {
    // What is behind the damage may be open too.
    if (stored.damage !== undefined) throw stored.damage;
    const found: OpenEntry[] = [];
    for (const row of stored.unknownRows()) found.push(entryOfRow(header, stored.entry(row)));
    for (const row of stored.rowsInFlight())
      found.push({ ...entryOfRow(header, stored.entry(row)), isInProgress: isHeld });
    return found;
  } finally {
    stored.close();
  }
}

/** The open rows of these runs. A journal is read once: the mark then says what is unknown in it. */
export async function openRowsOf(ports: OpenPorts, runs: readonly string[]): Promise<readonly OpenEntry[]> {
  const { stateDir, clock, unread, mayWrite } = ports;
  const rows: { readonly folder: RunFolder; readonly rows: readonly OpenEntry[] }[] = [];
  const news: { readonly folder: RunFolder; readonly size: number; readonly mtimeMs: number }[] = [];
  for (const run of runs) {
    const folder = runFolder(stateDir, run);
    // A header says that there is a journal. If it is gone, what was sent is not known, and reading says so.
    const facts =
      statSync(folder.journal, { throwIfNoEntry: false }) ?? statSync(folder.header, { throwIfNoEntry: false });
    if (facts === undefined) continue;
    const { size, mtimeMs } = facts;
    const known = knownOf(stateDir, run);
    if (known?.size === size && known.mtimeMs === mtimeMs) rows.push({ folder, rows: known.rows });
    else news.push({ folder, size, mtimeMs });
  }
  const held = news.length === 0 ? undefined : await heldRuns(news, clock);
  for (const { folder, size, mtimeMs } of news) {
    try {
      const isHeld = held?.has(folder) === true;
      const unknown = await unknownRows(folder, isHeld);
      rows.push({ folder, rows: unknown });
      const line = `${JSON.stringify({ size, mtimeMs, rows: unknown } satisfies Known)}\n`;
      if (!isHeld && mayWrite !== false) await ignoreErrors(addLine(runMark(stateDir, folder.run), line));
    } catch (error) {
      if (unread === undefined) throw error;
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
  return rows.flatMap(({ folder, rows: all }) => {
    if (all.length === 0) return [];
    const closed = closingsOf(folder);
    return all.filter(({ entry }) => !isClosed(closed.get(Number(entry.split(':').at(-1))) ?? {}));
  });
}
