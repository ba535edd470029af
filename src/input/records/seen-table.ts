import { hash } from 'node:crypto';
import { CARD_ID } from '../../service/api/field.ts';
import { HashIndex, NumberList, spread } from './hash-index.ts';

/** A text in 16 bytes: a card ID exactly, in any case; other texts by a hash without practical collisions. */
function keyOf(text: string, isOfCard: boolean): Buffer {
  const isCard = isOfCard && CARD_ID.test(text);
  return isCard ? Buffer.from(text.replaceAll('-', ''), 'hex') : hash('sha256', text, 'buffer');
}

/** Three words of the key of each text, and the number. */
const KEPT = 4;

/**
 * Remembers a number for each text without the text: about 26 bytes each. Returns what keeps a number (above 0) for a
 * text, and returns 0, or the number that it had already.
 */
export function seenTable() {
  const index = new HashIndex();
  const kept = new NumberList();
  return (text: string, number: number, isOfCard: boolean): number => {
    const key = keyOf(text, isOfCard);
    const words = [key.readUInt32LE(0), key.readUInt32LE(4), key.readUInt32LE(8)];
    // The words and the hash together are the key.
    const first = words.reduce((bits, word) => spread(bits ^ word), spread(key.readUInt32LE(12)));
    const known = index.find(first, (at) => words.every((word, place) => kept.at(at * KEPT + place) === word));
    if (known !== -1) return kept.at(known * KEPT + words.length);
    let place = index.add(first) * KEPT;
    for (const word of [...words, number]) kept.set(place++, word);
    return 0;
  };
}
