import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellAt, packCells, quotePath, unpackCells } from '../../../src/input/values.ts';

it('cells of which many are empty take no room', () => {
  const cells = ['id', ...Array.from({ length: 16_382 }, () => ''), 'lost'];
  expect(packCells(cells.entries())).toEqual(['id', 16_382, 'lost']);
  expect(unpackCells(['id', 16_382, 'lost'])).toEqual(cells);
  expect([0, 1, 16_382, 16_383, 16_384].map((place) => cellAt(['id', 16_382, 'lost'], place))).toEqual([
    'id',
    '',
    '',
    'lost',
    '',
  ]);
});

it('a column that is not there has no cell', () => expect(cellAt(['id', 'lost'], -1)).toBeUndefined());

it('packed cells are the same in every place, and end at the last that is not empty', () => {
  const anyCells = fc.array(fc.constantFrom('', '', 'a', '7'), { maxLength: 12 });
  fc.assert(
    fc.property(anyCells, (cells) => {
      const packed = packCells(cells.entries());
      expect(cells.map((_, place) => cellAt(packed, place))).toEqual(cells);
      expect(unpackCells(packed)).toEqual(cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1));
    }),
  );
});

it.each([
  ['rows.xlsx', '"rows.xlsx"'],
  [`${'a'.repeat(57)}/😀1`, `"${'a'.repeat(57)}/😀1"`],
  [`${'a'.repeat(58)}/😀1`, `"…${'a'.repeat(56)}/😀1"`],
])('the path %s is %s in a message, which keeps its end', (path, quoted) => expect(quotePath(path)).toBe(quoted));
