import type { Outcome } from '../failure.ts';
import { Failure } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import type { StoredRow } from './journal-entry.ts';
import { RecordReader, scanJournal } from './journal-reader.ts';
import type { EndRecord, OutcomeCounts } from './journal-record.ts';
import { RowStates } from './row-states.ts';
import type { RunFolder } from './run-folder.ts';
import type { RunHeader } from './run-header.ts';
import { outcomesOf } from './run-list.ts';
import { RunRecords } from './run-records.ts';
import { causeOfEnding } from './run-tally.ts';
import { RunTimeline } from './run-timeline.ts';

/** One row of a run, as a report names it: by number and id, without anything that was sent or answered. */
export interface ReportedRow {
  readonly row: number;
  /** Undefined: it has none (an event that is created), or it is not known. */
  readonly id: string | undefined;
  readonly outcome: Outcome;
  readonly httpStatus: number | undefined;
  /** The service's error code, else our own; undefined exactly when the row succeeded. */
  readonly cause: string | undefined;
  /** Milliseconds since 1970. */
  readonly timeMs: number | undefined;
  readonly durationMs: number | undefined;
  /** Where rows of several runs stand in one document. */
  readonly run?: string;
}

/** A run as its files have it, for reading only: also while a process works on it. */
export interface StoredRun {
  readonly timeline: RunTimeline;
  /** Rows by outcome, those not reached included. */
  readonly outcomes: OutcomeCounts;
  /** How the last process ended; undefined: it did not end in order, or has not ended. */
  readonly end: EndRecord | undefined;
  /** Rows that have a record: all others were not reached. */
  readonly reached: number;
  /** Why the journal could not be read to its end. */
  readonly damage: string | undefined;
  readonly records: RunRecords;
}

/** Reads the journal of a run as far as it can be read, into the timeline of earlier ones if one is given. Damage ends the reading and is no failure. */
export async function openStoredRun(
  folder: RunFolder,
  header: RunHeader,
  timeline = new RunTimeline(Date.parse(header.startedAt)),
): Promise<StoredRun> {
  const states = new RowStates(header.inputRows, 'with-offsets');
  let end: StoredRun['end'];
  let damage: string | undefined;
  let isEmpty = true;
  try {
    await scanJournal(folder.journal, (record, offset) => {
      if (!states.take(record, offset)) return false;
      timeline.add(record);
      isEmpty = false;
      end = record.s === 'end' ? record : undefined;
      return true;
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    damage = errnoOf(error.cause) === 'ENOENT' ? undefined : error.message;
  }
  const reader = isEmpty ? undefined : await RecordReader.open(folder.journal);
  return {
    timeline,
    outcomes: outcomesOf(states, header.rows),
    end,
    reached: states.reached(),
    damage,
    records: new RunRecords(states, reader),
  };
}

/** `id` is what the input says; where it is not known, the journal may. */
export function reportedRow({ row, id: known, timeMs, ending }: StoredRow, id: string | undefined): ReportedRow {
  const { httpStatus, durationMs } = ending;
  // A journal holds only writes, and they have an outcome.
  const outcome = ending.outcome ?? 'unknown';
  const isGood = outcome === 'applied' || outcome === 'confirmed_by_read';
  const cause = isGood ? undefined : causeOfEnding(ending);
  return { row, id: id ?? known, outcome, httpStatus, cause, timeMs, durationMs };
}
