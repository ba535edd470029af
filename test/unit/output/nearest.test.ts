import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/output/nearest.ts';

describe('nearest', () => {
  const words = ['status', 'cardId', 'first_name', 'last_name', 'email', 'active'];
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
  ])('finds for %s: %s', (word, found) => {
    expect(nearest(word, words)).toBe(found);
  });
});
