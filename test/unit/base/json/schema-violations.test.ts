import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { schemaViolations } from '../../../../src/base/json/schema-violations.ts';
import { list, TEXT } from '../../../../src/base/json/shape.ts';
import { Card } from '../../../../src/service/api/card.ts';

const CARD = {
  ...{ cardId: '7c0e1111-2222-3333-4444-555566667777', clientReference: 'r-1', status: 'ACTIVE', design: 'd' },
  ...{ initialBalance: 10, metadata: {}, expiryDate: '2027-01-01', createdAt: '2025-01-01', updatedAt: '2025-01-02' },
};

const LOAD = { transactionId: 't', type: 'LOAD', createdAt: 'x' };

function violationsWith(more: object): readonly string[] {
  return schemaViolations(Card, parseJson(JSON.stringify({ ...CARD, ...more }))).map(({ path, found, expected }) => {
    return `${path.join('.')}: ${found === undefined ? 'missing' : 'odd'}, ${expected}`;
  });
}

it.each([
  ['every member that is required', {}],
  ['members that the service added', { tier: ['gold'] }],
  ['null where the description allows it', { cancelledAt: null, cancellationAmount: null }],
  ['metadata of any kind', { metadata: { a: [1, { b: null }] } }],
  ['whole transactions', { transactions: [{ amount: 1.5, ...LOAD }] }],
  ['a number that no double holds', { initialBalance: 1e300 }],
])('misfitsOf finds none in a card with %s', (_, more) => expect(violationsWith(more)).toEqual([]));

it.each([
  ['a number as text', { initialBalance: '10' }, ['initialBalance: odd, number']],
  ['a text as number', { design: 3 }, ['design: odd, string']],
  ['null where no null is allowed', { status: null, metadata: null }, ['status: odd, string', 'metadata: odd, object']],
  ['neither text nor null', { cancelledAt: 7 }, ['cancelledAt: odd, string or null']],
  ['a list as metadata', { metadata: [] }, ['metadata: odd, object']],
  ['one amount missing', { transactions: [{ amount: 1, ...LOAD }, LOAD] }, ['transactions.1.amount: missing, number']],
  ['a transaction that is none', { transactions: [null] }, ['transactions.0: odd, object']],
  ['transactions that are no list', { transactions: {} }, ['transactions: odd, array']],
  ['members missing', { cardId: undefined, design: undefined }, ['cardId: missing, string', 'design: missing, string']],
])('misfitsOf names what is wrong in a card with %s', (_, more, violations) =>
  expect(violationsWith(more)).toEqual(violations),
);

it('misfitsOf names no more than a thousand entries of a list', () =>
  expect(schemaViolations(list(TEXT), parseJson(`[${'1,'.repeat(1500)}2]`))).toHaveLength(1000));

it('misfitsOf finds nothing odd where anything may stand, and refuses a type that it cannot judge', () => {
  expect(schemaViolations({}, null)).toEqual([]);
  expect(() => schemaViolations({ type: 'date' }, null)).toThrow('no check is written for values of the type date');
});
