import type { FileHandle } from 'node:fs/promises';
import { Failure, type Outcome } from '../failure.ts';
import { ignoreErrors, ioFailure, type Unread } from '../files/io-failure.ts';
import { findRunName } from '../run/stored/run-folder.ts';
import {
  DISORDER,
  type EntryLines,
  EventWindow,
  entryOf,
  type HistoryEntry,
  parseHistoryEvent,
} from './history-event.ts';
import { historyPath, openHistory, readLines, readLinesBack } from './history-file.ts';
import { type WantedId, wantedId } from './id-match.ts';
import { firstRun, runEntries, runEntry } from './run-entries.ts';

export interface HistoryFilter {
  /** Milliseconds since 1970: only entries from then on. */
  readonly sinceMs?: number | undefined;
  /** Milliseconds since 1970: only entries before. */
  readonly untilMs?: number | undefined;
  /** The id that was written to, or the id in the answer; of a card whatever the case, or how it begins. */
  readonly id?: string | undefined;
  /** Dotted command path: `card.block`. */
  readonly operation?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** False: single writes only. */
  readonly runs?: boolean;
  readonly isWanted?: (entry: HistoryEntry) => boolean;
  /** Text that stands in a wanted single write: others need not be parsed. */
  readonly holds?: string;
  /** Names of entries: only these, and no other run is opened. */
  readonly among?: ReadonlySet<string> | undefined;
  /** Hears that the single writes cannot be read. */
  readonly onUnreadable?: (failure: Failure) => void;
  /** At most so many entries, the newest. */
  readonly limit: number;
  /** How many single writes, and how many rows of runs, are looked at; all unless it says so. */
  readonly most?: number;
}

/** Of the same millisecond, the row that comes later in its run is the newer one. */
function newestFirst(a: HistoryEntry, b: HistoryEntry): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return b.entry.localeCompare(a.entry, 'en', { numeric: true });
}

/**
 * The newest entries that match, of which at most twice as many are held as are wanted. Where an id fits exactly, those
 * that only begin with it do not count.
 */
class Page {
  readonly #filter: HistoryFilter;
  readonly #wanted: WantedId | undefined;
  #entries: HistoryEntry[] = [];
  /** What is held can only be replaced by newer entries: no id was asked for, or one fitted exactly. */
  #isExact: boolean;
  /** Once enough are held: the time of the oldest of them. */
  #oldestMs = Number.NEGATIVE_INFINITY;

  constructor(filter: HistoryFilter) {
    this.#filter = filter;
    this.#wanted = filter.id === undefined ? undefined : wantedId(filter.id);
    this.#isExact = filter.id === undefined;
  }

  /** Could a write that was begun or changed at this time be on the page? */
  isOfInterest(timeMs: number): boolean {
    return timeMs >= (this.#filter.sinceMs ?? 0) && (!this.#isExact || timeMs >= this.#oldestMs);
  }

  /** The same of the lines of an entry, whose time is read only where it decides. */
  isNews({ begin }: EntryLines): boolean {
    if (this.#filter.sinceMs === undefined && this.#oldestMs === Number.NEGATIVE_INFINITY) return true;
    return this.isOfInterest(Date.parse(/"time":"([^"]+)"/.exec(begin)?.[1] ?? ''));
  }

  /** Could these lines be of an entry that matches? Parsing all of a large file would take long. */
  mayHold({ begin, others }: EntryLines): boolean {
    const { operation, outcome, holds } = this.#filter;
    if (holds !== undefined && ![begin, ...others].some((line) => line.includes(holds))) return false;
    if (operation !== undefined && !begin.includes(`"${operation}"`)) return false;
    // Half an end, which a kill left, is none.
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
    if (outcome !== undefined && entry.ending.outcome !== outcome) return;
    if (isWanted?.(entry) === false || among?.has(entry.entry) === false) return;
    const fit = this.#wanted === undefined ? 'exact' : this.#wanted.fitOf(entry.id, entry.ending.resultId);
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

  /** Newest first. */
  entries(): readonly HistoryEntry[] {
    const { limit } = this.#filter;
    this.#entries = this.#entries.sort(newestFirst).slice(0, limit);
    const oldest = this.#entries[limit - 1];
    if (oldest !== undefined) this.#oldestMs = Date.parse(oldest.time);
    return this.#entries;
  }
}

/**
 * The writes that match, newest first, rows of runs included. `unread`: runs whose rows are missing, since they could
 * not be read or are not believed, each with the reason. LOCAL_IO when the history cannot be read, unless
 * `onUnreadable` hears of that: then the rows of runs are given alone.
 */
export async function readHistory(
  stateDir: string,
  filter: HistoryFilter,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly unread: Unread }> {
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

/** One entry by its name or a part that no other has; USAGE when there is none, or more than one. */
export async function showHistory(stateDir: string, name: string): Promise<HistoryEntry> {
  const [part, row] = splitRunEntry(name);
  if (row !== undefined) {
    const run = await findRunName(stateDir, part);
    const found = run === undefined ? undefined : await runEntry(stateDir, run, row);
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

/** When the oldest write that this machine has a record of was begun, in milliseconds since 1970; undefined: none. */
export async function recordsBegin(stateDir: string): Promise<number | undefined> {
  const [single, run] = [await firstSingle(stateDir), await firstRun(stateDir)];
  return single === undefined || run === undefined ? (single ?? run) : Math.min(single, run);
}

function splitRunEntry(name: string): readonly [run: string, row: number | undefined] {
  const match = /^([^:]+):([1-9]\d{0,8})$/.exec(name);
  return match?.[1] === undefined ? [name, undefined] : [match[1], Number(match[2])];
}

/** Hands the single writes to `visit`, the newest first, until it returns true. LOCAL_IO when they cannot be read. */
async function scanSingle(stateDir: string, visit: (lines: EntryLines) => boolean): Promise<void> {
  const window = new EventWindow(visit);
  await readingHistory(stateDir, async (file) => {
    let isDone = false;
    await readLinesBack(file, (line) => {
      isDone = window.take(line);
      return isDone;
    });
    if (!isDone) window.finish();
  });
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

async function readingHistory<Result>(
  stateDir: string,
  read: (file: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
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
