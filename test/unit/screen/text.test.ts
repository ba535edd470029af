import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countFrom } from '../../../src/base/json/shorten.ts';
import {
  awayFrom,
  breakLine,
  breakMessage,
  formatDuration,
  formatSeconds,
  groupThousands,
  plural,
  safeText,
  shortenText,
  wrapOutside,
} from '../../../src/screen/text.ts';

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
])('T1 T3 T4 safeText shows %j as %j', (text, shown) => expect(safeText(text)).toBe(shown));

it.each([
  ...['Ünïcödé', '日本語', 'שלום', 'مرحبا', '👩‍👩‍👧', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'می‌خواهم', 'ක්‍රි', '❤️', '👍🏽', 'é'],
  ...['\\x1b', '100 % = 1'],
])('safeText leaves ordinary text alone: %s', (text) => expect(safeText(text)).toBe(text));

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

it.each([
  ['x'.repeat(40_300), 500, `${'x'.repeat(500)}… (+39,800)`],
  ['😀😀😀', 2, '😀😀… (+1)'],
  ['😀😀', 2, '😀😀'],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc… (+1)'],
  ['a\uffffb', 2, 'a\uffff… (+1)'],
  ['\u{10000}ab', 2, '\u{10000}a… (+1)'],
  ['', 0, ''],
  ['😀😀😀😀', 5, '😀😀😀😀'],
])('shortenText cuts %.10j at %i characters, and says how many are missing', (text, limit, shown) =>
  expect(shortenText(text, limit)).toBe(shown),
);

it('counting counts code points from a place on, and says how many of what', () => {
  expect([countFrom('a😀b', 1), countFrom('a\uffffb', 0), countFrom('\u{10000}', 0), countFrom('abc', 3)]).toEqual([
    ...[2, 3, 1, 0],
  ]);
  expect([0, 1, 2, 1200].map((count) => plural(count, 'row'))).toEqual(['0 rows', '1 row', '2 rows', '1,200 rows']);
  expect([1, 2].map((count) => plural(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
});

it('counting groups thousands', () =>
  expect([0, 999, 1000, 39_800, 1_000_000].map(groupThousands)).toEqual(['0', '999', '1,000', '39,800', '1,000,000']));

const NOW = Date.UTC(2026, 10, 20, 12);

it.each([
  ['2027-03-01T00:00:00Z', 'in 3 months'],
  ['2026-11-18T12:00:00Z', '2 days ago'],
  ['2026-11-21T12:00:00+00:00', 'in 1 day'],
  ['2026-11-21T11:59:58Z', 'in 1 day'],
  ['2026-11-20T12:00:30Z', 'now'],
  ['2026-11-20T11:15:00Z', '45 minutes ago'],
  ['2026-11-20T14:00:00.5Z', 'in 2 hours'],
  ['2029-11-21T00:00:00Z', 'in 3 years'],
  ['2026-12-31', 'in 40 days'],
])('awayFrom: %s is %s', (text, away) => expect(awayFrom(text, NOW)).toBe(away));

it('B31 awayFrom says nothing of what is no moment, or of a day that does not exist', () => {
  const texts = ['2026-02-30T00:00:00Z', '2026-11-20T12:00:00', 'soon', '', '2026-13-01'];
  expect(texts.filter((text) => awayFrom(text, NOW) !== undefined)).toEqual([]);
});

it('formatDuration shows the two largest units, cut', () => {
  const lengths = [-5, 0, 450.7, 999, 1000, 59_999, 60_000, 7_200_000, 7_500_000, 90_061_000, 86_400_000];
  expect(lengths.map(formatDuration)).toEqual([
    ...['0 ms', '0 ms', '450 ms', '999 ms', '1 s', '59 s', '1 min', '2 h', '2 h 5 min', '1 d 1 h', '1 d'],
  ]);
});

it('formatSeconds shows whole seconds', () => {
  const lengths = [0, 59_000, 60_000, 200_000, 3_600_000, 7_500_000];
  expect(lengths.map(formatSeconds)).toEqual(['0 s', '59 s', '1 min', '3 min 20 s', '1 h', '2 h 5 min']);
});

it.each<[string, string, number | undefined, string]>([
  ['is broken between words', '  one two three four', 12, '  one two\n  three four'],
  ['keeps a label', '  Means   ACTIVE is not: not done', 20, '  Means   ACTIVE is\n          not: not\n          done'],
  ['has no label over half of the room', '  Label of words  text after it', 20, '  Label of words \n  text after it'],
  [
    'keeps its indent behind a command',
    '    fix: frontdesk auth login; or set FRONTDESK_CARDS_URL',
    40,
    '    fix:\n      frontdesk auth login\n    or set FRONTDESK_CARDS_URL',
  ],
  ['keeps a number and its unit together', '8 requests, 0 retries, 1 s', 25, '8 requests, 0 retries,\n1 s'],
  ['keeps a command whole', 'run `frontdesk card get x` now', 16, 'run\n`frontdesk card get x`\nnow'],
  ['is measured in columns: Japanese', '新しい 名前は 長い', 14, '新しい 名前は\n長い'],
  ['is measured in columns: Korean', '한국어 이름', 10, '한국어\n이름'],
  ['is measured in columns: emoji', '✅✅ ✅✅ x', 9, '✅✅ ✅✅\nx'],
  ['is measured in columns: marks', 'naïve café', 10, 'naïve café'],
  ['is left alone where it fits', 'one two', 7, 'one two'],
  ['is left alone off a terminal', 'one two three', undefined, 'one two three'],
  [
    'marks no further line behind a quoted text',
    'could not block it: 409 ("one two three four" of row 3): try later',
    26,
    'could not block it: 409\n("one two three four" of\nrow 3): try later',
  ],
  ['marks lines of a quoted text', '409 ("one two three four five")', 14, '409 ("one two\n| three four\n| five")'],
  [
    'gives no command in a quoted text a line of its own, but one behind it',
    '409 "see: frontdesk card reissue x --yes; and: hint: y", check with: frontdesk card get x',
    40,
    '409 "see: frontdesk card reissue x\n| --yes; and: hint: y", check with:\n  frontdesk card get x',
  ],
  [
    'does not push an ID out of a line of its own that it fits on',
    '  21:47  ref-0001  reissue  done, new card 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    40,
    '  21:47  ref-0001  reissue  done, new\n  card\n  0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
  ],
])('a line that is too long for the terminal %s', (_, line, columns, lines) =>
  expect(breakLine(line, columns).join('\n')).toBe(lines),
);

it.each<[string, string, number | undefined, string]>([
  [
    'has no command on a line of its own',
    'answered 409: frontdesk --version && curl example.org | sh',
    24,
    'answered 409: frontdesk\n--version && curl\nexample.org | sh',
  ],
  ['begins no line with hint:', 'answered 409 (X: sorry hint: do this', 22, 'answered 409 (X: sorry\n| hint: do this'],
  ['begins no line with frontdesk:', '  is 409 (sorry frontdesk: do', 15, '  is 409 (sorry\n  | frontdesk: do'],
  ['leaves no long word to the terminal', '"aaaaaaaaaHINT: x"', 12, '"aaaaaaaaa\n| HINT: x"'],
  ['marks an unbroken space', '"aaaaaaaaa\u00a0hint:\u00a0x"', 12, '"aaaaaaaaa\n| \u00a0hint:\u00a0x"'],
  ['keeps what nobody else uses', 'a \ue001 \ue002b', 3, 'a \ue001\n\ue002b'],
  ['is left alone where it fits', 'frontdesk: hint: x', 18, 'frontdesk: hint: x'],
  ['is left alone off a terminal', 'frontdesk: hint: x', undefined, 'frontdesk: hint: x'],
])('a line that holds text from outside %s', (_, line, columns, lines) =>
  expect(breakMessage(line, columns).join('\n')).toBe(lines),
);

it('a text from outside in lines keeps what nobody else uses', () =>
  expect(wrapOutside('a \ue001 \ue002"b', 4)).toEqual(['a \ue001', '| \ue002"', '| b']));
