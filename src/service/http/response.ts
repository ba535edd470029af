import { type Notice, warning } from '../../base/failure.ts';
import { parseJson } from '../../base/json/parse.ts';
import { cutText } from '../../base/json/shorten.ts';
import { JsonSyntaxError } from '../../base/json/syntax-error.ts';
import { takeUtf8 } from '../../base/json/utf8.ts';
import { isJsonObject, type JsonValue } from '../../base/json/value.ts';
import { isWrite, sensitiveOf } from '../api/operation.ts';
import {
  type Breakage,
  type BreakLabel,
  type Broken,
  byteLength,
  type Exchange,
  type Header,
  headerValues,
  type Phase,
  type Reply,
} from '../wire/exchange.ts';
import type { CallInput, CallOptions } from './call.ts';
import {
  beginningOf,
  type ErrorReply,
  errorReplyOf,
  MAX_KEPT,
  MAX_VALUES,
  NO_ERROR,
  partOf,
  readErrorReply,
} from './error-reply.ts';
import { idOf } from './facts.ts';
import { namesSecret, type TokenMask } from './mask.ts';
import { challengeOf, compressionOf } from './reply-headers.ts';
import { AN_ERROR, isErrorBody, shapeNotices, shapeProblem } from './response-shape.ts';
import type { FailureEvent } from './retry.ts';
import { parseRetryAfter } from './retry-after.ts';

/** Facts of a response with at least complete headers. */
export type ReplyHead = ReturnType<typeof headOf>;

/** A whole, readable response with the resource. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly event?: undefined;
  readonly reply: ReplyHead;
  readonly resource: JsonValue;
  readonly notices: readonly Notice[];
}

/** Everything else. */
export interface FailedAttempt {
  readonly kind: 'failed';
  readonly event: FailureEvent;
  readonly phase: Phase | 'answered';
  /** undefined: no status line came. */
  readonly reply: ReplyHead | undefined;
  readonly error: ErrorReply;
  readonly breakage: Breakage | undefined;
  /** What broke, or why a 2xx is not the resource, as a clause; else empty. */
  readonly problem: string;
  readonly retryAfterMs: number | undefined;
  /** A `Retry-After` that cannot be read. */
  readonly oddRetryAfter: string | undefined;
}

export type Verdict = Accepted | FailedAttempt;

/** What a response is for. `target`: a raw call, whose response may be any JSON. */
type Asked = Pick<CallInput, 'operation' | 'params' | 'target'> & Pick<CallOptions, 'keepsLongError'>;

/** Failures before the first byte that a retry would meet again. */
const FINAL: ReadonlySet<BreakLabel> = new Set([
  'not_found',
  'not_tls',
  'untrusted',
  'wrong_name',
  'certificate_dates',
  'tls',
  'proxy_auth',
  'proxy_refused',
]);

/** The problem of a 2xx without a body. */
export const NO_BODY = 'there is no body';

/** A request without a status line in response. */
const UNANSWERED = {
  kind: 'failed',
  reply: undefined,
  error: NO_ERROR,
  breakage: undefined,
  problem: '',
  retryAfterMs: undefined,
  oddRetryAfter: undefined,
} as const;

/** Judges an exchange by nothing but itself, and takes its body away. */
export function judge(exchange: Exchange, asked: Asked, nowMs: number, mask: TokenMask): Verdict {
  if (exchange.kind === 'reply') return judgeReply(exchange, asked, nowMs, mask);
  const { phase, breakage, status, headers = [] } = exchange;
  if (status === undefined) return { ...UNANSWERED, event: brokenEvent(exchange), phase, breakage };
  // A status line counts even if its body was cut: 404 stays 404.
  return failed(headOf({ status, headers }, asked, mask), asked, nowMs, { phase, breakage, problem: breakage.text });
}

function brokenEvent(broken: Broken): FailureEvent {
  if (broken.sent) return 'broken';
  if (broken.breakage.label === 'lookup_failed') return 'not_sent_once';
  return FINAL.has(broken.breakage.label) ? 'not_sent_final' : 'not_sent';
}

/** 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function judgeReply(reply: Reply, asked: Asked, nowMs: number, mask: TokenMask): Verdict {
  const head = headOf(reply, asked, mask);
  const phase = 'answered';
  if (!isSuccess(head.status)) {
    return failed(head, asked, nowMs, { phase, error: refusalOf(reply, head, asked, mask) });
  }
  const read = readResource(reply, asked, mask);
  if ('problem' in read) return failed(head, asked, nowMs, { phase, ...read });
  const { resource } = read;
  const isKnown = asked.target === undefined && isJsonObject(resource);
  const noticesOf = (shown: JsonValue) =>
    isKnown && isJsonObject(shown) ? shapeNotices(asked.operation, idOf(asked), shown) : [];
  const shape = noticesOf(resource).length === 0 ? [] : noticesOf(mask.json(resource));
  return { kind: 'accepted', reply: head, resource, notices: head.status === 202 ? [ACCEPTED_ONLY, ...shape] : shape };
}

/** May a part of a provisioning's response hold a one-time secret? Wherever its value is, nothing of it is shown. */
function mayTell({ operation }: Pick<Asked, 'operation'>, text: string): boolean {
  return sensitiveOf(operation).length > 0 && namesSecret(text);
}

/** What a response other than 2xx says: in its body, else in `WWW-Authenticate`. */
function refusalOf(reply: Reply, head: ReplyHead, asked: Asked, mask: TokenMask): ErrorReply {
  const encoding = compressionOf(reply.headers);
  if (encoding !== undefined) return { ...NO_ERROR, summary: `the body is compressed with ${encoding}` };
  if (sensitiveOf(asked.operation).length > 0 && namesSecret(Buffer.concat(reply.body).toString('latin1'))) {
    return { ...NO_ERROR, summary: 'the body may hold a secret, and is not shown' };
  }
  const error = readErrorReply(reply.body, mask, asked.keepsLongError);
  return error.summary === '' ? { ...error, ...challengeOf(head.headers) } : error;
}

const ACCEPTED_ONLY: Notice = warning('ACCEPTED', 'the service returned 202: accepted, not finished. Check it later');

function failed(
  reply: ReplyHead,
  { operation }: Asked,
  nowMs: number,
  known: Pick<FailedAttempt, 'phase'> & Partial<FailedAttempt>,
): FailedAttempt {
  const date = headerValues(reply.headers, 'date')[0];
  const asked = headerValues(reply.headers, 'retry-after');
  const retryAfterMs = parseRetryAfter(asked, date, nowMs);
  const event = eventOf(reply.status, retryAfterMs, isWrite(operation));
  const oddRetryAfter = retryAfterMs === undefined ? asked[0] : undefined;
  return { ...UNANSWERED, event, reply, retryAfterMs, oddRetryAfter, ...known };
}

function eventOf(status: number, retryAfterMs: number | undefined, ofWrite: boolean): FailureEvent {
  if (isSuccess(status)) return 'unreadable';
  if (ofWrite && (status === 408 || (status >= 300 && status <= 306) || (status >= 309 && status <= 399))) {
    return 'server_error';
  }
  if (status === 429 || status === 408) return 'busy';
  if (status === 503 && retryAfterMs !== undefined) return 'unavailable';
  return status >= 300 && status <= 499 ? 'refused' : 'server_error';
}

/** A longer one is cut and marked: every row's record keeps it. */
const MAX_REQUEST_ID = 256;

function headOf({ status, headers }: Pick<Reply, 'status' | 'headers'>, asked: Asked, mask: TokenMask) {
  const masked = headers.map(
    ([name, value]): Header => [name, mayTell(asked, name + value) ? '***' : mask.text(value)],
  );
  const ids = [...headerValues(masked, 'x-request-id'), ...headerValues(masked, 'request-id')];
  const requestId = ids.find((id) => id !== '');
  return { status, headers: masked, requestId: requestId && cutText(requestId, MAX_REQUEST_ID) };
}

const BEGINNING_LENGTH = 4096;

/** Why a body is not the resource, and what it says. */
type Unreadable = Pick<FailedAttempt, 'problem' | 'error'>;

/** The resource of an answer without a body, where nothing is known of what it should hold. */
export const NO_RESOURCE: JsonValue = new Map();

function readResource(reply: Reply, asked: Asked, mask: TokenMask): { resource: JsonValue } | Unreadable {
  const { effect } = asked.operation;
  if (effect.kind === 'write' && effect.unavailable === 'once' && byteLength(reply.body) === 0) {
    return { resource: NO_RESOURCE };
  }
  const isSecret = sensitiveOf(asked.operation).length > 0;
  const read = readBody(reply, mask, isSecret);
  if ('problem' in read) {
    // The beginning of a one-time secret is no excerpt for a message (docs/faults.md C23).
    return isSecret ? { ...read, error: NO_ERROR } : read;
  }
  const { json, text } = read;
  // A provisioning's response is printed as it came.
  const isMasked = !isSecret && mask.mayBeIn(text);
  const resource = isMasked ? mask.data(json) : json;
  const problem = problemOf(resource, asked);
  if (problem === undefined) return { resource };
  if (mayTell(asked, text)) return { problem, error: NO_ERROR };
  return { problem: problemOf(mask.json(resource), asked) ?? problem, error: errorIn(resource, text, asked, mask) };
}

/** What the body of a 2xx that is not the resource says. */
function errorIn(resource: JsonValue, text: string, { operation }: Asked, mask: TokenMask): ErrorReply {
  if (text.length <= MAX_KEPT) return errorReplyOf(resource, '', mask);
  // Of a long body the beginning suffices, with the code if it is an error.
  const beginning = text.slice(0, BEGINNING_LENGTH);
  return isErrorBody(operation, resource) ? partOf(text, beginning, mask) : errorReplyOf(undefined, beginning, mask);
}

function readBody(reply: Reply, mask: TokenMask, isSecret: boolean): { json: JsonValue; text: string } | Unreadable {
  const unreadable = (problem: string, beginning: string): Unreadable => ({
    problem,
    error: errorReplyOf(undefined, beginning, mask),
  });
  const encoding = compressionOf(reply.headers);
  if (encoding !== undefined) {
    return unreadable(`the response is compressed (${encoding}), which was not asked for`, beginningOf(reply.body));
  }
  const length = byteLength(reply.body);
  if (length === 0) return unreadable(NO_BODY, '');
  const beginning = beginningLater(reply.body, length);
  let text: string;
  try {
    text = takeUtf8(reply.body);
  } catch {
    return unreadable('the response is not UTF-8 text', beginning());
  }
  try {
    return { json: parseJson(text, { maxValues: MAX_VALUES, remembers: true }), text };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // The message repeats names from the text, shortened, which could leave a part of a token or a secret.
    const isSafe = !isSecret && !/[\\%&]/.test(text) && mask.text(text) === text;
    const where = isSafe ? error.message : `line ${error.line}, column ${error.column}`;
    return unreadable(`${JSON_PROBLEMS[error.problem]} (${where})`, beginning());
  }
}

/**
 * A raw read may have a response of any shape but that of an error. A raw change counts as applied by the rules of its
 * operation: outside the table nothing is known of the response.
 */
function problemOf(resource: JsonValue, { operation, params, target }: Asked): string | undefined {
  const isKnown = Object.keys(operation.response.properties).length > 0;
  if (target !== undefined && !(isKnown && isWrite(operation)))
    return isErrorBody(operation, resource) ? AN_ERROR : undefined;
  if (!isJsonObject(resource)) return 'the response is not a JSON object';
  return shapeProblem(operation, idOf({ params }), resource);
}

/** Decodes a short body again only if it is shown. Keeps no second copy of a long one. */
function beginningLater(body: readonly Uint8Array[], length: number): () => string {
  if (length > BEGINNING_LENGTH) {
    const beginning = beginningOf(body);
    return () => beginning;
  }
  const kept = [...body];
  return () => beginningOf(kept);
}

const JSON_PROBLEMS: Readonly<Record<JsonSyntaxError['problem'], string>> = {
  duplicate_key: 'the response is ambiguous',
  too_deep: 'the response is nested too deep',
  too_many: 'the response has too many parts',
  syntax: 'the response is not JSON',
};

/** The origin of a redirect's target: nothing else of it is shown (docs/faults.md H3). */
export function redirectOrigin(reply: ReplyHead, base: string): string | undefined {
  const location = headerValues(reply.headers, 'location')[0];
  if (location === undefined || !URL.canParse(location, base)) return undefined;
  const { protocol, host } = new URL(location, base);
  return `${protocol}//${host}`;
}
