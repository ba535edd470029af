/** Texts for the end of one file: all that arrive while the disk is busy share one write and one sync. */
export class SharedWrites {
  /** Resolves when what was given so far is written, or could not be. */
  idle: Promise<void> = Promise.resolve();
  readonly #write: (text: string) => Promise<void>;
  #waiting: { text: string; readonly written: Promise<void> } | undefined;
  #isWriting = false;

  /** `write` resolves when what it was given is on the disk; it is called for one string at a time. */
  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line is on the disk; rejects with what `write` rejects with. */
  append(text: string): Promise<void> {
    this.#waiting ??= { text: '', written: this.#writeWaiting() };
    this.#waiting.text += text;
    return this.#waiting.written;
  }

  #writeWaiting(): Promise<void> {
    // Everything that this turn of the event loop still brings joins the first batch.
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
    // Those who gave the texts hear of a failure.
    this.idle = written.catch(() => undefined);
    return written;
  }
}
