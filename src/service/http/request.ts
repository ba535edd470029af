import { printJson } from '../../base/json/print.ts';
import { ANY, constant, list, object, record, type ShapeOf, TEXT } from '../../base/json/shape.ts';
import type { BaseUrl } from '../wire/base-url.ts';
import type { Header, WireRequest } from '../wire/exchange.ts';
import type { CallInput } from './call.ts';

/**
 * Builds the request of one call. The target never passes through a URL parser, which would fold `..` into another
 * resource and delete control characters (docs/faults.md I1, I4): every parameter is one segment that decodes back byte
 * for byte. `Accept-Encoding: identity`, because a compressed response would escape the size limit.
 */
export function buildRequest(input: CallInput, baseUrl: BaseUrl, version: string): WireRequest {
  const body = input.body === undefined ? undefined : printJson(input.body);
  const target = baseUrl.pathPrefix + (input.target ?? ownTarget(input));
  const headers: Header[] = [
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'identity'],
    ['User-Agent', `frontdesk/${version}`],
  ];
  if (body !== undefined) headers.push(['Content-Type', 'application/json']);
  return { method: input.operation.method, target, headers, body };
}

function ownTarget({ operation, params, query }: CallInput): string {
  const [begin = '', ...parts] = operation.path.split('{');
  let path = begin;
  for (const part of parts) {
    const end = part.indexOf('}');
    const value = params[part.slice(0, end)];
    path += value === undefined ? `{${part}` : encodeSegment(value) + part.slice(end + 1);
  }
  const pairs = Object.entries(query).map(([name, value]) => `${encodeSegment(name)}=${encodeSegment(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** Also encodes characters that `encodeURIComponent` leaves but some intermediaries treat as special. */
function encodeSegment(text: string): string {
  // Most IDs need no more than this look.
  if (/^[\w-]*$/.test(text)) return text;
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** One request of `--dry-run`, under the member names that `--json` promises. */
const REQUEST = object({
  method: TEXT,
  url: TEXT,
  headers: record(TEXT),
  /** null: no body is sent. */
  body: ANY,
});

export type RequestDescription = ShapeOf<typeof REQUEST>;

/** What `--dry-run` prints instead of sending. */
export const DRY_RUN_OUTPUT = object({ dryRun: constant(true), requests: list(REQUEST) });

/** What `--dry-run` shows of a request. The token is masked without being read. */
export function describeRequest(input: CallInput, baseUrl: BaseUrl, version: string): RequestDescription {
  const { method, target, ...wire } = buildRequest(input, baseUrl, version);
  const headers = Object.fromEntries([...wire.headers, ['Authorization', 'Bearer ***'] as const]);
  return { method, url: `${baseUrl.origin}${target}`, headers, body: input.body ?? null };
}
