import { matchPath, type Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { parseJson } from '../json/parse.ts';
import { toPlain } from '../json/plain.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { SandboxTokens, Sources } from './ids.ts';
import { type ErrorCode, problemsOf, refusalReply } from './refusal.ts';
import type { Decision, Reply, SandboxState } from './state.ts';

export type OperationKey = keyof typeof OPERATIONS;

/** A request as it arrived, complete. */
interface SandboxRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** undefined: the request had none. null: its bytes are not UTF-8. */
  readonly body: string | undefined | null;
}

/** A request that keeps every rule the spec shows. */
export interface Call {
  readonly key: OperationKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, boolean | number>>;
  readonly body: JsonObject;
}

/** What one operation answers in a state, and what it changes there. Pure: the state is only read. */
export type Rule = (state: SandboxState, call: Call, sources: Sources) => Decision;

/** The first rule that a request breaks ends its checking. */
export class Refused extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}

function invalid(errorCode: ErrorCode, what: string, problems: readonly { field: string; problem: string }[]): Refused {
  const text = problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
  return new Refused(refusalReply(400, errorCode, `${what}: ${text}`, { fields: problems }));
}

function checkToken(operation: Operation, authorization: string | undefined, tokens: SandboxTokens): void {
  if (authorization === `Bearer ${tokens[operation.family]}`) return;
  const problem = authorization === undefined ? 'no Authorization header' : 'not the token of this family';
  const reply = refusalReply(401, 'UNAUTHORIZED', `the request was not authorized: ${problem}`);
  throw new Refused({ ...reply, headers: [['www-authenticate', 'Bearer']] });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoding of UTF-8: the caller says so about the part in hand.
    return undefined;
  }
}

function readParams(operation: Operation, raw: Readonly<Record<string, string>>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, text] of Object.entries(raw)) {
    const value = decode(text);
    if (value === undefined) {
      throw invalid('PATH_INVALID', 'the path was refused', [{ field: name, problem: 'is not percent-encoded UTF-8' }]);
    }
    params[name] = value;
  }
  const problems = problemsOf(operation.params, params);
  if (problems.length > 0) throw invalid('PATH_INVALID', 'the path was refused', problems);
  return params;
}

/** `true`, `false` and plain integers become values; any other text stays text and fails its schema. */
function readParameter(text: string): boolean | number | string {
  if (text === 'true') return true;
  if (text === 'false') return false;
  return /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
}

function queryFault(field: string, problem: string): Refused {
  return invalid('QUERY_INVALID', 'the query was refused', [{ field, problem }]);
}

function readQuery(operation: Operation, text: string): Record<string, boolean | number> {
  const values = new Map<string, boolean | number | string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = decode(at < 0 ? '' : pair.slice(at + 1));
    if (name === undefined || value === undefined) throw queryFault(pair, 'is not percent-encoded UTF-8');
    if (operation.query === null || !Object.hasOwn(operation.query.shape, name)) {
      throw queryFault(name, 'is not a parameter of this operation');
    }
    if (values.has(name)) throw queryFault(name, 'is given twice');
    values.set(name, readParameter(value));
  }
  if (operation.query === null || values.size === 0) return {};
  const query = Object.fromEntries(values);
  const problems = problemsOf(operation.query, query);
  if (problems.length > 0) throw invalid('QUERY_INVALID', 'the query was refused', problems);
  // The only query schema of the table holds a boolean and an integer, and it has just accepted these values.
  return query as Record<string, boolean | number>;
}

const JSON_MEDIA_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

function bodyFault(problem: string): Refused {
  return new Refused(refusalReply(400, 'BODY_INVALID', `the body was refused: ${problem}`));
}

function parseBody(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw bodyFault(`it is not JSON (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  if (!isJsonObject(value)) throw bodyFault('it is not a JSON object');
  return value;
}

function readBody(operation: Operation, request: SandboxRequest): JsonObject {
  if (operation.body === null) {
    if (request.body === undefined) return new Map();
    throw new Refused(refusalReply(400, 'BODY_NOT_ALLOWED', 'the body was refused: this operation takes none'));
  }
  if (request.body === undefined) {
    throw new Refused(refusalReply(400, 'BODY_MISSING', 'the request was refused: this operation takes a JSON object'));
  }
  if (request.contentType === undefined || !JSON_MEDIA_TYPE.test(request.contentType.trim())) {
    const message = 'the body was refused: its Content-Type is not application/json';
    throw new Refused(refusalReply(415, 'UNSUPPORTED_MEDIA_TYPE', message));
  }
  if (request.body === null) throw bodyFault('it is not UTF-8');
  const body = parseBody(request.body);
  const { shape } = operation.body;
  const unknown = [...body.keys()].filter((name) => !Object.hasOwn(shape, name));
  const problems =
    unknown.length === 0
      ? problemsOf(operation.body, toPlain(body))
      : unknown.map((field) => ({ field, problem: 'is not a field of this operation' }));
  if (problems.length > 0) throw invalid('BODY_INVALID', 'the body was refused', problems);
  return body;
}

// Object.keys answers string[]; the table is a constant, so its own keys are all there are.
const KEYS = Object.keys(OPERATIONS) as OperationKey[];

/**
 * Finds the operation of the table that a method and a path (without query) name. The path is compared as
 * sent: nothing is normalised, so dot segments and empty ones name nothing by accident. `rawParams` are the segments as
 * sent, still percent-encoded; `allowed` are the methods that the path takes, none for a path that is unknown.
 */
function matchRoute(method: string, path: string) {
  const segments = path.split('/');
  const allowed: string[] = [];
  for (const key of KEYS) {
    const { method: wanted, path: pattern } = OPERATIONS[key];
    const rawParams = matchPath(pattern, segments);
    if (rawParams === undefined) continue;
    if (wanted === method) return { key, rawParams };
    allowed.push(wanted);
  }
  return { allowed };
}

/**
 * Checks a request against the table of operations: path, method, token, parameters, query and body, in that
 * order. Returns the call it makes, or raises `Refused` for the first rule it breaks. Touches no state.
 */
export function checkRequest(request: SandboxRequest, tokens: SandboxTokens): Call {
  const at = request.target.indexOf('?');
  const path = at < 0 ? request.target : request.target.slice(0, at);
  const match = matchRoute(request.method, path);
  if (match.allowed !== undefined) {
    const allowed = match.allowed.join(', ');
    if (allowed === '')
      throw new Refused(refusalReply(404, 'PATH_UNKNOWN', 'the path names no operation of the service'));
    const reply = refusalReply(405, 'METHOD_NOT_ALLOWED', `the path takes ${allowed} only`);
    throw new Refused({ ...reply, headers: [['allow', allowed]] });
  }
  const operation: Operation = OPERATIONS[match.key];
  checkToken(operation, request.authorization, tokens);
  return {
    key: match.key,
    params: readParams(operation, match.rawParams),
    query: readQuery(operation, at < 0 ? '' : request.target.slice(at + 1)),
    body: readBody(operation, request),
  };
}
