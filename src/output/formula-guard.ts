import { endOfSlice, escapeUnsafe } from '../json/unsafe-characters.ts';

/** What a spreadsheet takes for the beginning of a formula (docs/faults.md T8), full-width forms included. */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const GUARDED = /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** The same behind a `;` or a tab, where a spreadsheet may split a cell. */
const INNER = /([;\t])('*[=+\-@\r\uff1d\uff0b\uff0d\uff20])/g;
const INNER_GUARDED = /([;\t])'('*[=+\-@\r\uff1d\uff0b\uff0d\uff20])/g;

/** Characters that a quoted CSV cell holds as they are. */
const KEPT = new Set(['\t', '\n', '\r']);
const LOOKS_ESCAPED = /\\(?=x[0-9a-f]{2}|u\{[0-9a-f]{1,6}\})/g;
const ESCAPED = /\\x([0-9a-f]{2})|\\u\{([0-9a-f]{1,6})\}/g;

/**
 * Text as a CSV cell that a spreadsheet shows and does not compute: a `'` goes before a formula's first character, at
 * the beginning and behind a `;` or a tab, and before any `'` that stands there already. Control, bidi and invisible
 * characters other than tab and line ends become `\x1b` and `\u{202e}`. `unguardCell` is the exact inverse.
 */
export function guardCell(text: string): string {
  return escapeCell(guarded(text));
}

function guarded(text: string): string {
  return `${FORMULA.test(text) ? "'" : ''}${text.replace(INNER, "$1'$2")}`;
}

/** The inverse of `guardCell`. Cells of other programs stay, except for a `'` before a formula. */
export function unguardCell(cell: string): string {
  return unescapeCell((GUARDED.test(cell) ? cell.slice(1) : cell).replace(INNER_GUARDED, '$1$2'));
}

/** Places where `unguardCell` removes a `'`. */
const INNER_QUOTED = /([;\t])('+[=+\-@\r\uff1d\uff0b\uff0d\uff20])/g;

/**
 * The same for a cell of a spreadsheet file, which is text by its type: a `'` only where `unguardCell`, also its
 * inverse, would remove one. `isKept`: characters that stay as they are.
 */
export function workbookCell(text: string, isKept: (character: string) => boolean): string {
  const quoted = `${GUARDED.test(text) ? "'" : ''}${text.replace(INNER_QUOTED, "$1'$2")}`;
  return escapeCell(quoted, isKept);
}

/** Only the visible escapes of `guardCell`, for raw CSV in a terminal. */
export function escapeCell(text: string, isKept = (character: string): boolean => KEPT.has(character)): string {
  return escapeUnsafe(text.replace(LOOKS_ESCAPED, '\\x5c'), (codePoint) => {
    const character = String.fromCodePoint(codePoint);
    if (isKept(character)) return character;
    const digits = codePoint.toString(16);
    return codePoint <= 0xff ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
  });
}

function unescapeCell(cell: string): string {
  return cell.replace(ESCAPED, (written: string, short: string | undefined, long: string | undefined) => {
    const codePoint = Number.parseInt(short ?? long ?? '', 16);
    if (codePoint > 0x10ffff) return written;
    const character = String.fromCodePoint(codePoint);
    // Only what `escapeCell` writes: the `\x41` of another program stays.
    return character === '\\' || escapeCell(character) === written ? character : written;
  });
}

const PIECE_LENGTH = 16_384;
/** The longest escape: `\u{10ffff}`. */
const ESCAPE_LENGTH = 10;

/** The result of `guardCell`, or without a guard `escapeCell`, in pieces: it may be megabytes long. */
export function* cellPieces(value: string, isGuarded: boolean): Generator<string, void, undefined> {
  const text = isGuarded ? guarded(value) : value;
  for (let at = 0; at < text.length; ) {
    let end = endOfSlice(text, at, PIECE_LENGTH);
    // Not inside what looks like an escape: its half would not be recognized.
    const backslash = text.slice(end - ESCAPE_LENGTH, end).lastIndexOf('\\');
    if (end < text.length && backslash !== -1) end += backslash - ESCAPE_LENGTH;
    yield escapeCell(text.slice(at, end));
    at = end;
  }
}
