import { hash } from 'node:crypto';
import { CARD_ID } from '../../api/field.ts';

const KEY_BYTES = 16;

/** A text in 16 bytes: a card id exactly, whatever its case; two others will not meet by chance. */
function keyOf(text: string, isOfCard: boolean): string {
  const isCard = isOfCard && CARD_ID.test(text);
  const bytes = isCard ? Buffer.from(text.replaceAll('-', ''), 'hex') : hash('sha256', text, 'buffer');
  return bytes.toString('latin1', 0, KEY_BYTES);
}

/** Remembers a number for each text, which it does not keep: it may be long, and a part of a longer one in memory. */
export class SeenTable {
  readonly #known = new Map<string, number>();

  /** Keeps `number` (above 0) unless the text is known: then returns what was kept for it before, else 0. */
  add(text: string, number: number, isOfCard: boolean): number {
    const key = keyOf(text, isOfCard);
    const known = this.#known.get(key) ?? 0;
    if (known === 0) this.#known.set(key, number);
    return known;
  }
}
