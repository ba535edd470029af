import { Failure, type Outcome } from '../../base/failure.ts';
import type { Row } from '../../input/rows/row.ts';
import { outcomeInRun, readEntry, type StoredRow } from '../journal/entry.ts';
import { openRecordReader, type RecordReader, scanJournal } from '../journal/reader.ts';
import type { EndRecord, JournalRecord, OutcomeCounts } from '../journal/record.ts';
import { type RowState, RowStates } from '../journal/row-states.ts';
import { journalResult, type RowResult, type RunRow } from '../row-outcome.ts';
import { refuseCut, type StoredRunHandle } from './run-folder.ts';

const MAY_HAVE_LEFT: ReadonlySet<RowState> = new Set(['intent', 'unknown']);

/** A run from its files, for reading only: also while a process works on it, or with a damaged journal. */
export class StoredRun implements StoredRunHandle {
  readonly folder: StoredRunHandle['folder'];
  readonly header: StoredRunHandle['header'];
  /** How the last process ended; undefined if it did not end in order, or has not ended. */
  end: EndRecord | undefined;
  /** Why the journal could not be read to its end, or at all. */
  damage: Failure | undefined;
  readonly #states: RowStates;
  #reader: RecordReader | undefined;

  private constructor({ folder, header }: StoredRunHandle) {
    this.folder = folder;
    this.header = header;
    this.#states = new RowStates(header.inputRows);
  }

  /** Reads the journal of a run as far as possible. `onRecord` gets each record that is believed. */
  static async read(known: StoredRunHandle, onRecord?: (record: JournalRecord) => void): Promise<StoredRun> {
    const run = new StoredRun(known);
    const apply = (record: JournalRecord, offset: number): boolean => {
      if (!run.#states.applyRecord(record, offset)) return false;
      onRecord?.(record);
      run.end = record.s === 'end' ? record : undefined;
      return true;
    };
    const reading = scanJournal(known.folder.journal, apply, true);
    run.damage = await reading.then(() => refuseCut(known, run.#states.progress)).then(() => undefined, asDamage);
    return run;
  }

  /** The same, but LOCAL_IO if the journal is damaged or gone. */
  static async readWhole(known: StoredRunHandle, onRecord?: (record: JournalRecord) => void): Promise<StoredRun> {
    const run = await StoredRun.read(known, onRecord);
    if (run.damage !== undefined) throw run.damage;
    return run;
  }

  /** Does the row have a record? Others were not reached. */
  has(row: number): boolean {
    return this.#states.state(row) !== 'none';
  }

  /** Is the row in the history? One that `--skip-if` left out is not. */
  isRecorded(row: number): boolean {
    return this.has(row) && this.#states.state(row) !== 'skipped';
  }

  get reached(): number {
    return this.#states.rows - this.#states.count('none');
  }

  /** Would a resume send the row? `isResend`: one that may send rows with an unknown outcome again. */
  mayBeSent(row: number, isResend: boolean): boolean {
    return this.#states.isToDo(row) || (isResend && MAY_HAVE_LEFT.has(this.#states.state(row)));
  }

  /** How many rows a resume would send. Rows of other shards have no record, and do not count. */
  get left(): number {
    return this.#states.toDo - (this.header.inputRows - this.header.rows);
  }

  /** Rows by outcome, those not reached included, without empty ones. `isHeld`: rows in flight are `in_flight`. */
  outcomes(isHeld = false): OutcomeCounts {
    const count = (...states: readonly RowState[]) => this.#states.count(...states);
    const underWay = count('intent');
    const counts = {
      applied: count('applied', 'resolved_applied'),
      confirmed_by_read: count('confirmed_by_read'),
      skipped: count('skipped'),
      rejected: count('rejected'),
      not_sent: count('not_sent', 'resolved_not_applied') + this.header.rows - this.reached,
      unknown: count('unknown') + (isHeld ? 0 : underWay),
      in_flight: isHeld ? underWay : 0,
    };
    return Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows > 0));
  }

  unknownRows(): Generator<number> {
    return this.#states.in('unknown');
  }

  /** The rows whose request may have left, without an end. */
  rowsInFlight(): Generator<number> {
    return this.#states.in('intent');
  }

  /** The rows that its journal knows; all rows, unless the run is a shard. */
  async *knownRows(after = 0): AsyncGenerator<readonly Row[]> {
    const { rows, inputRows } = this.header;
    for (let row = after + 1; row <= inputRows; row += 1) {
      if (rows !== inputRows && !this.has(row)) continue;
      const { id } = this.entry(row);
      yield [{ row, id, params: {}, body: undefined, expects: [], input: id ?? '' }];
    }
  }

  entry(row: number): StoredRow {
    if (this.has(row)) this.#reader ??= openRecordReader(this.folder.journal);
    return readEntry(row, this.#states, this.#reader);
  }

  /**
   * The results of rows from the journal. A row whose request may have left without a result is `unknown`, or in flight
   * if a process works on the run (`isHeld`). One that was not reached is `not_sent` without attempts. `outcomes`
   * filters, and drops rows in flight.
   */
  async *results<R extends RunRow>(
    rows: AsyncIterable<R>,
    wanted: { readonly isHeld?: boolean; readonly outcomes?: ReadonlySet<Outcome> | undefined } = {},
  ): AsyncGenerator<RowResult<R>> {
    const { isHeld = false, outcomes } = wanted;
    for await (const row of rows) {
      const entry = this.entry(row.row);
      if (isHeld && this.#states.state(row.row) === 'intent') {
        const { callOutcome } = entry;
        if (outcomes === undefined)
          yield { row, callOutcome, resource: undefined, failure: undefined, source: 'in_flight' };
        continue;
      }
      const result = journalResult(row, this.header.operation, outcomeInRun(entry), entry.message);
      const { outcome } = result.callOutcome;
      if (outcomes === undefined || (outcome !== null && outcomes.has(outcome))) yield result;
    }
  }

  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}

function asDamage(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
