// Shifts and masks: a division of numbers above 2^31 takes several times as long.
const CHUNK_BITS = 14;
const CHUNK = 1 << CHUNK_BITS;

/** Whole numbers below 2^32 by index, 0 if not set. Four bytes each, never copied to grow. */
export class NumberList {
  readonly #chunks: Uint32Array[] = [];

  at(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    this.#chunks[index >>> CHUNK_BITS] ??= new Uint32Array(CHUNK);
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    if (chunk !== undefined) chunk[index & (CHUNK - 1)] = value;
  }
}

/** Spreads 32 bits over all of them, one to one. */
export function spread(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (most ^ (most >>> 16)) >>> 0;
}

/** Things of a bucket on average. */
const LOAD = 2;

/**
 * Finds things, numbered from 0, by a hash of 32 bits (from `spread`). About 10 bytes each. It grows bucket by bucket
 * (linear hashing), because a table that is copied to grow stays in memory until V8 collects old garbage.
 */
export class HashIndex {
  size = 0;
  readonly #hashes = new NumberList();
  /** The next thing of the same bucket plus 1; 0: none. */
  readonly #next = new NumberList();
  /** The first thing of each bucket plus 1; 0: none. */
  readonly #first = new NumberList();
  #buckets = 1;
  /** The smallest power of two that is not below `#buckets`. */
  #span = 1;

  /** The thing with this hash that `isIt` accepts, or -1. */
  find(hash: number, isIt: (index: number) => boolean): number {
    let index = this.#first.at(this.#bucketOf(hash)) - 1;
    while (index !== -1 && !(this.#hashes.at(index) === hash && isIt(index))) index = this.#next.at(index) - 1;
    return index;
  }

  /** Adds the next thing, and returns its number. */
  add(hash: number): number {
    const index = this.size;
    this.#hashes.set(index, hash);
    this.size += 1;
    if (this.size > LOAD * this.#buckets) this.#split();
    this.#link(index);
    return index;
  }

  /** Adds a bucket, which takes about half of the things of another one. */
  #split(): void {
    this.#buckets += 1;
    if (this.#buckets > this.#span) this.#span *= 2;
    const split = this.#buckets - 1 - this.#span / 2;
    let index = this.#first.at(split) - 1;
    this.#first.set(split, 0);
    while (index !== -1) {
      const next = this.#next.at(index) - 1;
      this.#link(index);
      index = next;
    }
  }

  #link(index: number): void {
    const bucket = this.#bucketOf(this.#hashes.at(index));
    this.#next.set(index, this.#first.at(bucket));
    this.#first.set(bucket, index + 1);
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (this.#span - 1);
    return bucket < this.#buckets ? bucket : bucket - this.#span / 2;
  }
}
