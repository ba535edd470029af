import { type After, FAILURES, Failure, type FailureCode, type FailureDetails, type Outcome } from '../base/failure.ts';
import { outside, quoted } from '../base/json/outside-text.ts';
import { fromPlain, isJsonObject, type JsonValue } from '../base/json/value.ts';
import { commandWords } from '../screen/people-text.ts';
import { sentenceCase } from '../screen/text.ts';
import { operationNamed } from '../service/api/operations.ts';
import {
  type CallOutcome,
  callOutcomeAfter,
  type EarlierSends,
  isGood,
  NO_OUTCOME,
  outcomeOfFailure,
} from '../service/call-outcome.ts';
import type { CallResult } from '../service/http/call.ts';
import { eventName } from '../service/http/facts.ts';
import { isResolution } from './journal/record.ts';
import type { RowState } from './journal/row-states.ts';

/** What a run needs to know of a row. */
export interface RunRow {
  /** 1-based, in the whole input; ascending. */
  readonly row: number;
  /** ID of what is changed or read; undefined for a new event. */
  readonly id: string | undefined;
  /** What is sent. It names an event: by name and start. */
  readonly body?: JsonValue | undefined;
  /** Is the planned row compared with its plan before it is sent? */
  readonly drift?: 'checked' | 'unchecked' | undefined;
}

/** What a journal keeps of a row for the history, besides number and ID. */
export interface AboutRow {
  readonly reason?: string | undefined;
  /** Names of the fields that an update sets. */
  readonly fields?: readonly string[] | undefined;
  /** Digest that stands for the body of an event. */
  readonly digest?: string | undefined;
}

/** How one row ended: what is printed, counted and recorded. */
export interface RowResult<R extends RunRow = RunRow> {
  readonly row: R;
  /** The outcome of a read is null, unless the row was not reached (`not_sent`). */
  readonly callOutcome: CallOutcome;
  /** The resource as sent by the service; undefined after a failure, and for a row from the journal. */
  readonly resource: JsonValue | undefined;
  /** Undefined exactly if the row succeeded. */
  readonly failure: Failure | undefined;
  /**
   * `journal`: an earlier process did it. `not_reached`: the run stopped before it. `in_flight`: another process waits
   * for its response, so it has no outcome yet.
   */
  readonly source: 'sent' | 'journal' | 'not_reached' | 'in_flight';
  readonly earlierAttempts?: number;
  /** Held back for a reason that may pass: a resume sends it. */
  readonly isForNow?: boolean | undefined;
  /** The status of the card by which the row was held back. */
  readonly readStatus?: string | undefined;
}

/** A call that failed before its request was made. */
export function failedCall(failure: Failure): CallResult {
  return { kind: 'failed', failure, callOutcome: outcomeOfFailure(failure) };
}

/** The result of a row that was sent, or should have been. `command`: dotted path. */
export function sentResult<R extends RunRow>(
  row: R,
  call: CallResult,
  about: { readonly command: string; readonly isWrite: boolean; readonly mayHaveLeft: boolean },
): RowResult<R> {
  const { callOutcome } = call;
  if (call.kind === 'answered')
    return { row, callOutcome, resource: call.resource, failure: undefined, source: 'sent' };
  const outcome = about.isWrite ? (callOutcome.outcome ?? (about.mayHaveLeft ? 'unknown' : 'not_sent')) : null;
  const details = { operation: about.command, row: row.row, id: row.id, outcome: outcome ?? undefined };
  // A run is resumed. Only the hints of a single call say that its command can be repeated.
  const hints = call.failure.hints.filter((hint) => typeof hint === 'string' || hint.do !== 'repeat');
  // The problem of a failure from below names what was attempted there: its own cause.
  const attempted = call.failure.attempted ?? subjectOfRow(row, about.command);
  const after = call.failure.after === 'silent' ? afterOf(outcome) : call.failure.after;
  const said = call.failure.but({ attempted, after }).with(details, about.isWrite ? hints : undefined);
  const failure = said.beside(callOutcome.notices);
  return { row, callOutcome: { ...callOutcome, outcome }, resource: undefined, failure, source: 'sent' };
}

/** What a row that did not succeed leaves behind. */
function afterOf(outcome: Outcome | null): After {
  return outcome === 'rejected' ? 'unchanged' : outcome === 'not_sent' ? 'unsent' : 'silent';
}

/** The result of a row that the run stopped before. `attempts`: undefined if it was not reached. */
export function unsentResult<R extends RunRow>(
  row: R,
  command: string,
  reason: Failure,
  attempts?: number,
): RowResult<R> {
  const failure = new Failure(reason.code, reason.problem, {
    attempted: subjectOfRow(row, command),
    after: reason.after,
    hints: reason.hints,
    exitCode: reason.exitCode,
    details: { operation: command, id: row.id, row: row.row, outcome: 'not_sent', attempts: attempts ?? 0 },
  });
  const source = attempts === undefined ? 'not_reached' : 'sent';
  const callOutcome = outcomeOfFailure(failure, attempts === undefined ? {} : { message: reason.problem });
  return { row, callOutcome, resource: undefined, failure, source };
}

/** The result of a row from the journal, which keeps no bodies. `message`: as stored; else one is made anew. */
export function journalResult<R extends RunRow>(
  row: R,
  command: string,
  callOutcome: CallOutcome,
  message?: string,
): RowResult<R> {
  const failure = isGood(callOutcome.outcome) ? undefined : storedFailure(row, command, callOutcome, message);
  return { row, callOutcome, resource: undefined, failure, source: 'journal' };
}

/**
 * Why a row failed, for its record. Undefined if there is none, or if it quotes more of the service's
 * response than a record may hold, which could name a customer.
 */
export function messageToStore({ failure }: RowResult): string | undefined {
  const { service, body } = failure?.details ?? {};
  const tellsMore = body !== undefined || (isJsonObject(service) && service.has('details'));
  return tellsMore ? undefined : failure?.problem;
}

/** The result of a row whose record cannot be read: only its outcome is known. */
export function stateResult<R extends RunRow>(row: R, command: string, state: RowState): RowResult<R> {
  const outcome = state === 'intent' || state === 'none' || isResolution(state) ? 'unknown' : state;
  return journalResult(row, command, { ...NO_OUTCOME, outcome });
}

function storedFailure(row: RunRow, command: string, callOutcome: CallOutcome, stored?: string): Failure {
  const { outcome, httpStatus, requestId, sentAtMs, observedStatus, errorCode, message } = callOutcome;
  const details: FailureDetails = {
    operation: command,
    row: row.row,
    outcome: outcome ?? undefined,
    attempts: callOutcome.attempts,
    id: row.id,
    http: httpStatus === undefined ? undefined : { status: httpStatus, requestId },
    // What the journal keeps of an error body of the gift-card API.
    service: errorCode === undefined ? undefined : fromPlain({ errorCode, message }),
    sentAt: outcome === 'unknown' && sentAtMs !== undefined ? new Date(sentAtMs).toISOString() : undefined,
    observed: observedStatus === undefined ? undefined : new Map([['status', observedStatus]]),
    resultId: callOutcome.resultId,
  };
  // Without a code, the run stopped before the row, or how it ended was not recorded.
  const code = callOutcome.code ?? (outcome === 'unknown' ? 'OUTCOME_UNKNOWN' : 'PARTIAL');
  const after = afterOf(outcome);
  const problem = stored ?? whatHappened(row, command, callOutcome, code);
  const failure = new Failure(code, problem, { attempted: subjectOfRow(row, command), after, details });
  return failure.beside(callOutcome.notices);
}

/** How a row ended, in the words of the run that sent it. */
function whatHappened(row: RunRow, command: string, callOutcome: CallOutcome, code: FailureCode): string {
  const { outcome, httpStatus, errorCode, message } = callOutcome;
  const object = operationNamed(command)?.object;
  // With a 2xx it is frontdesk that says what is wrong with the answer.
  const reason = message === undefined || (httpStatus ?? 0) < 300 ? message : quoted(message);
  const known = [errorCode && outside(errorCode), reason].filter((text) => text !== undefined).join(': ');
  const more = known === '' ? '' : ` (${known})`;
  const answer = httpStatus === undefined ? undefined : `the service returned ${httpStatus}${more}`;
  if (outcome === 'unknown') return unknownText(callOutcome, answer ?? message);
  const isMissing = code === 'NOT_FOUND' && row.id !== undefined && object !== undefined;
  const missing = isMissing ? `no such ${object}: ` : '';
  if (answer !== undefined) return `${missing}${answer}`;
  if (callOutcome.code === undefined) return 'the run has not reached this row';
  const meaning = code === 'PRECONDITION' ? 'the card did not match what was expected' : FAILURES[code].meaning;
  return message ?? meaning;
}

/** Why a row ended so, beside its ID and its outcome, which say the rest: words first, the service's code behind them. */
export function reasonOfRow({ row, callOutcome, failure, source }: RowResult, object: string): string {
  const { outcome, httpStatus, errorCode, message, observedStatus, repeated, code } = callOutcome;
  if (failure === undefined || source === 'in_flight') return '';
  const answer = [httpStatus, errorCode === undefined ? undefined : outside(errorCode)].filter(Boolean).join(' ');
  if (outcome === 'unknown') {
    const broken = httpStatus === undefined ? 'no response' : `the service returned ${answer}`;
    const seen = observedStatus === undefined ? '' : `, the card read ${outside(observedStatus)}`;
    return `${broken}${seen}${repeated === undefined ? '' : `, and a retry ${repeated}`}`;
  }
  if (code === 'NOT_FOUND' && row.id !== undefined) return `no such ${object}`;
  if (httpStatus === undefined) return failure.problem;
  if (message === undefined) return `the service returned ${answer}`;
  // With a 2xx it is frontdesk that says what is wrong with the answer.
  return `${httpStatus < 300 ? message : quoted(message)} (${answer})`;
}

/** What was attempted on a row: `block card 7c0e…`. */
function subjectOfRow(row: RunRow, command: string): string {
  const verb = operationNamed(command)?.verbPhrase ?? commandWords(command);
  const named = row.id === undefined ? eventName(row.body) : outside(row.id);
  return `${verb} ${named ?? `(row ${row.row})`}`;
}

/** `broken`: why its outcome is unknown; undefined: its process was killed, and only the intent is known. */
function unknownText({ sentAtMs, observedStatus, repeated }: CallOutcome, broken: string | undefined) {
  const at = sentAtMs === undefined ? '' : ` at ${new Date(sentAtMs).toISOString().slice(11, 19)}Z`;
  const parts = [
    broken === undefined
      ? `The request may have been sent${at}. Its process ended before the response.`
      : `The request was sent${at}. ${sentenceCase(broken)}.`,
    // A retry is held back by what a check before it showed, if there was one.
    ...(repeated === undefined ? ['It may or may not have been applied.'] : []),
    ...(observedStatus === undefined ? [] : [`Card check: status ${outside(observedStatus)}.`]),
    ...(repeated === undefined ? [] : [`A retry ${repeated}.`, 'It may or may not have been applied.']),
  ];
  return parts.join(' ');
}

/** The result of a row together with what earlier processes sent of it: the first request is never forgotten. */
export function withEarlier<R extends RunRow>(
  result: RowResult<R>,
  command: string,
  earlier: EarlierSends,
): RowResult<R> {
  if (earlier.attempts === 0 && earlier.callOutcome === undefined) return result;
  const attempts = earlier.attempts + result.callOutcome.attempts;
  const { observedStatus = earlier.callOutcome && result.readStatus } = result.callOutcome;
  const callOutcome = callOutcomeAfter(earlier.callOutcome, { ...result.callOutcome, attempts, observedStatus });
  const isForgetful = callOutcome.outcome !== result.callOutcome.outcome;
  const failure = isForgetful ? storedFailure(result.row, command, callOutcome) : result.failure?.with({ attempts });
  return { ...result, callOutcome, failure, earlierAttempts: earlier.attempts };
}
