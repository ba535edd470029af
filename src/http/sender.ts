import { sensitiveOf } from '../api/operation.ts';
import type { ClockPort } from '../context.ts';
import type { Exchange, Transport, WireRequest } from '../wire/exchange.ts';
import type { CallInput, CallListener, CredentialPort } from './call.ts';
import { idOf, type Site } from './facts.ts';
import { TokenMask } from './mask.ts';
import { buildRequest } from './request.ts';
import { judge, type Verdict } from './response.ts';
import { traceExchange, traceRequest } from './trace.ts';

interface SenderOptions {
  readonly site: Site;
  readonly credential: CredentialPort;
  readonly clock: ClockPort;
  readonly version: string;
  readonly transport: Transport;
}

interface SendOptions {
  readonly token: string;
  readonly timeoutMs: number;
  /** Over a connection of its own. */
  readonly fresh: boolean;
  readonly stop: AbortSignal | undefined;
  readonly wrapUp: AbortSignal | undefined;
  readonly listener: CallListener | undefined;
  readonly onSend: () => void;
}

export interface Sent {
  readonly exchange: Exchange;
  readonly verdict: Verdict;
}

/** Sends one request and judges what came back: the part that attempts and read-backs have in common. */
export class Sender {
  readonly options: SenderOptions;
  readonly #mask = new TokenMask();

  constructor(options: SenderOptions) {
    this.options = options;
  }

  async send(input: CallInput, options: SendOptions): Promise<Sent> {
    const { clock, site, transport, version } = this.options;
    this.#mask.add(options.token);
    const wire = buildRequest(input, site.baseUrl, version);
    const rules = { mask: this.#mask, sensitive: sensitiveOf(input.operation) };
    const trace = options.listener?.onTrace?.bind(options.listener);
    if (trace !== undefined) for (const line of traceRequest(wire, transport.via, rules)) trace(line);
    const startedMs = trace === undefined ? 0 : clock.monotonic();
    const exchange = await transport.exchange(authorized(wire, options.token), {
      timeoutMs: options.timeoutMs,
      fresh: options.fresh,
      onSend: options.onSend,
      stop: options.stop,
      stopUnsent: options.wrapUp,
    });
    if (trace !== undefined) {
      for (const line of traceExchange(exchange, clock.monotonic() - startedMs, rules)) trace(line);
    }
    const { operation } = input;
    const isRaw = input.target !== undefined;
    const verdict = judge(exchange, { operation, id: idOf(input), isRaw, nowMs: clock.now(), mask: this.#mask });
    return { exchange, verdict };
  }
}

/** Only here the token meets a request, so that nothing which shows requests can show it. */
function authorized(wire: WireRequest, token: string): WireRequest {
  return { ...wire, headers: [...wire.headers, ['Authorization', `Bearer ${token}`]] };
}
