import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { ignoreErrors } from '../base/files/io-failure.ts';
import { decodeOutcome, LOST_OUTCOME } from '../service/call-outcome.ts';
import { decodeRecord, type IntentRecord, isRowRecord } from './journal/record.ts';
import { ledgerFiles, nameTime, openToRead, readLinesBack, SLACK_MS } from './ledger.ts';
import { openNames, parseOpenName } from './stored/open-folder.ts';
import { type RunHeader, readRunHeader, runFolder } from './stored/run-folder.ts';
import { sentFolder, sentNames } from './stored/sent-rows.ts';
import { entryOfRow, type HistoryEntry, isClosed, keyOfWrite, parseRecord } from './write-record.ts';

/** A journal that another process may be writing, and how far it was read. */
interface Watched {
  readonly header: RunHeader;
  readonly path: string;
  ino: number;
  read: number;
  readonly intents: Map<number, IntentRecord>;
}

/**
 * Changes of one operation that were sent since a time, single ones and rows of other runs, however they ended: what
 * ended is open no more, and still was sent while a question stood, or while this process began.
 */
export class SentSince {
  readonly #stateDir: string;
  readonly #operation: string;
  readonly #sinceMs: number;
  readonly #ownRun: string | undefined;
  readonly #found = new Map<string, HistoryEntry>();
  readonly #files = new Map<string, number>();
  readonly #runs = new Map<string, Watched>();
  /** What was found out of a change, the last time. */
  readonly #resolved = new Map<string, NonNullable<HistoryEntry['resolved']>>();
  #sentMs: number | undefined;

  /** `operation`: dotted command path. `ownRun`: its rows do not count. */
  constructor(stateDir: string, operation: string, sinceMs: number, ownRun?: string) {
    this.#stateDir = stateDir;
    this.#operation = operation;
    this.#sinceMs = sinceMs;
    this.#ownRun = ownRun;
  }

  /** The last change about `key` that was sent, for whom that is news. Rejects with the system's error, or a Failure. */
  async find(key: string, isNews: (entry: HistoryEntry) => boolean): Promise<HistoryEntry | undefined> {
    await this.#readLedger();
    await this.#findRuns();
    for (const run of this.#runs.values()) this.#readOn(run);
    // What a person found was not done, was not sent.
    const counts = ({ entry }: HistoryEntry) => this.#resolved.get(entry)?.as !== 'not_applied';
    return [...this.#found.values()].findLast((each) => keyOfWrite(each) === key && counts(each) && isNews(each));
  }

  /** Resolving again replaces. */
  #takeResolved({ entry, resolved }: HistoryEntry): void {
    const before = this.#resolved.get(entry);
    if (resolved !== undefined && (before === undefined || before.time <= resolved.time)) {
      this.#resolved.set(entry, resolved);
    }
  }

  async #readLedger(): Promise<void> {
    const since = new Date(this.#sinceMs).toISOString();
    const earliest = new Date(this.#sinceMs - SLACK_MS).toISOString();
    const sinceDay = nameTime(this.#sinceMs).slice(0, 8);
    for (const each of await ledgerFiles(this.#stateDir)) {
      const { size, mtimeMs } = sizeOf(each.path);
      if (each.day < sinceDay && mtimeMs < this.#sinceMs) continue;
      if (size === this.#files.get(each.path)) continue;
      const file = await openToRead(each);
      await (file &&
        readLinesBack(file, (line) => {
          const at = /^\{"at":"([^"]+)"/.exec(line)?.[1] ?? since;
          if (at < since) return at < earliest;
          const entry = line.includes(`"${this.#operation}"`) ? parseRecord(line) : undefined;
          if (entry !== undefined) this.#takeResolved(entry);
          // Closing it says nothing of when it was sent.
          const isOld = entry !== undefined && isClosed(entry) && entry.time < since;
          if (entry === undefined || isOld || entry.callOutcome.outcome === 'not_sent') return false;
          this.#found.set(entry.entry, entry);
          return false;
        }).finally(() => ignoreErrors(file.close())));
      // Only now: another row that looks meanwhile would take what is being read for read.
      this.#files.set(each.path, size);
    }
  }

  /** Runs that sent something since: those that are marked, and those whose journal was written since. */
  async #findRuns(): Promise<void> {
    const marked = openNames(this.#stateDir).flatMap((name) => {
      const parsed = parseOpenName(name);
      return parsed !== undefined && 'run' in parsed ? [parsed.run] : [];
    });
    const { mtimeMs } = sizeOf(sentFolder(this.#stateDir));
    const named =
      mtimeMs === this.#sentMs
        ? []
        : sentNames(this.#stateDir).flatMap((name) => {
            const [, operation, run = ''] = name.split('~');
            return operation === this.#operation ? [run] : [];
          });
    for (const run of new Set([...marked, ...named])) {
      if (run === this.#ownRun || this.#runs.has(run)) continue;
      const folder = runFolder(this.#stateDir, run);
      // One that goes on now may not have written yet.
      if (!marked.includes(run) && sizeOf(folder.journal).mtimeMs < this.#sinceMs) continue;
      const header = await readRunHeader(folder, true);
      if (header?.operation !== this.#operation) continue;
      this.#runs.set(run, { header, path: folder.journal, ino: 0, read: 0, intents: new Map() });
    }
    this.#sentMs = mtimeMs;
  }

  /** Reads what was added to a journal. A copy that took its place is read from its beginning. */
  #readOn(run: Watched): void {
    const { size, ino } = sizeOf(run.path);
    if (ino !== run.ino) Object.assign(run, { ino, read: 0 });
    if (size <= run.read) return;
    const bytes = readPart(run.path, run.read, size);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      this.#take(run, bytes.subarray(start, end));
      start = end + 1;
    }
    run.read += start;
  }

  #take({ header, intents }: Watched, line: Uint8Array): void {
    const record = decodeRecord(line);
    if (record === undefined || !isRowRecord(record)) return;
    if (record.s === 'intent') intents.set(record.n, record);
    const intent = intents.get(record.n);
    if (intent === undefined || record.t < this.#sinceMs) return;
    const entry = `${header.run}:${record.n}`;
    const callOutcome = record.s === 'intent' ? LOST_OUTCOME : (decodeOutcome(record) ?? LOST_OUTCOME);
    const { n: row, id, reason, f: fields, d: digest, t: timeMs } = intent;
    const resolved = undefined;
    const stored = {
      row,
      id,
      reason,
      fields,
      digest,
      timeMs,
      callOutcome,
      resolved,
      foundId: undefined,
      message: undefined,
    };
    if (record.s === 'not_sent' || record.s === 'resolved_not_applied') this.#found.delete(entry);
    else this.#found.set(entry, entryOfRow(header, stored));
  }
}

const NONE = { size: 0, mtimeMs: 0, ino: 0 };

function sizeOf(path: string): Pick<Stats, 'size' | 'mtimeMs' | 'ino'> {
  return statSync(path, { throwIfNoEntry: false }) ?? NONE;
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
