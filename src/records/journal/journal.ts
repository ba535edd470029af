import { basename, dirname } from 'node:path';
import type { ClockPort } from '../../base/context.ts';
import { Failure } from '../../base/failure.ts';
import type { HeldLock } from '../../base/files/held-lock.ts';
import { ioFailure, orIoFailure, remedyHints } from '../../base/files/io-failure.ts';
import { SharedWrites } from '../../base/files/shared-writes.ts';
import { cutText } from '../../base/json/shorten.ts';
import { type CallOutcome, encodeOutcome, LOST_OUTCOME } from '../../service/call-outcome.ts';
import { maskOutcome } from '../../service/http/mask.ts';
import type { AboutRow, RunRow } from '../row-outcome.ts';
import { type AppendFile, openAppendFile, setApart } from './append-file.ts';
import { readEntry, type StoredRow } from './entry.ts';
import { openRecordReader, type RecordReader, recordGone, type ScanResult, scanJournal } from './reader.ts';
import {
  encodeRecord,
  type IntentRecord,
  type JournalRecord,
  type OutcomeCounts,
  type Resolution,
  type ResultRecord,
} from './record.ts';
import { RowStates } from './row-states.ts';

/** What a journal needs of the process that holds its run. */
export interface JournalPorts {
  readonly clock: ClockPort;
  readonly pid: number;
  /** Opens the journal for appending; tests give a disk that crashes. */
  readonly openFile?: (path: string) => Promise<AppendFile>;
  readonly lock: Pick<HeldLock, 'epoch' | 'mayHaveRival' | 'by' | 'raiseEpoch'>;
  /** Throws LOCAL_IO if this process lost the run: then nothing of it may be sent or recorded. */
  readonly assertStillHeld: () => void;
  /** Masks frontdesk's own tokens in what the user wrote. */
  readonly mask?: ((text: string) => string) | undefined;
  /** The audit log, as a second record. */
  readonly audit?: RunAudit | undefined;
}

/** A second record of a run's rows, written together with the journal. If it fails, no row is sent. */
export interface RunAudit {
  /** The first failure to write. No row may be sent after it. */
  readonly failure: Failure | undefined;
  /** A row is about to be sent. Later attempts of the row are not recorded. Rejects with LOCAL_IO. */
  begin(row: RunRow & AboutRow, timeMs: number): Promise<void>;
  /** The row ended. `wasBegun`: an earlier process recorded its beginning. Rejects with LOCAL_IO. */
  end(row: RunRow, callOutcome: CallOutcome, timeMs: number, wasBegun?: boolean): Promise<void>;
}

/** Most characters of a failure's message that a record keeps. */
const MAX_MESSAGE = 2000;

/** An older check of the lock is repeated, also within one turn: the process may have been stopped since. */
const TRUSTED_MS = 1000;

/**
 * The write-ahead journal of one run: an intent is on the disk before its request may leave, a result before its row is
 * printed. The holder of the run's lock writes it. All records that arrive while the disk is busy share one write and
 * one fdatasync.
 */
export class RunJournal {
  readonly states: RowStates;
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #ports: JournalPorts;
  readonly #writes = new SharedWrites((text) => this.#writeText(text));
  /** Set on a resumed journal: reads what earlier processes recorded. */
  #reader: RecordReader | undefined;
  readonly #ofAudit = new Set<unknown>();
  #durableLength: number;
  readonly #openedMs: number;
  #failure: Failure | undefined;
  #checkedMs = 0;
  #checkedWallMs = 0;
  #isCheckedInThisTurn = false;

  private constructor(states: RowStates, file: AppendFile, path: string, ports: JournalPorts) {
    this.states = states;
    this.#file = file;
    this.#path = path;
    this.#ports = ports;
    this.#durableLength = file.length;
    this.#openedMs = ports.clock.monotonic();
  }

  /** Creates the journal of rows 1 to `lastRow`. `content`: the digest of what the run sends. Rejects with LOCAL_IO. */
  static async create(path: string, lastRow: number, ports: JournalPorts, content?: string): Promise<RunJournal> {
    const journal = new RunJournal(new RowStates(lastRow), await openJournalFile(path, ports), path, ports);
    if (content !== undefined) await journal.#write({ t: ports.clock.now(), s: 'begun', of: content });
    return journal;
  }

  /**
   * Resumes the journal of an earlier process: cuts a torn tail, and makes every intent without a result `unknown`.
   * Works on a copy if that process may still write. LOCAL_IO if the journal is damaged, cannot be written, or belongs
   * to another `content`.
   */
  static async resume(path: string, lastRow: number, ports: JournalPorts, content?: string): Promise<RunJournal> {
    const states = new RowStates(lastRow);
    const apply = (record: JournalRecord, offset: number): boolean => {
      if (record.s === 'begun' && record.of !== content) throw otherContent(path);
      return states.applyRecord(record, offset);
    };
    const scan = await scanJournal(path, apply, content !== undefined);
    const { lock } = ports;
    // The lock is ahead of the journal: another process took the run over, and died before it wrote a record.
    const isShared = lock.mayHaveRival || lock.epoch > states.epoch + 1;
    lock.raiseEpoch(states.epoch + 1);
    if (isShared) await setApart(path, scan.length, ports);
    const journal = new RunJournal(states, await openJournalFile(path, ports), path, ports);
    try {
      await journal.#cutTail(scan);
      journal.#reader = openRecordReader(path);
      await journal.#writeResume(lock.by);
      return journal;
    } catch (error) {
      await journal.close();
      throw ioFailure(`could not continue the run's record (${path})`, error, 'unsent');
    }
  }

  get failure(): Failure | undefined {
    return this.#failure ?? this.#ports.audit?.failure;
  }

  /** Could only the second record not be written? Then the journal has what was appended. */
  isOfAudit(error: unknown): boolean {
    return this.#ofAudit.has(error);
  }

  /**
   * The failure to hold the run, for a request that is about to leave. Requests of one turn of the event loop share one
   * check of the lock. No clock makes an older check valid: a machine that stood still stopped all clocks. Within the
   * turn both clocks count, because a sleeping machine stops the monotonic one.
   */
  lost(): Failure | undefined {
    const { clock } = this.#ports;
    const isTrusted =
      this.#isCheckedInThisTurn &&
      clock.monotonic() - this.#checkedMs < TRUSTED_MS &&
      Math.abs(clock.now() - this.#checkedWallMs) < TRUSTED_MS;
    if (isTrusted || this.#failure !== undefined) return this.#failure;
    try {
      this.#assertStillHeld();
    } catch (error) {
      this.#failure = this.#failureOf(error);
    }
    return this.#failure;
  }

  /** Records that an attempt begins. Its first byte may leave only after this has resolved. Rejects with LOCAL_IO. */
  intent(about: RunRow & AboutRow): Promise<void> {
    const { clock, mask } = this.#ports;
    const facts = about.reason === undefined ? about : { ...about, reason: mask?.(about.reason) ?? about.reason };
    const record: IntentRecord = {
      n: facts.row,
      t: clock.now(),
      s: 'intent',
      a: this.states.attempts(facts.row) + 1,
      id: facts.id,
      reason: facts.reason,
      f: facts.fields,
      d: facts.digest,
    };
    return this.#append(record, (audit) => audit.begin(facts, record.t));
  }

  /** Records how a row ended, before it is printed. `again`: a resume sends it again. `message`: its failure's. */
  result(
    { row, id }: RunRow,
    ended: CallOutcome,
    { again = false, message }: { readonly again?: boolean; readonly message?: string | undefined } = {},
  ): Promise<void> {
    const callOutcome = maskOutcome(ended, this.#ports.mask);
    // Not a copy of the outcome's record, which takes twice as long.
    const record: ResultRecord = encodeOutcome(callOutcome, {
      n: row,
      t: this.#ports.clock.now(),
      m: this.#workedMs(),
      // The intent has the ID already.
      id: this.states.state(row) === 'intent' ? undefined : id,
      again: again ? 1 : undefined,
      message: message === undefined ? undefined : cutText(message, MAX_MESSAGE),
    });
    return this.#append(record, (audit) => audit.end({ row, id }, callOutcome, record.t));
  }

  /** Records a resolution of an `unknown` row: send it again, or what the user found out, with the new ID. */
  resolve(row: number, s: Resolution, resultId?: string): Promise<void> {
    return this.#append({ n: row, t: this.#ports.clock.now(), s, a: this.states.attempts(row), rid: resultId });
  }

  /** What an earlier process recorded of a row. Only on a resumed journal. */
  entry(row: number): StoredRow {
    return readEntry(row, this.states, this.#reader);
  }

  /** Records that this process ended in order. `outcomes` counts all rows, `why` is the word of its `Stop`. */
  end(state: 'finished' | 'stopped', outcomes: OutcomeCounts, why?: string): Promise<void> {
    return this.#write({ t: this.#ports.clock.now(), m: this.#workedMs(), s: 'end', state, outcomes, why });
  }

  #workedMs(): number {
    return Math.round(this.#ports.clock.monotonic() - this.#openedMs);
  }

  /** Writes what is waiting, then closes the files. A failure to write was reported to those who waited for it. */
  async close(): Promise<void> {
    await this.#writes.idle;
    await this.#file.close();
    this.#reader?.close();
  }

  /** Appends to both records, and fails if one of them fails. */
  #append(record: IntentRecord | ResultRecord, append?: (audit: RunAudit) => Promise<void>): Promise<void> {
    // Once written, it would count as damage, and nothing behind it would be believed.
    const mayFollow = this.#failure !== undefined || this.states.mayBecome(record.n, record.s);
    if (!mayFollow) return Promise.reject(new Error('a record of a row that cannot follow what is known of it'));
    const durable = this.#write(record);
    this.states.apply(record);
    const { audit } = this.#ports;
    if (audit === undefined || append === undefined) return durable;
    const second = append(audit);
    second.catch((error: unknown) => this.#ofAudit.add(error));
    return durable.then(() => second);
  }

  async #writeResume(by: string): Promise<void> {
    const { clock, audit } = this.#ports;
    // Read before anything is written: nobody would hear of a write that fails during a read.
    const ids = new Map<number, string | undefined>();
    for (const n of this.states.in('intent')) ids.set(n, audit && this.entry(n).id);
    const t = clock.now();
    const durable = [this.#write({ t, s: 'resumed', by })];
    for (const [n, id] of ids) {
      const record = { n, t, s: 'unknown', a: this.states.attempts(n), code: 'OUTCOME_UNKNOWN' } as const;
      durable.push(this.#write(record));
      this.states.apply(record, this.states.resultAt(n));
      if (audit !== undefined) durable.push(audit.end({ row: n, id }, LOST_OUTCOME, t, true));
    }
    await Promise.all(durable);
  }

  #write(record: JournalRecord): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return this.#writes.append(encodeRecord(record, this.#ports.lock.epoch));
  }

  /** Cuts what a crash left behind the last whole record. */
  async #cutTail(scan: ScanResult): Promise<void> {
    const file = this.#file;
    this.#durableLength = scan.length;
    if (scan.lacksNewline) {
      file.append('\n');
      await file.sync();
      this.#durableLength += 1;
      return;
    }
    if (file.length > scan.length) {
      // Since the scan another process may have taken the run over, and written what is no torn tail.
      this.#assertStillHeld();
      await file.truncate(scan.length);
      await file.sync();
    }
  }

  async #writeText(text: string): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#file.append(text);
      await this.#file.sync();
      this.#durableLength += text.length;
      // In this order no row is sent twice: a process that takes the run over after this check finds the intents, and
      // an earlier takeover is noticed here, before the requests leave.
      this.#assertStillHeld();
      // After a takeover that puts a copy in its place, which says more.
      if (this.#file.isRemoved()) throw recordGone(this.#path).but({ after: 'silent' });
    } catch (error) {
      throw await this.#giveUp(error);
    }
  }

  #assertStillHeld(): void {
    const { clock, assertStillHeld } = this.#ports;
    const [atMs, wallMs] = [clock.monotonic(), clock.now()];
    assertStillHeld();
    this.#checkedMs = atMs;
    this.#checkedWallMs = wallMs;
    if (this.#isCheckedInThisTurn) return;
    this.#isCheckedInThisTurn = true;
    setImmediate(() => {
      this.#isCheckedInThisTurn = false;
    });
  }

  #failureOf(error: unknown): Failure {
    const [remedy] = remedyHints(error);
    const words = remedy === undefined ? undefined : `${remedy}, then resume it`;
    return ioFailure(`could not write the run's record (${this.#path})`, error, 'recorded', [
      { do: 'resume it', words, about: basename(dirname(this.#path)) },
    ]);
  }

  async #giveUp(error: unknown): Promise<Failure> {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = this.#failureOf(error);
    try {
      // Another process may have taken the run over and written behind the records that this one knows.
      this.#assertStillHeld();
      await this.#file.truncate(this.#durableLength);
    } catch {
      // A torn tail stays for the next reader to cut: the user must see the failure to write.
    }
    return this.#failure;
  }
}

function otherContent(path: string): Failure {
  const run = basename(dirname(path));
  return Failure.unsent('LOCAL_IO', `the rows of run ${run} are not those with which its record begins (${path})`, {
    hints: [`restore the whole folder ${dirname(path)} as it was`, { do: 'see its rows', about: run }],
  });
}

function openJournalFile(path: string, ports: JournalPorts): Promise<AppendFile> {
  const opening = (ports.openFile ?? openAppendFile)(path);
  return orIoFailure(opening, `could not open the run's record (${path})`, 'unsent');
}
