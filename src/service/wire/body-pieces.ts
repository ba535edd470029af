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
