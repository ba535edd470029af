import type { OutputPort } from '../base/context.ts';

/** Beyond this, writing waits for the reader. */
const MAX_WAITING_CHARACTERS = 65_536;

const TAKEN = Promise.resolve();

/** Joins texts of one turn of the event loop into one write. The next write or flush reports a failed one. */
export function gatheredOutput(stdout: OutputPort): OutputPort & { flush(): Promise<void> } {
  let waiting = '';
  let sending: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const send = async (): Promise<void> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    try {
      while (waiting !== '') {
        const text = waiting;
        waiting = '';
        await stdout.write(text);
      }
    } catch (error) {
      failure = { error };
      waiting = '';
    }
    sending = undefined;
  };
  const settle = async (): Promise<void> => {
    await sending;
    if (failure !== undefined) throw failure.error;
  };
  return {
    isTerminal: stdout.isTerminal,
    get columns() {
      return stdout.columns;
    },
    write(text) {
      if (failure !== undefined) return Promise.reject(failure.error);
      waiting += text;
      sending ??= send();
      return waiting.length > MAX_WAITING_CHARACTERS ? settle() : TAKEN;
    },
    flush: settle,
  };
}
