const ZERO = /(?!\ufe0f)[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff\u200b-\u200f\u{e0020}-\u{e007f}]/u;
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation}/u;

/**
 * The columns that a terminal takes which draws each code point by itself, as most do (`wcwidth` of C). Those that know
 * the selector of emoji give it a column.
 */
export function drawnWidth(line: string): number {
  let width = 0;
  for (const letter of line) width += ZERO.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
}

/** Texts whose letters join, so that a measure of whole letters counts too little. */
export const JOINED: readonly (readonly [what: string, letters: string])[] = [
  ['a Thai vowel', 'กำ'],
  ['Thai vowels behind one digit', 'ำ'],
  ['a Lao vowel', 'ກຳ'],
  ['signs before Arabic numbers', '\u0600'],
  ['signs before Arabic numbers, and numbers', '\u06dd1'],
  ['emoji with a tone of skin', '👍🏽'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['tones of skin alone', '🏽'],
  ['consonants that a virama joins', 'क्'],
  ['half consonants', 'ক্ষ্ম'],
  ['jamo', '\u1112\u1161\u11ab'],
  ['halfwidth marks', 'ｶﾞ'],
  ['a filler', '\u3164'],
  ['half a filler', '\uffa0'],
  ['a filler of a syllable', '\u115f'],
  ['numbers in circles', '\u3248'],
  ['brackets for mathematics', '\u2329'],
  ['vertical punctuation', '\ufe10'],
  ['ideographs', '日本'],
  ['letters with marks', 'e\u0301'],
];
