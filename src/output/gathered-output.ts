import type { OutputPort } from '../context.ts';

/** With more than this in it, writing waits for the reader. */
const MAX_WAITING_CHARACTERS = 65_536;

const TAKEN = Promise.resolve();

/**
 * Texts that arrive in one turn of the event loop as one write: a run prints thousands of rows a second, and a
 * write for each takes longer than making the row. `flush` resolves when all of them have gone out. A failed write is
 * reported by the next write or flush.
 */
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
