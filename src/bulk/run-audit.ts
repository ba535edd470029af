import type { Failure, FailureCode, Outcome } from '../failure.ts';

/** Which row an attempt is for, and what history wants to know of it later. */
export interface IntentFacts {
  readonly row: number;
  readonly id: string | undefined;
  readonly reason?: string | undefined;
  readonly bodyHash?: string | undefined;
}

/** How a row ended, as it is kept. Times and the attempt number are added by the journal. */
export interface RowEnd {
  readonly row: number;
  readonly id: string | undefined;
  readonly outcome: Outcome;
  /** Attempts of this process; the journal counts intents when it is not given. */
  readonly attempts?: number | undefined;
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly resultId?: string | undefined;
  readonly code?: FailureCode | undefined;
  /** `errorCode` of the service. */
  readonly errorCode?: string | undefined;
  readonly observedStatus?: string | undefined;
  /** Refused for a reason that concerns the whole run: a resume does the row again. */
  readonly again?: boolean;
  /** Not sent on purpose: a resume does not do the row again. */
  readonly held?: boolean;
}

/** A second record of a run's rows, written together with its journal. Without it no row is sent either. */
export interface RunAudit {
  /** The first failure to write, after which no row may be sent. */
  readonly failure: Failure | undefined;
  /** A row is about to be sent; of further attempts nothing is written. Rejects with LOCAL_IO. */
  begin(row: IntentFacts, timeMs: number): Promise<void>;
  /** How it ended. `wasBegun`: an earlier process wrote its beginning. Rejects with LOCAL_IO. */
  end(row: RowEnd, timeMs: number, wasBegun?: boolean): Promise<void>;
}
