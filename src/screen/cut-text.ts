import stringWidth from 'string-width';
import { countFrom } from '../base/json/shorten.ts';
import { groupThousands } from './text.ts';

/** Latin, Greek and Cyrillic letters, dashes, quotes and dots: one column each, no clusters. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027]*$/;
let graphemes: Intl.Segmenter | undefined;

/** A cut cell says how much is missing from this many characters on, if it is this wide. */
const COUNT_FROM_MISSING = 100;
const COUNT_FROM_WIDTH = 20;

/** The terminal columns of a string: two for CJK and emoji, none for a combining mark. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
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

/** How many UTF-16 units of the string fit into that many columns. */
export function fittingLength(text: string, maxWidth: number): number {
  const start = text.slice(0, maxWidth + 1);
  if (PLAIN.test(start)) return Math.min(text.length, Math.max(0, maxWidth));
  let width = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment, index } of graphemes.segment(text)) {
    width += displayWidth(segment);
    if (width > maxWidth) return index;
  }
  return text.length;
}
