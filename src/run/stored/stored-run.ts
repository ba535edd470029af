import { Failure, type Outcome } from '../../failure.ts';
import type { Row } from '../../rows/row.ts';
import { outcomeInRun, readEntry, type StoredRow } from '../journal/entry.ts';
import { RecordReader, scanJournal } from '../journal/reader.ts';
import type { EndRecord, JournalRecord, OutcomeCounts } from '../journal/record.ts';
import { type RowState, RowStates } from '../journal/row-states.ts';
import { journalResult, type RowResult, type RunRow } from '../row-outcome.ts';
import type { StoredRunHandle } from './run-folder.ts';

/** A run as its files have it, for reading only: also while a process works on it, or where its journal is damaged. */
export class StoredRun implements StoredRunHandle {
  readonly folder: StoredRunHandle['folder'];
  readonly header: StoredRunHandle['header'];
  /** How the last process ended; undefined: it did not end in order, or has not ended. */
  end: EndRecord | undefined;
  /** Why the journal could not be read to its end; also that there is none. */
  damage: Failure | undefined;
  readonly #states: RowStates;
  #reader: RecordReader | undefined;

  private constructor({ folder, header }: StoredRunHandle) {
    this.folder = folder;
    this.header = header;
    this.#states = new RowStates(header.inputRows);
  }

  /** Reads the journal of a run as far as it can be read; `onRecord` hears each record that is believed. */
  static async read(known: StoredRunHandle, onRecord?: (record: JournalRecord) => void): Promise<StoredRun> {
    const run = new StoredRun(known);
    const reading = scanJournal(known.folder.journal, (record, offset) => {
      if (!run.#states.take(record, offset)) return false;
      onRecord?.(record);
      run.end = record.s === 'end' ? record : undefined;
      return true;
    });
    run.damage = await reading.then(() => undefined, asDamage);
    return run;
  }

  /** The same where all of it matters. LOCAL_IO when the journal is damaged or gone. */
  static async readWhole(known: StoredRunHandle): Promise<StoredRun> {
    const run = await StoredRun.read(known);
    if (run.damage !== undefined) throw run.damage;
    return run;
  }

  /** Does the row have any record? All others were not reached. */
  has(row: number): boolean {
    return this.#states.state(row) !== 'none';
  }

  /** How many rows have a record. */
  get reached(): number {
    return this.#states.rows - this.#states.count('none');
  }

  /** How many rows a resume would send. Those of other shards have no record, and are none of them. */
  get left(): number {
    return this.#states.toDo - (this.header.inputRows - this.header.rows);
  }

  /**
   * Rows by outcome, those not reached included, without the outcomes that no row has; `isHeld`: those that are under
   * way are `in_flight`, of which nothing is unknown yet.
   */
  outcomes(isHeld = false): OutcomeCounts {
    const count = (...states: readonly RowState[]) => this.#states.count(...states);
    const underWay = count('intent');
    const counts = {
      applied: count('applied', 'resolved_applied'),
      confirmed_by_read: count('confirmed_by_read'),
      rejected: count('rejected'),
      not_sent: count('not_sent', 'resolved_not_applied') + this.header.rows - this.reached,
      unknown: count('unknown', 'resolved_by_user') + (isHeld ? 0 : underWay),
      in_flight: isHeld ? underWay : 0,
    };
    return Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows > 0));
  }

  /** Rows whose outcome is unknown; those under way only where no process works on the run (`isHeld`). */
  *unsettled(isHeld: boolean): Generator<number> {
    yield* this.#states.in('unknown');
    yield* this.#states.in('resolved_by_user');
    if (!isHeld) yield* this.#states.in('intent');
  }

  /** The rows that its journal knows, as far as it knows them; all of them, unless they are a part of an input. */
  async *knownRows(after = 0): AsyncGenerator<readonly Row[]> {
    const { rows, inputRows } = this.header;
    for (let row = after + 1; row <= inputRows; row += 1) {
      if (rows !== inputRows && !this.has(row)) continue;
      const { id } = await this.entry(row);
      yield [{ row, id, params: {}, body: undefined, expects: [], given: id ?? '' }];
    }
  }

  async entry(row: number): Promise<StoredRow> {
    if (this.has(row)) this.#reader ??= await RecordReader.open(this.folder.journal);
    return readEntry(row, this.#states, this.#reader);
  }

  /**
   * The results of rows as the run wrote them down: a row whose request may have left and that has no result
   * is `unknown`, or in flight where a process works on the run (`isHeld`); one that was not reached is `not_sent` with
   * no attempts. `outcomes` filters; rows in flight have none.
   */
  async *results<R extends RunRow>(
    rows: AsyncIterable<R>,
    {
      isHeld = false,
      outcomes,
    }: { readonly isHeld?: boolean; readonly outcomes?: ReadonlySet<Outcome> | undefined } = {},
  ): AsyncGenerator<RowResult<R>> {
    for await (const row of rows) {
      const entry = await this.entry(row.row);
      if (isHeld && this.#states.state(row.row) === 'intent') {
        // Another process waits for its answer.
        const { ending } = entry;
        if (outcomes === undefined) yield { row, ending, resource: undefined, failure: undefined, source: 'in_flight' };
        continue;
      }
      const result = journalResult(row, this.header.operation, outcomeInRun(entry), entry.said);
      const { outcome } = result.ending;
      if (outcomes === undefined || (outcome !== null && outcomes.has(outcome))) yield result;
    }
  }

  async close(): Promise<void> {
    await this.#reader?.close();
    this.#reader = undefined;
  }
}

function asDamage(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
