import type { Ending } from '../ending.ts';
import type { Failure } from '../failure.ts';
import type { RunRow } from './row-outcome.ts';

/** Which row an attempt is for, and what history wants to know of it later. */
export interface RowIntent extends RunRow {
  readonly reason?: string | undefined;
}

/** A second record of a run's rows, written together with its journal. Without it no row is sent either. */
export interface RunAudit {
  /** The first failure to write, after which no row may be sent. */
  readonly failure: Failure | undefined;
  /** A row is about to be sent; of further attempts nothing is written. Rejects with LOCAL_IO. */
  begin(row: RowIntent, timeMs: number): Promise<void>;
  /** How it ended. `wasBegun`: an earlier process wrote its beginning. Rejects with LOCAL_IO. */
  end(row: RunRow, ending: Ending, timeMs: number, wasBegun?: boolean): Promise<void>;
}
