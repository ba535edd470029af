import { CARD_ID } from '../api/field.ts';
import { safeText } from '../output/safe-text.ts';
import { quoteGiven } from './given.ts';

const WRAPPING = /^[\s"'`´‘’“”„{}()[\]<>,;]+|[\s"'`´‘’“”„{}()[\]<>,;]+$/g;
/** A URL that holds an id is not longer. */
const MAX_PASTED = 500;
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** A whole id inside a longer text: no hexadecimal digit or hyphen touches it. */
const WITHIN = /(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;
const URL_START = /^["'<(]*[a-z][a-z0-9+.-]*:\/\//i;
const DIGITS = 32;

/**
 * The card id that was probably meant when one was pasted with braces, quotes, blanks, `urn:uuid:`, invisible
 * characters, without hyphens, or inside a URL that holds one id and no other; undefined when there is none, or when
 * the text is a card id as it is. A question shows it before it is used; an argument is refused with it: the wrong
 * card is worse than a second try.
 */
export function cleanCardId(text: string): string | undefined {
  if (text.length > MAX_PASTED || CARD_ID.test(text)) return undefined;
  const visible = text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').replace(/[‐‑‒–—−]/g, '-');
  const bare = visible
    .replace(WRAPPING, '')
    .replace(/^(?:urn:)?uuid:/i, '')
    .replace(WRAPPING, '')
    .replace(/\s/g, '')
    .replace(BARE_UUID, '$1-$2-$3-$4-$5');
  if (CARD_ID.test(bare)) return bare;
  if (!URL_START.test(visible.trim())) return undefined;
  const within = visible.match(WITHIN) ?? [];
  return new Set(within.map((id) => id.toLowerCase())).size === 1 ? within[0] : undefined;
}

/** What is wrong with a text that nearly is a card id: a digit was lost or doubled. Undefined: it is no such text. */
export function cardIdProblem(text: string): string | undefined {
  if (text.length > MAX_PASTED || !/^[0-9a-f\s-]+$/i.test(text)) return undefined;
  const digits = text.replace(/[\s-]/g, '').length;
  if (digits === DIGITS || Math.abs(digits - DIGITS) > 4) return undefined;
  return `is not a card id (8-4-4-4-12 hexadecimal digits; it has ${digits} of them, not ${DIGITS})`;
}

/**
 * What looks pasted by mistake in an id of a calendar or subscriber: it may still be right, so it is sent, and
 * this is said (docs/faults.md I11). One sentence each; empty for an ordinary id.
 */
export function idWarnings(id: string): readonly string[] {
  const shown = quoteGiven(id);
  const warnings: string[] = [];
  if (safeText(id) !== id) warnings.push(`the id ${shown} has invisible characters; it is sent as given`);
  if (id.trim() !== id) warnings.push(`the id ${shown} begins or ends with a space; it is sent as given`);
  return warnings;
}
