import type { Outcome } from '../failure.ts';
import type { StoredRow } from './journal-entry.ts';
import { readEntry } from './journal-entry.ts';
import { RecordReader, scanJournal } from './journal-reader.ts';
import { JournalReading } from './journal-reading.ts';
import type { RowResult, RunRow } from './row-outcome.ts';
import { inFlightResult, journalResult } from './row-outcome.ts';
import { RowStates } from './row-states.ts';
import type { RunFolder } from './run-folder.ts';
import type { RunHeader } from './run-header.ts';

/** A run's journal, read only: also while another process writes it. */
export interface RunRecords {
  entry(row: number): Promise<StoredRow>;
  /** Does the row have any record? */
  has(row: number): boolean;
  /** May its request have left, with no result so far? */
  isOpen(row: number): boolean;
  close(): Promise<void>;
}

/** Reads a run's journal without taking it up. LOCAL_IO when it is damaged. */
export async function openRunRecords(folder: RunFolder, header: RunHeader): Promise<RunRecords> {
  const states = new RowStates(header.inputRows, 'with-offsets');
  const reading = new JournalReading(states);
  await scanJournal(folder.journal, (record, offset) => reading.take(record, offset));
  const reader = await RecordReader.open(folder.journal);
  return {
    entry: (row) => readEntry(row, states, reader),
    has: (row) => states.state(row) !== 'none',
    isOpen: (row) => states.state(row) === 'intent',
    close: () => reader.close(),
  };
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
        if (outcomes === undefined) yield inFlightResult(row, entry);
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
