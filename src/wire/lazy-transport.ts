import type { TransportOptions } from './connector.ts';
import type { Transport } from './exchange.ts';

/** A transport that loads undici (tens of milliseconds) only when the first request is to be sent. */
export function lazyTransport(options: TransportOptions): Transport {
  let loading: Promise<Transport> | undefined;
  return {
    via: options.proxy?.hostPort,
    exchange: async (wire, exchangeOptions) => {
      loading ??= import('./transport.ts').then(({ createTransport }) => createTransport(options));
      return (await loading).exchange(wire, exchangeOptions);
    },
    close: async () => (await loading)?.close(),
  };
}
