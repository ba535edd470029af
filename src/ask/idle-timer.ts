import type { ClockPort } from '../context.ts';

/** How long before the end the warning comes. */
const WARNING_MS = 60_000;

/** Aborts `signal` if no key was pressed at questions for `idleMs`, after a warning. Waits do not count. */
export class IdleTimer {
  readonly #clock: ClockPort;
  readonly #idleMs: number;
  readonly #over = new AbortController();
  #waiting = new AbortController();
  #warn: ((text: string) => void) | undefined;

  constructor(clock: ClockPort, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  async during<Value>(ask: () => Promise<Value>, warn: (text: string) => void): Promise<Value> {
    this.#warn = warn;
    this.touched();
    try {
      return await ask();
    } finally {
      this.#warn = undefined;
      this.#waiting.abort();
    }
  }

  touched(): void {
    this.#waiting.abort();
    if (this.#warn === undefined) return;
    this.#waiting = new AbortController();
    void this.#run(this.#waiting.signal);
  }

  async #run(stop: AbortSignal): Promise<void> {
    const { sleep } = this.#clock;
    const lastMs = this.#idleMs > WARNING_MS ? WARNING_MS : 0;
    await sleep(this.#idleMs - lastMs, stop);
    if (lastMs > 0 && !stop.aborted)
      this.#warn?.('no key was pressed for a while. The desk closes in a minute. Press any key to stay');
    await sleep(lastMs, stop);
    if (!stop.aborted) this.#over.abort();
  }
}
