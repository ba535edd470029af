/** A longer response needs a place. Most need none. */
export const LONG_BYTES = 256 * 1024;
/** Places for long responses: as much as one may have. Parsed, it takes ten times as much. */
const PLACES_BYTES = 32 * 1024 * 1024;

/** A long response that is being read. */
export interface LongAnswer {
  /** The most that it may have. */
  readonly bytes: number;
  /** Results with places wait for it, so it is read in any case. */
  readonly isAwaited: boolean;
  goOn(): void;
}

/**
 * A semaphore over the bytes of long responses, from their first bytes until they are printed. One without a place
 * waits, and none is refused.
 */
export class AnswerBytes {
  #used = 0;
  readonly #waiting: LongAnswer[] = [];

  /** Does a response wait for a place? */
  get isFull(): boolean {
    return this.#waiting.length > 0;
  }

  /** May a response be read on? Otherwise it waits for `goOn`. */
  take(answer: LongAnswer): boolean {
    this.#waiting.push(answer);
    this.#goOn();
    return !this.#waiting.includes(answer);
  }

  /** The response was read, or is given up. */
  release(answer: LongAnswer): void {
    const at = this.#waiting.indexOf(answer);
    if (at === -1) this.#used -= answer.bytes;
    else this.#waiting.splice(at, 1);
    this.#goOn();
  }

  /** A result of this many bytes waits to be printed, until `free`. */
  hold(bytes: number): void {
    if (bytes > LONG_BYTES) this.#used += bytes;
  }

  /** It was printed. However short it was, the next one may be that of a response which waits for a place. */
  free(bytes: number): void {
    if (bytes > LONG_BYTES) this.#used -= bytes;
    this.#goOn();
  }

  /** Gives places to those that wait, in the order of their coming. One alone always has a place. */
  #goOn(): void {
    for (;;) {
      const next = this.#waiting.find(({ isAwaited }) => isAwaited) ?? this.#waiting[0];
      if (next === undefined) return;
      if (!next.isAwaited && this.#used > 0 && this.#used + next.bytes > PLACES_BYTES) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#used += next.bytes;
      next.goOn();
    }
  }
}

/** The one of this process. */
export const answerBytes = new AnswerBytes();

/** A piece of this size is kept as it came: what is kept with it is no more than a few times as long. */
const BLOCK_BYTES = 16 * 1024;

/** The body of a response. Small pieces are copied into blocks: each would keep all that was received with it. */
export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  #block: Buffer | undefined;
  #filled = 0;

  /** The first piece is most often the only one. */
  add(piece: Buffer): void {
    const isFirst = this.#pieces.length === 0 && this.#filled === 0;
    if (this.#filled + piece.length > BLOCK_BYTES) this.#endBlock();
    if (isFirst || piece.length >= BLOCK_BYTES) {
      this.#pieces.push(piece);
      return;
    }
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filled += piece.copy(this.#block, this.#filled);
  }

  /** The pieces in order, which are not kept any longer. */
  take(): Buffer[] {
    this.#endBlock();
    return this.#pieces.splice(0);
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }
}
