import { Digest } from './digest.ts';

/**
 * Tables of fewer rows than this cost next to nothing. From then on the table is at once large enough for a
 * million rows, so that it is never copied on the way there and memory stays the same from here to there.
 */
const SMALL_SLOTS = 4096;
const LARGE_SLOTS = 1_400_000;
const MAX_LOAD = 0.75;

/** Remembers digests and a number for each: 20 bytes a row, in flat arrays that the collector never walks. */
export class SeenTable {
  #slots = SMALL_SLOTS;
  #words = new Uint32Array(4 * SMALL_SLOTS);
  /** 0: free. */
  #numbers = new Uint32Array(SMALL_SLOTS);
  #size = 0;

  /** The number that was kept for this digest, or 0. */
  find(digest: Digest): number {
    return this.#numbers[this.#locate(digest)] ?? 0;
  }

  /** Keeps `number` (above 0) unless the digest is known: then answers what was kept for it before, else 0. */
  add(digest: Digest, number: number): number {
    let index = this.#locate(digest);
    const known = this.#numbers[index] ?? 0;
    if (known !== 0) return known;
    if (this.#size + 1 > this.#slots * MAX_LOAD) {
      this.#grow();
      index = this.#locate(digest);
    }
    digest.copyTo(this.#words, 4 * index);
    this.#numbers[index] = number;
    this.#size += 1;
    return 0;
  }

  /** Index of the digest, or of the free place where it belongs. */
  #locate(digest: Digest): number {
    const words = this.#words;
    for (let index = digest.slot(this.#slots); ; index = index + 1 === this.#slots ? 0 : index + 1) {
      if (this.#numbers[index] === 0) return index;
      if (digest.isAt(words, 4 * index)) return index;
    }
  }

  #grow(): void {
    const [words, numbers] = [this.#words, this.#numbers];
    this.#slots = Math.max(LARGE_SLOTS, 2 * this.#slots);
    this.#words = new Uint32Array(4 * this.#slots);
    this.#numbers = new Uint32Array(this.#slots);
    const moved = new Digest();
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      if (number === 0) continue;
      moved.setWords(words, 4 * index);
      const at = this.#locate(moved);
      moved.copyTo(this.#words, 4 * at);
      this.#numbers[at] = number;
    }
  }
}
