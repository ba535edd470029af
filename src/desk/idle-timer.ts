import type { ClockPort } from '../context.ts';

/**
 * Aborts `signal` when nobody has pressed a key for `idleMs` while a question stood there. The time of a command, which
 * may wait for the service, does not count.
 */
export class IdleTimer {
  readonly #clock: ClockPort;
  readonly #idleMs: number;
  readonly #over = new AbortController();
  #waiting = new AbortController();

  constructor(clock: ClockPort, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Waits while `ask` goes on; every key on `input` begins the time anew. */
  async during<Value>(input: NodeJS.ReadableStream, ask: () => Promise<Value>): Promise<Value> {
    const restart = () => this.#restart();
    input.on('keypress', restart);
    restart();
    try {
      return await ask();
    } finally {
      input.off('keypress', restart);
      this.#waiting.abort();
    }
  }

  #restart(): void {
    this.#waiting.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    void this.#clock.sleep(this.#idleMs, waiting.signal).then(() => {
      if (!waiting.signal.aborted) this.#over.abort();
    });
  }
}
