interface Batch {
  text: string;
  readonly written: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

function newBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const written = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // A caller that waits for it hears of a failure; there may be none yet.
  written.catch(() => undefined);
  return { text: '', written, resolve, reject };
}

/** Texts for the end of one file: all that arrive while the disk is busy share one write and one sync. */
export class SharedWrites {
  /** Resolves when nothing is waiting any more. */
  idle: Promise<void> = Promise.resolve();
  readonly #write: (text: string) => Promise<void>;
  #waiting: Batch | undefined;
  #isRunning = false;

  /** `write` resolves when what it was given is on the disk; it is called for one string at a time. */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is on the disk; rejects with what `write` rejects with. */
  append(text: string): Promise<void> {
    this.#waiting ??= newBatch();
    this.#waiting.text += text;
    const { written } = this.#waiting;
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.idle = this.#run();
    }
    return written;
  }

  async #run(): Promise<void> {
    // Everything that this turn of the event loop still brings joins the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting !== undefined) {
      const batch = this.#waiting;
      this.#waiting = undefined;
      try {
        await this.#write(batch.text);
        batch.resolve();
      } catch (error) {
        batch.reject(error);
      }
    }
    this.#isRunning = false;
  }
}
