import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareDecimals, sameDecimal } from '../../../../src/base/json/decimal.ts';
import {
  addDecimals,
  divideDecimals,
  floorDecimal,
  multiplyDecimals,
  negateDecimal,
} from '../../../../src/base/json/decimal-arithmetic.ts';

it.each([
  ['10.10', '10.1', 0],
  ['10.1', '1.01e1', 0],
  ['0', '-0.00e5', 0],
  ['0e999999999999999999999', '0', 0],
  ['100', '1E2', 0],
  ['0.001', '1e-3', 0],
  ['0.1', '0.10000000000000001', -1],
  ['12345678901234567.89', '12345678901234567.88', 1],
  ['9', '10', -1],
  ['-9', '-10', 1],
  ['-1', '1', -1],
  ['0', '0.0000001', -1],
  ['0', '-1', 1],
  ['1e400', '1e399', 1],
  ['1e999999999999999999999', '1e999999999999999999998', 1],
  ['1e-999999999', '0', 1],
  ['12', '123', -1],
  ['1.20', '1.2000000000000000000001', -1],
])('compareDecimals orders %s and %s by value', (a, b, order) => {
  expect(Math.sign(compareDecimals(a, b))).toBe(order);
  expect([Math.sign(compareDecimals(b, a)), sameDecimal(a, b)]).toEqual([order === 0 ? 0 : -order, order === 0]);
});

it('compareDecimals agrees with bigint arithmetic on scaled integers', () => {
  const cents = fc.bigInt(-(10n ** 30n), 10n ** 30n);
  const written = (value: bigint): string => {
    const digits = String(value < 0n ? -value : value).padStart(3, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };
  fc.assert(
    fc.property(cents, cents, (a, b) => {
      expect(Math.sign(compareDecimals(written(a), written(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

it.each([
  ['0.1', '0.2', '0.3'],
  ['12345678901234567.89', '0.01', '12345678901234567.9'],
  ['-10.10', '10.1', '0'],
  ['1e20', '1', '100000000000000000001'],
  ['0', '5.00', '5'],
  ['1e-20', '0', '1e-20'],
])('decimal arithmetic adds %s and %s exactly', (a, b, sum) => {
  expect([addDecimals(a, b), addDecimals(b, a)]).toEqual([sum, sum]);
});

it('decimal arithmetic does not write out a sum of numbers that are ages apart', () => {
  expect(addDecimals('1e999999999', '1')).toBeUndefined();
  expect(addDecimals('1e999999999', '0')).toBe('1e999999999');
});

it('decimal arithmetic multiplies, divides, floors and turns signs', () => {
  expect([multiplyDecimals('19.99', '3'), multiplyDecimals('1e400', '1e400')]).toEqual(['59.97', '1e800']);
  expect([divideDecimals('1', '3'), divideDecimals('100', '8')]).toEqual(['0.33333333333333333333', '12.5']);
  expect(divideDecimals('1', '0')).toBeUndefined();
  expect([floorDecimal('-1.5'), floorDecimal('1.99'), floorDecimal('-1e-999999')]).toEqual(['-2', '1', '-1']);
  expect([negateDecimal('-12.50'), negateDecimal('0.00')]).toEqual(['12.50', '0.00']);
});
