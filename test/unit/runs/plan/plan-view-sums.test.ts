import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DecimalSum } from '../../../../src/runs/plan/plan-view.ts';

function sumOf(texts: readonly string[]): [text: string, count: number] {
  const sum = new DecimalSum();
  for (const text of texts) sum.add(text);
  return [sum.text(), sum.count];
}

it.each<[readonly string[], string, number]>([
  [[], '0', 0],
  [['10.10', '5'], '15.10', 2],
  [['0.1', '0.2'], '0.3', 2],
  [['12345678901234567.89', '0.01'], '12345678901234567.90', 2],
  [['-0.50', '0.25'], '-0.25', 2],
  [['-1', '1.00'], '0.00', 2],
  [['1e3', '2'], '1002', 2],
  [['1e9999', '2.50'], '1e9999', 1],
])('the sum of balances: %j is added to %s', (texts, sum, count) => {
  expect(sumOf(texts)).toEqual([sum, count]);
});

it('the sum of balances adds cents as whole numbers do, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1 }), (cents) => {
      const text = (value: number) => `${value < 0 ? '-' : ''}${(Math.abs(value) / 100).toFixed(2)}`;
      const total = cents.reduce((sum, value) => sum + value, 0);
      expect(sumOf(cents.map(text))).toEqual([text(total), cents.length]);
      expect(sumOf(cents.map(text).reverse())).toEqual([text(total), cents.length]);
    }),
  );
});
