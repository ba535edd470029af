import type { TransportOptions } from './connector.ts';
import type { Transport } from './exchange.ts';

/** A transport that loads undici (tens of milliseconds) only when the first request is to be sent. */
export function lazyTransport(options: TransportOptions): Transport {
  let loading: Promise<Transport> | undefined;
  let opened: Transport | undefined;
  const open = async (): Promise<Transport> => {
    const { createTransport } = await import('./transport.ts');
    opened = createTransport(options);
    return opened;
  };
  const load = (): Promise<Transport> => {
    loading ??= open();
    return loading;
  };
  return {
    via: options.proxy?.hostPort,
    exchange: (wire, exchangeOptions) =>
      opened?.exchange(wire, exchangeOptions) ?? load().then((transport) => transport.exchange(wire, exchangeOptions)),
    close: async () => {
      if (loading !== undefined) await (await loading).close();
    },
  };
}
