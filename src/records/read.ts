import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../base/failure.ts';
import { ignoreErrors, ioFailure, type Unread } from '../base/files/io-failure.ts';
import {
  type LedgerFile,
  ledgerFiles,
  ledgerFolder,
  openToRead,
  readLines,
  readLinesBack,
  SLACK_MS,
} from './ledger.ts';
import { readWrite } from './open-files.ts';
import { closingsOf, runOfName } from './open-rows.ts';
import { type HistoryFilter, Page, wantedOf } from './page.ts';
import { openFolder, openNames, parseOpenName } from './stored/open-folder.ts';
import { findRunName, readRunHeader, runFolder, runFolders, type StoredRunHandle } from './stored/run-folder.ts';
import { foldersByTime } from './stored/run-list.ts';
import { StoredRun } from './stored/stored-run.ts';
import {
  CLOSED_LINE,
  entryOfRow,
  type HistoryEntry,
  lineThatCounts,
  parseRecord,
  printRecord,
  RECORD_HEAD,
  type WantedId,
} from './write-record.ts';

const RECORD_BEGIN = '{"at":"';

/**
 * The matching changes, newest first, rows of runs included. `unread`: runs whose rows are missing, with the reasons.
 * `cut`: how many lines were met that are no records, nor their beginnings.
 * LOCAL_IO if the history cannot be read, unless `onUnreadable` is given: then only rows of runs are returned.
 */
export async function readHistory(stateDir: string, filter: HistoryFilter) {
  const page = new Page(filter);
  const { most = Number.POSITIVE_INFINITY } = filter;
  const unread: Unread = new Map();
  let lines = 0;
  let cut = 0;
  const onCut = () => {
    cut += 1;
  };
  const reading = scanSingle(
    stateDir,
    page,
    (line) => {
      lines += 1;
      const entry = page.mayHold(line) ? parseRecord(line) : undefined;
      if (entry !== undefined) page.add(entry);
      return lines >= most;
    },
    { unread, onCut },
  );
  await reading.catch((error: unknown) => {
    if (!(error instanceof Failure) || filter.onUnreadable === undefined) throw error;
    filter.onUnreadable(error);
  });
  const rows = filter.runs === false ? [] : runEntries(stateDir, page, filter, unread);
  let rest = most;
  for await (const entry of rows) {
    page.add(entry);
    rest -= 1;
    if (rest <= 0) break;
  }
  return { entries: page.entries(), unread, cut };
}

/** One entry by its name, or a unique part of it. USAGE if there is none, or more than one. */
export async function showHistory(stateDir: string, name: string): Promise<HistoryEntry> {
  const [, part, row] = /^([^:]+):([1-9]\d{0,8})$/.exec(name) ?? [];
  if (part !== undefined) {
    const run = await findRunName(stateDir, part);
    const found = run === undefined ? undefined : await runEntry(stateDir, run, Number(row));
    if (found !== undefined) return found;
  } else {
    const found = new Map<string, string>();
    const day = /^(\d{8})T\d{9}-/.exec(name)?.[1];
    await scanSingle(
      stateDir,
      undefined,
      (line, entry) => {
        const isExact = entry === name;
        if (isExact) found.clear();
        if (isExact || (found.size < 2 && !found.has(entry) && entry.includes(name))) found.set(entry, line);
        return isExact;
      },
      { of: day },
    );
    const [line, second] = found.values();
    // A row's name begins with that of its run.
    const mayBeRow = async () => (await runFolders(stateDir)).some(({ run }) => run.includes(name));
    if (second !== undefined || (line !== undefined && !found.has(name) && (await mayBeRow()))) {
      throw new Failure('USAGE', `several history entries have "${name}" in their name`, {
        hints: ['give more of the name'],
      });
    }
    const entry = line === undefined ? undefined : parseRecord(line);
    if (entry !== undefined) return entry;
  }
  throw new Failure('USAGE', `there is no history entry ${name}`, {
    hints: [{ do: 'list the entries' }],
  });
}

/** When the oldest recorded change was begun, in milliseconds since 1970; undefined if there is none. */
export async function recordsBegin(stateDir: string): Promise<number | undefined> {
  const [single, run] = [await firstSingle(stateDir), await firstRun(stateDir)];
  return single === undefined || run === undefined ? (single ?? run) : Math.min(single, run);
}

/** The single changes that are under way or open, as lines. */
function openLines(stateDir: string, unread?: Unread): readonly (readonly [line: string, entry: string])[] {
  return openNames(stateDir).flatMap((name) => {
    const path = join(openFolder(stateDir), name);
    const parsed = parseOpenName(name);
    if (parsed === undefined || 'run' in parsed) return [];
    try {
      if (runOfName(stateDir, path) !== undefined) return [];
      const known = readWrite(stateDir, path);
      return known === undefined ? [] : [[printRecord(known, ''), known.entry] as const];
    } catch (error) {
      unread?.set(name, ioFailure('it could not be read', error, 'unchanged'));
      return [];
    }
  });
}

/**
 * Passes the single changes to `visit`, each once, until it returns true: open ones, then those of the ledger, a day
 * after the other, the newest line of each file first. `page`: stops where nothing more can be on it. `day`: that day
 * alone. Rejects with LOCAL_IO.
 */
async function scanSingle(
  stateDir: string,
  page: Page | undefined,
  visit: (line: string, entry: string) => boolean,
  { of, unread, onCut }: { readonly of?: string | undefined; readonly unread?: Unread; onCut?(): void } = {},
): Promise<void> {
  try {
    const open = new Map(openLines(stateDir, unread).map(([line, entry]) => [entry, line]));
    const pass = (line: string, entry: string): boolean => {
      open.delete(entry);
      return visit(line, entry);
    };
    const files = await ledgerFiles(stateDir, of);
    for (const day of new Set(files.map((each) => each.day))) {
      page?.entries();
      if (page?.isOfInterest(Date.parse(day.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T23:59:59.999Z'))) === false)
        break;
      const ofDay = files.filter((each) => each.day === day);
      if (await scanDay(ofDay, page, pass, onCut)) return;
    }
    for (const [entry, line] of open) if (visit(line, entry)) return;
  } catch (error) {
    throw ioFailure(`could not read the history (${ledgerFolder(stateDir)})`, error, 'unchanged');
  }
}

/** Passes each entry of a day once, by the line that counts; true when `visit` returned it. */
async function scanDay(
  files: readonly LedgerFile[],
  page: Page | undefined,
  visit: (line: string, entry: string) => boolean,
  onCut?: () => void,
): Promise<boolean> {
  /** What was closed: only then an entry has several lines. In one file the last of them counts. */
  const seen = new Set<string>();
  // One machine may have closed what another ended.
  const closed = files.length > 1 ? await closedLines(files) : new Map<string, string>();
  let isDone = false;
  for (const each of files) {
    await readBackwards(
      each,
      (line, at, entry) => {
        if (seen.has(entry)) return false;
        if (page?.isOfInterest(Date.parse(at) + SLACK_MS) === false) return true;
        const known = closed.get(entry);
        if (known !== undefined) {
          closed.set(entry, lineThatCounts(known, line));
          return false;
        }
        if (CLOSED_LINE.test(line)) seen.add(entry);
        isDone = visit(line, entry);
        return isDone;
      },
      onCut,
    );
    if (isDone) return true;
  }
  for (const [entry, line] of closed) if (visit(line, entry)) return true;
  return false;
}

/** Of each entry that was closed, the line that counts of those that say so. */
async function closedLines(files: readonly LedgerFile[]): Promise<Map<string, string>> {
  const closed = new Map<string, string>();
  for (const each of files) {
    await readBackwards(each, (line, _, entry) => {
      if (CLOSED_LINE.test(line)) closed.set(entry, lineThatCounts(closed.get(entry) ?? line, line));
      return false;
    });
  }
  return closed;
}

/** Passes the records of a file, the last one first, until `visit` returns true. */
async function readBackwards(
  each: LedgerFile,
  visit: (line: string, at: string, entry: string) => boolean,
  onCut?: () => void,
): Promise<void> {
  const file = await openToRead(each);
  if (file === undefined) return;
  const reading = readLinesBack(file, (line) => {
    const [, at = '', entry] = RECORD_HEAD.exec(line) ?? [];
    if (entry !== undefined && line.endsWith('}')) return visit(line, at, entry);
    // Half a record is what a kill leaves, and says nothing: that change is open still.
    if (!line.startsWith(RECORD_BEGIN.slice(0, line.length))) onCut?.();
    return false;
  });
  await reading.finally(() => ignoreErrors(file.close()));
}

async function firstSingle(stateDir: string): Promise<number | undefined> {
  const [first] = openLines(stateDir)
    .flatMap(([line]) => parseRecord(line)?.time ?? [])
    .sort();
  const times = first === undefined ? [] : [Date.parse(first)];
  const files = (await ledgerFiles(stateDir)).toReversed();
  for (const each of files.filter(({ day }) => day === files[0]?.day)) {
    const file = await openToRead(each);
    for await (const lines of file === undefined ? [] : readLines(file)) {
      const known = lines.map((line) => parseRecord(line.toString('utf8'))).find((one) => one !== undefined);
      if (known !== undefined) times.push(Date.parse(known.time));
      break;
    }
    await ignoreErrors(file?.close());
  }
  return times.length === 0 ? undefined : Math.min(...times);
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
  { operation, untilMs = Number.POSITIVE_INFINITY, ...filter }: HistoryFilter,
  unread: Unread,
): AsyncGenerator<HistoryEntry> {
  const wanted = wantedOf(filter);
  const changed = (await runFolders(stateDir)).flatMap((folder) => {
    // A header says that there is a journal. If it is gone, the run is named as one that cannot be read.
    const changedMs = changeTime(folder.journal) ?? changeTime(folder.header);
    return changedMs === undefined ? [] : [{ folder, changedMs }];
  });
  // What changed last comes first, and may make opening the others unnecessary.
  for (const { folder, changedMs } of changed.sort((one, other) => other.changedMs - one.changedMs)) {
    if (!page.isOfInterest(changedMs)) continue;
    // All of it is synchronous, and a signal is to be heard.
    await new Promise<void>((resolve) => setImmediate(resolve));
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

/** When the readable run that was begun first was begun, in milliseconds since 1970; undefined if there is none. */
async function firstRun(stateDir: string): Promise<number | undefined> {
  for (const folder of (await foldersByTime(stateDir)).toReversed()) {
    const header = await readRunHeader(folder).catch(() => undefined);
    if (header !== undefined) return Date.parse(header.startedAt);
  }
  return undefined;
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
    if (record.id === undefined && resultId === undefined) return;
    if (wanted.fitOf(record.id, resultId) !== undefined) fitting.add(record.n);
  });
  // Of thousands of runs, few have a row that fits.
  if (wanted !== undefined && fitting.size === 0) return;
  const closed = closingsOf(run.folder);
  try {
    for (let row = first; row <= last; row += 1) {
      if (stored.isRecorded(row) && (wanted === undefined || fitting.has(row)))
        yield { ...entryOfRow(run.header, stored.entry(row)), ...closed.get(row) };
    }
  } finally {
    stored.close();
  }
}
