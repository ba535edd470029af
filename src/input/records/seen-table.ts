import { CARD_ID } from '../../api/field.ts';

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function scatter(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * 128 bits that stand for an id or a text, in four words, so that a million of them fit into one flat table. A
 * UUID is kept exactly, whatever its case. Any other text is hashed: not against an attacker, who would only
 * have his own rows refused, but two different texts will not meet by chance. One digest is used again and again.
 */
export class Digest {
  a = 0;
  b = 0;
  c = 0;
  d = 0;

  /** Of a card id: exact. Any other text is hashed. */
  setCardId(text: string): void {
    if (!CARD_ID.test(text)) {
      this.setText(text);
      return;
    }
    this.a = Number.parseInt(text.slice(0, 8), 16);
    this.b = Number.parseInt(text.slice(9, 13) + text.slice(14, 18), 16);
    this.c = Number.parseInt(text.slice(19, 23) + text.slice(24, 28), 16);
    this.d = Number.parseInt(text.slice(28, 36), 16);
  }

  setText(text: string): void {
    let [a, b, c, d] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index) + 1;
      a = Math.imul(rotate(a ^ unit, 15), 0x9e3779b1);
      b = Math.imul(rotate(b ^ unit, 11), 0x85ebca77);
      c = Math.imul(rotate(c ^ unit, 19), 0xc2b2ae3d);
      d = Math.imul(rotate(d ^ unit, 7), 0x27d4eb2f);
    }
    this.a = scatter(a ^ text.length);
    this.b = scatter(b ^ this.a);
    this.c = scatter(c ^ this.b);
    this.d = scatter(d ^ this.c);
  }

  setWords(words: Uint32Array, at: number): void {
    this.a = words[at] ?? 0;
    this.b = words[at + 1] ?? 0;
    this.c = words[at + 2] ?? 0;
    this.d = words[at + 3] ?? 0;
  }

  copyTo(words: Uint32Array, at: number): void {
    words[at] = this.a;
    words[at + 1] = this.b;
    words[at + 2] = this.c;
    words[at + 3] = this.d;
  }

  isAt(words: Uint32Array, at: number): boolean {
    return words[at] === this.a && words[at + 1] === this.b && words[at + 2] === this.c && words[at + 3] === this.d;
  }

  /** Where a table of `slots` begins to look for it. */
  slot(slots: number): number {
    const mixed = scatter(this.a ^ rotate(this.b, 8) ^ rotate(this.c, 16) ^ rotate(this.d, 24));
    return Math.floor((mixed / 0x1_0000_0000) * slots);
  }
}

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
