import { escapeUnsafe } from '../base/json/unsafe-characters.ts';

/**
 * What a spreadsheet takes for the beginning of a formula (docs/faults.md T8), full-width forms included, and behind
 * NUL, which LibreOffice drops. Both line ends, because programs turn CRLF into LF: what was guarded before is found
 * behind it too.
 */
const FORMULA = /^'*\0*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const GUARDED = /^'+\0*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** The same behind a `;` or a tab, where a spreadsheet may split a cell. */
const INNER = /([;\t])('*\0*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
const INNER_GUARDED = /([;\t])'('*\0*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/**
 * Text as a CSV cell that a spreadsheet shows and does not compute: a `'` goes before a formula's first character, at
 * the beginning and behind a `;` or a tab, and before any `'` that stands there already. `unguardCell` is the exact
 * inverse.
 */
export function guardCell(text: string): string {
  return `${FORMULA.test(text) ? "'" : ''}${text.replace(INNER, "$1'$2")}`;
}

/** The inverse of `guardCell`. Cells of other programs stay, except for a `'` before a formula. */
export function unguardCell(cell: string): string {
  return (GUARDED.test(cell) ? cell.slice(1) : cell).replace(INNER_GUARDED, '$1$2');
}

/** A text in the form in which exports of other programs guard zeros: `="00042"`. */
const ZEROS_GUARD = /^="(.*)"$/s;

/** The value inside a cell that is wholly `="…"`; undefined for another cell. */
export function guardedZeros(cell: string): string | undefined {
  return ZEROS_GUARD.exec(cell)?.[1]?.replaceAll('""', '"');
}

/** Places where `unguardCell` removes a `'`. */
const INNER_QUOTED = /([;\t])('+\0*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/**
 * The same for a cell of a spreadsheet file, which is text by its type: a `'` only where `unguardCell`, also its
 * inverse, would remove one, and before what reading would take for a guard of zeros.
 */
export function workbookCell(text: string): string {
  const isTaken = GUARDED.test(text) || ZEROS_GUARD.test(text);
  return `${isTaken ? "'" : ''}${text.replace(INNER_QUOTED, "$1'$2")}`;
}

/** Characters that a quoted CSV cell holds as they are, also in a terminal. */
const KEPT = new Set(['\t', '\n', '\r']);

/** A cell for a terminal: control and bidi characters are escapes. */
export function visibleCell(cell: string): string {
  return escapeUnsafe(cell, (codePoint) => {
    const character = String.fromCodePoint(codePoint);
    if (KEPT.has(character)) return character;
    const digits = codePoint.toString(16);
    return codePoint <= 0xff ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
  });
}
