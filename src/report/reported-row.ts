import type { Outcome } from '../failure.ts';
import type { StoredRow } from '../run/journal/entry.ts';
import { causeOfEnding } from '../run/run-tally.ts';

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

/** `id` is what the input says; where it is not known, the journal may. */
export function reportedRow({ row, id: known, timeMs, ending }: StoredRow, id: string | undefined): ReportedRow {
  const { httpStatus, durationMs } = ending;
  // A journal holds only writes, and they have an outcome.
  const outcome = ending.outcome ?? 'unknown';
  const isGood = outcome === 'applied' || outcome === 'confirmed_by_read';
  const cause = isGood ? undefined : causeOfEnding(ending);
  return { row, id: id ?? known, outcome, httpStatus, cause, timeMs, durationMs };
}
