import { sensitiveOf } from '../api/operation.ts';
import { parseJson } from '../json/parse.ts';
import { printJsonPieces } from '../json/print.ts';
import { shorten } from '../json/shorten.ts';
import { takeUtf8 } from '../json/utf8.ts';
import { byteLength, type Exchange, type ExchangeOptions, type WireRequest } from '../wire/exchange.ts';
import type { CallInput, CallListener, CallOptions, Endpoint } from './call.ts';
import { beginningOf, memoryLeft } from './error-reply.ts';
import { maskMembers, TokenMask } from './mask.ts';
import { buildRequest } from './request.ts';
import { isSuccess, judge, type Verdict } from './response.ts';

const MAX_BODY_TEXT = 2000;
const SECRET_HEADER = /^(?:set-cookie|authorization|proxy-authorization)$/i;

/** The request as lines for `--verbose`. The token is not in a wire request; its header is shown masked. */
function traceRequest(
  { method, target, headers, body }: WireRequest,
  { baseUrl, transport }: Endpoint,
  mask: TokenMask,
) {
  const through = transport.via === undefined ? '' : ` (through the proxy ${transport.via})`;
  return [
    `> ${method} ${baseUrl.origin}${target}${through}`,
    ...headers.map(([name, value]) => `> ${name}: ${value}`),
    '> Authorization: Bearer ***',
    ...(body === undefined ? [] : [`> ${shorten(mask.text(body), MAX_BODY_TEXT)}`]),
  ];
}

/** What came back, as lines for `--verbose`; one-time secrets are never among them (docs/faults.md C23). */
function traceExchange(exchange: Exchange, elapsedMs: number, mask: TokenMask, sensitive: readonly string[]): string[] {
  const time = `${Math.round(elapsedMs)} ms`;
  if (exchange.kind === 'broken') {
    const sent = exchange.sent ? 'the request may have left' : 'nothing was sent';
    return [`< ${exchange.breakage.text} (${time}; ${sent})`];
  }
  const { status, headers, body } = exchange;
  return [
    `< ${status} (${time})`,
    ...headers.map(([name, value]) => `< ${name}: ${SECRET_HEADER.test(name) ? '***' : value}`),
    ...(body.length > 0 ? [`< ${bodyText(body, mask, sensitive)}`] : []),
  ];
}

/** What JSON escapes without need (`\/`, `\u0041`) as it is, because a mask does not know a token in escapes. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:\\|\/|u00(?!22|5c|7f)([2-7][0-9a-f]))/gi, (escaped, hex: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return escaped === '\\/' ? '/' : escaped;
  });
}

/** Masked before it is cut: half a token is one that no mask knows. */
function bodyText(body: readonly Uint8Array[], mask: TokenMask, sensitive: readonly string[]): string {
  if (sensitive.length === 0) return shorten(mask.text(withoutEscapes(beginningOf(body))), MAX_BODY_TEXT);
  const length = byteLength(body);
  try {
    const text = takeUtf8([...body]);
    const json = parseJson(text, { maxWeightBytes: memoryLeft(length, text) });
    const [first = ''] = printJsonPieces(maskMembers(mask.json(json), sensitive));
    return shorten(first, MAX_BODY_TEXT);
  } catch {
    // Half an answer may hold half a secret, and no member name to find it by.
    return `(${length} bytes that may hold a secret are not shown)`;
  }
}

/** Sends one request and judges what came back: the part that attempts and card checks have in common. */
export type Send = (
  input: CallInput,
  token: string,
  listener: CallListener | undefined,
  options: ExchangeOptions & Pick<CallOptions, 'keepsLongError'>,
) => Promise<Verdict>;

/** What sends the requests of all calls to one site. */
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
    const startedMs = clock.monotonic();
    // Only here the token meets a request, so that nothing which shows requests can show it.
    const headers = [...wire.headers, ['Authorization', `Bearer ${token}`] as const];
    const exchange = await transport.exchange({ ...wire, headers }, options);
    if (isTraced) trace(traceExchange(exchange, clock.monotonic() - startedMs, mask, sensitiveOf(input.operation)));
    if (exchange.status !== undefined && isSuccess(exchange.status)) listener?.onSuccess?.(exchange.body ?? []);
    return judge(exchange, { ...input, keepsLongError: options.keepsLongError }, clock.now(), mask);
  };
}
