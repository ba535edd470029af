import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countFrom } from '../../../src/base/json/shorten.ts';
import { groupThousands, plural, safeText, shortenText } from '../../../src/screen/text.ts';

it.each([
  ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
  ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
  ['\u0000\u0007\u007f\u009b', '\\x00\\x07\\x7f\\x9b'],
  ['abc\u202edcba', 'abc<U+202E>dcba'],
  ['a\u200bb', 'a<U+200B>b'],
  ['pay\u200dpal', 'pay<U+200D>pal'],
  ['x\u2028y', 'x<U+2028>y'],
  ['\u{e0041}', '<U+E0041>'],
  ['\u{1f3f4}\u{e0075}\u{e0073}\u{e007f}', '\u{1f3f4}<U+E0075><U+E0073><U+E007F>'],
  ['half \ud83d', 'half \ufffd'],
  ['a\ufe0fb', 'a<U+FE0F>b'],
  ['❤\ufe0f\ufe0f', '❤\ufe0f<U+FE0F>'],
  ['\u200d👩', '<U+200D>👩'],
  ['\u009f\u00a0', '\\x9f\u00a0'],
  ['a\u00ad', 'a<U+00AD>'],
  ['half \udfff', 'half \ufffd'],
  ['half \ud800', 'half \ufffd'],
  ['x\ufeff', 'x<U+FEFF>'],
])('T1 T3 T4 safeText shows %j as %j', (text, shown) => {
  expect(safeText(text)).toBe(shown);
});

it.each([
  ...['Ünïcödé', '日本語', 'שלום', 'مرحبا', '👩‍👩‍👧', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'می‌خواهم', 'ක්‍රි', '❤️', '👍🏽', 'é'],
  ...['\\x1b', '100 % = 1'],
])('safeText leaves ordinary text alone: %s', (text) => {
  expect(safeText(text)).toBe(text);
});

it('safeText shows all 65 control characters wherever they stand', () => {
  const controls = [...Array.from({ length: 0x20 }, (_, i) => i), ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i)];
  for (const control of controls) {
    const character = String.fromCharCode(control);
    expect(safeText(`a${character}b${character}`)).not.toContain(character);
  }
});

it('safeText never lets a control, bidi or half character through, and is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }), (text) => {
      expect(safeText(text)).not.toMatch(/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u);
    }),
    { numRuns: 2000 },
  );
});

it('T5 safeText counts a flood of marks instead of drawing it', () => {
  expect(safeText(`Z${'\u0301'.repeat(1000)}algo`)).toBe(`Z${'\u0301'.repeat(8)}<+992 marks>algo`);
  expect(safeText(`e\u0301\u0323`)).toBe('e\u0301\u0323');
});

it('shortenText cuts at a number of characters and says how many are missing', () => {
  expect(shortenText('x'.repeat(40_300), 500)).toBe(`${'x'.repeat(500)}… (+39,800)`);
  expect(shortenText('😀😀😀', 2)).toBe('😀😀… (+1)');
  expect(shortenText('😀😀', 2)).toBe('😀😀');
  expect(shortenText('abc', 3)).toBe('abc');
  expect(shortenText('abcd', 3)).toBe('abc… (+1)');
  expect(shortenText('a\uffffb', 2)).toBe('a\uffff… (+1)');
  expect(shortenText('\u{10000}ab', 2)).toBe('\u{10000}a… (+1)');
  expect(shortenText('', 0)).toBe('');
  expect(shortenText('😀😀😀😀', 5)).toBe('😀😀😀😀');
});

it('counting counts code points from a place on', () => {
  expect(countFrom('a😀b', 1)).toBe(2);
  expect(countFrom('a\uffffb', 0)).toBe(3);
  expect(countFrom('\u{10000}', 0)).toBe(1);
  expect(countFrom('abc', 3)).toBe(0);
});

it('counting says how many of what', () => {
  expect([0, 1, 2, 1200].map((count) => plural(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '1,200 rows']);
  expect([1, 2].map((count) => plural(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
});

it('counting groups thousands', () => {
  expect([0, 999, 1000, 39_800, 1_000_000].map(groupThousands)).toEqual(['0', '999', '1,000', '39,800', '1,000,000']);
});
