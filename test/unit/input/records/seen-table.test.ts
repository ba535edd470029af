import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Digest, SeenTable } from '../../../../src/input/records/seen-table.ts';

it('remembers which texts it has seen, as a Map would', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 200 }), (texts) => {
      const table = new SeenTable();
      const digest = new Digest();
      const map = new Map<string, number>();
      texts.forEach((text, index) => {
        digest.setText(text);
        expect(table.find(digest)).toBe(map.get(text) ?? 0);
        expect(table.add(digest, index + 1)).toBe(map.get(text) ?? 0);
        if (!map.has(text)) map.set(text, index + 1);
      });
    }),
  );
});

it('takes 200,000 ids that differ little for different ones, and finds all of them again', () => {
  const table = new SeenTable();
  const digest = new Digest();
  const idOf = (index: number) =>
    index % 2 === 0 ? `sub_${index}` : `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`;
  let collisions = 0;
  for (let index = 0; index < 200_000; index += 1) {
    digest.setCardId(idOf(index));
    if (table.add(digest, index + 1) !== 0) collisions += 1;
  }
  expect(collisions).toBe(0);
  let lost = 0;
  for (let index = 0; index < 200_000; index += 1) {
    digest.setCardId(idOf(index).toUpperCase().replace('SUB', 'sub'));
    if (table.find(digest) !== index + 1) lost += 1;
  }
  expect(lost).toBe(0);
});

it('keeps a card id exactly, whatever its case', () => {
  const digest = new Digest();
  digest.setCardId('89ABCDEF-0123-4567-fedc-BA9876543210');
  expect([digest.a, digest.b, digest.c, digest.d]).toEqual([0x89abcdef, 0x01234567, 0xfedcba98, 0x76543210]);
});
