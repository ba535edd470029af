import type { Operation } from '../api/operation.ts';
import { type Notice, warning } from '../failure.ts';
import { parseJson } from '../json/parse.ts';
import { JsonSyntaxError } from '../json/syntax-error.ts';
import { takeUtf8 } from '../json/utf8.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
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
import { memoryLeft } from './answer-memory.ts';
import {
  beginningOf,
  type ErrorReply,
  errorReplyOf,
  MAX_ERROR_JSON_BYTES,
  NO_ERROR,
  readErrorReply,
} from './error-reply.ts';
import type { TokenMask } from './mask.ts';
import { shapeNotices, shapeProblem } from './response-shape.ts';
import type { FailureEvent } from './retry.ts';
import { parseRetryAfter } from './retry-after.ts';

/** Facts of an answer that arrived at least up to its headers. */
export interface ReplyHead {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly requestId: string | undefined;
}

/** A whole, readable answer: the resource that was asked for. */
export interface Accepted {
  readonly kind: 'accepted';
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
  /** Set when the exchange broke off. */
  readonly breakage: Breakage | undefined;
  /** Why a 2xx body is not the resource, after `that cannot be read: `. */
  readonly problem: string;
  readonly retryAfterMs: number | undefined;
}

export type Verdict = Accepted | FailedAttempt;

interface JudgeInput {
  readonly operation: Operation;
  /** The path id, which the answer may have to repeat. */
  readonly id: string | undefined;
  /** Any JSON will do as the answer: nobody knows its shape. */
  readonly isRaw?: boolean;
  readonly nowMs: number;
  readonly mask: TokenMask;
}

/** Failures before the first byte that the next try shows again. */
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

/** The problem of a 2xx answer without a single byte after its headers. */
export const NO_BODY = 'there is no body';

/** Says what an exchange came to, by nothing but the exchange, whose body it takes away. */
export function judge(exchange: Exchange, input: JudgeInput): Verdict {
  if (exchange.kind === 'reply') return judgeReply(exchange, input);
  if (exchange.status !== undefined) return judgeCutReply(exchange, exchange.status, input);
  return {
    kind: 'failed',
    event: brokenEvent(exchange),
    phase: exchange.phase,
    reply: undefined,
    error: NO_ERROR,
    breakage: exchange.breakage,
    problem: '',
    retryAfterMs: undefined,
  };
}

function brokenEvent(broken: Broken): FailureEvent {
  if (broken.sent) return 'broken';
  if (broken.breakage.label === 'lookup_failed') return 'not_sent_once';
  return FINAL.has(broken.breakage.label) ? 'not_sent_final' : 'not_sent';
}

function judgeReply(reply: Reply, input: JudgeInput): Verdict {
  const facts = factsOf(reply.status, reply.headers, input.mask);
  const { status } = facts;
  if (status < 200 || status > 299) {
    const error = readErrorReply(reply.body, input.mask);
    return failed(eventOf(status, facts, input), facts, { error, phase: 'answered' }, input);
  }
  const read = readResource(reply, input);
  if ('problem' in read) {
    const error = errorReplyOf(read.json, read.beginning, input.mask);
    return failed('unreadable', facts, { error, phase: 'answered', problem: read.problem }, input);
  }
  const { resource } = read;
  const notices = status === 202 ? [ACCEPTED_ONLY] : [];
  const shape =
    input.isRaw === true || !isJsonObject(resource) ? [] : shapeNotices(input.operation, input.id, resource);
  return { kind: 'accepted', reply: facts, resource, notices: [...notices, ...shape] };
}

const ACCEPTED_ONLY: Notice = warning(
  'ACCEPTED',
  'the service answered 202: accepted, not finished; read the resource later to see it done',
);

/** A status line is the service's word even when the body after it was cut: 404 stays 404. */
function judgeCutReply(broken: Broken, status: number, input: JudgeInput): FailedAttempt {
  const facts = factsOf(status, broken.headers ?? [], input.mask);
  const isSuccess = status >= 200 && status <= 299;
  const event = isSuccess ? 'unreadable' : eventOf(status, facts, input);
  return failed(event, facts, { phase: broken.phase, breakage: broken.breakage, problem: broken.breakage.text }, input);
}

function failed(
  event: FailureEvent,
  reply: ReplyHead,
  known: { error?: ErrorReply; phase: FailedAttempt['phase']; breakage?: Breakage; problem?: string },
  input: JudgeInput,
): FailedAttempt {
  return {
    kind: 'failed',
    event,
    phase: known.phase,
    reply,
    error: known.error ?? NO_ERROR,
    breakage: known.breakage,
    problem: known.problem ?? '',
    retryAfterMs: retryAfter(reply, input.nowMs),
  };
}

function retryAfter(reply: ReplyHead, nowMs: number): number | undefined {
  const date = headerValues(reply.headers, 'date')[0];
  return parseRetryAfter(headerValues(reply.headers, 'retry-after'), date, nowMs);
}

function eventOf(status: number, reply: ReplyHead, input: JudgeInput): FailureEvent {
  if (status === 429 || status === 408) return 'busy';
  if (status === 503 && retryAfter(reply, input.nowMs) !== undefined) return 'unavailable';
  return status >= 300 && status <= 499 ? 'refused' : 'server_error';
}

function factsOf(status: number, headers: readonly Header[], mask: TokenMask): ReplyHead {
  const masked = headers.map((header): Header => maskedHeader(header, mask));
  const isGiven = (value: string): boolean => value !== '';
  const requestId =
    headerValues(masked, 'x-request-id').find(isGiven) ?? headerValues(masked, 'request-id').find(isGiven);
  return { status, headers: masked, requestId };
}

function maskedHeader(header: Header, mask: TokenMask): Header {
  const value = mask.text(header[1]);
  return value === header[1] ? header : [header[0], value];
}

const BEGINNING_LENGTH = 4096;

/** Why a 2xx body is no resource. */
interface Unreadable {
  readonly problem: string;
  /** The body as JSON, which it may be all the same; undefined: it is none. */
  readonly json: JsonValue | undefined;
  /** Enough of its text to show what answered. */
  readonly beginning: string;
}

/** The resource in a 2xx answer, or why there is none. */
function readResource(reply: Reply, input: JudgeInput): { resource: JsonValue } | Unreadable {
  const read = readBody(reply, input.mask);
  if ('problem' in read) return read;
  const { json, text } = read;
  const masked = input.mask.mayBeIn(text) ? input.mask.json(json) : json;
  if (input.isRaw === true) return { resource: masked };
  const problem = isJsonObject(masked) ? shapeProblem(input.operation, input.id, masked) : 'it is not a JSON object';
  if (problem === undefined) return { resource: masked };
  if (text.length <= MAX_ERROR_JSON_BYTES) return { problem, json: masked, beginning: '' };
  return { problem, json: undefined, beginning: text.slice(0, BEGINNING_LENGTH) };
}

/** The body as JSON, or why it cannot be read. */
function readBody(reply: Reply, mask: TokenMask): { json: JsonValue; text: string } | Unreadable {
  const encoding = headerValues(reply.headers, 'content-encoding').join(', ').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    const beginning = beginningOf(reply.body);
    return { problem: `it is compressed (${encoding}) although that was not asked for`, json: undefined, beginning };
  }
  const length = byteLength(reply.body);
  if (length === 0) return { problem: NO_BODY, json: undefined, beginning: '' };
  const beginning = beginningLater(reply.body, length);
  let text: string;
  try {
    text = takeUtf8(reply.body);
  } catch {
    return { problem: 'it is not UTF-8 text', json: undefined, beginning: beginning() };
  }
  try {
    return { json: parseJson(text, { maxWeightBytes: memoryLeft(length, text), remembers: true }), text };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // The message repeats names from the text, shortened: of a token a part would be left.
    const where = mask.mayBeIn(text) ? `line ${error.line}, column ${error.column}` : error.message;
    return { problem: `${JSON_PROBLEMS[error.problem]}: ${where}`, json: undefined, beginning: beginning() };
  }
}

/** A short body is kept and decoded once more only when it has to be shown; of a long one no second copy is kept. */
function beginningLater(body: readonly Uint8Array[], length: number): () => string {
  if (length > BEGINNING_LENGTH) {
    const beginning = beginningOf(body);
    return () => beginning;
  }
  const kept = [...body];
  return () => beginningOf(kept);
}

const JSON_PROBLEMS: Readonly<Record<JsonSyntaxError['problem'], string>> = {
  duplicate_key: 'it is ambiguous',
  too_deep: 'it is nested too deep',
  too_heavy: 'it has too many parts',
  syntax: 'it is not JSON',
};

/** Origin of a redirect's target, which is all of it that is shown (docs/faults.md H3). */
export function redirectOrigin(reply: ReplyHead, base: string): string | undefined {
  const location = headerValues(reply.headers, 'location')[0];
  if (location === undefined) return undefined;
  try {
    const { protocol, host } = new URL(location, base);
    return `${protocol}//${host}`;
  } catch {
    return undefined;
  }
}
