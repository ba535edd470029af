import type { TransportOptions } from './connector.ts';
import type { Transport } from './exchange.ts';

/** A transport that loads undici (tens of milliseconds) only when the first request is to be sent. */
export function lazyTransport(options: TransportOptions): Transport {
  let loading: Promise<Transport> | undefined;
  let opened: Transport | undefined;
  return {
    via: options.proxy?.hostPort,
    exchange: async (wire, exchangeOptions) => {
      // Each of a million rows comes here: none waits for what is there.
      if (opened !== undefined) return opened.exchange(wire, exchangeOptions);
      loading ??= import('./transport.ts').then(({ createTransport }) => createTransport(options));
      opened = await loading;
      return opened.exchange(wire, exchangeOptions);
    },
    close: async () => (await loading)?.close(),
  };
}
