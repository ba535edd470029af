import { OPERATIONS } from '../api/operations.ts';
import { type CallOutcome, isDone, isHeldBack, NO_OUTCOME, outcomeOfFailure } from '../call-outcome.ts';
import { FAILURES, Failure, type FailureCode, type Hint } from '../failure.ts';
import type { CallResult } from '../http/call.ts';
import { eventName } from '../http/facts.ts';
import { fromPlain, isJsonObject, type JsonValue } from '../json/value.ts';
import { commandWords } from '../output/people-text.ts';
import { callOutcomeAfter, type EarlierSends } from './journal/attempts.ts';
import { isResolution } from './journal/record.ts';
import type { RowState } from './journal/row-states.ts';

/** What a run needs to know of a row; everything else is the caller's. */
export interface RunRow {
  /** 1-based, in the whole input; ascending. */
  readonly row: number;
  /** The id of what is changed or read; undefined when there is none (an event that is created). */
  readonly id: string | undefined;
  /** What is sent; an event is named by its name and start. */
  readonly body?: JsonValue | undefined;
  /** Of a planned row: whether it is compared with its plan before it is sent. */
  readonly drift?: 'checked' | 'unchecked' | undefined;
}

/** What a journal keeps of a row besides its number and id, as the history wants to know it later. */
export interface AboutRow {
  readonly reason?: string | undefined;
  /** Names of the fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  /** What stands for the body of an event. */
  readonly digest?: string | undefined;
}

/** How one row ended, in the shape in which it is printed, counted and kept. */
export interface RowResult<R extends RunRow = RunRow> {
  readonly row: R;
  /** Its outcome is null on a read, unless the row was not reached (`not_sent`). */
  readonly ending: CallOutcome;
  /** The resource as sent; undefined after a failure and on a row from the journal. */
  readonly resource: JsonValue | undefined;
  /** The ending in words; undefined exactly when the row succeeded. */
  readonly failure: Failure | undefined;
  /**
   * `journal`: an earlier process did it. `not_reached`: the run stopped before it. `in_flight`: another process waits
   * for its answer now, so its outcome, which would be unknown if that one ended, is not shown.
   */
  readonly source: 'sent' | 'journal' | 'not_reached' | 'in_flight';
  /** How many of its attempts earlier processes made. */
  readonly earlierAttempts?: number;
  /** How many of its requests left in this process. */
  readonly requests?: number;
}

/** A call that failed before it was one. */
export function failedCall(failure: Failure): CallResult {
  return { kind: 'failed', failure, ending: outcomeOfFailure(failure) };
}

/** The result of a row that was sent, or tried to be. `command`: dotted path of the command. */
export function sentResult<R extends RunRow>(
  row: R,
  call: CallResult,
  about: { readonly command: string; readonly isWrite: boolean; readonly mayHaveLeft: boolean },
): RowResult<R> {
  const { ending } = call;
  if (call.kind === 'answered') return { row, ending, resource: call.resource, failure: undefined, source: 'sent' };
  const outcome = about.isWrite ? (ending.outcome ?? (about.mayHaveLeft ? 'unknown' : 'not_sent')) : null;
  const details = { operation: about.command, row: row.row, id: row.id, outcome: outcome ?? undefined };
  const failure = call.failure.with(details, about.isWrite ? withoutRepeat(call.failure) : undefined);
  return { row, ending: { ...ending, outcome }, resource: undefined, failure, source: 'sent' };
}

/** A run is resumed: that its command can be repeated is what a single call is told. */
function withoutRepeat({ hints }: Failure): readonly Hint[] {
  return hints.filter((hint) => typeof hint === 'string' || hint.asks !== 'repeat');
}

/** The result of a row that was not sent because the run stopped. `attempts`: undefined where it was not reached. */
export function unsentResult<R extends RunRow>(
  row: R,
  command: string,
  reason: Failure,
  attempts?: number,
): RowResult<R> {
  const what = attempts === undefined ? 'was not reached' : 'was not sent';
  const failure = new Failure(reason.code, `row ${row.row} ${what}: ${reason.problem}`, {
    after: reason.after,
    hints: reason.hints,
    exitCode: reason.exitCode,
    details: { operation: command, id: row.id, row: row.row, outcome: 'not_sent', attempts: attempts ?? 0 },
  });
  const source = attempts === undefined ? 'not_reached' : 'sent';
  const ending = outcomeOfFailure(failure, attempts === undefined ? {} : { message: reason.message });
  return { row, ending, resource: undefined, failure, source };
}

/**
 * The result of a row as a journal has it: no body is ever kept. `said`: what was said of it then; where that is not
 * kept, its failure is put into words anew.
 */
export function journalResult<R extends RunRow>(
  row: R,
  command: string,
  ending: CallOutcome,
  said?: string,
): RowResult<R> {
  const failure = isDone(ending.outcome) ? undefined : storedFailure(row, command, ending, said);
  return { row, ending, resource: undefined, failure, source: 'journal' };
}

/**
 * The words in which a row that did not succeed was told of, for its record; undefined: none, or they hold more of the
 * service's answer than a record may, which could name a customer.
 */
export function wordsToKeep({ failure }: RowResult): string | undefined {
  const { service, body } = failure?.details ?? {};
  const tellsMore = body !== undefined || (isJsonObject(service) && service.has('details'));
  return tellsMore ? undefined : failure?.message;
}

/** The result of a row whose record cannot be read: its outcome alone is known. */
export function stateResult<R extends RunRow>(row: R, command: string, state: RowState): RowResult<R> {
  const outcome = state === 'intent' || state === 'none' || isResolution(state) ? 'unknown' : state;
  return journalResult(row, command, { ...NO_OUTCOME, outcome });
}

function storedFailure(row: RunRow, command: string, ending: CallOutcome, said?: string): Failure {
  const { outcome, httpStatus, requestId, attempts, sentAtMs, resultId, observedStatus, errorCode, message } = ending;
  // Without a code nothing is recorded of the row, because the run stopped before it, or not how it ended.
  const code = ending.code ?? (outcome === 'unknown' ? 'OUTCOME_UNKNOWN' : 'PARTIAL');
  const { verbPhrase, object } = Object.values(OPERATIONS).find((each) => each.command === command) ?? {};
  const subject = `${verbPhrase ?? commandWords(command)} ${row.id ?? eventName(row.body) ?? `(row ${row.row})`}`;
  const after = outcome === 'rejected' ? 'unchanged' : isHeldBack(outcome, ending.code) ? 'unsent' : undefined;
  return new Failure(code, said ?? whatHappened(subject, row.id === undefined ? undefined : object, ending, code), {
    after: said === undefined ? after : undefined,
    details: {
      operation: command,
      row: row.row,
      outcome: outcome ?? undefined,
      attempts,
      id: row.id,
      http: httpStatus === undefined ? undefined : { status: httpStatus, requestId },
      // What is kept of a body of the gift-card API's error shape.
      service: errorCode === undefined ? undefined : fromPlain({ errorCode, message }),
      sentAt: outcome === 'unknown' && sentAtMs !== undefined ? new Date(sentAtMs).toISOString() : undefined,
      observed: observedStatus === undefined ? undefined : new Map([['status', observedStatus]]),
      resultId,
    },
  });
}

/** How a row ended, in the words of a run in progress. `object`: what is not there where a service has no such ID. */
function whatHappened(subject: string, object: string | undefined, ending: CallOutcome, code: FailureCode): string {
  const { outcome, httpStatus, errorCode, message, sentAtMs, observedStatus } = ending;
  const known = [errorCode, message].filter((text) => text !== undefined).join(': ');
  const said = known === '' ? '' : ` (${known})`;
  const answer = httpStatus === undefined ? undefined : `the service returned ${httpStatus}${said}`;
  if (outcome === 'unknown') {
    const sent = sentAtMs === undefined ? '' : ` at ${new Date(sentAtMs).toISOString()}`;
    const seen = observedStatus === undefined ? '' : `. The card check showed status ${observedStatus}`;
    const repeat = ending.repeated === undefined ? '' : `. A retry ${ending.repeated}`;
    const broken = answer ?? message ?? 'its process ended before the response';
    return `OUTCOME UNKNOWN - ${subject}. The request may have been sent${sent}, but ${broken}${seen}${repeat}`;
  }
  const missing = code === 'NOT_FOUND' && object !== undefined ? `no such ${object}: ` : '';
  if (answer !== undefined) return `could not ${subject}: ${missing}${answer}`;
  if (ending.code === undefined) return `not sent: ${subject}: the run has not reached this row`;
  const meaning = code === 'PRECONDITION' ? 'the card did not match what was expected' : FAILURES[code].meaning;
  return `could not ${subject}: ${message ?? meaning}`;
}

/** The result of a row with what earlier processes sent of it: the first send is never forgotten. */
export function withEarlier<R extends RunRow>(
  result: RowResult<R>,
  command: string,
  earlier: EarlierSends,
): RowResult<R> {
  if (earlier.attempts === 0 && earlier.ending === undefined) return result;
  const attempts = earlier.attempts + result.ending.attempts;
  const ending = callOutcomeAfter(earlier.ending, { ...result.ending, attempts });
  const isForgetful = ending.outcome !== result.ending.outcome;
  const failure = isForgetful ? storedFailure(result.row, command, ending) : result.failure?.with({ attempts });
  return { ...result, ending, failure, earlierAttempts: earlier.attempts };
}

/** Reasons why a card could not be read that may be gone at the next try. */
const PASSING: ReadonlySet<FailureCode> = new Set(['BAD_REPLY', 'BUSY']);

/** Was the row held back only because its card could not be read, so that a resume tries it again? */
export function isHeldForNow({ ending, failure }: RowResult): boolean {
  const cause = failure?.cause;
  const reading = cause instanceof Failure && cause.cause instanceof Failure ? cause.cause : cause;
  return isHeldBack(ending.outcome, ending.code) && reading instanceof Failure && PASSING.has(reading.code);
}
