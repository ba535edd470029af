import { quoted } from '../../base/json/outside-text.ts';
import { shorten } from '../../base/json/shorten.ts';
import { type Header, headerValues } from '../wire/exchange.ts';
import type { ErrorReply } from './error-reply.ts';
import { withoutSecretsInText } from './mask.ts';

const COMPRESSIONS: ReadonlySet<string> = new Set([
  'gzip',
  'x-gzip',
  'deflate',
  'br',
  'compress',
  'x-compress',
  'zstd',
]);

/** How a body is compressed; undefined: it is not. Some services label a plain body `none` or `utf-8`. */
export function compressionOf(headers: readonly Header[]): string | undefined {
  const values = headerValues(headers, 'content-encoding');
  // Nearly every response.
  if (values.length === 0) return undefined;
  const labels = values.flatMap((value) => value.toLowerCase().split(','));
  const used = labels.map((label) => label.trim()).filter((label) => COMPRESSIONS.has(label));
  return used.length === 0 ? undefined : used.join(', ');
}

const MAX_TEXT = 500;
const PARAMETER = /\b(error|error_description|scope)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** What `WWW-Authenticate` says of a refusal (RFC 6750); empty if it says nothing. */
export function challengeOf(headers: readonly Header[]): Pick<ErrorReply, 'summary'> & Partial<ErrorReply> {
  const said = new Map<string, string>();
  for (const [, name = '', inQuotes, bare] of headerValues(headers, 'www-authenticate')
    .join(', ')
    .matchAll(PARAMETER)) {
    const text = withoutSecretsInText(inQuotes?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '');
    if (!said.has(name.toLowerCase())) said.set(name.toLowerCase(), shorten(text, MAX_TEXT));
  }
  const [error, description, scope] = ['error', 'error_description', 'scope'].map((name) => said.get(name));
  const parts = [
    ...(error === undefined ? [] : [/^[\w.-]{1,80}$/.test(error) ? error : quoted(error)]),
    ...(description === undefined ? [] : [quoted(description)]),
  ];
  const needed = scope === undefined ? [] : [`scope ${quoted(scope)}`];
  const summary = [parts.join(': '), ...needed].filter((part) => part !== '').join(', ');
  return summary === '' ? { summary } : { summary, message: description ?? error };
}
