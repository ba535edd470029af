import { sensitiveOf } from '../api/operation.ts';
import type { ExchangeOptions } from '../wire/exchange.ts';
import type { CallInput, CallListener, Site } from './call.ts';
import { TokenMask } from './mask.ts';
import { buildRequest } from './request.ts';
import { isSuccess, judge, type Verdict } from './response.ts';
import { traceExchange, traceRequest } from './trace.ts';

/** Sends one request and judges what came back: the part that attempts and read-backs have in common. */
export type Send = (
  input: CallInput,
  token: string,
  listener: CallListener | undefined,
  options: ExchangeOptions,
) => Promise<Verdict>;

/** What sends the requests of all calls to one site. */
export function openSender({ clock, baseUrl, transport, version }: Site): Send {
  const mask = new TokenMask();
  return async (input, token, listener, options) => {
    mask.add(token);
    const wire = buildRequest(input, baseUrl, version);
    const rules = { mask, sensitive: sensitiveOf(input.operation) };
    const trace = listener?.onTrace?.bind(listener);
    if (trace !== undefined) for (const line of traceRequest(wire, transport.via, rules)) trace(line);
    const startedMs = trace === undefined ? 0 : clock.monotonic();
    // Only here the token meets a request, so that nothing which shows requests can show it.
    const headers = [...wire.headers, ['Authorization', `Bearer ${token}`] as const];
    const exchange = await transport.exchange({ ...wire, headers }, options);
    if (trace !== undefined) {
      for (const line of traceExchange(exchange, clock.monotonic() - startedMs, rules)) trace(line);
    }
    if (exchange.status !== undefined && isSuccess(exchange.status)) listener?.onSuccess?.(exchange.body ?? []);
    return judge(exchange, input, clock.now(), mask);
  };
}
