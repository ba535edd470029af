import { type SignalName, StreamFailure, signalWords } from '../context.ts';
import { CANCELLED_EXIT_CODES, FAILURES, Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { formatSeconds, plural } from '../output/text.ts';
import type { RunTally } from './run-tally.ts';

/** Why a run ended before its last row. */
export interface Stop {
  readonly kind: 'signal' | 'reader_gone' | 'refused' | 'broken' | 'max_failures' | 'unreachable' | 'lost' | 'busy';
  /** How the rows end that it kept back. */
  readonly failure: Failure;
  /** In a few words, for the summary: `5 consecutive rows could not be sent`. */
  readonly reason: string;
  /** In a word without anything from outside, for the journal: `SIGINT`, `max_failures`, `AUTH`. */
  readonly word: string;
  /** What each further row would meet. */
  readonly cause?: Failure;
}

/** A signal ended the run. */
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

/** So many rows failed. */
export function tooManyFailed(rows: number): Stop {
  const problem = `the run stopped at ${plural(rows, 'failed row')} (--max-failures)`;
  const reason = `${plural(rows, 'row')} failed (--max-failures)`;
  return { kind: 'max_failures', failure: Failure.unsent('PARTIAL', problem), reason, word: 'max_failures' };
}

/** The service asked for a longer pause than a run waits. */
export function longPause(waitMs: number): Stop {
  const reason = `the service asked for a pause of ${formatSeconds(waitMs)}`;
  return { kind: 'busy', failure: Failure.unsent('BUSY', `${reason}, longer than a run waits`), reason, word: 'busy' };
}

/** So many consecutive rows could not be sent, the last because of `cause`; `lost`: or their outcome is unknown. */
export function outage(kind: 'unreachable' | 'lost', rows: number, cause: Failure): Stop {
  const isLost = kind === 'lost';
  const what = `${plural(rows, 'consecutive row')} could not be sent${isLost ? ' or have no known outcome' : ''}`;
  // Unknown rows reached the service, or may have.
  const failure = Failure.unsent(isLost ? 'PARTIAL' : 'UNREACHABLE', `the run stopped because ${what}`);
  return { kind, failure, reason: `${what}. The last one: ${cause.asSilent().message}`, word: kind, cause };
}

/**
 * `refused`: 401, or no usable credential; 403 by the rules of the contract; anything else that every row would meet.
 * `broken`: the journal, the input's copy or stdout cannot be used any more, or a bug.
 */
export function failureStop(kind: 'refused' | 'broken', cause: Failure): Stop {
  const failure = Failure.unsent(cause.code, `the run stopped because ${cause.problem}`);
  // What was sent stands in the counts beside it.
  return { kind, failure, reason: cause.asSilent().message, word: cause.code, cause };
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

/** What a run was stopped by, of the word in its journal, for people: `stopped by Ctrl-C`. */
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
  if (cancelled !== undefined) return cancelled.failure.exitCode;
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
  return { error: ioFailure('could not write the results to stdout', cause, after) };
}
