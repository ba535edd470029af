import type { JournalRecord } from './journal-record.ts';
import { isRowRecord } from './journal-record.ts';
import type { RowStates } from './row-states.ts';

/**
 * Takes the records of a journal into the states of its rows, and believes only the newest holder of the run: one
 * that was paused, lost its run and woke may have written behind its successor, of whose rows it knows nothing.
 */
export class JournalReading {
  readonly #states: RowStates;
  #epoch = 0;

  constructor(states: RowStates) {
    this.#states = states;
  }

  /** The newest holder so far, 0 when there is no record. */
  get epoch(): number {
    return this.#epoch;
  }

  /** False: the record cannot follow those before it, so the journal does not tell the truth. */
  take(record: JournalRecord, offset: number): boolean {
    const epoch = record.e ?? 1;
    if (epoch < this.#epoch) return true;
    this.#epoch = epoch;
    if (!isRowRecord(record)) return true;
    return record.e === undefined ? this.#states.applyOfAny(record, offset) : this.#states.apply(record, offset);
  }
}
