import { FAILURES, type Failure, type FailureCode, type Notice, OUTCOMES, type Outcome } from './failure.ts';
import { cutText, detached, shorten } from './json/shorten.ts';
import { type JsonValue, textAt } from './json/value.ts';

/**
 * How a call ended. The call makes it once; results of single calls and of rows carry it, journal and history keep it
 * and give it back unchanged. It holds no body, no token and nothing of a customer but what the service put into a
 * message.
 */
export interface CallOutcome {
  /** null: a read that was made. */
  readonly outcome: Outcome | null;
  /** Attempts whose request may have left; 0 also where version 0.1.0 recorded no number. */
  readonly attempts: number;
  readonly notices: readonly Notice[];
  /** Undefined: no status line came. */
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  /** Milliseconds since 1970 at which the first byte of the last attempt may have left; undefined: none may have. */
  readonly sentAtMs?: number | undefined;
  /** Whole milliseconds from the beginning of the first attempt to the end; undefined: there was no attempt. */
  readonly durationMs?: number | undefined;
  /** The id in the answer of a reissue or of a created event: it can be had nowhere else. */
  readonly resultId?: string | undefined;
  /** Undefined exactly when the call succeeded. */
  readonly code?: FailureCode | undefined;
  readonly errorCode?: string | undefined;
  /** Why it failed, cut: the service's message, what broke on the way, what `--expect` saw. */
  readonly message?: string | undefined;
  /** The status of the card as it was last seen: in the answer to the write, or by a card check. */
  readonly observedStatus?: string | undefined;
  /** The card's own `clientReference`, where the card was seen. */
  readonly clientReference?: string | undefined;
  /** How a repeat of a write that may have been applied ended, which says nothing of the first: `was refused: 409`. */
  readonly repeated?: string | undefined;
}

/** How a write ended: only a read has no outcome. */
export type WriteOutcome = CallOutcome & { readonly outcome: Outcome };

/**
 * The outcome of a call of which nothing is known yet, to be completed. It has all members: to add some to a copy takes
 * ten times as long as to replace them.
 */
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
};

/** Of a write that was under way when its process ended: no more is known. */
export const LOST_OUTCOME: WriteOutcome = { ...NO_OUTCOME, outcome: 'unknown', code: 'OUTCOME_UNKNOWN' };

/** Is what was asked for done, as an answer or a read shows? */
export function isDone(outcome: Outcome | null | undefined): boolean {
  return outcome === 'applied' || outcome === 'confirmed_by_read';
}

/** Of the status of a card in records and messages, characters. */
export const MAX_STATUS = 256;

/** The status of a card, as records and messages have it: a longer one than any is cut, and says so. */
export function statusAt(card: JsonValue | undefined): string | undefined {
  const status = textAt(card, 'status');
  return status && detached(cutText(status, MAX_STATUS));
}

/** The card's own `clientReference`, cut like its status. */
export function referenceAt(card: JsonValue | undefined): string | undefined {
  const reference = textAt(card, 'clientReference');
  return reference && detached(cutText(reference, MAX_STATUS));
}

const MAX_MESSAGE = 300;
/** Longer codes than this are no codes; a body that poses as one is not kept. */
const MAX_ERROR_CODE = 200;

/** The outcome of a call that failed. `message`: why, where the failure's details do not say it. */
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

/** Codes with which a guard (`--expect`) ends a row before it is sent: the service was there, the row was not to be. */
const GUARD_CODES: ReadonlySet<FailureCode> = new Set(['PRECONDITION', 'NOT_FOUND', 'REJECTED']);

/** Was it held back on purpose, and not by a network that fails? */
export function isHeldBack(outcome: Outcome | null, code: FailureCode | undefined): boolean {
  return outcome === 'not_sent' && code !== undefined && GUARD_CODES.has(code);
}

/** THE members of an outcome in a file: the short name of each, for a journal of a million rows, and what it is. */
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
  notices: ['notes', 'object'],
} as const satisfies Record<keyof CallOutcome, readonly [short: string, type: string]>;

// The names of an object that was written here are its own.
const NAMES = Object.keys(MEMBERS) as readonly (keyof CallOutcome)[];

/** An outcome in a record: `s` and `a` always, others where they are known. */
export type OutcomeRecord = { readonly s: Outcome; readonly a: number } & {
  readonly [Name in keyof CallOutcome as (typeof MEMBERS)[Name][0]]?: CallOutcome[Name] | undefined;
};

/** The outcome of a write as a record. Only a read has no outcome, and none is ever recorded. */
export function encodeOutcome(ending: CallOutcome): OutcomeRecord {
  const record: Record<string, unknown> = { s: 'unknown' };
  for (const name of NAMES) {
    const value = ending[name];
    const isLeftOut = value === undefined || value === null || (name === 'notices' && ending.notices.length === 0);
    if (!isLeftOut) record[MEMBERS[name][0]] = value;
  }
  // Each member stands under its short name.
  return record as unknown as OutcomeRecord;
}

/**
 * The outcome in a record of a journal, or under the names of its members in one of the history. Undefined: it is
 * none, or has a code that this version does not know.
 */
export function decodeOutcome(record: object): WriteOutcome | undefined {
  // Only looked into: every member is checked before it is used.
  const members = record as Readonly<Record<string, unknown>>;
  const { code = 'INTERNAL' } = members;
  const known: Record<string, unknown> = { ...NO_OUTCOME };
  for (const name of NAMES) {
    const [short, type] = MEMBERS[name];
    const value = members[short] ?? members[name];
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
