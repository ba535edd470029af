import { type SignalName, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, Failure } from '../failure.ts';
import { formatSeconds } from '../output/duration.ts';
import { plural } from '../output/safe-text.ts';

/** Why a run ended before its last row. */
export type Stop =
  | { readonly kind: 'signal'; readonly signal: SignalName }
  /** 401, or no usable credential; 403 by the rules of the contract; anything else that every row would meet. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'max_failures'; readonly failures: number }
  | { readonly kind: 'unreachable'; readonly failure: Failure; readonly rows: number }
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** The journal, the input's copy or stdout cannot be used any more, or a bug. */
  | { readonly kind: 'broken'; readonly failure: Failure }
  /** The reader of a read's stdout went away. */
  | { readonly kind: 'reader_gone' };

/** Exit code of a run that a signal or a reader that went away has stopped. */
export function cancelExitCode(stop: Extract<Stop, { kind: 'signal' | 'reader_gone' }>): number {
  return CANCELLED_EXIT_CODES[stop.kind === 'signal' ? stop.signal : 'EPIPE'];
}

/** The reason as a failure, for the rows that were not reached; its message follows `row 7 was not reached: `. */
export function stopFailure(stop: Stop): Failure {
  switch (stop.kind) {
    case 'signal':
      return new Failure('CANCELLED', `${signalWords(stop.signal)} stopped the run; nothing was sent`, {
        exitCode: cancelExitCode(stop),
      });
    case 'reader_gone':
      return new Failure('CANCELLED', 'the reader of the output went away; nothing was sent', {
        exitCode: cancelExitCode(stop),
      });
    case 'max_failures':
      return new Failure(
        'PARTIAL',
        `the run stopped at ${plural(stop.failures, 'failed row')} (--max-failures); nothing was sent`,
      );
    case 'busy':
      return new Failure(
        'BUSY',
        `the service asked for a pause of ${formatSeconds(stop.waitMs)}, longer than a run waits; nothing was sent`,
      );
    case 'unreachable':
      return new Failure(
        'UNREACHABLE',
        `the run stopped because ${plural(stop.rows, 'row')} in a row could not be sent; nothing was sent`,
      );
    case 'refused':
      return new Failure(stop.failure.code, `the run stopped because ${stop.failure.message}`);
    case 'broken':
      return new Failure(stop.failure.code, `the run stopped because ${stop.failure.message}`);
  }
}

/** The reason in a few words, for the summary: `5 rows in a row could not be sent`. */
export function stopReason(stop: Stop): string {
  switch (stop.kind) {
    case 'signal':
      return signalWords(stop.signal);
    case 'reader_gone':
      return 'the reader of the output went away';
    case 'max_failures':
      return `${plural(stop.failures, 'row')} failed (--max-failures)`;
    case 'busy':
      return `the service asked for a pause of ${formatSeconds(stop.waitMs)}`;
    case 'unreachable':
      return `${plural(stop.rows, 'row')} in a row could not be sent; the last: ${stop.failure.message}`;
    case 'refused':
    case 'broken':
      return stop.failure.message;
  }
}
