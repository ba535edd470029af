import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Failure, type Outcome } from '../failure.ts';
import { ignoreErrors, ioFailure, type Unread } from '../files/io-failure.ts';
import { findRunName, readRunHeader, runFolder, runFolders, type StoredRunHandle } from '../run/stored/run-folder.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import {
  DISORDER,
  type EntryLines,
  entryOf,
  entryOfRow,
  type HistoryEntry,
  parseHistoryEvent,
  readEntriesBack,
  type WantedId,
  wantedId,
} from './history-event.ts';
import { historyPath, openHistory, readLines } from './history-file.ts';

export interface HistoryFilter {
  /** Only entries from then on, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Only entries before, in milliseconds since 1970. */
  readonly untilMs?: number | undefined;
  /** The ID in the request or the response; of a card in any case, or its beginning. */
  readonly id?: string | undefined;
  /** Dotted command path: `card.block`. */
  readonly operation?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** False: no rows of runs. */
  readonly runs?: boolean;
  readonly isWanted?: (entry: HistoryEntry) => boolean;
  /** Text in every wanted single change: others need not be parsed. */
  readonly holds?: string;
  /** Only entries with these names. No other run is opened. */
  readonly among?: ReadonlySet<string> | undefined;
  /** Called if the single changes cannot be read. */
  readonly onUnreadable?: (failure: Failure) => void;
  /** At most this many entries, the newest. */
  readonly limit: number;
  /** How many single changes, and how many rows, are read; default: all. */
  readonly most?: number;
}

/** Of the same millisecond, the later row is newer. */
function newestFirst(a: HistoryEntry, b: HistoryEntry): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return b.entry.localeCompare(a.entry, 'en', { numeric: true });
}

/** The newest matching entries, at most twice as many as wanted. After an exact fit longer IDs do not count. */
class Page {
  readonly #filter: HistoryFilter;
  readonly #wanted: WantedId | undefined;
  #entries: HistoryEntry[] = [];
  /** Only newer entries can replace what is held: no ID was asked for, or one fitted exactly. */
  #isExact: boolean;
  /** Time of the oldest entry, once enough are held. */
  #oldestMs = Number.NEGATIVE_INFINITY;

  constructor(filter: HistoryFilter) {
    this.#filter = filter;
    this.#wanted = filter.id === undefined ? undefined : wantedId(filter.id);
    this.#isExact = filter.id === undefined;
  }

  /** Could a change of this time be on the page? */
  isOfInterest(timeMs: number): boolean {
    return timeMs >= (this.#filter.sinceMs ?? 0) && (!this.#isExact || timeMs >= this.#oldestMs);
  }

  /** The same for the lines of an entry. */
  isNews({ begin }: EntryLines): boolean {
    if (this.#filter.sinceMs === undefined && this.#oldestMs === Number.NEGATIVE_INFINITY) return true;
    return this.isOfInterest(Date.parse(/"time":"([^"]+)"/.exec(begin)?.[1] ?? ''));
  }

  /** Could these lines match? Parsing all of a large file would take long. */
  mayHold({ begin, others }: EntryLines): boolean {
    const { operation, outcome, holds } = this.#filter;
    if (holds !== undefined && ![begin, ...others].some((line) => line.includes(holds))) return false;
    if (operation !== undefined && !begin.includes(`"${operation}"`)) return false;
    // Half an end, which a kill left, does not count.
    const isOpen = outcome === 'unknown' && !others.some((line) => line.endsWith('}'));
    if (outcome !== undefined && !isOpen && !others.some((line) => line.includes(`"${outcome}"`))) return false;
    const pattern = this.#wanted?.pattern;
    return pattern === undefined || pattern.test(begin) || others.some((line) => pattern.test(line));
  }

  add(entry: HistoryEntry): void {
    const { sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, operation, outcome, isWanted, among } = this.#filter;
    const timeMs = Date.parse(entry.time);
    if (timeMs < sinceMs || timeMs >= untilMs) return;
    if (operation !== undefined && entry.operation !== operation) return;
    if (outcome !== undefined && entry.callOutcome.outcome !== outcome) return;
    if (isWanted?.(entry) === false || among?.has(entry.entry) === false) return;
    const fit = this.#wanted === undefined ? 'exact' : this.#wanted.fitOf(entry.id, entry.callOutcome.resultId);
    if (fit === undefined || (fit === 'part' && this.#isExact)) return;
    if (fit === 'exact' && !this.#isExact) {
      this.#isExact = true;
      this.#entries = [];
      this.#oldestMs = Number.NEGATIVE_INFINITY;
    }
    if (timeMs < this.#oldestMs) return;
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * this.#filter.limit) this.entries();
  }

  entries(): readonly HistoryEntry[] {
    const { limit } = this.#filter;
    this.#entries = this.#entries.sort(newestFirst).slice(0, limit);
    const oldest = this.#entries[limit - 1];
    if (oldest !== undefined) this.#oldestMs = Date.parse(oldest.time);
    return this.#entries;
  }
}

/**
 * The matching changes, newest first, rows of runs included. `unread`: runs whose rows are missing, with the reasons.
 * LOCAL_IO if the history cannot be read, unless `onUnreadable` is given: then only rows of runs are returned.
 */
export async function readHistory(stateDir: string, filter: HistoryFilter) {
  const page = new Page(filter);
  const { most = Number.POSITIVE_INFINITY } = filter;
  let [idle, looked] = [0, 0];
  const reading = scanSingle(stateDir, (lines) => {
    const isNews = page.isNews(lines);
    idle = isNews ? 0 : idle + 1;
    looked += 1;
    const entry = isNews && page.mayHold(lines) ? parseEntry(lines) : undefined;
    if (entry !== undefined) page.add(entry);
    return idle > DISORDER || looked >= most;
  });
  await reading.catch((error: unknown) => {
    if (!(error instanceof Failure) || filter.onUnreadable === undefined) throw error;
    filter.onUnreadable(error);
  });
  const unread: Unread = new Map();
  const rows = filter.runs === false ? [] : runEntries(stateDir, page, filter, unread);
  let rest = most;
  for await (const entry of rows) {
    page.add(entry);
    rest -= 1;
    if (rest <= 0) break;
  }
  return { entries: page.entries(), unread };
}

/** One entry by its name, or a unique part of it. USAGE if there is none, or more than one. */
export async function showHistory(stateDir: string, name: string): Promise<HistoryEntry> {
  const [, part, row] = /^([^:]+):([1-9]\d{0,8})$/.exec(name) ?? [];
  if (part !== undefined) {
    const run = await findRunName(stateDir, part);
    const found = run === undefined ? undefined : await runEntry(stateDir, run, Number(row));
    if (found !== undefined) return found;
  } else {
    const found = new Map<string, EntryLines>();
    await scanSingle(stateDir, (lines) => {
      const isExact = lines.entry === name;
      if (isExact) found.clear();
      if (isExact || (found.size < 2 && lines.entry.includes(name))) found.set(lines.entry, lines);
      return isExact;
    });
    const [lines, second] = found.values();
    if (second !== undefined) {
      throw new Failure('USAGE', `several history entries have "${name}" in their name`, {
        hints: ['give more of the name: `frontdesk history` lists the entries'],
      });
    }
    const entry = lines === undefined ? undefined : parseEntry(lines);
    if (entry !== undefined) return entry;
  }
  throw new Failure('USAGE', `there is no history entry ${name}`, {
    hints: ['list the entries with `frontdesk history`'],
  });
}

/** When the oldest recorded change was begun, in milliseconds since 1970; undefined if there is none. */
export async function recordsBegin(stateDir: string): Promise<number | undefined> {
  const [single, run] = [await firstSingle(stateDir), await firstRun(stateDir)];
  return single === undefined || run === undefined ? (single ?? run) : Math.min(single, run);
}

/** Passes the single changes to `visit`, newest first, until it returns true. Rejects with LOCAL_IO. */
async function scanSingle(stateDir: string, visit: (lines: EntryLines) => boolean): Promise<void> {
  await readingHistory(stateDir, (file) => readEntriesBack(file, visit));
}

async function firstSingle(stateDir: string): Promise<number | undefined> {
  return readingHistory(stateDir, async (file) => {
    for await (const lines of readLines(file, 0)) {
      for (const line of lines) {
        const event = parseHistoryEvent(line.toString('utf8'));
        if (event?.event === 'begin') return Date.parse(event.time);
      }
    }
    return undefined;
  });
}

async function readingHistory<Result>(stateDir: string, read: (file: FileHandle) => Promise<Result>) {
  let file: FileHandle | undefined;
  try {
    file = await openHistory(stateDir);
    return file === undefined ? undefined : await read(file);
  } catch (error) {
    throw ioFailure(`could not read the history (${historyPath(stateDir)})`, error, 'unchanged');
  } finally {
    await ignoreErrors(file?.close());
  }
}

function parseEntry({ begin, others }: EntryLines): HistoryEntry | undefined {
  const first = parseHistoryEvent(begin);
  const rest = others.map(parseHistoryEvent).filter((event) => event !== undefined);
  return first?.event === 'begin' ? entryOf(first, rest) : undefined;
}

/** When the journal of a run was last written; undefined if there is none. Reading it says why it is unreadable. */
function changeTime(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The rows of all recorded runs, from their journals. A run is not opened if its last change is not `isOfInterest`, or
 * its header shows that no row matches. `unread` gets runs that cannot be read or believed.
 */
async function* runEntries(
  stateDir: string,
  page: Page,
  { operation, untilMs = Number.POSITIVE_INFINITY, among, id }: HistoryFilter,
  unread: Unread,
): AsyncGenerator<HistoryEntry> {
  const wanted = id === undefined ? undefined : wantedId(id);
  const wantedRuns = among && new Set([...among].map((entry) => entry.split(':', 1)[0]));
  const folders = (await runFolders(stateDir)).filter(({ run }) => wantedRuns?.has(run) !== false);
  const changed = folders.flatMap((folder) => {
    // A header says that there is a journal. If it is gone, the run is named as one that cannot be read.
    const changedMs = changeTime(folder.journal) ?? changeTime(folder.header);
    return changedMs === undefined ? [] : [{ folder, changedMs }];
  });
  // What changed last comes first, and may make opening the others unnecessary.
  for (const { folder, changedMs } of changed.sort((one, other) => other.changedMs - one.changedMs)) {
    // A run with a wanted entry counts whenever it was changed: a clock may have been set back.
    if (among === undefined && !page.isOfInterest(changedMs)) continue;
    try {
      const header = await readRunHeader(folder);
      if (header === undefined || (operation !== undefined && header.operation !== operation)) continue;
      if (Date.parse(header.startedAt) < untilMs) yield* entriesOf({ folder, header }, { wanted });
    } catch (error) {
      unread.set(folder.run, ioFailure('it could not be read', error, 'unchanged'));
    }
  }
}

/** One row of a run; undefined without the row or its journal. */
async function runEntry(stateDir: string, run: string, row: number): Promise<HistoryEntry | undefined> {
  const folder = runFolder(stateDir, run);
  const header = await readRunHeader(folder);
  const entries = header === undefined ? [] : entriesOf({ folder, header }, { first: row, last: row });
  for await (const entry of entries) return entry;
  return undefined;
}

/** When the oldest readable run was begun, in milliseconds since 1970; undefined if there is none. */
async function firstRun(stateDir: string): Promise<number | undefined> {
  let firstMs: number | undefined;
  for (const folder of await runFolders(stateDir)) {
    const header = await readRunHeader(folder).catch(() => undefined);
    if (header !== undefined) firstMs = Math.min(Date.parse(header.startedAt), firstMs ?? Number.POSITIVE_INFINITY);
  }
  return firstMs;
}

/** The rows of a run that were reached, from `first` to `last`. `wanted`: only those with such an ID. */
async function* entriesOf(
  run: StoredRunHandle,
  range: { first?: number; last?: number; wanted?: WantedId | undefined },
): AsyncGenerator<HistoryEntry> {
  const { first = 1, last = run.header.inputRows, wanted } = range;
  const fitting = new Set<number>();
  const stored = await StoredRun.readWhole(run, (record) => {
    if (wanted === undefined || !('n' in record)) return;
    const resultId = 'rid' in record && typeof record.rid === 'string' ? record.rid : undefined;
    if (wanted.fitOf(record.id, resultId) !== undefined) fitting.add(record.n);
  });
  try {
    for (let row = first; row <= last; row += 1) {
      if (stored.has(row) && (wanted === undefined || fitting.has(row)))
        yield entryOfRow(run.header, await stored.entry(row));
    }
  } finally {
    await ignoreErrors(stored.close());
  }
}
