import { type SignalName, StreamFailure, signalWords } from '../base/context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure } from '../base/failure.ts';
import { ioFailure } from '../base/files/io-failure.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { formatSeconds, plural } from '../screen/text.ts';
import { isHeldBack } from '../service/call-outcome.ts';
import type { RunTally } from './run-tally.ts';

/** Why a run ended before its last row. */
export interface Stop {
  readonly kind: 'signal' | 'reader_gone' | 'refused' | 'broken' | 'max_failures' | 'unreachable' | 'lost' | 'busy';
  /** The failure of the rows that it held back. */
  readonly failure: Failure;
  /** For the summary: `5 consecutive rows could not be sent`. */
  readonly reason: string;
  /** For the journal, without text from outside: `SIGINT`, `max_failures`, `AUTH`. */
  readonly word: string;
  /** What each further row would meet. */
  readonly cause?: Failure;
}

export function signalStop(signal: SignalName): Stop {
  const reason = signalWords(signal);
  const exitCode = CANCELLED_EXIT_CODES[signal];
  const failure = Failure.unsent('CANCELLED', `${reason} stopped the run`, { exitCode });
  return { kind: 'signal', failure, reason, word: signal };
}

/** The reader of a read's stdout went away. */
export function readerGone(): Stop {
  const reason = 'the reader of the output went away';
  const failure = Failure.unsent('CANCELLED', reason, { exitCode: CANCELLED_EXIT_CODES.EPIPE });
  return { kind: 'reader_gone', failure, reason, word: 'reader_gone' };
}

export function longPause(waitMs: number): Stop {
  const reason = `the service asked for a pause of ${formatSeconds(waitMs)}`;
  return { kind: 'busy', failure: Failure.unsent('BUSY', `${reason}, longer than a run waits`), reason, word: 'busy' };
}

/** Consecutive rows could not be sent, the last because of `cause`. `lost`: or their outcome is unknown. */
export function outage(kind: 'unreachable' | 'lost', rows: number, cause: Failure): Stop {
  const isLost = kind === 'lost';
  const what = `${plural(rows, 'consecutive row')} could not be sent${isLost ? ' or have no known outcome' : ''}`;
  // Unknown rows may have reached the service.
  const failure = Failure.unsent(isLost ? 'PARTIAL' : 'UNREACHABLE', `the run stopped because ${what}`);
  return { kind, failure, reason: `${what}. The last one: ${cause.ofRead().message}`, word: kind, cause };
}

/**
 * `refused`: 401, no usable credential, a 403 of the whole run, or anything else that every row would meet. `broken`:
 * the journal, the file of rows or stdout failed, or a bug.
 */
export function failureStop(kind: 'refused' | 'broken', cause: Failure): Stop {
  const failure = Failure.unsent(cause.code, `the run stopped because ${cause.statement}`);
  // The counts beside it say what was sent.
  return { kind, failure, reason: cause.ofRead().message, word: cause.code, cause };
}

const ENDED_BY: Readonly<Record<string, string>> = {
  SIGINT: signalWords('SIGINT'),
  SIGTERM: signalWords('SIGTERM'),
  SIGHUP: signalWords('SIGHUP'),
  max_failures: '--max-failures',
  unreachable: 'consecutive rows that could not be sent',
  lost: 'consecutive rows that could not be sent or have no known outcome',
  busy: 'a long pause that the service asked for',
  reader_gone: 'the reader of the output, who went away',
  AUTH: 'a refused or missing credential',
  FORBIDDEN: 'a refusal of the service (403)',
  LOCAL_IO: 'a file that could not be written',
};

/** `stopped by Ctrl-C`, of the word in the journal. */
export function endedByText(why: string | undefined): string {
  const words = why === undefined ? undefined : ENDED_BY[why];
  return words === undefined ? 'stopped' : `stopped by ${words}`;
}

/**
 * The exit code of many rows: the worst wins, in the order 8, 16, the signal, 4 or 5, 7 (nothing could be sent at all),
 * 15, 0. A bug and a refused credential rank with 4 and 5. A signal counts although every row was done: it ends a loop.
 */
export function runExitCode(tally: RunTally, stops: readonly Stop[]): number {
  if (tally.of('unknown') > tally.unrecorded) return FAILURES.OUTCOME_UNKNOWN.exitCode;
  const broken = stops.find((stop) => stop.kind === 'broken');
  if (broken?.failure.code === 'LOCAL_IO') return broken.failure.exitCode;
  const cancelled = stops.find(({ kind }) => kind === 'reader_gone' || kind === 'signal');
  if (cancelled !== undefined) return cancelled.failure.exitCode;
  const refused = stops.find((stop) => stop.kind === 'refused') ?? broken;
  if (refused !== undefined) return refused.failure.exitCode;
  if (tally.unreachable > 0 && tally.reachedService === 0) return FAILURES.UNREACHABLE.exitCode;
  return tally.failed > 0 ? FAILURES.PARTIAL.exitCode : 0;
}

/** `reader_gone` if the reader of stdout went away, else why the results could not be printed. */
export function outputLoss(error: unknown, isWrite: boolean): 'reader_gone' | { readonly error: unknown } {
  if (!(error instanceof StreamFailure)) return { error };
  if (error.errno === 'EPIPE') return 'reader_gone';
  return { error: unwritable(error, isWrite) };
}

/** Why results cannot be printed whose reader is still there. */
export function unwritable({ errno, message }: StreamFailure, isWrite: boolean): Failure {
  const cause = Object.assign(new Error(message), { code: errno });
  const after = isWrite ? 'results' : 'silent';
  return ioFailure('could not write the results to stdout', cause, after);
}

const UNSENT_IN_A_ROW = 5;
const LOST_IN_A_ROW = 10;
const FORBIDDEN_IN_A_ROW = 5;

/** Decides after each row whether the run continues. Rows are judged in the order in which they end. */
export class StopRules {
  readonly #maxFailures: number | undefined;
  #succeeded: number;
  #failed = 0;
  readonly #isForbiddenFinal: boolean;
  /** Counted since the last response: rows that could not be sent, and these together with unknown ones. */
  #unsentInARow = 0;
  #lostInARow = 0;
  #forbiddenInARow = 0;

  /**
   * `maxFailures`: `--max-failures` as a number of rows; undefined: no limit. `succeededBefore`: rows that succeeded in
   * an earlier process. With one, a 403 is about its row, not about the credential, unless `isForbiddenFinal`.
   */
  constructor(maxFailures: number | undefined, succeededBefore: number, isForbiddenFinal = false) {
    this.#maxFailures = maxFailures;
    this.#succeeded = succeededBefore;
    this.#isForbiddenFinal = isForbiddenFinal;
  }

  ended(result: RowResult): Stop | undefined {
    const { failure } = result;
    // The read of a card that needs no change says nothing about a change.
    if (result.callOutcome.outcome === 'skipped') return this.answered();
    if (failure === undefined) {
      this.#succeeded += 1;
      this.#forbiddenInARow = 0;
      return this.answered();
    }
    this.#failed += 1;
    return this.#refusal(failure) ?? this.#outage(result, failure) ?? this.#tooMany();
  }

  /** The service responded: nothing is out of reach. */
  answered(): undefined {
    this.#unsentInARow = 0;
    this.#lostInARow = 0;
  }

  #refusal(failure: Failure): Stop | undefined {
    if (failure.code === 'AUTH' || failure.code === 'USAGE') return failureStop('refused', failure);
    if (failure.code === 'INTERNAL' || failure.code === 'LOCAL_IO') return failureStop('broken', failure);
    this.#forbiddenInARow = failure.code === 'FORBIDDEN' ? this.#forbiddenInARow + 1 : 0;
    const isFinal = this.#isForbiddenFinal || this.#succeeded === 0 || this.#forbiddenInARow >= FORBIDDEN_IN_A_ROW;
    return failure.code === 'FORBIDDEN' && isFinal ? failureStop('refused', failure) : undefined;
  }

  #outage(result: RowResult, failure: Failure): Stop | undefined {
    const { outcome, code } = result.callOutcome;
    if (isHeldBack(outcome, code)) return undefined;
    const isUnsent = outcome === 'not_sent' || code === 'UNREACHABLE';
    if (!isUnsent && outcome !== 'unknown') return this.answered();
    this.#lostInARow += 1;
    if (isUnsent) this.#unsentInARow += 1;
    if (this.#unsentInARow >= UNSENT_IN_A_ROW) return outage('unreachable', this.#unsentInARow, failure);
    return this.#lostInARow < LOST_IN_A_ROW ? undefined : outage('lost', this.#lostInARow, failure);
  }

  #tooMany(): Stop | undefined {
    const rows = this.#failed;
    if (this.#maxFailures === undefined || rows < this.#maxFailures) return undefined;
    const problem = `the run stopped at ${plural(rows, 'failed row')} (--max-failures)`;
    const reason = `${plural(rows, 'row')} failed (--max-failures)`;
    return { kind: 'max_failures', failure: Failure.unsent('PARTIAL', problem), reason, word: 'max_failures' };
  }
}
