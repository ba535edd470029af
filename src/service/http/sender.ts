import { parseJson } from '../../base/json/parse.ts';
import { printJson } from '../../base/json/print.ts';
import { shorten } from '../../base/json/shorten.ts';
import { takeUtf8 } from '../../base/json/utf8.ts';
import { sensitiveOf } from '../api/operation.ts';
import { byteLength, type Exchange, type ExchangeOptions, type Reply, type WireRequest } from '../wire/exchange.ts';
import type { CallInput, CallListener, CallOptions, Endpoint } from './call.ts';
import { beginningOf, MAX_VALUES } from './error-reply.ts';
import { namesSecret, TokenMask, withoutSecrets, withoutSecretsInText } from './mask.ts';
import { compressionOf } from './reply-headers.ts';
import { buildRequest } from './request.ts';
import { isSuccess, judge, type Verdict } from './response.ts';

const MAX_BODY_TEXT = 2000;
const SECRET_HEADER = /^(?:set-cookie|authorization|proxy-authorization)$/i;

/** The request as lines for `--verbose`, with a masked token. */
function traceRequest({ method, target, headers, body }: WireRequest, endpoint: Endpoint, mask: TokenMask) {
  const { baseUrl, transport } = endpoint;
  const through = transport.via === undefined ? '' : ` (through the proxy ${transport.via})`;
  return [
    `> ${method} ${baseUrl.origin}${target}${through}`,
    ...headers.map(([name, value]) => `> ${name}: ${value}`),
    '> Authorization: Bearer ***',
    ...(body === undefined ? [] : [`> ${shorten(mask.text(body), MAX_BODY_TEXT)}`]),
  ];
}

/** The response as lines for `--verbose`, without one-time secrets (docs/faults.md C23). */
function traceExchange(exchange: Exchange, elapsedMs: number, mask: TokenMask, sensitive: readonly string[]): string[] {
  const time = `${Math.round(elapsedMs)} ms`;
  if (exchange.kind === 'broken') {
    const sent = exchange.sent ? 'the request may have left' : 'nothing was sent';
    return [`< ${exchange.breakage.text} (${time}; ${sent})`];
  }
  const { status, headers, body } = exchange;
  return [
    `< ${status} (${time})`,
    ...headers.map(([name, value]) => {
      const isSecret = SECRET_HEADER.test(name) || (sensitive.length > 0 && namesSecret(name + value));
      return `< ${name}: ${isSecret ? '***' : value}`;
    }),
    ...(body.length > 0 ? [`< ${bodyText(body, mask, sensitive, isSuccess(status))}`] : []),
  ];
}

/** Text without JSON's unnecessary escapes (`\/`, `\u0041`), because an escaped name of a secret is not found. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:\\|\/|u00(?!22|5c|7f)([2-7][0-9a-f]))/gi, (escaped, hex: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return escaped === '\\/' ? '/' : escaped;
  });
}

/** Masked before it is cut: no mask knows half a token. */
function bodyText(
  body: readonly Uint8Array[],
  mask: TokenMask,
  sensitive: readonly string[],
  isAnswer: boolean,
): string {
  if (sensitive.length === 0) {
    return shorten(withoutSecretsInText(mask.text(withoutEscapes(beginningOf(body)))), MAX_BODY_TEXT);
  }
  const notShown = `(${byteLength(body)} bytes that may hold a secret are not shown)`;
  if (isAnswer) return notShown;
  try {
    const text = takeUtf8([...body]);
    const json = parseJson(text, { maxValues: MAX_VALUES });
    const shown = printJson(withoutSecrets(mask.json(json)));
    // Another place that names one may have its value anywhere: `{"name":"activationData","value":"..."}`.
    if (!namesSecret(shown.replaceAll(/"[^"]*":"\*\*\*"/g, ''))) return shorten(shown, MAX_BODY_TEXT);
  } catch {
    // A cut response may hold half a secret without a name to find it by.
  }
  return notShown;
}

/** A refusal that a gateway compressed unasked, with what its body says. A 2xx stays as it came. */
async function unpacked(exchange: Reply): Promise<Exchange> {
  const encoding = compressionOf(exchange.headers);
  if (encoding === undefined || byteLength(exchange.body) === 0) return exchange;
  const { unpackBeginning } = await import('./unpack.ts');
  const beginning = await unpackBeginning(exchange.body, encoding);
  if (beginning === undefined) return exchange;
  const headers = exchange.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding');
  return { ...exchange, headers, body: [beginning] };
}

/** Sends one request and judges the response, for attempts and card checks. */
export type Send = (
  input: CallInput,
  token: string,
  listener: CallListener | undefined,
  options: ExchangeOptions & Pick<CallOptions, 'keepsLongError'>,
) => Promise<Verdict>;

/** Sends the requests of all calls of a client. */
export function openSender(endpoint: Endpoint): Send {
  const { clock, baseUrl, transport, version } = endpoint;
  const mask = new TokenMask();
  return async (input, token, listener, options) => {
    mask.add(token);
    const wire = buildRequest(input, baseUrl, version);
    const isTraced = listener?.onTrace !== undefined;
    const trace = (lines: readonly string[]) => {
      for (const line of lines) listener?.onTrace?.(mask.text(line));
    };
    if (isTraced) trace(traceRequest(wire, endpoint, mask));
    const startedMs = isTraced ? clock.monotonic() : 0;
    // The token is added only here, so that nothing that shows requests can show it.
    const headers = [...wire.headers, ['Authorization', `Bearer ${token}`] as const];
    const came = await transport.exchange({ ...wire, headers }, options);
    const exchange = came.kind === 'broken' || isSuccess(came.status) ? came : await unpacked(came);
    if (isTraced) trace(traceExchange(exchange, clock.monotonic() - startedMs, mask, sensitiveOf(input.operation)));
    if (exchange.status !== undefined && isSuccess(exchange.status)) listener?.onSuccess?.(exchange.body ?? []);
    const { operation, params, target } = input;
    const asked = { operation, params, target, keepsLongError: options.keepsLongError };
    const verdict = judge(exchange, asked, clock.now(), mask);
    // It may answer an earlier request: on that connection every further answer would be another one's too.
    if (verdict.event === 'unreadable') await transport.close();
    return verdict;
  };
}
