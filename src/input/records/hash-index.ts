const CHUNK = 2 ** 14;

/** Whole numbers below 2^32 by index, 0 if not set. Four bytes each, never copied to grow. */
export class NumberList {
  readonly #chunks: Uint32Array[] = [];

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  set(index: number, value: number): void {
    this.#chunks[Math.floor(index / CHUNK)] ??= new Uint32Array(CHUNK);
    const chunk = this.#chunks[Math.floor(index / CHUNK)];
    if (chunk !== undefined) chunk[index % CHUNK] = value;
  }
}

/** Spreads 32 bits over all of them, one to one. */
export function spread(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (most ^ (most >>> 16)) >>> 0;
}

/** Finds things, numbered from 0, by a hash of 32 bits (from `spread`). About 12 bytes each. */
export class HashIndex {
  size = 0;
  readonly #hashes = new NumberList();
  /** The number of a thing plus 1; 0: free. */
  #slots = new Uint32Array(1024);

  /** The thing with this hash that `isIt` accepts, or -1. */
  find(hash: number, isIt: (index: number) => boolean): number {
    for (let slot = hash; ; slot += 1) {
      const index = (this.#slots[slot % this.#slots.length] ?? 0) - 1;
      if (index === -1 || (this.#hashes.at(index) === hash && isIt(index))) return index;
    }
  }

  /** Adds the next thing, and returns its number. */
  add(hash: number): number {
    this.#hashes.set(this.size, hash);
    this.size += 1;
    const isFull = this.size * 4 > this.#slots.length * 3;
    if (isFull) this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let index = isFull ? 0 : this.size - 1; index < this.size; index += 1) {
      let slot = this.#hashes.at(index);
      while (this.#slots[slot % this.#slots.length] !== 0) slot += 1;
      this.#slots[slot % this.#slots.length] = index + 1;
    }
    return this.size - 1;
  }
}
