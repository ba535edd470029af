import type { RowResult } from './row-outcome.ts';

interface Waiting<R extends RowResult> {
  readonly result: R;
  /** Resolves when the row's result is in the journal: only then is it printed. */
  readonly durable: Promise<void> | undefined;
}

export interface SinkOptions<R extends RowResult> {
  emit(result: R): Promise<void> | void;
  /** Gets every result before `emit`, whatever became of `emit`. */
  keep?: ((result: R) => Promise<void>) | undefined;
  /** Hears the first error of `emit`; after it nothing more is printed, but places go on being freed. */
  onEmitFailure(error: unknown): void;
  /** The same for `keep`. */
  onKeepFailure(error: unknown): void;
}

/**
 * Prints results in the order of the input although rows end in any order. At most `window` results wait, so a
 * slow row holds up the rows far behind it and not the memory.
 */
export class OrderedSink<R extends RowResult> {
  readonly #options: SinkOptions<R>;
  readonly #window: number;
  /** As long as the window: a position has the place of its remainder (for why it is no Map see `removeFrom`). */
  readonly #waiting: (Waiting<R> | undefined)[];
  #next = 0;
  #isPumping = false;
  #isKeeping: boolean;
  #isPrinting = true;
  #wake: (() => void) | undefined;
  /** The last record that was waited for: rows that are recorded together have one promise. */
  #lastDurable: Promise<void> | undefined;

  constructor(window: number, options: SinkOptions<R>) {
    this.#window = window;
    this.#waiting = new Array<Waiting<R> | undefined>(window).fill(undefined);
    this.#options = options;
    this.#isKeeping = options.keep !== undefined;
  }

  /** Is there a place for the row with this position (0 for the first of the run)? */
  hasRoom(position: number): boolean {
    return position < this.#next + this.#window;
  }

  /** Resolves when a row was printed. */
  progress(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#wake;
      this.#wake = () => {
        before?.();
        resolve();
      };
    });
  }

  put(position: number, result: R, durable: Promise<void> | undefined): void {
    this.#waiting[position % this.#window] = { result, durable };
    if (this.#isPumping || position !== this.#next) return;
    this.#isPumping = true;
    void this.#pump();
  }

  /** Resolves when the rows before `position` were printed. */
  async drained(position: number): Promise<void> {
    while (this.#next < position) await this.progress();
  }

  async #pump(): Promise<void> {
    for (;;) {
      const place = this.#next % this.#window;
      const head = this.#waiting[place];
      if (head === undefined) break;
      // A journal that cannot be written stops the run where the result is recorded; what is known is still printed.
      if (head.durable !== undefined && head.durable !== this.#lastDurable) {
        this.#lastDurable = head.durable;
        await head.durable.catch(() => undefined);
      }
      // Each thing to wait for costs a turn of the row behind, so nothing is awaited that is not there.
      if (this.#isKeeping) await this.#keep(head.result);
      if (this.#isPrinting) await this.#print(head.result);
      this.#waiting[place] = undefined;
      this.#next += 1;
      const wake = this.#wake;
      this.#wake = undefined;
      wake?.();
    }
    this.#isPumping = false;
  }

  async #keep(result: R): Promise<void> {
    try {
      await this.#options.keep?.(result);
    } catch (error) {
      this.#isKeeping = false;
      this.#options.onKeepFailure(error);
    }
  }

  async #print(result: R): Promise<void> {
    try {
      await this.#options.emit(result);
    } catch (error) {
      this.#isPrinting = false;
      this.#options.onEmitFailure(error);
    }
  }
}
