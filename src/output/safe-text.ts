import { countFrom } from '../json/shorten.ts';
import { escapeUnsafe } from '../json/unsafe-characters.ts';

const NAMED = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/**
 * Text from outside as a person may see it: one line, nothing that a terminal would obey, nothing invisible.
 * Controls show as `\x1b`, `\n`, `\t`, bidi and zero-width characters as `<U+202E>`, half a surrogate pair as
 * U+FFFD. Ordinary text of every script and emoji stays as it is. For tables, prompts, progress and errors.
 */
export function safeText(text: string): string {
  // Sets of characters take milliseconds to build, so nothing below is touched for the sake of plain text.
  if (PLAIN_ASCII.test(text)) return text;
  const visible = escapeUnsafe(text, showCodePoint);
  // More marks on one letter than any script stacks: they would paint over the lines above and below.
  return visible.replace(
    /(\p{M}{8})(\p{M}+)/gu,
    (_, kept: string, flood: string) => `${kept}<+${countFrom(flood, 0)} marks>`,
  );
}

function showCodePoint(codePoint: number): string {
  const named = NAMED.get(codePoint);
  if (named !== undefined) return named;
  if (codePoint <= 0x9f) return `\\x${codePoint.toString(16).padStart(2, '0')}`;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return '\ufffd';
  return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The first `maxLength` code points, and how many are missing; for messages, where columns do not matter. */
export function shortenText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (let count = 0; count < maxLength; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end >= text.length ? text : `${text.slice(0, end)}… (+${groupThousands(countFrom(text, end))})`;
}

/** 39800 as 39,800. */
export function groupThousands(count: number | string): string {
  return String(count).replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
}

/** Begins a text with a capital letter: `Block card`. */
export function sentenceCase(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `1 row`, `1,200 rows`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${groupThousands(count)} ${count === 1 ? one : many}`;
}
