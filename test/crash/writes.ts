import { cardText } from '../support/sample-card.ts';

/** One command that writes many rows of cards, and what the service makes of each. */
export interface Write {
  readonly command: readonly string[];
  /** Name of the input; its ending tells the format. */
  readonly fileName: string;
  /** What the input holds for these rows. */
  inputOf(keys: readonly string[]): string;
  /** The card of row `row` (1-based). */
  keyOf(row: number): string;
  /** The card that a request is about. */
  keyIn(path: string): string;
  /** The answer to the `nth` application (1-based) of a row, and the id in it that can be had nowhere else. */
  answer(key: string, nth: number): { readonly text: string; readonly resultId?: string };
  /** The status of a card that was written. */
  readonly statusAfter: string;
}

const CARDS = {
  keyOf: (row: number) => `7c0e1111-2222-3333-4444-${String(row).padStart(12, '0')}`,
  keyIn: (path: string) => path.split('/')[3] ?? path,
};

const BLOCK: Write = {
  ...CARDS,
  command: ['card', 'block'],
  fileName: 'cards.ndjson',
  inputOf: (keys) => keys.map((key) => `{"cardId":"${key}","reason":"lost, ÆØÅ"}\n`).join(''),
  answer: (key) => ({ text: cardText('BLOCKED', key) }),
  statusAfter: 'BLOCKED',
};

const REISSUE: Write = {
  ...CARDS,
  command: ['card', 'reissue'],
  fileName: 'cards.csv',
  inputOf: (keys) => `cardId;reason\r\n${keys.map((key) => `${key};"worn; torn"\r\n`).join('')}`,
  answer(key, nth) {
    const resultId = `${String(nth).padStart(8, '0')}-aaaa-bbbb-cccc-${key.slice(-12)}`;
    return { text: cardText('WAITING_ACTIVATION', resultId), resultId };
  },
  statusAfter: 'REISSUED',
};

/** One that a card check resolves, and one with IDs that are in the response alone. */
export const WRITES = { block: BLOCK, reissue: REISSUE } as const;
