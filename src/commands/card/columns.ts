import type { Column } from '../../output/column.ts';

/** Columns of a card. Wide ones are left out of tables unless named; CSV has all. */
export const CARD_COLUMNS: readonly Column[] = [
  { name: 'cardId', header: 'CARD ID', keep: true },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'initialBalance', header: 'INITIAL', align: 'right' },
  { name: 'expiryDate', header: 'EXPIRES' },
  { name: 'clientReference', header: 'CLIENT REFERENCE' },
  { name: 'design', header: 'DESIGN' },
  { name: 'createdAt', header: 'CREATED', wide: true },
  { name: 'updatedAt', header: 'UPDATED', wide: true },
  { name: 'activatedAt', header: 'ACTIVATED', wide: true },
  { name: 'cancelledAt', header: 'CANCELLED', wide: true },
  { name: 'cancellationAmount', header: 'CANCELLATION AMOUNT', align: 'right', wide: true },
  { name: 'cancellationAction', header: 'CANCELLATION ACTION', wide: true },
  { name: 'metadata', header: 'METADATA', wide: true },
  { name: 'transactions', header: 'TRANSACTIONS', wide: true },
];

/** The argument of commands about one card. */
export const CARD_ARGUMENT = {
  name: 'cardId',
  question: 'ID of the card',
  text: 'id of the card, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
} as const;

/** What commands over cards share. */
export const ANY_CARDS = { columns: CARD_COLUMNS, argument: { ...CARD_ARGUMENT, variadic: true } } as const;

/** What commands that change cards share. */
export const WRITE = { ...ANY_CARDS, expect: true } as const;
