import { expect, it } from 'vitest';
import { cutText } from '../../../../src/base/json/shorten.ts';

it('cutText leaves a text within the limit alone, counted in code points and not in UTF-16 units', () => {
  const text = '😀'.repeat(200);
  expect(cutText(text, 256)).toBe(text);
});

it('cutText cuts a longer text to the limit with its mark, and never through a character', () => {
  const cut = cutText(`x${'😀'.repeat(300)}`, 256);
  expect(cut).toBe(`x${'😀'.repeat(228)}… (cut from 301 characters)`);
  expect([...cut]).toHaveLength(256);
});
