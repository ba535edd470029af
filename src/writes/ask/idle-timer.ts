import type { ClockPort } from '../../base/context.ts';

/** How long before the end the warning comes. */
const WARNING_MS = 60_000;

export type IdleTimer = ReturnType<typeof idleTimer>;

/** Aborts `signal` if no key was pressed at questions for `idleMs`, after a warning. Waits do not count. */
export function idleTimer({ sleep }: ClockPort, idleMs: number) {
  const over = new AbortController();
  const lastMs = idleMs > WARNING_MS ? WARNING_MS : 0;
  let waiting = new AbortController();
  let warn: ((text: string) => void) | undefined;
  const run = async (stop: AbortSignal): Promise<void> => {
    await sleep(idleMs - lastMs, stop);
    if (lastMs > 0 && !stop.aborted)
      warn?.('no key was pressed for a while. The desk closes in a minute. Press any key to stay');
    await sleep(lastMs, stop);
    if (!stop.aborted) over.abort();
  };
  const touched = (): void => {
    waiting.abort();
    if (warn === undefined) return;
    waiting = new AbortController();
    void run(waiting.signal);
  };
  return {
    signal: over.signal,
    touched,
    async during<Value>(ask: () => Promise<Value>, say: (text: string) => void): Promise<Value> {
      warn = say;
      touched();
      try {
        return await ask();
      } finally {
        warn = undefined;
        waiting.abort();
      }
    },
  };
}
