/** Texts for the end of one file. All that arrive while the disk is busy share one write and one sync. */
export class SharedWrites {
  /** Resolves when what was given so far is written, or failed. */
  idle: Promise<void> = Promise.resolve();
  readonly #write: (text: string) => Promise<void>;
  #waiting: { text: string; readonly written: Promise<void> } | undefined;
  #isWriting = false;

  /** `write` resolves when its text is on the disk. It is called for one text at a time. */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is on the disk. Rejects like `write`. */
  append(text: string): Promise<void> {
    this.#waiting ??= { text: '', written: this.#writeWaiting() };
    this.#waiting.text += text;
    return this.#waiting.written;
  }

  #writeWaiting(): Promise<void> {
    // Whatever this turn of the event loop still adds joins the first batch.
    const before = this.#isWriting ? this.idle : new Promise<void>((resolve) => setImmediate(resolve));
    const written = before.then(async () => {
      const text = this.#waiting?.text ?? '';
      this.#waiting = undefined;
      this.#isWriting = true;
      try {
        await this.#write(text);
      } finally {
        this.#isWriting = false;
      }
    });
    // Those who gave the texts get the failure.
    this.idle = written.catch(() => undefined);
    return written;
  }
}
