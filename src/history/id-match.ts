import { CARD_ID } from '../api/field.ts';
import { decoded } from './write-subject.ts';

/** How an id of the history fits what was looked for. */
type Fit = 'exact' | 'part';

export interface WantedId {
  /** Is found in the lines of every entry that fits: others need not be parsed. */
  readonly pattern: RegExp;
  /** The best fit of these. */
  fitOf(...ids: readonly (string | undefined)[]): Fit | undefined;
}

/** The first 8 characters of a card's id, or more, but not all: dashes do not count. */
const PART = /^[0-9a-f]{8,31}$/;

/** Whether a card's id can begin with this. */
export function isPartOfCardId(text: string): boolean {
  return PART.test(text.toLowerCase().replaceAll('-', ''));
}

/** Any operation's id as it is; a card's whatever the case, also by how it begins. */
export function wantedId(text: string): WantedId {
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
    pattern: new RegExp(spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'i'),
    fitOf(...ids) {
      // A raw call (`frontdesk api`) has its path in the place of an id.
      const texts = ids.flatMap((id = '') => [id, ...(id.startsWith('/') ? id.split('/').map(decoded) : [])]);
      const fits = texts.map(fitOf);
      return fits.find((fit) => fit === 'exact') ?? fits.find((fit) => fit === 'part');
    },
  };
}
