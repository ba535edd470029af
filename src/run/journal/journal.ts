import { type Ending, encodeEnding, NO_ENDING } from '../../ending.ts';
import type { Failure } from '../../failure.ts';
import { ioFailure, orIoFailure } from '../../files/io-failure.ts';
import type { RunRow } from '../row-outcome.ts';
import { type AppendFile, openAppendFile, setApart } from './append-file.ts';
import { readEntry, type StoredRow } from './entry.ts';
import { RecordReader, type ScanResult, scanJournal } from './reader.ts';
import type { IntentRecord, OutcomeCounts, ResultRecord } from './record.ts';
import { RowStates } from './row-states.ts';
import { type JournalPorts, JournalWriter, type RunAudit } from './writer.ts';

/** The row was under way when its process ended; no more is known. */
const LOST: Ending = { ...NO_ENDING, outcome: 'unknown', code: 'OUTCOME_UNKNOWN' };

/**
 * The write-ahead journal of one run: an intent is on the disk before its request may leave, a result before its
 * row is printed. Its holder holds the run's lock.
 */
export class RunJournal {
  readonly states: RowStates;
  readonly #ports: JournalPorts;
  readonly #writer: JournalWriter;
  readonly #reader: RecordReader | undefined;

  private constructor(states: RowStates, ports: JournalPorts, writer: JournalWriter, reader?: RecordReader) {
    this.states = states;
    this.#ports = ports;
    this.#writer = writer;
    this.#reader = reader;
  }

  /** Begins an empty journal for rows 1 to `lastRow`. LOCAL_IO when it cannot be written. */
  static async create(path: string, lastRow: number, ports: JournalPorts): Promise<RunJournal> {
    const file = await openJournalFile(path, ports);
    const writer = new JournalWriter(file, file.length, path, ports);
    return new RunJournal(new RowStates(lastRow), ports, writer);
  }

  /**
   * Takes up the journal of an earlier process: cuts a torn tail and turns every intent without a result into
   * `unknown`. Away from a process that may still write to it, if there may be one. LOCAL_IO when it is damaged or
   * cannot be written.
   */
  static async resume(path: string, lastRow: number, ports: JournalPorts): Promise<RunJournal> {
    const states = new RowStates(lastRow, 'with-offsets');
    const scan = await scanJournal(path, (record, offset) => states.take(record, offset));
    const { lock } = ports;
    // A lock that has counted further than the journal: another process took the run over, and died before it wrote of it.
    const isShared = lock.mayHaveRival || lock.epoch > states.epoch + 1;
    lock.raiseEpoch(states.epoch + 1);
    if (isShared) await setApart(path, scan.length, ports);
    const file = await openJournalFile(path, ports);
    let reader: RecordReader | undefined;
    try {
      const writer = new JournalWriter(file, await cutTail(file, scan), path, ports);
      reader = await RecordReader.open(path);
      const journal = new RunJournal(states, ports, writer, reader);
      await journal.#settle(lock.by);
      return journal;
    } catch (error) {
      await file.close();
      await reader?.close();
      throw ioFailure(`the run's record could not be taken up (${path})`, error, 'unsent');
    }
  }

  /** The first failure to write, after which no row may be sent. */
  get failure(): Failure | undefined {
    return this.#writer.failure ?? this.#ports.audit?.failure;
  }

  /** Was the run lost while a request waited to leave? Then it must not. */
  lost(): Failure | undefined {
    return this.#writer.lost();
  }

  /** Records that an attempt begins. Only when this has resolved may its first byte leave. Rejects with LOCAL_IO. */
  intent(facts: RunRow): Promise<void> {
    const record: IntentRecord = {
      n: facts.row,
      t: this.#ports.clock.now(),
      s: 'intent',
      a: this.states.attempts(facts.row) + 1,
      id: facts.id,
      reason: facts.reason,
    };
    return this.#append(record, (audit) => audit.begin(facts, record.t));
  }

  /** Records how a row ended; only when this has resolved is it printed. `again`: a resume does it again. */
  result({ row, id }: RunRow, ending: Ending, again = false): Promise<void> {
    const record: ResultRecord = {
      n: row,
      t: this.#ports.clock.now(),
      ...encodeEnding(ending),
      // An intent carries the id already.
      id: this.states.state(row) === 'intent' ? undefined : id,
      again: again ? 1 : undefined,
    };
    return this.#append(record, (audit) => audit.end({ row, id }, ending, record.t));
  }

  /** Records the user's word that an `unknown` row may be sent again. */
  resolve(row: number): Promise<void> {
    return this.#append({ n: row, t: this.#ports.clock.now(), s: 'resolved_by_user', a: this.states.attempts(row) });
  }

  /** What an earlier process recorded of a row; only on a journal that was taken up again. */
  entry(row: number): Promise<StoredRow> {
    return readEntry(row, this.states, this.#reader);
  }

  /** Records that this process ended in order; `outcomes` counts all rows of the run, `why` is that of `endedBy`. */
  end(state: 'finished' | 'stopped', outcomes: OutcomeCounts, why?: string): Promise<void> {
    return this.#writer.append({ t: this.#ports.clock.now(), s: 'end', state, outcomes, why });
  }

  /** Writes what is waiting and closes the file. */
  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reader?.close();
  }

  /** Appends to both records, or fails as either of them does. */
  #append(record: IntentRecord | ResultRecord, append?: (audit: RunAudit) => Promise<void>): Promise<void> {
    const durable = this.#writer.append(record);
    this.states.apply(record);
    const { audit } = this.#ports;
    if (audit === undefined || append === undefined) return durable;
    return Promise.all([durable, append(audit)]).then(() => undefined);
  }

  /** The lines of a taking up, in one write. */
  async #settle(by: string): Promise<void> {
    const t = this.#ports.clock.now();
    const durable = [this.#writer.append({ t, s: 'resumed', by })];
    for (const n of this.states.in('intent')) {
      const record = { n, t, s: 'unknown', a: this.states.attempts(n), code: 'OUTCOME_UNKNOWN' } as const;
      durable.push(this.#writer.append(record));
      this.states.apply(record, this.states.resultAt(n));
      if (this.#ports.audit === undefined) continue;
      const { id } = await this.entry(n);
      durable.push(this.#ports.audit.end({ row: n, id }, LOST, t, true));
    }
    await Promise.all(durable);
  }
}

function openJournalFile(path: string, ports: JournalPorts): Promise<AppendFile> {
  const opening = (ports.openFile ?? openAppendFile)(path);
  return orIoFailure(opening, `the run's record could not be opened (${path})`, 'unsent');
}

/** Cuts what a crash left after the last whole record; answers the length after that. */
async function cutTail(file: AppendFile, scan: ScanResult): Promise<number> {
  if (scan.lacksNewline) {
    file.append('\n');
    await file.sync();
    return scan.length + 1;
  }
  if (file.length > scan.length) {
    await file.truncate(scan.length);
    await file.sync();
  }
  return scan.length;
}
