import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Card } from '../../../src/api/card.ts';
import { looseObject, strictObject } from '../../../src/api/field.ts';
import { surelyFits } from '../../../src/http/plain-shape.ts';
import { parseJson } from '../../../src/json/parse.ts';

const CARD = {
  cardId: '7c0e1111-2222-3333-4444-555566667777',
  clientReference: 'r-1',
  status: 'ACTIVE',
  initialBalance: 10,
  expiryDate: '2027-01-01T00:00:00Z',
  design: 'd',
  metadata: {},
  createdAt: '2025-01-01T00:00:00Z',
  updatedAt: '2025-01-02T00:00:00Z',
};

function cardWith(more: object): boolean {
  return surelyFits(Card, parseJson(JSON.stringify({ ...CARD, ...more })));
}

describe('surelyFits', () => {
  it.each([
    ['every member that is required', {}],
    ['members that the service added', { tier: ['gold'] }],
    ['null where the description allows it', { cancelledAt: null, cancellationAmount: null }],
    ['metadata of any kind', { metadata: { a: [1, { b: null }] } }],
    ['whole transactions', { transactions: [{ transactionId: 't', amount: 1.5, type: 'LOAD', createdAt: 'x' }] }],
  ])('knows a card with %s', (_, more) => {
    expect(cardWith(more)).toBe(true);
  });

  it.each([
    ['a number as text', { initialBalance: '10' }],
    ['a text as number', { design: 3 }],
    ['null where no null is allowed', { status: null, metadata: null }],
    ['a list as metadata', { metadata: [] }],
    ['a transaction without its amount', { transactions: [{ transactionId: 't', type: 'LOAD', createdAt: 'x' }] }],
    ['transactions that are no list', { transactions: {} }],
    ['a required member missing', { updatedAt: undefined }],
  ])('is not sure of a card with %s', (_, more) => {
    expect(cardWith(more)).toBe(false);
  });

  it.each([
    ['a text in a format', looseObject(() => ({ a: z.uuid() })), '{"a":"7c0e1111-2222-4333-8444-555566667777"}'],
    ['a rule of its own', looseObject(() => ({ a: z.string().check(z.minLength(1)) })), '{"a":"x"}'],
    ['an object that refuses other members', strictObject(() => ({ a: z.string() })), '{"a":"x"}'],
    ['a choice', looseObject(() => ({ a: z.union([z.string(), z.number()]) })), '{"a":"x"}'],
  ])('leaves %s to zod', (_, schema, text) => {
    expect(surelyFits(schema, parseJson(text))).toBe(false);
  });
});
