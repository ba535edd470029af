import { type Stats, statSync } from 'node:fs';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallOutcome } from '../call-outcome.ts';
import type { ClockPort } from '../context.ts';
import { ifPossible, ignoreErrors, ioFailure, type Unread } from '../files/io-failure.ts';
import { requireOwnState } from '../files/own-state.ts';
import { temporaryName } from '../files/process-identity.ts';
import {
  type RunFolder,
  readRunHeader,
  runFolder,
  runFolders,
  runsFolder,
  type StoredRunHandle,
} from '../run/stored/run-folder.ts';
import { type BeginEvent, type Closing, entryOfRow, subjectOfWrite } from './history-event.ts';

/** An open write: its beginning, without an end that resolves it, and not superseded or resolved. */
export interface OpenWrite extends Omit<BeginEvent, 'event' | 'id' | 'reason'> {
  /** The ID that it is about, of a card in lower case. */
  readonly subject?: string | undefined;
  readonly httpStatus?: number | undefined;
  /** The status of the card when it was checked. */
  readonly observedStatus?: string | undefined;
}

/** An open write, from its beginning and what its end says. Its `call` is the operation of the table, if it is in it. */
export function openWriteOf(
  { id, reason: _, ...facts }: Omit<BeginEvent, 'event'>,
  { httpStatus, observedStatus }: Partial<CallOutcome> = {},
): OpenWrite {
  const { row, subject } = subjectOfWrite({ ...facts, id });
  return { ...facts, call: row?.name, subject, httpStatus, observedStatus };
}

export interface Begun {
  /** Its line, until its content is needed. */
  line?: string;
  write?: OpenWrite | undefined;
  /** The last line about its end; undefined: it has not ended. */
  last?: string | undefined;
}

/** An event that was sent lately and not refused. */
export type SentEvent = Pick<OpenWrite, 'entry' | 'time' | 'profile' | 'url' | 'digest'>;

/** What is known of one run, at a time and size of its journal; 0: a process works on it. */
interface RunPart {
  readonly mtimeMs: number;
  readonly size: number;
  readonly open: readonly OpenWrite[];
  /** The beginning of the digest of its rows, to find the same input. */
  readonly rows?: string | undefined;
}

/** How many digits of the digest of a run's rows are kept. The header has all. */
export const ROWS_DIGITS = 16;

/** What is known of the history up to `offset`. Its file may be removed at any time. */
export interface Index {
  ino: number;
  offset: number;
  /** The last bytes before `offset`: they show if another file took its place. */
  tail: string;
  /** Changes without an end that resolves them. */
  readonly begun: Map<string, Begun>;
  /** Closings of rows of runs, which have no beginning in the history. */
  readonly closed: Map<string, Closing>;
  /** Events of the last day by entry, the newest last. */
  readonly sent: Map<string, SentEvent>;
  runs: Map<string, RunPart>;
  /** Change time of the folder of runs: no run was begun, resumed or removed since; 0: not known. */
  runsMtimeMs: number;
}

/** What the look-up of open writes needs. */
export interface OpenPorts {
  readonly stateDir: string;
  readonly clock: ClockPort;
  readonly pid: number;
  /** The run that this process works on: what is open of it is its own concern. */
  readonly ownRun?: string | undefined;
  /** Gets the runs that cannot be read. Without it, the first failure is thrown. */
  readonly unread?: Unread | undefined;
  /** False: nothing is written. */
  readonly keepsIndex?: false;
}

/** An index without any knowledge. */
export function emptyIndex(): Index {
  const maps = { begun: new Map(), closed: new Map(), sent: new Map(), runs: new Map() };
  return { ino: 0, offset: 0, tail: '', runsMtimeMs: 0, ...maps };
}

/** Version of the file. Another one is made anew. */
const VERSION = 3;

/** The index in a file; undefined if it cannot be used. */
export async function loadIndex(path: string): Promise<Index | undefined> {
  try {
    const { version, begun, closed, sent, runs, ...rest } = JSON.parse(await readFile(path, 'utf8'));
    if (version !== VERSION) return undefined;
    return { ...rest, begun: new Map(begun), closed: new Map(closed), sent: new Map(sent), runs: new Map(runs) };
  } catch {
    return undefined;
  }
}

/** Saves the index. Another process may do so at the same moment: either result is good, and so is none. */
export async function saveIndex(path: string, index: Index, pid: number): Promise<void> {
  const { begun, closed, sent, runs } = index;
  const maps = { begun: [...begun], closed: [...closed], sent: [...sent], runs: [...runs] };
  const text = JSON.stringify({ version: VERSION, ...index, ...maps });
  const temporary = join(dirname(path), temporaryName(pid));
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch {
    await ignoreErrors(unlink(temporary));
  }
}

/** Another change within this time may have the same change time. */
const SAME_TIME_MS = 2000;

/** The rows of a run with an unknown outcome; rows in flight only if no process works on it. */
async function openRows({ StoredRun, readLastRecord }: RunRecords, run: StoredRunHandle, isHeld: boolean) {
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
      const { callOutcome, run: _, ...begun } = entryOfRow(header, await stored.entry(row));
      found.push(openWriteOf(begun, callOutcome));
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

/** Of the journal. A header says that there is one: if it is gone, what was sent is not known, and reading says so. */
function factsOf({ journal, header }: RunFolder): Stats | undefined {
  return statSync(journal, { throwIfNoEntry: false }) ?? statSync(header, { throwIfNoEntry: false });
}

/** Known runs that are looked at in each call: the time for one look allows no more. */
const MOST_CHECKED = 100;

/** The known runs, but those to which others can write by now: they are read again, which refuses them. */
function trustedRuns({ runs }: Index, stateDir: string): ReadonlyMap<string, RunPart> {
  const loose = [...runs.keys()].slice(-MOST_CHECKED).filter((name) => {
    const isOwn = ifPossible(() => requireOwnState(stateDir, runFolder(stateDir, name).path) ?? true);
    return isOwn !== true;
  });
  return loose.length === 0 ? runs : new Map([...runs].filter(([name]) => !loose.includes(name)));
}

/**
 * Updates the runs in the index. Returns whether anything is new. A run that was begun, resumed or removed changes the
 * folder of all runs. Without such a change only runs with a process are checked, with one those whose journal changed.
 */
export async function readRuns(index: Index, ports: OpenPorts): Promise<boolean> {
  const { stateDir, clock, ownRun, unread } = ports;
  const all = runsFolder(stateDir);
  requireOwnState(stateDir, all);
  const mtimeMs = statSync(all, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const trusted = trustedRuns(index, stateDir);
  const isSame = mtimeMs !== 0 && mtimeMs === index.runsMtimeMs && trusted === index.runs;
  const held = [...trusted].flatMap(([name, part]) => (part.mtimeMs === 0 ? [runFolder(stateDir, name)] : []));
  if (isSame && held.length === 0) return false;
  const runs = new Map<string, RunPart>(isSame ? index.runs : []);
  const changed: { readonly folder: RunFolder; readonly facts: Stats }[] = [];
  for (const folder of isSame ? held : await runFolders(stateDir)) {
    const name = folder.run;
    const facts = factsOf(folder);
    runs.delete(name);
    if (facts === undefined) continue;
    const known = trusted.get(name);
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
