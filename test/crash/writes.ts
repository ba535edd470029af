import { cardText } from '../support/sample-card.ts';

/** One command that writes many rows of cards, and what the service makes of each. */
export interface Write {
  readonly command: readonly string[];
  /** The card of row `row` (1-based). */
  keyOf(row: number): string;
  /** The answer to the `nth` application (1-based) of a row. */
  answer(key: string, nth: number): string;
  /** The status of a card that was written. */
  readonly statusAfter: string;
}

const keyOf = (row: number) => `7c0e1111-2222-3333-4444-${String(row).padStart(12, '0')}`;

const BLOCK: Write = {
  keyOf,
  command: ['card', 'block'],
  answer: (key) => cardText('BLOCKED', key),
  statusAfter: 'BLOCKED',
};

const REISSUE: Write = {
  keyOf,
  command: ['card', 'reissue'],
  answer: (key, nth) =>
    cardText('WAITING_ACTIVATION', `${String(nth).padStart(8, '0')}-aaaa-bbbb-cccc-${key.slice(-12)}`),
  statusAfter: 'REISSUED',
};

/** One that a card check resolves, and one with IDs that are in the response alone. */
export const WRITES = { block: BLOCK, reissue: REISSUE } as const;
