import type { Outcome } from '../failure.ts';

/** One write, single or a row of a run. An intent without a result is `unknown`. */
export interface HistoryEntry {
  /** Name for `history show`; of a row of a run `<run>:<row>`. */
  readonly entry: string;
  /** ISO 8601, when it was about to be sent. */
  readonly time: string;
  readonly user: string;
  readonly profile: string;
  readonly host: string;
  /** Dotted command path. */
  readonly operation: string;
  readonly id: string | null;
  readonly resultId: string | null;
  readonly reason: string | null;
  readonly outcome: Outcome;
  readonly httpStatus: number | null;
  readonly requestId: string | null;
  readonly durationMs: number | null;
  /** Name of the run it was a row of. */
  readonly run: string | null;
}
