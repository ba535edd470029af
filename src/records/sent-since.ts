import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { ignoreErrors } from '../base/files/io-failure.ts';
import { decodeOutcome, LOST_OUTCOME } from '../service/call-outcome.ts';
import { decodeRecord, type IntentRecord, isResolution, isRowRecord } from './journal/record.ts';
import { ledgerFiles, nameTime, openToRead, readLinesBack, SLACK_MS } from './ledger.ts';
import { openNames, parseOpenName } from './stored/open-folder.ts';
import { type RunHeader, readRunHeader, runFolder } from './stored/run-folder.ts';
import { sentFolder, sentNames } from './stored/sent-rows.ts';
import { entryOfRow, type HistoryEntry, isClosed, keyOfWrite, parseRecord } from './write-record.ts';

/** Where the records ended when somebody looked: what was added counts as later, whatever the clock of its writer said. */
export interface Since {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** Of the ledger's files and the journals of one operation, by path; absent: only times count. */
  readonly files?: ReadonlyMap<string, FileEnd>;
}

type FileEnd = Pick<Stats, 'size' | 'ino'>;

/** A journal that another process may be writing, and how far it was read. */
interface Watched {
  readonly header: RunHeader;
  readonly path: string;
  ino: number;
  read: number;
  /** From which byte on its records count, whatever their times. */
  start: number;
  readonly intents: Map<number, { readonly intent: IntentRecord; readonly isAdded: boolean }>;
}

/** `ms`: what was sent since then counts too. `operation`: dotted command path. Rejects with the system's error, or AUTH. */
export async function sinceNow(stateDir: string, operation: string, ms: number): Promise<Since> {
  const journals = [...markedRuns(stateDir), ...sentRuns(stateDir, operation)].map(
    (run) => runFolder(stateDir, run).journal,
  );
  const paths = [...(await ledgerFiles(stateDir)).map(({ path }) => path), ...journals];
  return { ms, files: new Map(paths.map((path) => [path, endOf(path)])) };
}

/**
 * Changes of one operation that were sent since a time, single ones and rows of other runs, however they ended: what
 * ended is open no more, and still was sent while a question stood, or while this process began.
 */
export class SentSince {
  readonly #stateDir: string;
  readonly #operation: string;
  readonly #since: Since;
  readonly #ownRun: string | undefined;
  /** By key, and by entry. */
  readonly #found = new Map<string, Map<string, HistoryEntry>>();
  readonly #files = new Map<string, { readonly ino: number; read: number }>();
  readonly #runs = new Map<string, Watched>();
  /** Changes of which something was found out since, with what it was the last time. */
  readonly #resolved = new Map<string, HistoryEntry>();
  #sentMs: number | undefined;

  /** `operation`: dotted command path. `ownRun`: its rows do not count. */
  constructor(stateDir: string, operation: string, since: Since, ownRun?: string) {
    this.#stateDir = stateDir;
    this.#operation = operation;
    this.#since = since;
    this.#ownRun = ownRun;
  }

  /**
   * The last change about `key` that was sent, for whom that is news; of those in `named`, which are known, one that was
   * found to be applied. Rejects with the system's error, or a Failure.
   */
  async find(
    key: string,
    isNews: (entry: HistoryEntry) => boolean,
    named: readonly string[] = [],
  ): Promise<HistoryEntry | undefined> {
    await this.#readLedger();
    await this.#findRuns();
    for (const run of this.#runs.values()) this.#readOn(run);
    // What a person found was not done, was not sent.
    const foundOut = (entry: string) => this.#resolved.get(entry)?.resolved?.as;
    const sent = [...(this.#found.get(key)?.values() ?? [])];
    const applied = named.findLast((entry) => foundOut(entry) === 'applied');
    return (
      sent.findLast((each) => foundOut(each.entry) !== 'not_applied' && isNews(each)) ??
      (applied === undefined ? undefined : this.#resolved.get(applied))
    );
  }

  /** Resolving again replaces. */
  #takeResolved(entry: HistoryEntry): void {
    const before = this.#resolved.get(entry.entry)?.resolved;
    if (entry.resolved !== undefined && (before === undefined || before.time <= entry.resolved.time)) {
      this.#resolved.set(entry.entry, entry);
    }
  }

  /** From which byte on the lines of a file were added since; infinite: nobody can tell. */
  #startOf(path: string, { ino, size }: FileEnd, isCopy: boolean): number {
    const { files } = this.#since;
    const known = files?.get(path);
    // A new file may get the number of one that a prune removed.
    if (known?.ino === ino && known.size <= size) return known.size;
    return files === undefined || isCopy ? Number.POSITIVE_INFINITY : 0;
  }

  /** The same of a journal. One that is another file now is a copy. */
  #startOfJournal(path: string, end: FileEnd): number {
    return this.#startOf(path, end, this.#since.files?.has(path) === true);
  }

  /** Reads what was added to each file: the first time also from its end, until what is older. */
  async #readLedger(): Promise<void> {
    const { ms } = this.#since;
    const sinceDay = nameTime(ms).slice(0, 8);
    for (const each of await ledgerFiles(this.#stateDir)) {
      const end = endOf(each.path);
      const { size, mtimeMs, ino } = end;
      const known = this.#files.get(each.path);
      const isKnown = known?.ino === ino && known.read <= size;
      const start = isKnown ? known.read : this.#startOf(each.path, end, each.isApart);
      const added = size > start ? readPart(each.path, start, size) : NO_BYTES;
      const read = takeLines(added, (line) => this.#takeLine(line.toString('utf8'), true));
      if (isKnown) known.read += read;
      if (isKnown || (each.day < sinceDay && mtimeMs < ms)) continue;
      const file = await openToRead(each);
      await (file &&
        readLinesBack(file, (line) => this.#takeLine(line, false)).finally(() => ignoreErrors(file.close())));
      // Only now: another row that looks meanwhile would take what is being read for read. Half a line is read again.
      if (readPart(each.path, Math.max(0, size - 1), size).at(-1) === NEWLINE)
        this.#files.set(each.path, { ino, read: size });
    }
  }

  /** Returns whether the line is older than any that count. `isAdded`: it counts whatever its time. */
  #takeLine(line: string, isAdded: boolean): boolean {
    const { ms } = this.#since;
    const since = new Date(ms).toISOString();
    const at = /^\{"at":"([^"]+)"/.exec(line)?.[1] ?? since;
    if (at < since && !isAdded) return at < new Date(ms - SLACK_MS).toISOString();
    const entry = line.includes(`"${this.#operation}"`) ? parseRecord(line) : undefined;
    if (entry !== undefined) this.#takeResolved(entry);
    // Closing it says nothing of when it was sent.
    const isOld = entry !== undefined && isClosed(entry) && entry.time < since;
    if (entry !== undefined && !isOld && entry.callOutcome.outcome !== 'not_sent') this.#put(entry);
    return false;
  }

  #put(entry: HistoryEntry): void {
    const key = keyOfWrite(entry);
    const same = this.#found.get(key) ?? new Map<string, HistoryEntry>();
    this.#found.set(key, same.set(entry.entry, entry));
  }

  /** Runs that sent something since: those that are marked, and those whose journal was written since. */
  async #findRuns(): Promise<void> {
    const marked = markedRuns(this.#stateDir);
    const { mtimeMs } = endOf(sentFolder(this.#stateDir));
    const named = mtimeMs === this.#sentMs ? [] : sentRuns(this.#stateDir, this.#operation);
    let isAll = true;
    for (const run of new Set([...marked, ...named])) {
      if (run === this.#ownRun || this.#runs.has(run)) continue;
      const folder = runFolder(this.#stateDir, run);
      const end = endOf(folder.journal);
      const isUnchanged = end.mtimeMs < this.#since.ms && end.size <= this.#startOfJournal(folder.journal, end);
      // One that goes on now may not have written yet.
      if (!marked.includes(run) && isUnchanged) continue;
      const header = await readRunHeader(folder, true);
      isAll &&= header !== undefined;
      if (header?.operation !== this.#operation) continue;
      this.#runs.set(run, { header, path: folder.journal, ino: 0, read: 0, start: 0, intents: new Map() });
    }
    // One that begins has its name before its header: it is looked for again.
    if (isAll) this.#sentMs = mtimeMs;
  }

  /** Reads what was added to a journal. A copy that took its place is read from its beginning. */
  #readOn(run: Watched): void {
    const now = endOf(run.path);
    const { size, ino } = now;
    if (ino !== run.ino) Object.assign(run, { ino, read: 0, start: this.#startOfJournal(run.path, now) });
    for (const end of [Math.min(run.start, size), size]) {
      if (end <= run.read) continue;
      const isAdded = end > run.start;
      run.read += takeLines(readPart(run.path, run.read, end), (line) => this.#take(run, line, isAdded));
    }
    run.start = Math.min(run.start, run.read);
  }

  #take({ header, intents }: Watched, line: Uint8Array, isAdded: boolean): void {
    const record = decodeRecord(line);
    if (record === undefined || !isRowRecord(record)) return;
    if (record.s === 'intent') intents.set(record.n, { intent: record, isAdded });
    const begun = intents.get(record.n);
    if (begun === undefined) return;
    const { intent } = begun;
    const isSince = (ms: number, isLate: boolean) => ms >= this.#since.ms || isLate;
    const isFoundOut = isResolution(record.s) && isSince(record.t, isAdded);
    // What was found out of it says nothing of when it was sent.
    const isSent = isResolution(record.s) ? isSince(intent.t, begun.isAdded) : isSince(record.t, isAdded);
    if (!isFoundOut && !isSent) return;
    const entry = `${header.run}:${record.n}`;
    const callOutcome = record.s === 'intent' ? LOST_OUTCOME : (decodeOutcome(record) ?? LOST_OUTCOME);
    const { n, id, reason, f: fields, d: digest, t: timeMs } = intent;
    const row = entryOfRow(header, { row: n, id, reason, fields, digest, timeMs, callOutcome });
    if (isFoundOut) {
      const as = record.s === 'resolved_applied' ? 'applied' : 'not_applied';
      this.#takeResolved({ ...row, resolved: { as, by: '', time: new Date(record.t).toISOString() } });
    }
    if (!isSent) return;
    if (record.s === 'not_sent' || record.s === 'resolved_not_applied') this.#found.get(keyOfWrite(row))?.delete(entry);
    else this.#put(row);
  }
}

const NO_BYTES = Buffer.alloc(0);
const NONE = { size: 0, mtimeMs: 0, ino: 0 };

/** The runs that may have unknown rows, or are under way. */
function markedRuns(stateDir: string): readonly string[] {
  return openNames(stateDir).flatMap((name) => {
    const parsed = parseOpenName(name);
    return parsed !== undefined && 'run' in parsed ? [parsed.run] : [];
  });
}

/** The runs of an operation that sent something. */
function sentRuns(stateDir: string, wanted: string): readonly string[] {
  return sentNames(stateDir).flatMap((name) => {
    const [, operation, run = ''] = name.split('~');
    return operation === wanted ? [run] : [];
  });
}

function endOf(path: string): Pick<Stats, 'size' | 'mtimeMs' | 'ino'> {
  return statSync(path, { throwIfNoEntry: false }) ?? NONE;
}

const NEWLINE = 0x0a;

/** Takes whole lines, and returns how many bytes they have. */
function takeLines(bytes: Buffer, take: (line: Buffer) => void): number {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    take(bytes.subarray(start, end));
    start = end + 1;
  }
  return start;
}

function readPart(path: string, from: number, to: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(to - from);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(file, bytes, filled, bytes.length - filled, from + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}
