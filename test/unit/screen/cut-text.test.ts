import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText, displayWidth, padText } from '../../../src/screen/cut-text.ts';

it.each([
  ['hello', 5, 'hello'],
  ['hello!', 5, 'hell…'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
  ['', 4, ''],
])('cutText cuts %j to %i columns', (text, width, cut) => {
  expect(cutText(text, width)).toBe(cut);
});

it('T6 cutText says how much of a long text is missing', () => {
  expect(cutText('x'.repeat(40_000), 40)).toBe(`${'x'.repeat(29)}… (+39,971)`);
  expect(cutText('x'.repeat(40_000), 40, false)).toBe(`${'x'.repeat(27)}... (+39,973)`);
  expect(cutText('x'.repeat(40_000), 10)).toBe('xxxxxxxxx…');
});

it('cutText uses ASCII dots where the terminal is not UTF-8', () => {
  expect(cutText('hello world', 8, false)).toBe('hello...');
  expect(cutText('hello', 2, false)).toBe('he');
});

it('cutText is never wider than asked, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, width) => {
      expect(displayWidth(cutText(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

it('cutText pads by columns, not by characters', () => {
  expect(padText('日本', 6)).toBe('日本  ');
  expect(padText('10.10', 8, 'right')).toBe('   10.10');
  expect(padText('toolong', 3)).toBe('toolong');
});
