import type { Outcome } from '../failure.ts';
import { readEntry, type StoredRow } from './journal-entry.ts';
import { RecordReader, scanJournal } from './journal-reader.ts';
import { journalResult, type RowResult, type RunRow } from './row-outcome.ts';
import { RowStates } from './row-states.ts';
import type { RunFolder } from './run-folder.ts';
import type { RunHeader } from './run-header.ts';

/** A run's journal, read only: also while another process writes it. */
export class RunRecords {
  readonly #states: RowStates;
  readonly #reader: RecordReader | undefined;

  /** `reader` may be missing when no row has a record. */
  constructor(states: RowStates, reader: RecordReader | undefined) {
    this.#states = states;
    this.#reader = reader;
  }

  entry(row: number): Promise<StoredRow> {
    return readEntry(row, this.#states, this.#reader);
  }

  /** Does the row have any record? */
  has(row: number): boolean {
    return this.#states.state(row) !== 'none';
  }

  /** May its request have left, with no result so far? */
  isOpen(row: number): boolean {
    return this.#states.state(row) === 'intent';
  }

  async close(): Promise<void> {
    await this.#reader?.close();
  }
}

/** Reads a run's journal without taking it up. LOCAL_IO when it is damaged. */
export async function openRunRecords(folder: RunFolder, header: RunHeader): Promise<RunRecords> {
  const states = new RowStates(header.inputRows, 'with-offsets');
  await scanJournal(folder.journal, (record, offset) => states.take(record, offset));
  return new RunRecords(states, await RecordReader.open(folder.journal));
}

/**
 * The results of a run in input order. `rows` come from the copy of its input; a row whose request may have left
 * and that has no result is `unknown`, or in flight where a process works on the run (`isHeld`); one that was not
 * reached is `not_sent` with no attempts. `outcomes` filters; rows in flight have none.
 */
export async function* runResults<R extends RunRow>(
  run: { readonly folder: RunFolder; readonly header: RunHeader; readonly isHeld: boolean },
  rows: AsyncIterable<R>,
  outcomes?: ReadonlySet<Outcome>,
): AsyncGenerator<RowResult<R>> {
  const records = await openRunRecords(run.folder, run.header);
  try {
    for await (const row of rows) {
      const entry = await records.entry(row.row);
      if (run.isHeld && records.isOpen(row.row)) {
        // Another process waits for its answer.
        const { ending } = entry;
        const shown = { row, ending, resource: undefined, failure: undefined, source: 'in_flight' } as const;
        if (outcomes === undefined) yield shown;
        continue;
      }
      const result = journalResult(row, run.header.operation, entry);
      const { outcome } = result.ending;
      if (outcomes === undefined || (outcome !== null && outcomes.has(outcome))) yield result;
    }
  } finally {
    await records.close();
  }
}
