import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import { decodeUtf8 } from '../../../../src/base/json/utf8.ts';
import { fromPlain, getPath, JsonNumber, toPlain } from '../../../../src/base/json/value.ts';

it('B18 toPlain keeps __proto__ a key that changes no prototype', () => {
  const plain = toPlain(parseJson('{"__proto__":{"polluted":true},"a":1}'));
  expect(Object.keys(plain as object)).toEqual(['__proto__', 'a']);
  expect((plain as { polluted?: unknown }).polluted).toBeUndefined();
});

it('toPlain clamps numbers to finite ones, so that a schema calls them numbers', () =>
  expect(toPlain(parseJson('[1e400,-1e400,10.10]'))).toEqual([Number.MAX_VALUE, -Number.MAX_VALUE, 10.1]));

it.each(['{"constructor":"x"}', '{"toString":null}', '{"hasOwnProperty":{}}', '{"then":1}', '{"__proto__":null}'])(
  'B19 toPlain gives a schema an object for %s',
  (text) => {
    const plain = toPlain(parseJson(text));
    expect(z.record(z.string(), z.unknown()).safeParse(plain).success).toBe(true);
    expect(z.looseObject({}).safeParse(plain).success).toBe(true);
  },
);

it('fromPlain makes JSON of what frontdesk builds, and keeps JSON values inside it', () => {
  const inside = { n: new JsonNumber('10.10'), left: undefined, m: new Map([['k', 2n]]) };
  expect(printJson(fromPlain({ b: 1, a: [true, null, 'x'], ...inside }))).toBe(
    '{"b":1,"a":[true,null,"x"],"n":10.10,"m":{"k":2}}',
  );
});

it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [() => 1], [Symbol('x')]])('fromPlain refuses %s', (value) =>
  expect(() => fromPlain(value)).toThrow(TypeError),
);

const value = parseJson(
  '{"status":"ACTIVE","metadata":{"a.b":1,"a":{"b":2,"c":3},"x.y":{"z":4},"x":{"y":{"w":5}},"__proto__":6,"n":null},"transactions":[{"amount":10.10}]}',
);
it.each([
  ['status', '"ACTIVE"'],
  ['metadata.a.b', '1'],
  ['metadata.a.c', '3'],
  ['metadata.x.y.z', '4'],
  ['metadata.x.y.w', '5'],
  ['metadata.__proto__', '6'],
  ['metadata.n', 'null'],
  ['transactions.0.amount', '10.10'],
  ['transactions.0', '{"amount":10.10}'],
])('getPath finds %s', (path, printed) => {
  const found = getPath(value, path);
  expect(found !== undefined && printJson(found)).toBe(printed);
});

it.each([
  ...['', 'x', 'metadata.', 'metadata.toString', 'status.length', 'transactions.1', 'transactions.00'],
  ...['transactions.length', 'transactions.-1', '.status'],
])('getPath finds nothing at %j', (path) => expect(getPath(value, path)).toBeUndefined());

it('decodeUtf8 refuses bytes that are no UTF-8 and keeps a byte order mark (docs/faults.md B22, B23)', () => {
  expect(() => decodeUtf8(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(TypeError);
  expect(() => decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toThrow(TypeError);
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  expect(decodeUtf8(Uint8Array.of(0xc3, 0xa9))).toBe('é');
});
