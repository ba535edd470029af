import { isUtf8 } from 'node:buffer';
import { messageOf, orElse } from '../base/files/io-failure.ts';
import { parseJson } from '../base/json/parse.ts';
import { decodeUtf8 } from '../base/json/utf8.ts';
import { isJsonObject, type JsonObject, toPlain } from '../base/json/value.ts';
import { matchPath, type Operation } from '../service/api/operation.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import type { SandboxTokens, Sources } from './ids.ts';
import { problemsOf, Refused } from './refusal.ts';
import type { Decision, SandboxState } from './state.ts';

export type OperationKey = keyof typeof OPERATIONS;

interface SandboxRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** undefined: the request had none. */
  readonly body: Uint8Array | undefined;
}

/** A request that keeps every documented rule. */
export interface Call {
  readonly key: OperationKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, boolean | number>>;
  readonly body: JsonObject;
}

export interface Rule {
  /** The response in a state, and the changes. Pure. */
  decide(state: SandboxState, call: Call, sources: Sources): Decision;
  /** Each choice where the service documents nothing, for `sandbox info --choices`. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The errorCode of a request that only this rule refuses. */
  readonly errorCode?: string;
}

interface Problem {
  readonly field: string;
  readonly problem: string;
}

function invalid(part: 'path' | 'query' | 'body', ...problems: readonly Problem[]): Refused {
  const text = problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
  const errorCode = ({ path: 'PATH_INVALID', query: 'QUERY_INVALID', body: 'BODY_INVALID' } as const)[part];
  return new Refused(400, errorCode, `the ${part} was refused: ${text}`, { fields: problems });
}

function checkToken(operation: Operation, authorization: string | undefined, tokens: SandboxTokens): void {
  if (authorization === `Bearer ${tokens[operation.family]}`) return;
  const problem = authorization === undefined ? 'no Authorization header' : 'not the token of this family';
  const headers = [['www-authenticate', 'Bearer']] as const;
  throw new Refused(401, 'UNAUTHORIZED', `the request was not authorized: ${problem}`, undefined, headers);
}

function decode(part: 'path' | 'query', field: string, text: string): string {
  const fault = () => invalid(part, { field, problem: 'is not percent-encoded UTF-8' });
  return orElse(() => decodeURIComponent(text), fault);
}

function readParams(operation: Operation, raw: Readonly<Record<string, string>>): Record<string, string> {
  const params = Object.fromEntries(Object.entries(raw).map(([name, text]) => [name, decode('path', name, text)]));
  const problems = problemsOf(operation.params, params);
  if (problems.length > 0) throw invalid('path', ...problems);
  return params;
}

function readQuery({ query: schema }: Operation, text: string): Record<string, boolean | number> {
  const values = new Map<string, boolean | number | string>();
  for (const pair of text === '' ? [] : text.split('&')) {
    const [, coded = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const field = decode('query', pair, coded);
    const word = decode('query', pair, value);
    // Any other text stays text, and fails its schema.
    const read = /^(?:true|false|0|[1-9]\d{0,8})$/.test(word) ? (JSON.parse(word) as boolean | number) : word;
    if (schema === null || !Object.hasOwn(schema.shape, field)) {
      throw invalid('query', { field, problem: 'is not a parameter of this operation' });
    }
    if (values.has(field)) throw invalid('query', { field, problem: 'is given twice' });
    values.set(field, read);
  }
  const query = Object.fromEntries(values);
  const problems = schema === null ? [] : problemsOf(schema, query);
  if (problems.length > 0) throw invalid('query', ...problems);
  // The only query schema has a boolean and an integer, and accepted these values.
  return query as Record<string, boolean | number>;
}

const JSON_MEDIA_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

function parseBody(bytes: Uint8Array): JsonObject {
  const fault = (problem: string) => new Refused(400, 'BODY_INVALID', `the body was refused: ${problem}`);
  if (!isUtf8(bytes)) throw fault('it is not UTF-8');
  const parse = () => parseJson(decodeUtf8(bytes));
  const value = orElse(parse, (cause) => fault(`it is not JSON (${messageOf(cause)})`));
  if (!isJsonObject(value)) throw fault('it is not a JSON object');
  return value;
}

function readBody({ body: schema }: Operation, { body: bytes, contentType = '' }: SandboxRequest): JsonObject {
  if (schema === null) {
    if (bytes === undefined) return new Map();
    throw new Refused(400, 'BODY_NOT_ALLOWED', 'the body was refused: this operation takes none');
  }
  if (bytes === undefined) {
    throw new Refused(400, 'BODY_MISSING', 'the request was refused: this operation takes a JSON object');
  }
  if (!JSON_MEDIA_TYPE.test(contentType.trim())) {
    const message = 'the body was refused: its Content-Type is not application/json';
    throw new Refused(415, 'UNSUPPORTED_MEDIA_TYPE', message);
  }
  const body = parseBody(bytes);
  const unknown = [...body.keys()].filter((name) => !Object.hasOwn(schema.shape, name));
  const problems =
    unknown.length === 0
      ? problemsOf(schema, toPlain(body))
      : unknown.map((field) => ({ field, problem: 'is not a field of this operation' }));
  if (problems.length > 0) throw invalid('body', ...problems);
  return body;
}

// Object.keys returns string[]. The table is a constant, so these are all keys.
const KEYS = Object.keys(OPERATIONS) as OperationKey[];

/** The operation of a method and a path as sent, or the methods of the path. Dot segments match nothing. */
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

/** The call of a request that keeps the table of operations. Throws `Refused` for the first broken rule. */
export function checkRequest(request: SandboxRequest, tokens: SandboxTokens): Call {
  const at = request.target.indexOf('?');
  const path = at < 0 ? request.target : request.target.slice(0, at);
  const match = matchRoute(request.method, path);
  if (match.allowed !== undefined) {
    const allowed = match.allowed.join(', ');
    if (allowed === '') throw new Refused(404, 'PATH_UNKNOWN', 'the path names no operation of the service');
    const headers = [['allow', allowed]] as const;
    throw new Refused(405, 'METHOD_NOT_ALLOWED', `the path takes ${allowed} only`, undefined, headers);
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
