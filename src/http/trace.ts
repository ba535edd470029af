import { parseJson } from '../json/parse.ts';
import { printJson } from '../json/print.ts';
import { cut } from './error-reply.ts';
import type { Exchange, WireRequest } from './exchange.ts';
import { hideMembers, type TokenMask } from './mask.ts';

const MAX_BODY_TEXT = 2000;

/** What may be shown of an exchange. */
interface TraceRules {
  readonly mask: TokenMask;
  /** Members of the answer that are one-time secrets. */
  readonly sensitive: readonly string[];
}

/** The request as lines for `--verbose`. The token is not in a wire request; its header is shown masked. */
export function traceRequest(wire: WireRequest, via: string | undefined, rules: TraceRules): string[] {
  const lines = [`> ${wire.method} ${wire.url}${via === undefined ? '' : ` (through the proxy ${via})`}`];
  for (const [name, value] of wire.headers) lines.push(`> ${name}: ${value}`);
  lines.push('> Authorization: Bearer ***');
  if (wire.body !== undefined) lines.push(`> ${cut(wire.body, MAX_BODY_TEXT)}`);
  return lines.map((line) => rules.mask.text(line));
}

/** What came back, as lines for `--verbose`; one-time secrets are never among them (reliability C23). */
export function traceExchange(exchange: Exchange, elapsedMs: number, rules: TraceRules): string[] {
  const time = `${Math.round(elapsedMs)} ms`;
  if (exchange.kind === 'broken') {
    const sent = exchange.sent ? 'the request may have left' : 'nothing was sent';
    return [`< ${exchange.breakage.text} (${time}; ${sent})`].map((line) => rules.mask.text(line));
  }
  const lines = [`< ${exchange.status} (${time})`];
  for (const [name, value] of exchange.headers) {
    lines.push(`< ${name}: ${isSecretHeader(name) ? '***' : value}`);
  }
  if (exchange.body.length > 0) lines.push(`< ${bodyText(exchange.body, rules.sensitive)}`);
  return lines.map((line) => rules.mask.text(line));
}

function isSecretHeader(name: string): boolean {
  return /^(?:set-cookie|authorization|proxy-authorization)$/i.test(name);
}

function bodyText(bytes: Uint8Array, sensitive: readonly string[]): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (sensitive.length === 0) return cut(text, MAX_BODY_TEXT);
  try {
    return cut(printJson(hideMembers(parseJson(text), sensitive)), MAX_BODY_TEXT);
  } catch {
    // Half an answer may hold half a secret, and no member name to find it by.
    return `(${bytes.length} bytes that may hold a secret are not shown)`;
  }
}
