import { cardText } from '../support/sample-card.ts';

/** One command that writes many rows, and what the service makes of each. */
export interface Write {
  readonly command: readonly string[];
  /** Name of the input; its ending tells the format. */
  readonly fileName: string;
  /** What the input holds for these rows. */
  inputOf(keys: readonly string[]): string;
  /** The older file of `--changed-from`, where the command is given one; every row differs from it. */
  readonly older?: { readonly fileName: string; textOf(keys: readonly string[]): string };
  /** What the service can tell row `row` (1-based) from all others by. */
  keyOf(row: number): string;
  /** The key of the row that a request is about. */
  keyIn(path: string, body: string): string;
  /** Is the key the id that the results show? An event that is created has none. */
  readonly isKeyTheId: boolean;
  /** The answer to the `nth` application (1-based) of a row, and the id in it that can be had nowhere else. */
  answer(key: string, nth: number): { readonly text: string; readonly resultId?: string };
  /** The status of a card that was written; undefined where no card can be checked. */
  readonly statusAfter?: string;
}

const CARD_KEY = /^\/v1\/cards\/([^/]+)\//;

function cardIdOf(row: number): string {
  return `7c0e1111-2222-3333-4444-${String(row).padStart(12, '0')}`;
}

function keyInCardPath(path: string): string {
  return CARD_KEY.exec(path)?.[1] ?? path;
}

function cardWrite(verb: string, rest: Pick<Write, 'fileName' | 'inputOf' | 'answer' | 'statusAfter'>): Write {
  return { command: ['card', verb], keyOf: cardIdOf, keyIn: keyInCardPath, isKeyTheId: true, ...rest };
}

const ACTIVATE = cardWrite('activate', {
  fileName: 'cards.txt',
  inputOf: (keys) => keys.map((key) => `${key}\n`).join(''),
  answer: (key) => ({ text: cardText('ACTIVE', key) }),
  statusAfter: 'ACTIVE',
});

const BLOCK = cardWrite('block', {
  fileName: 'cards.ndjson',
  inputOf: (keys) => keys.map((key) => `{"cardId":"${key}","reason":"lost, ÆØÅ"}\n`).join(''),
  answer: (key) => ({ text: cardText('BLOCKED', key) }),
  statusAfter: 'BLOCKED',
});

const REISSUE = cardWrite('reissue', {
  fileName: 'cards.csv',
  inputOf: (keys) => `cardId;reason\r\n${keys.map((key) => `${key};"worn; torn"\r\n`).join('')}`,
  answer(key, nth) {
    const resultId = `${String(nth).padStart(8, '0')}-aaaa-bbbb-cccc-${key.slice(-12)}`;
    return { text: cardText('WAITING_ACTIVATION', resultId), resultId };
  },
});

const subscribersCsv = (firstName: string) => (keys: readonly string[]) =>
  `id,email,first_name\n${keys.map((key) => `${key},person@example.com,${firstName}\n`).join('')}`;

const SUBSCRIBER_CHANGES: Write = {
  command: ['calendar', 'subscribers', 'update'],
  fileName: 'new.csv',
  inputOf: subscribersCsv('New'),
  keyOf: (row) => `sub/${row}`,
  keyIn: (path) => decodeURIComponent(path.slice('/v1/subscribers/'.length)),
  isKeyTheId: true,
  answer: (key) => ({ text: `{"id":"${key}","object":"subscriber","active":true,"first_name":"New"}` }),
  older: { fileName: 'old.csv', textOf: subscribersCsv('Old') },
};

/** Each kind of write: resolved by a card check, one-time IDs in the response, nothing to check. */
export const WRITES = {
  activate: ACTIVATE,
  block: BLOCK,
  reissue: REISSUE,
  subscriberChanges: SUBSCRIBER_CHANGES,
} as const;
