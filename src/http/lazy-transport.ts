import type { Transport } from './exchange.ts';
import type { TransportOptions } from './transport.ts';

/** A transport that loads undici (tens of milliseconds) only when the first request is to be sent. */
export function lazyTransport(options: TransportOptions): Transport {
  let loading: Promise<Transport> | undefined;
  const load = (): Promise<Transport> => {
    loading ??= import('./transport.ts').then(({ createTransport }) => createTransport(options));
    return loading;
  };
  return {
    via: options.proxy?.hostPort,
    exchange: async (wire, exchangeOptions) => (await load()).exchange(wire, exchangeOptions),
    close: async () => {
      if (loading !== undefined) await (await loading).close();
    },
  };
}
