import type { RowResult, RunRow } from './row-outcome.ts';
import type { RunTask } from './run-task.ts';

interface Waiting<R extends RunRow> {
  readonly result: RowResult<R>;
  /** Resolves when the row's result is in the journal: only then is it printed. */
  readonly durable: Promise<void> | undefined;
}

/**
 * Prints results in the order of the input although rows end in any order. At most `window` results wait, so a
 * slow row holds up the rows far behind it and not the memory.
 */
export class OrderedSink<R extends RunRow> {
  readonly #task: Pick<RunTask<R>, 'emit' | 'keep'>;
  readonly #onFailure: (error: unknown, of: 'emit' | 'keep') => void;
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

  /**
   * `keep` of the task gets every result before `emit`, whatever became of that. `onFailure` hears the first error of
   * each, after which it is not called again; places go on being freed.
   */
  constructor(
    window: number,
    task: Pick<RunTask<R>, 'emit' | 'keep'>,
    onFailure: (error: unknown, of: 'emit' | 'keep') => void,
  ) {
    this.#window = window;
    this.#waiting = new Array<Waiting<R> | undefined>(window).fill(undefined);
    this.#task = task;
    this.#onFailure = onFailure;
    this.#isKeeping = task.keep !== undefined;
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

  put(position: number, result: RowResult<R>, durable: Promise<void> | undefined): void {
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

  async #keep(result: RowResult<R>): Promise<void> {
    try {
      await this.#task.keep?.(result);
    } catch (error) {
      this.#isKeeping = false;
      this.#onFailure(error, 'keep');
    }
  }

  async #print(result: RowResult<R>): Promise<void> {
    try {
      await this.#task.emit(result);
    } catch (error) {
      this.#isPrinting = false;
      this.#onFailure(error, 'emit');
    }
  }
}
