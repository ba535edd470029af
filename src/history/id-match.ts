import { CARD_ID } from '../api/field.ts';
import { decoded } from './history-event.ts';

/** How an ID of the history fits the wanted one. */
type Fit = 'exact' | 'part';

/** The ID that is looked for: `wantedId`. */
export type WantedId = ReturnType<typeof wantedId>;

/** 8 or more characters of a card ID, but not all, without dashes. */
const PART = /^[0-9a-f]{8,31}$/;

/** Can a card ID begin with this? */
export function isPartOfCardId(text: string): boolean {
  return PART.test(text.toLowerCase().replaceAll('-', ''));
}

/** Finds any operation's ID exactly, and a card's in any case, also by its beginning. */
export function wantedId(text: string) {
  const lower = text.toLowerCase();
  const digits = lower.replaceAll('-', '');
  const isCard = CARD_ID.test(text);
  const isPart = isPartOfCardId(text);
  const fitOf = (id: string): Fit | undefined => {
    if (id === text || (isCard && id.toLowerCase() === lower)) return 'exact';
    const begins = isPart && CARD_ID.test(id) && id.toLowerCase().replaceAll('-', '').startsWith(digits);
    return begins ? 'part' : undefined;
  };
  const spellings = isPart ? [digits.slice(0, 8)] : [JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  return {
    /** Matches the lines of every entry that fits, so that others need not be parsed. */
    pattern: new RegExp(spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'i'),
    /** The best fit of these IDs. */
    fitOf(...ids: readonly (string | undefined)[]): Fit | undefined {
      // A raw call (`frontdesk api`) has its path instead of an ID.
      const texts = ids.flatMap((id = '') => [id, ...(id.startsWith('/') ? id.split('/').map(decoded) : [])]);
      const fits = texts.map(fitOf);
      return fits.find((fit) => fit === 'exact') ?? fits.find((fit) => fit === 'part');
    },
  };
}
