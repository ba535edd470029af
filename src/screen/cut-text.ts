import stringWidth from 'string-width';
import { countFrom } from '../base/json/shorten.ts';
import { groupThousands } from './text.ts';

/** Latin, Greek and Cyrillic letters, dashes, quotes and dots: one column each, no clusters. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027]*$/;
let graphemes: Intl.Segmenter | undefined;

/** A cut cell says how much is missing from this many characters on, if it is this wide. */
const COUNT_FROM_MISSING = 100;
const COUNT_FROM_WIDTH = 20;

/** A color, a syllable of Korean that is spelt by its parts, any other character. */
const DRAWN_APART = /\u001b\[[\d;]*m|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|./gsu;
/** Signs that join nothing, selectors of emoji, a filler: some terminals give each a column. */
const DRAWN = /^(?:\ufe0f|\u20e3|\uffa0|(?![\u200b-\u200f\u{e0020}-\u{e007f}])\p{Cf})$/u;
/** Fillers of Korean, and numbers in circles on squares, which some terminals draw as wide as a syllable. */
const DRAWN_WIDE = /^[\u115f\u3164\u3248-\u324f]$/;
const known = new Map<string, number>();

/**
 * The most columns that any terminal takes: two for CJK and emoji, none for a combining mark. Many draw the characters
 * of a letter or an emoji one by one, and a line that is wider than the terminal goes on where frontdesk's own begin.
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const [drawn] of text.matchAll(DRAWN_APART)) {
    const columns = known.get(drawn) ?? (DRAWN_WIDE.test(drawn) ? 2 : DRAWN.test(drawn) ? 1 : stringWidth(drawn));
    known.set(drawn, columns);
    width += columns;
  }
  return width;
}

/** The columns of the widest text, and at least so many. However many texts there are: arguments of a call are not. */
export function widestOf(texts: readonly string[], least = 0): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), least);
}

/** The safe string cut to `maxWidth` columns with `…` or `… (+39,800)`, never through a letter or an emoji. */
export function cutText(text: string, maxWidth: number, unicode = true): string {
  const fitting = fittingLength(text, maxWidth);
  if (fitting === text.length) return text;
  const dots = unicode ? '…' : '...';
  if (maxWidth >= COUNT_FROM_WIDTH) {
    const missing = countFrom(text, fitting);
    if (missing >= COUNT_FROM_MISSING) {
      const room = maxWidth - dots.length - ` (+${groupThousands(missing + maxWidth)})`.length;
      const end = fittingLength(text, room);
      return `${text.slice(0, end)}${dots} (+${groupThousands(countFrom(text, end))})`;
    }
  }
  if (maxWidth < dots.length) return text.slice(0, fitting);
  return text.slice(0, fittingLength(text, maxWidth - dots.length)) + dots;
}

export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const filling = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? filling + text : text + filling;
}

/** The string in exactly that many columns: cut or padded. */
export function fitText(text: string, width: number, unicode: boolean, align?: 'left' | 'right'): string {
  // Nearly every cell: neither measured nor cut.
  if (text.length <= width && PLAIN.test(text)) return align === 'right' ? text.padStart(width) : text.padEnd(width);
  return padText(cutText(text, width, unicode), width, align);
}

/** No letter or emoji is wider, in columns: a family with tones of skin. */
const WIDEST_LETTER = 16;

/** How many UTF-16 units of the string fit into that many columns. */
export function fittingLength(text: string, maxWidth: number): number {
  const start = text.slice(0, maxWidth + 1);
  if (PLAIN.test(start)) return Math.min(text.length, Math.max(0, maxWidth));
  let [width, end] = [0, 0];
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    const pieces = displayWidth(segment) > WIDEST_LETTER ? segment : [segment];
    for (const piece of pieces) {
      width += displayWidth(piece);
      if (width > maxWidth) return end;
      end += piece.length;
    }
  }
  return end;
}
