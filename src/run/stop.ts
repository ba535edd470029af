import { type SignalName, StreamFailure, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure, type FailureCode } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { formatSeconds } from '../output/duration.ts';
import { plural } from '../output/safe-text.ts';
import type { RunTally } from './run-tally.ts';

/** Why a run ended before its last row. */
export type Stop =
  | { readonly kind: 'signal'; readonly signal: SignalName }
  /** 401, or no usable credential; 403 by the rules of the contract; anything else that every row would meet. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'max_failures'; readonly failures: number }
  /** So many rows in a row could not be sent; `lost`: or their outcome is unknown. */
  | { readonly kind: 'unreachable' | 'lost'; readonly failure: Failure; readonly rows: number }
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** The journal, the input's copy or stdout cannot be used any more, or a bug. */
  | { readonly kind: 'broken'; readonly failure: Failure }
  /** The reader of a read's stdout went away. */
  | { readonly kind: 'reader_gone' };

/** The code of the rows that a stop kept back, why (after `row 7 was not reached: `), and the same for the summary. */
function wordsOf(stop: Stop): readonly [code: FailureCode, problem: string, reason: string] {
  switch (stop.kind) {
    case 'signal': {
      const signal = signalWords(stop.signal);
      return ['CANCELLED', `${signal} stopped the run`, signal];
    }
    case 'reader_gone': {
      const reason = 'the reader of the output went away';
      return ['CANCELLED', reason, reason];
    }
    case 'max_failures': {
      const problem = `the run stopped at ${plural(stop.failures, 'failed row')} (--max-failures)`;
      return ['PARTIAL', problem, `${plural(stop.failures, 'row')} failed (--max-failures)`];
    }
    case 'busy': {
      const reason = `the service asked for a pause of ${formatSeconds(stop.waitMs)}`;
      return ['BUSY', `${reason}, longer than a run waits`, reason];
    }
    case 'unreachable':
    case 'lost': {
      const what = stop.kind === 'lost' ? 'could not be sent or have no known outcome' : 'could not be sent';
      const reason = `${plural(stop.rows, 'row')} in a row ${what}`;
      const problem = `the run stopped because ${reason}`;
      // Unknown rows reached the service, or may have.
      return [
        stop.kind === 'lost' ? 'PARTIAL' : 'UNREACHABLE',
        problem,
        `${reason}; the last: ${stop.failure.message}`,
      ];
    }
    case 'refused':
    case 'broken': {
      const { code, problem, message } = stop.failure;
      return [code, `the run stopped because ${problem}`, message];
    }
  }
}

/** Exit code of a run that a signal or a reader that went away has stopped; undefined: it is that of the failure. */
function cancelExitCode(stop: Stop): number | undefined {
  if (stop.kind === 'signal') return CANCELLED_EXIT_CODES[stop.signal];
  return stop.kind === 'reader_gone' ? CANCELLED_EXIT_CODES.EPIPE : undefined;
}

/** The reason as a failure, for the rows that were not reached. */
export function stopFailure(stop: Stop): Failure {
  const [code, problem] = wordsOf(stop);
  return Failure.unsent(code, problem, { exitCode: cancelExitCode(stop) });
}

/** The reason in a few words, for the summary: `5 rows in a row could not be sent`. */
export function stopReason(stop: Stop): string {
  return wordsOf(stop)[2];
}

/** What stopped a run, in a word without anything from outside, for its journal: `SIGINT`, `max_failures`, `AUTH`. */
export function endedBy(stop: Stop | undefined): string | undefined {
  if (stop === undefined) return undefined;
  if (stop.kind === 'signal') return stop.signal;
  return stop.kind === 'refused' || stop.kind === 'broken' ? stop.failure.code : stop.kind;
}

const ENDED_BY: Readonly<Record<string, string>> = {
  SIGINT: signalWords('SIGINT'),
  SIGTERM: signalWords('SIGTERM'),
  SIGHUP: signalWords('SIGHUP'),
  max_failures: '--max-failures',
  unreachable: 'rows in a row that could not be sent',
  lost: 'rows in a row that could not be sent or have no known outcome',
  busy: 'a long pause that the service asked for',
  reader_gone: 'the reader of the output, who went away',
  AUTH: 'a refused or missing credential',
  FORBIDDEN: 'a refusal of the service (403)',
  LOCAL_IO: 'a file that could not be written',
};

/** The same for people: `stopped by Ctrl-C`. */
export function endedByText(why: string | undefined): string {
  const words = why === undefined ? undefined : ENDED_BY[why];
  return words === undefined ? 'stopped' : `stopped by ${words}`;
}

/**
 * The exit code of many rows: the worst wins, in the order 8, 16, the signal, 4 or 5, 7 (nothing could be sent
 * at all), 15, 0. A bug and a refused credential rank with 4 and 5. A signal counts only
 * when it kept the run from a row: otherwise the run ended by its outcomes.
 */
export function runExitCode(tally: RunTally, stops: readonly Stop[]): number {
  if (tally.of('unknown') > 0) return FAILURES.OUTCOME_UNKNOWN.exitCode;
  const broken = stops.find((stop) => stop.kind === 'broken');
  if (broken?.failure.code === 'LOCAL_IO') return broken.failure.exitCode;
  const cancelled = stops.find(({ kind }) => kind === 'reader_gone' || (kind === 'signal' && tally.toDo > 0));
  const cancelCode = cancelled && cancelExitCode(cancelled);
  if (cancelCode !== undefined) return cancelCode;
  const refused = stops.find((stop) => stop.kind === 'refused') ?? broken;
  if (refused !== undefined) return refused.failure.exitCode;
  if (tally.unreachable > 0 && tally.reachedService === 0) return FAILURES.UNREACHABLE.exitCode;
  return tally.failed > 0 ? FAILURES.PARTIAL.exitCode : 0;
}

/** Whether the reader of stdout went away, which is no fault of the disk; else why the results could not be printed. */
export function outputLoss(error: unknown, isWrite: boolean): 'reader_gone' | { readonly error: unknown } {
  if (!(error instanceof StreamFailure)) return { error };
  if (error.errno === 'EPIPE') return 'reader_gone';
  const cause = Object.assign(new Error(error.message), { code: error.errno });
  const after = isWrite ? 'the results so far are kept in the run' : 'unchanged';
  return { error: ioFailure('the results could not be written to stdout', cause, after) };
}
