import { expect, it } from 'vitest';
import { formatDuration, formatSeconds } from '../../../src/screen/text.ts';

it.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [450.7, '450 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [7_200_000, '2 h'],
  [7_500_000, '2 h 5 min'],
  [90_061_000, '1 d 1 h'],
  [86_400_000, '1 d'],
])('formatDuration shows %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [0, '0 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
])('formatSeconds: %d ms are %s', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text);
});
