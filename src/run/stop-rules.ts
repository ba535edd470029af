import { isHeldBack } from '../call-outcome.ts';
import type { Failure } from '../failure.ts';
import type { RowResult } from './row-outcome.ts';
import { failureStop, outage, type Stop, tooManyFailed } from './stop.ts';

const UNSENT_IN_A_ROW = 5;
const LOST_IN_A_ROW = 10;
const FORBIDDEN_IN_A_ROW = 5;

/** Decides after each row whether the run continues. Rows are judged in the order in which they end. */
export class StopRules {
  readonly #maxFailures: number | undefined;
  #succeeded: number;
  #failed = 0;
  /** Counted since the last response: rows that could not be sent, and these together with unknown ones. */
  #unsentInARow = 0;
  #lostInARow = 0;
  #forbiddenInARow = 0;

  /**
   * `maxFailures`: `--max-failures` as a number of rows; undefined: no limit. `succeededBefore`: rows that succeeded in
   * an earlier process. With one, a 403 is about its row, not about the credential.
   */
  constructor(maxFailures: number | undefined, succeededBefore: number) {
    this.#maxFailures = maxFailures;
    this.#succeeded = succeededBefore;
  }

  ended(result: RowResult): Stop | undefined {
    const { failure } = result;
    if (failure === undefined) {
      this.#succeeded += 1;
      this.#forbiddenInARow = 0;
      this.answered();
      return undefined;
    }
    this.#failed += 1;
    return this.#refusal(failure) ?? this.#outage(result, failure) ?? this.#tooMany();
  }

  answered(): void {
    this.#unsentInARow = 0;
    this.#lostInARow = 0;
  }

  #refusal(failure: Failure): Stop | undefined {
    if (failure.code === 'AUTH' || failure.code === 'USAGE') return failureStop('refused', failure);
    if (failure.code === 'INTERNAL' || failure.code === 'LOCAL_IO') return failureStop('broken', failure);
    this.#forbiddenInARow = failure.code === 'FORBIDDEN' ? this.#forbiddenInARow + 1 : 0;
    const isAboutTheCredential = this.#succeeded === 0 || this.#forbiddenInARow >= FORBIDDEN_IN_A_ROW;
    return failure.code === 'FORBIDDEN' && isAboutTheCredential ? failureStop('refused', failure) : undefined;
  }

  #outage(result: RowResult, failure: Failure): Stop | undefined {
    const { outcome, code } = result.ending;
    if (isHeldBack(outcome, code)) return undefined;
    const isUnsent = outcome === 'not_sent' || code === 'UNREACHABLE';
    if (!isUnsent && outcome !== 'unknown') {
      this.answered();
      return undefined;
    }
    this.#lostInARow += 1;
    if (isUnsent) this.#unsentInARow += 1;
    if (this.#unsentInARow >= UNSENT_IN_A_ROW) return outage('unreachable', this.#unsentInARow, failure);
    return this.#lostInARow < LOST_IN_A_ROW ? undefined : outage('lost', this.#lostInARow, failure);
  }

  #tooMany(): Stop | undefined {
    if (this.#maxFailures === undefined || this.#failed < this.#maxFailures) return undefined;
    return tooManyFailed(this.#failed);
  }
}
