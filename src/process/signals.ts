import type { SignalName, SignalPort } from '../context.ts';

const SIGNALS: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function processSignals(source: NodeJS.Process): SignalPort {
  const received: SignalName[] = [];
  const listeners: ((signal: SignalName, count: number) => void)[] = [];
  for (const signal of SIGNALS) {
    source.on(signal, () => {
      received.push(signal);
      listeners.at(-1)?.(signal, received.length);
    });
  }
  return {
    received,
    onSignal(listener) {
      listeners.push(listener);
      return () => {
        const index = listeners.lastIndexOf(listener);
        if (index >= 0) listeners.splice(index, 1);
      };
    },
  };
}
