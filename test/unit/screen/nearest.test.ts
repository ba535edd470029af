import { expect, it } from 'vitest';
import { nearest } from '../../../src/screen/nearest.ts';

it.each([
  ['stauts', 'status'],
  ['statu', 'status'],
  ['cardid', 'cardId'],
  ['firstname', 'first_name'],
  ['EMAIL', 'email'],
  ['emial', 'email'],
  ['zzz', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('I26 nearest finds for %s: %s', (word, found) => {
  expect(nearest(word, ['status', 'cardId', 'first_name', 'last_name', 'email', 'active'])).toBe(found);
});

it.each([
  ['unblock', 'block'],
  ['unblok', 'block'],
  ['deactivate', 'activate'],
  ['deactivte', 'activate'],
  ['inactive', 'active'],
  ['--no-active', '--active'],
  ['--history', '--no-history'],
  ['UNBLOCKED', 'BLOCKED'],
])('nearest does not lead from %s to its opposite %s', (word, opposite) => {
  expect(nearest(word, [opposite])).toBeUndefined();
});

it.each([
  ['descripton', 'description'],
  ['intrval', 'interval'],
  ['unst', 'unset'],
  ['--no-histori', '--no-history'],
])('nearest still corrects %s to %s', (word, found) => expect(nearest(word, [found])).toBe(found));
