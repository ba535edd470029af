import { CARD_ID } from '../api/field.ts';
import { safeText } from '../output/safe-text.ts';
import { quoteGiven } from './given.ts';

const WRAPPING = /^[\s"'`´‘’“”„{}()[\]<>,;]+|[\s"'`´‘’“”„{}()[\]<>,;]+$/g;
const BARE_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/**
 * The card id that was probably meant when one was pasted with braces, quotes, spaces, `urn:uuid:`, invisible
 * characters or without hyphens; undefined when there is none, or when the text is a card id as it is. It is
 * only suggested, never used instead: the wrong card is worse than a second try.
 */
export function cleanCardId(text: string): string | undefined {
  if (text.length > 200 || CARD_ID.test(text)) return undefined;
  const bare = text
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(WRAPPING, '')
    .replace(/^(?:urn:)?uuid:/i, '')
    .replace(WRAPPING, '')
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(BARE_UUID, '$1-$2-$3-$4-$5');
  return CARD_ID.test(bare) ? bare : undefined;
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
