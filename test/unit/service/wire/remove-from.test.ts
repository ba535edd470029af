import { expect, it } from 'vitest';
import { removeFrom } from '../../../../src/service/wire/remove-from.ts';

it.each([
  ['the first', 'a', ['c', 'b']],
  ['one between', 'b', ['a', 'c']],
  ['the last', 'c', ['a', 'b']],
  ['one that is not there', 'x', ['a', 'b', 'c']],
])('removeFrom takes out %s and nothing else', (_, item, left) => {
  const items = ['a', 'b', 'c'];
  removeFrom(items, item);
  expect(items).toEqual(left);
});
