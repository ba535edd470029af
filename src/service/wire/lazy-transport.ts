import type { TransportOptions } from './connector.ts';
import type { Transport } from './exchange.ts';

/** A transport that loads undici (tens of milliseconds) at the first request. */
export function lazyTransport(options: TransportOptions): Transport {
  let loading: Promise<Transport> | undefined;
  let opened: Transport | undefined;
  const open = async () => {
    loading ??= import('./transport.ts').then(({ createTransport }) => createTransport(options));
    opened = await loading;
    return opened;
  };
  return {
    via: options.proxy?.hostPort,
    // Every row of a run comes here: none waits for what is loaded.
    exchange: (wire, exchangeOptions) =>
      opened?.exchange(wire, exchangeOptions) ?? open().then((loaded) => loaded.exchange(wire, exchangeOptions)),
    close: async () => (await loading)?.close(),
  };
}
