import { FAILURES, type Failure, type FailureCode, type Notice, OUTCOMES, type Outcome } from '../base/failure.ts';
import { cutText, detached, shorten } from '../base/json/shorten.ts';
import { type JsonValue, textAt } from '../base/json/value.ts';

/**
 * How a call ended. The call makes it once. Results carry it, journal and history store it and return it unchanged. It
 * holds no body, no token and no customer's data except what the service put into a message.
 */
export interface CallOutcome {
  /** null: a read that was made. */
  readonly outcome: Outcome | null;
  /** Attempts whose request may have left. */
  readonly attempts: number;
  readonly notices: readonly Notice[];
  /** Undefined: no status line came. */
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  /** When the first byte of the last attempt may have left, in milliseconds since 1970; undefined: none did. */
  readonly sentAtMs?: number | undefined;
  /** Milliseconds from the beginning of the first attempt to the end; undefined: there was no attempt. */
  readonly durationMs?: number | undefined;
  /** The ID in the response of a reissue or a new event, which no later read shows. */
  readonly resultId?: string | undefined;
  /** Undefined exactly if the call succeeded. */
  readonly code?: FailureCode | undefined;
  readonly errorCode?: string | undefined;
  /** Why it failed, cut: the service's message, what broke, what `--expect` saw. */
  readonly message?: string | undefined;
  /** The status of the card as last seen: in the response, or by a card check. */
  readonly observedStatus?: string | undefined;
  /** The card's `clientReference`, if the card was seen. */
  readonly clientReference?: string | undefined;
  /** How a repeat ended, after an attempt that may have been applied: `was refused: 409`. */
  readonly repeated?: string | undefined;
  /** How the same change ended, or stands, that others sent: it held this one back, which must not be sent as it is. */
  readonly same?: 'applied' | 'unknown' | undefined;
}

/** How a change ended: only a read has no outcome. */
export type WriteOutcome = CallOutcome & { readonly outcome: Outcome };

/** An outcome without any knowledge, with all members: adding some to a copy takes ten times as long. */
export const NO_OUTCOME: CallOutcome = {
  outcome: null,
  attempts: 0,
  notices: [],
  httpStatus: undefined,
  requestId: undefined,
  sentAtMs: undefined,
  durationMs: undefined,
  resultId: undefined,
  code: undefined,
  errorCode: undefined,
  message: undefined,
  observedStatus: undefined,
  clientReference: undefined,
  repeated: undefined,
  same: undefined,
};

/** A change in flight when its process ended. */
export const LOST_OUTCOME: WriteOutcome = { ...NO_OUTCOME, outcome: 'unknown', code: 'OUTCOME_UNKNOWN' };

/** Was it done, as a response or a read shows? */
export function isDone(outcome: Outcome | null | undefined): boolean {
  return outcome === 'applied' || outcome === 'confirmed_by_read';
}

/** Is everything as it was wanted? */
export function isGood(outcome: Outcome | null | undefined): boolean {
  return isDone(outcome) || outcome === 'skipped';
}

/** Most characters of a card's status in records and messages. */
const MAX_STATUS = 256;

/** The status of a card for records and messages, cut with a mark if it is too long. */
export function statusAt(card: JsonValue | undefined): string | undefined {
  const status = textAt(card, 'status');
  return status && detached(cutText(status, MAX_STATUS));
}

/** The card's `clientReference`, cut like its status. */
export function referenceAt(card: JsonValue | undefined): string | undefined {
  const reference = textAt(card, 'clientReference');
  return reference && detached(cutText(reference, MAX_STATUS));
}

const MAX_MESSAGE = 300;
/** A longer code is cut: a body may pose as one. */
const MAX_ERROR_CODE = 200;

/** The outcome of a failed call. `message`: why, if the failure's details do not say it. */
export function outcomeOfFailure(
  failure: Failure,
  known: Partial<Pick<CallOutcome, 'durationMs' | 'message' | 'clientReference'>> = {},
): CallOutcome {
  const { outcome, http, attempts, sentAt, resultId, service, observed } = failure.details;
  const message = textAt(service, 'message') ?? known.message;
  const errorCode = textAt(service, 'errorCode');
  return {
    outcome: outcome ?? null,
    httpStatus: http?.status,
    requestId: http?.requestId,
    attempts: attempts ?? 0,
    sentAtMs: sentAt === undefined ? undefined : Date.parse(sentAt),
    durationMs: known.durationMs,
    resultId,
    code: failure.code,
    errorCode: errorCode && cutText(errorCode, MAX_ERROR_CODE),
    message: message === undefined ? undefined : shorten(message, MAX_MESSAGE),
    observedStatus: statusAt(observed),
    clientReference: known.clientReference,
    notices: [],
  };
}

/** Codes with which a guard (`--expect`) ends a row before it is sent, although the service is there. */
const GUARD_CODES: ReadonlySet<FailureCode> = new Set(['PRECONDITION', 'NOT_FOUND', 'REJECTED']);

/** Was it held back on purpose, and not by a network failure? */
export function isHeldBack(outcome: Outcome | null, code: FailureCode | undefined): boolean {
  return outcome === 'not_sent' && code !== undefined && GUARD_CODES.has(code);
}

/** Does a resume send a row that ended so? `isForNow`: it was refused for a reason that passes (a 401, a pause). */
export function isStillToDo(outcome: Outcome | null, code: FailureCode | undefined, isForNow: boolean): boolean {
  if (outcome === 'not_sent') return isForNow || !isHeldBack(outcome, code);
  return outcome === 'rejected' && isForNow;
}

/** THE members of an outcome in a file: the short name of each, for a journal of a million rows, and its type. */
const MEMBERS = {
  outcome: ['s', 'string'],
  attempts: ['a', 'number'],
  httpStatus: ['http', 'number'],
  requestId: ['req', 'string'],
  sentAtMs: ['at', 'number'],
  durationMs: ['ms', 'number'],
  resultId: ['rid', 'string'],
  code: ['code', 'string'],
  errorCode: ['err', 'string'],
  message: ['msg', 'string'],
  observedStatus: ['seen', 'string'],
  clientReference: ['ref', 'string'],
  repeated: ['rep', 'string'],
  same: ['same', 'string'],
  notices: ['notes', 'object'],
} as const satisfies Record<keyof CallOutcome, readonly [short: string, type: string]>;

// The names of an object that was written here are its own.
const NAMES = Object.keys(MEMBERS) as readonly (keyof CallOutcome)[];

/** An outcome in a record: `s` and `a` always, others if known. */
export type OutcomeRecord = { readonly s: Outcome; readonly a: number } & {
  readonly [Name in keyof CallOutcome as (typeof MEMBERS)[Name][0]]?: CallOutcome[Name] | undefined;
};

/** Adds the outcome of a change to a record, and returns the record. A read has none. */
export function encodeOutcome<Line extends object>(callOutcome: CallOutcome, line: Line): Line & OutcomeRecord {
  const record = line as Record<string, unknown>;
  record['s'] = 'unknown';
  for (const name of NAMES) {
    const value = callOutcome[name];
    const isLeftOut = value === undefined || value === null || (name === 'notices' && callOutcome.notices.length === 0);
    if (!isLeftOut) record[MEMBERS[name][0]] = value;
  }
  // Each member has its short name.
  return record as unknown as Line & OutcomeRecord;
}

/**
 * The outcome in a record; undefined: none, or one that this version does not know. A line of a journal has the short
 * names, and its `message` is the whole message of the row; a line of the history has the whole names.
 */
export function decodeOutcome(record: object): WriteOutcome | undefined {
  // Every member is checked before it is used.
  const members = record as Readonly<Record<string, unknown>>;
  const { code = 'INTERNAL' } = members;
  const known: Record<string, unknown> = { ...NO_OUTCOME };
  const isShort = 's' in members;
  for (const name of NAMES) {
    const [short, type] = MEMBERS[name];
    const value = members[isShort ? short : name];
    if (typeof value === type) known[name] = value;
  }
  const { outcome, notices } = known;
  if (!OUTCOMES.some((one) => one === outcome) || !(typeof code === 'string' && code in FAILURES)) return undefined;
  return { ...known, notices: Array.isArray(notices) ? notices.filter(isNotice) : [] } as unknown as WriteOutcome;
}

function isNotice(value: unknown): value is Notice {
  if (typeof value !== 'object' || value === null || !('code' in value && 'message' in value && 'level' in value)) {
    return false;
  }
  const isLevel = value.level === 'note' || value.level === 'warning';
  return isLevel && typeof value.code === 'string' && typeof value.message === 'string';
}

/** What earlier processes sent of a row. `callOutcome` is set if that may have been applied. */
export interface EarlierSends {
  readonly attempts: number;
  readonly callOutcome: CallOutcome | undefined;
}

/**
 * THE rule for a row with several attempts: once one of them may have been applied, no refusal or failure of a repeat
 * takes that back. Only a response or a read that shows the change does.
 */
export function outcomeAfter<Other extends string>(mayBeApplied: boolean, latest: Outcome | Other): Outcome | Other {
  return mayBeApplied && (latest === 'rejected' || latest === 'not_sent' || latest === 'skipped') ? 'unknown' : latest;
}

/**
 * The call outcome of a row after its latest attempt. `earlier`: that of an attempt that may have been applied. The
 * result keeps when that was sent and what was known of it, and adds how the repeat ended.
 */
export function callOutcomeAfter(earlier: CallOutcome | undefined, latest: CallOutcome): CallOutcome {
  const { outcome } = latest;
  if (earlier === undefined || outcome === null || outcomeAfter(true, outcome) === outcome) return latest;
  const answer = [latest.httpStatus, latest.errorCode, latest.message].filter((part) => part !== undefined).join(' ');
  const how = outcome === 'rejected' ? 'was refused' : 'was not sent';
  const repeated = `${how}${answer === '' ? '' : `: ${answer}`}`;
  const { attempts, notices, observedStatus = earlier.observedStatus } = latest;
  const known = { attempts, notices, repeated, observedStatus };
  return { ...NO_OUTCOME, ...earlier, outcome: 'unknown', code: 'OUTCOME_UNKNOWN', ...known };
}
