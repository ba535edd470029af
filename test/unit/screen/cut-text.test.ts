import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { cutText, displayWidth, padText } from '../../../src/screen/cut-text.ts';
import { drawnWidth } from '../../support/drawn-width.ts';

it.each([
  ['hello', 5, 'hello'],
  ['hello!', 5, 'hell…'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['👩‍👩‍👧👩‍👩‍👧', 7, '👩‍👩‍👧…'],
  ['👩‍👩‍👧👩‍👩‍👧', 6, '…'],
  ['👍🏽👍🏽', 5, '👍🏽…'],
  ['กำกำกำ', 4, 'กำ…'],
  ['🇵🇹🇵🇹', 3, '🇵🇹…'],
  ['❤️❤️', 3, '❤️…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
  ['', 4, ''],
])('cutText cuts %j to %i columns', (text, width, cut) => expect(cutText(text, width)).toBe(cut));

it('T6 cutText says how much of a long text is missing', () => {
  expect(cutText('x'.repeat(40_000), 40)).toBe(`${'x'.repeat(29)}… (+39,971)`);
  expect(cutText('x'.repeat(40_000), 40, false)).toBe(`${'x'.repeat(27)}... (+39,973)`);
  expect([cutText('x'.repeat(40_000), 10), cutText('x'.repeat(139), 40)]).toEqual(['xxxxxxxxx…', `${'x'.repeat(39)}…`]);
  expect(cutText('x'.repeat(140), 40)).toBe(`${'x'.repeat(32)}… (+108)`);
});

it('cutText uses ASCII dots where the terminal is not UTF-8', () =>
  expect([cutText('hello world', 8, false), cutText('hello', 2, false)]).toEqual(['hello...', 'he']));

it('cutText is never wider than asked, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, width) => {
      expect(displayWidth(cutText(text, width))).toBeLessThanOrEqual(width);
    }),
  );
});

it('cutText cuts through a chain of letters that is wider than any letter', () => {
  expect(cutText(`a${'ำ'.repeat(40)}`, 10)).toBe(`a${'ำ'.repeat(8)}…`);
  expect(cutText('क्'.repeat(40), 10)).toBe(`${'क्'.repeat(9)}…`);
});

it('displayWidth is that of the widest drawing', () => {
  const texts = [
    ...['plain', '日本', 'e\u0301', 'กำ', '\u0600', '👍🏽', '👨‍👩‍👧‍👦', '🇵🇹', '❤️', '\u00ad', ''],
    ...['\u001b[1mbold\u001b[22m ก'],
  ];
  expect(texts.map((text) => displayWidth(text))).toEqual([5, 4, 1, 2, 1, 4, 8, 2, 2, 1, 0, 6]);
});

it('displayWidth is never less than any terminal takes, whether it joins letters or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
      const plain = text.replace(/\p{Cc}/gu, '');
      expect(displayWidth(plain)).toBeGreaterThanOrEqual(stringWidth(plain));
      expect(displayWidth(plain)).toBeGreaterThanOrEqual(drawnWidth(plain));
    }),
  );
});

it('cutText pads by columns, not by characters', () => {
  expect([padText('日本', 6), padText('10.10', 8, 'right')]).toEqual(['日本  ', '   10.10']);
  expect(padText('toolong', 3)).toBe('toolong');
});
