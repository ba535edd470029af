import { expect, it, test } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { isJsonObject } from '../../../src/base/json/value.ts';
import { parseExpectation, unmetExpectation } from '../../../src/input/expect.ts';

const CARD = parseJson(`{
  "clientReference": "order-1001", "status": "ACTIVE", "initialBalance": 50.00, "currentBalance": 12345678901234567.89,
  "cancelledAt": null, "design": "", "cancellationAmount": 0.00,
  "metadata": { "shop": "berlin", "vip": true, "a.b": "dotted", "a": { "b": "nested", "c": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "d": { "2": "key" } }, "none": null, "big": 1e12 }
}`);

test.each([
  ['clientReference=order-1', { field: 'clientReference', value: 'order-1' }],
  ['status=', { field: 'status', value: '' }],
  ['metadata.note=a=b', { field: 'metadata.note', value: 'a=b' }],
  ['metadata.a.b=1', { field: 'metadata.a.b', value: '1' }],
])('parseExpectation reads %s', (text, expected) => {
  expect(parseExpectation(text, { hasRows: false })).toEqual(expected);
});

it('parseExpectation lets the value be left out only where rows bring it', () => {
  const read = (hasRows: boolean) => parseExpectation('clientReference', { hasRows });
  expect(read(true)).toEqual({ field: 'clientReference', value: undefined });
  expect(read(false)).toEqual({ problem: 'give a value: clientReference=<value> (only --from allows to omit it)' });
});

test.each([
  ['clientRefrence=1', '"clientRefrence" is not a field of a card: did you mean clientReference?'],
  ['clientReference.x=1', '"clientReference.x" is not a field of a card: did you mean clientReference?'],
  ['zzz=1', '"zzz" is not a field of a card'],
  ['transaction=1', '"transaction" is not a field of a card'],
  ['=1', '"" is not a field of a card'],
  ['metadata=1', 'name a member of the metadata, such as metadata.shop'],
  ['metadata.=1', 'name a member of the metadata, such as metadata.shop'],
  ['transactions=1', 'transactions has many values and cannot be compared'],
])('parseExpectation refuses %s', (text, problem) => {
  expect(parseExpectation(text, { hasRows: true })).toEqual({ problem });
});

if (!isJsonObject(CARD)) throw new Error('the card is an object');

test.each([
  ['clientReference', 'order-1001'],
  ['initialBalance', '50'],
  ['initialBalance', '5e1'],
  ['currentBalance', '12345678901234567.890'],
  ['metadata.shop', 'berlin'],
  ['metadata.vip', 'true'],
  ['metadata.a.c.1', '2'],
  ['metadata.a.c.11', '12'],
  ['metadata.a.d.2', 'key'],
  ['cancellationAmount', '0'],
  ['cancellationAmount', '-0.0'],
  ['metadata.big', '1e+12'],
  ['metadata.big', '1000000000000'],
  ['design', ''],
  ['cancelledAt', 'null'],
  ['metadata.none', 'null'],
])('an expectation holds: %s is %j', (field, value) => {
  expect(unmetExpectation(CARD, [{ field, value }])).toBeUndefined();
});

test.each([
  ['before the path', '{"a.b": "key", "a": {"b": "path"}}', 'key', 'path'],
  ['after the path', '{"a": {"b": "path"}, "a.b": "key"}', 'key', 'path'],
  ['nowhere', '{"a": {"b": "path"}}', 'path', 'key'],
])('a key with dots of its own counts for an expectation, and else the path: it stands %s', (_, text, is, other) => {
  const card = new Map([['metadata', parseJson(text)]]);
  const unmet = (value: string) => unmetExpectation(card, [{ field: 'metadata.a.b', value }]);
  expect([unmet(is), unmet(other)]).toEqual([undefined, `metadata.a.b is "${is}", not "${other}"`]);
});

test.each([
  ['clientReference', 'Order-1001', '"order-1001"'],
  ['clientReference', 'order-1001 ', '"order-1001"'],
  ['initialBalance', '50.01', '50.00'],
  ['initialBalance', 'fifty', '50.00'],
  ['initialBalance', '', '50.00'],
  ['metadata.vip', '', 'true'],
  // A word is no number: on an empty card it must not count as zero.
  ['cancellationAmount', 'fifty', '0.00'],
  ['cancellationAmount', 'x0', '0.00'],
  ['cancellationAmount', '0x', '0.00'],
  ['cancellationAmount', '', '0.00'],
  ['cancellationAmount', '0e', '0.00'],
  ['metadata.a', '[object Object]', 'an object'],
  ['metadata.big', '1ex12', '1e12'],
  ['currentBalance', '12345678901234567.88', '12345678901234567.89'],
  ['metadata.vip', 'TRUE', 'true'],
  ['metadata.a.c.12', '', 'absent'],
  ['metadata.a.c.x', '', 'absent'],
  ['metadata.a.c.-1', '', 'absent'],
  ['metadata.a.c.1x', '', 'absent'],
  ['cancelledAt', '', 'null'],
  ['metadata.none', '', 'null'],
  ['activatedAt', '', 'absent'],
  ['activatedAt', 'null', 'absent'],
  ['metadata.missing', '', 'absent'],
  ['metadata.missing', 'x', 'absent'],
  ['metadata.missing', 'null', 'absent'],
  ['metadata.a', 'x', 'an object'],
  ['metadata.a.c', '', 'an array'],
])('an expectation does not hold: %s is not %j but %s', (field, value, actual) => {
  expect(unmetExpectation(CARD, [{ field, value }])).toBe(`${field} is ${actual}, not "${value}"`);
});
