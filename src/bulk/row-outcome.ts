import type { FailureCode, Outcome } from '../failure.ts';
import { FAILURES, Failure } from '../failure.ts';
import type { CallResult, Notice } from '../http/call.ts';
import type { JsonValue } from '../json/value.ts';
import { isJsonObject } from '../json/value.ts';
import type { RowEnd } from './journal.ts';
import type { JournalEntry } from './journal-entry.ts';

/** What a run needs to know of a row; everything else is the caller's. */
export interface BulkRow {
  /** 1-based, in the whole input; ascending. */
  readonly row: number;
  /** The id of what is changed or read; undefined when there is none (an event that is created). */
  readonly id: string | undefined;
}

/** How one row ended, in the shape in which it is printed, counted and kept. */
export interface RowResult<R extends BulkRow = BulkRow> {
  readonly row: R;
  /** null: a read, which has no outcome unless it was not reached (`not_sent`). */
  readonly outcome: Outcome | null;
  readonly httpStatus: number | undefined;
  readonly attempts: number;
  /** The resource as sent; undefined after a failure and on a row from the journal. */
  readonly resource: JsonValue | undefined;
  /** Undefined exactly when the row succeeded. */
  readonly failure: Failure | undefined;
  readonly resultId: string | undefined;
  readonly requestId: string | undefined;
  readonly notices: readonly Notice[];
  /** `journal`: an earlier process did it. `not_reached`: the run stopped before it. */
  readonly source: 'sent' | 'journal' | 'not_reached';
}

/** Did the row get what was asked for? */
export function isSuccess(result: RowResult): boolean {
  return result.failure === undefined;
}

/** `errorCode` of a body of family A's error shape. */
export function serviceErrorCode(failure: Failure): string | undefined {
  const { service } = failure.details;
  if (!isJsonObject(service)) return undefined;
  const code = service.get('errorCode');
  return typeof code === 'string' ? code : undefined;
}

/** The result of a row that was sent, or tried to be. `command`: dotted path of the command. */
export function sentResult<R extends BulkRow>(
  row: R,
  call: CallResult,
  about: { readonly command: string; readonly isWrite: boolean; readonly mayHaveLeft: boolean },
): RowResult<R> {
  if (call.kind === 'answered') {
    return {
      row,
      outcome: about.isWrite ? (call.outcome ?? 'applied') : null,
      httpStatus: call.status,
      attempts: call.attempts,
      resource: call.resource,
      failure: undefined,
      resultId: call.resultId,
      requestId: call.requestId,
      notices: call.notices,
      source: 'sent',
    };
  }
  const outcome = about.isWrite ? (call.failure.details.outcome ?? (about.mayHaveLeft ? 'unknown' : 'not_sent')) : null;
  const failure = call.failure.with({
    operation: about.command,
    row: row.row,
    ...(row.id === undefined ? {} : { id: row.id }),
    ...(outcome === null ? {} : { outcome }),
  });
  return {
    row,
    outcome,
    httpStatus: failure.details.http?.status,
    attempts: failure.details.attempts ?? 0,
    resource: undefined,
    failure,
    resultId: failure.details.resultId,
    requestId: failure.details.http?.requestId,
    notices: [],
    source: 'sent',
  };
}

/** The result of a row that the run stopped before. `reason` is why it stopped. */
export function notReachedResult<R extends BulkRow>(row: R, command: string, reason: Failure): RowResult<R> {
  const failure = unsentFailure(row, { command, reason, attempts: 0, what: 'was not reached' });
  return { ...EMPTY, row, outcome: 'not_sent', failure, source: 'not_reached' };
}

/** The result of a row that was under way, and of which nothing had been sent, when the run stopped. */
export function stoppedResult<R extends BulkRow>(
  row: R,
  command: string,
  reason: Failure,
  attempts: number,
): RowResult<R> {
  const failure = unsentFailure(row, { command, reason, attempts, what: 'was not sent' });
  return { ...EMPTY, row, outcome: 'not_sent', attempts, failure, source: 'sent' };
}

function unsentFailure(
  { row, id }: BulkRow,
  about: { readonly command: string; readonly reason: Failure; readonly attempts: number; readonly what: string },
): Failure {
  const { command, reason, attempts, what } = about;
  return new Failure(reason.code, `row ${row} ${what}: ${reason.message}`, {
    hints: reason.hints,
    exitCode: reason.exitCode,
    details: { operation: command, row, outcome: 'not_sent', attempts, ...(id === undefined ? {} : { id }) },
  });
}

const EMPTY = {
  httpStatus: undefined,
  attempts: 0,
  resource: undefined,
  failure: undefined,
  resultId: undefined,
  requestId: undefined,
  notices: [],
} as const satisfies Partial<RowResult>;

/**
 * The result of a row as a journal tells it. Bodies and messages of the service are never kept, so the message
 * is made anew of the status and the codes.
 */
export function journalResult<R extends BulkRow>(row: R, command: string, entry: JournalEntry): RowResult<R> {
  const { outcome, httpStatus, attempts, resultId, requestId } = entry;
  const isDone = outcome === 'applied' || outcome === 'confirmed_by_read';
  const failure = isDone ? undefined : journalFailure(row, command, entry);
  return { ...EMPTY, row, outcome, httpStatus, attempts, resultId, requestId, failure, source: 'journal' };
}

const CODE_OF: Readonly<Record<'rejected' | 'not_sent' | 'unknown', FailureCode>> = {
  rejected: 'REJECTED',
  // Nothing is recorded of the row: the run stopped before it.
  not_sent: 'PARTIAL',
  unknown: 'OUTCOME_UNKNOWN',
};

function journalFailure(row: BulkRow, command: string, entry: JournalEntry): Failure {
  const { httpStatus, requestId, errorCode, outcome } = entry;
  const kind = outcome === 'rejected' || outcome === 'not_sent' ? outcome : 'unknown';
  const code = entry.code ?? CODE_OF[kind];
  return new Failure(code, `${command} of ${row.id ?? `row ${row.row}`}: ${whatHappened(entry, code)}`, {
    details: {
      operation: command,
      row: row.row,
      outcome,
      attempts: entry.attempts,
      ...(row.id === undefined ? {} : { id: row.id }),
      ...(httpStatus === undefined
        ? {}
        : { http: requestId === undefined ? { status: httpStatus } : { status: httpStatus, requestId } }),
      ...(errorCode === undefined ? {} : { service: new Map([['errorCode', errorCode]]) }),
      ...(outcome === 'unknown' && entry.time !== undefined ? { sentAt: new Date(entry.time).toISOString() } : {}),
      ...(entry.observedStatus === undefined ? {} : { observed: new Map([['status', entry.observedStatus]]) }),
      ...(entry.resultId === undefined ? {} : { resultId: entry.resultId }),
    },
  });
}

function whatHappened(entry: JournalEntry, code: FailureCode): string {
  if (entry.outcome === 'unknown') {
    const sent = entry.time === undefined ? '' : ` at ${new Date(entry.time).toISOString()}`;
    const answer =
      entry.httpStatus === undefined ? 'no answer was recorded' : `the service answered ${entry.httpStatus}`;
    return `outcome unknown: it may have been sent${sent}, and ${answer}`;
  }
  if (entry.httpStatus !== undefined) {
    const errorCode = entry.errorCode === undefined ? '' : ` (${entry.errorCode})`;
    return `${entry.outcome === 'rejected' ? 'rejected' : 'not sent'}: the service answered ${entry.httpStatus}${errorCode}`;
  }
  if (code === 'PRECONDITION') return 'not sent: the card was not as it had to be';
  if (entry.code === undefined) return 'not sent: the run has not reached this row';
  return `not sent: ${FAILURES[code].meaning}`;
}

/** `unknown` instead of `not_sent`, for a row whose earlier attempt may have been applied. */
export function withDoubt<R extends BulkRow>(result: RowResult<R>): RowResult<R> {
  const { failure } = result;
  if (result.outcome !== 'not_sent' || failure === undefined) return result;
  const message = `an earlier attempt may have been applied, and this one was not sent: ${failure.message}`;
  return {
    ...result,
    outcome: 'unknown',
    failure: new Failure('OUTCOME_UNKNOWN', message, {
      hints: failure.hints,
      details: { ...failure.details, outcome: 'unknown' },
      cause: failure,
    }),
  };
}

/** What the journal keeps of a result. */
export function rowEnd(result: RowResult, durationMs: number | undefined): RowEnd {
  const { failure } = result;
  const observed = failure?.details.observed;
  const status = isJsonObject(observed) ? observed.get('status') : undefined;
  return {
    row: result.row.row,
    id: result.row.id,
    outcome: result.outcome ?? 'not_sent',
    attempts: result.attempts,
    httpStatus: result.httpStatus,
    requestId: result.requestId,
    durationMs,
    resultId: result.resultId,
    code: failure?.code,
    errorCode: failure === undefined ? undefined : serviceErrorCode(failure),
    observedStatus: typeof status === 'string' ? status : undefined,
    held: result.outcome === 'not_sent' && failure !== undefined && isHeldForGood(failure),
  };
}

/** Codes with which a guard (`--expect`) ends a row before it is sent: the service was there, the row was not to be. */
const GUARD_CODES: ReadonlySet<FailureCode> = new Set(['PRECONDITION', 'NOT_FOUND', 'REJECTED']);

/** Was the row held back on purpose, and not by a network that fails? */
export function isHeldBack(failure: Failure): boolean {
  return GUARD_CODES.has(failure.code);
}

/** Reasons why a card could not be read that may be gone at the next try. */
const PASSING: ReadonlySet<FailureCode> = new Set(['BAD_REPLY', 'BUSY']);

/** Would a resume hold the row back again? Not when its card could only not be read. */
function isHeldForGood(failure: Failure): boolean {
  const { cause } = failure;
  const reading = cause instanceof Failure && cause.cause instanceof Failure ? cause.cause : cause;
  return isHeldBack(failure) && !(reading instanceof Failure && PASSING.has(reading.code));
}
