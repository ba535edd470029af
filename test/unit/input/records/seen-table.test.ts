import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seenTable } from '../../../../src/input/records/seen-table.ts';

it('the table of seen texts remembers which texts it has seen, as a Map would', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 200 }), (texts) => {
      const seen = seenTable();
      const map = new Map<string, number>();
      texts.forEach((text, index) => {
        expect(seen(text, index + 1, false)).toBe(map.get(text) ?? 0);
        if (!map.has(text)) map.set(text, index + 1);
      });
    }),
  );
});

it('the table of seen texts takes 200,000 ids that differ little for different ones, and finds all of them again', () => {
  const seen = seenTable();
  const idOf = (index: number) =>
    index % 2 === 0 ? `sub_${index}` : `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`;
  let collisions = 0;
  for (let index = 0; index < 200_000; index += 1) {
    if (seen(idOf(index), index + 1, true) !== 0) collisions += 1;
  }
  expect(collisions).toBe(0);
  let lost = 0;
  for (let index = 0; index < 200_000; index += 1) {
    if (seen(idOf(index), 999_999, true) !== index + 1) lost += 1;
  }
  expect(lost).toBe(0);
});

const HEXADECIMAL = '89abcdef-0123-4567-fedc-ba9876543210';
const MIXED = '89ABCDEF-0123-4567-fedc-BA9876543210';

it.each([
  ['one card id whatever its case', true, MIXED, '89abcdef-0123-4567-FEDC-ba9876543210', 1],
  ['card ids that differ in the last digit apart', true, HEXADECIMAL, HEXADECIMAL.replace(/0$/, '1'), 0],
  ['other ids in their case', false, MIXED, '89abcdef-0123-4567-FEDC-ba9876543210', 0],
])('the table of seen texts keeps %s', (_, isOfCard, first, second, known) => {
  const seen = seenTable();
  seen(first, 1, isOfCard);
  expect(seen(second, 2, isOfCard)).toBe(known);
});
