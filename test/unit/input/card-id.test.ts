import { expect, it, test } from 'vitest';
import { cardIdProblem, cleanCardId, idWarnings } from '../../../src/input/card-id.ts';

test.each(['5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11', '', 'abc', 'x'.repeat(10_000)])(
  'suggests nothing for %j',
  (text) => {
    expect(cleanCardId(text)).toBeUndefined();
  },
);

it('keeps the case of the id that it suggests', () => {
  expect(cleanCardId('{5F0C6A2E-8D3B-4C57-9A41-1B7E2D9F0A11}')).toBe('5F0C6A2E-8D3B-4C57-9A41-1B7E2D9F0A11');
});

test.each([
  ['cal_1', []],
  ['日本語', []],
  ['a b', []],
  ['cal\u200b1', ['the id "cal<U+200B>1" has invisible characters; it is sent as given']],
  ['cal\u202e1', ['the id "cal<U+202E>1" has invisible characters; it is sent as given']],
  ['cal_1 ', ['the id "cal_1 " begins or ends with a space; it is sent as given']],
])('warns about the id %j: %j', (id, warnings) => {
  expect(idWarnings(id)).toEqual(warnings);
});

test.each([
  [
    'https://desk.example.com/cards/5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11?tab=log',
    '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11',
  ],
  ['5f0c6a2e 8d3b 4c57 9a41 1b7e2d9f0a11', '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11'],
  ['5f0c6a2e8d3b4c579a411b7e2d9f0a11', '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11'],
  ['"5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11",', '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11'],
  // Two ids, or a part of a longer word: which one is meant cannot be told.
  ['https://x/5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11/6f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11', undefined],
  ['https://x/5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a1155', undefined],
  ['5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11/block', undefined],
])('finds in %j the id %j', (text, id) => {
  expect(cleanCardId(text)).toBe(id);
});

test.each([
  [
    '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a1',
    'is not a card id (8-4-4-4-12 hexadecimal digits; it has 31 of them, not 32)',
  ],
  [
    '5f0c6a2e-8d3b-4c57-9a41-1b7e2d9f0a11a',
    'is not a card id (8-4-4-4-12 hexadecimal digits; it has 33 of them, not 32)',
  ],
  ['card-1', undefined],
  ['5f0c6a2e-8d3b', undefined],
])('says of %j: %j', (text, problem) => {
  expect(cardIdProblem(text)).toBe(problem);
});
