import { CARD_ID } from '../../api/field.ts';

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function scatter(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

type Words = [number, number, number, number];

/** A UUID, kept exactly, whatever its case. */
function uuidWords(text: string): Words {
  const hex = text.replaceAll('-', '');
  const word = (at: number) => Number.parseInt(hex.slice(at, at + 8), 16);
  return [word(0), word(8), word(16), word(24)];
}

/** Not proof against an attacker, who could only have rows of that file refused; chance collisions do not happen. */
function hashWords(text: string): Words {
  let [a, b, c, d] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index) + 1;
    a = Math.imul(rotate(a ^ unit, 15), 0x9e3779b1);
    b = Math.imul(rotate(b ^ unit, 11), 0x85ebca77);
    c = Math.imul(rotate(c ^ unit, 19), 0xc2b2ae3d);
    d = Math.imul(rotate(d ^ unit, 7), 0x27d4eb2f);
  }
  a = scatter(a ^ text.length);
  b = scatter(b ^ a);
  c = scatter(c ^ b);
  return [a, b, c, scatter(d ^ c)];
}

/**
 * Tables of fewer rows than this cost next to nothing. From then on the table is at once large enough for a
 * million rows, so that it is never copied on the way there and memory stays the same from here to there.
 */
const SMALL_SLOTS = 4096;
const LARGE_SLOTS = 1_400_000;
const MAX_LOAD = 0.75;
/** Four words of the text, and the number that is kept for it; 0: the slot is free. */
const SLOT_WORDS = 5;

/**
 * Remembers a number for each text, in 128 bits: 20 bytes a row in one flat array that the collector never walks. A
 * Map of a million ids took 196 MiB more.
 */
export class SeenTable {
  #slots = SMALL_SLOTS;
  #table = new Uint32Array(SLOT_WORDS * SMALL_SLOTS);
  #size = 0;

  /**
   * Keeps `number` (above 0) unless the text is known: then returns what was kept for it before, else 0. Card ids are the
   * same whatever their case.
   */
  add(text: string, number: number, isOfCard: boolean): number {
    if (this.#size + 1 > this.#slots * MAX_LOAD) this.#grow();
    const words = isOfCard && CARD_ID.test(text) ? uuidWords(text) : hashWords(text);
    const known = this.#put(words, number);
    if (known === 0) this.#size += 1;
    return known;
  }

  #put(words: Words, number: number): number {
    const table = this.#table;
    const [a, b, c, d] = words;
    const mixed = scatter(a ^ rotate(b, 8) ^ rotate(c, 16) ^ rotate(d, 24));
    let at = SLOT_WORDS * Math.floor((mixed / 0x1_0000_0000) * this.#slots);
    while (table[at + 4] !== 0) {
      if (table[at] === a && table[at + 1] === b && table[at + 2] === c && table[at + 3] === d)
        return table[at + 4] ?? 0;
      at = at + SLOT_WORDS === table.length ? 0 : at + SLOT_WORDS;
    }
    table.set(words, at);
    table[at + 4] = number;
    return 0;
  }

  #grow(): void {
    const old = this.#table;
    this.#slots = Math.max(LARGE_SLOTS, 2 * this.#slots);
    this.#table = new Uint32Array(SLOT_WORDS * this.#slots);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      const [a = 0, b = 0, c = 0, d = 0, number = 0] = old.subarray(at, at + SLOT_WORDS);
      if (number !== 0) this.#put([a, b, c, d], number);
    }
  }
}
