import type { Column } from '../../../screen/column.ts';

/** Columns of a card. Wide ones are left out of tables unless named; CSV has all. */
export const CARD_COLUMNS: readonly Column[] = [
  { name: 'cardId', header: 'CARD ID', keep: true },
  { name: 'status', header: 'STATUS', tone: 'status' },
  { name: 'currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'initialBalance', header: 'INITIAL', align: 'right', spare: true },
  { name: 'expiryDate', header: 'EXPIRES', isTime: true, spare: true },
  { name: 'clientReference', header: 'CLIENT REFERENCE', keep: true, below: 'labelled', width: 20 },
  { name: 'design', header: 'DESIGN', spare: true },
  { name: 'createdAt', header: 'CREATED', isTime: true, wide: true },
  { name: 'updatedAt', header: 'UPDATED', isTime: true, wide: true },
  { name: 'activatedAt', header: 'ACTIVATED', isTime: true, wide: true },
  { name: 'cancelledAt', header: 'CANCELLED', isTime: true, wide: true },
  { name: 'cancellationAmount', header: 'CANCELLATION AMOUNT', align: 'right', wide: true },
  { name: 'cancellationAction', header: 'CANCELLATION ACTION', wide: true },
  { name: 'metadata', header: 'METADATA', wide: true },
  { name: 'transactions', header: 'TRANSACTIONS', wide: true },
];

export const CARD_ARGUMENT = {
  name: 'cardId',
  question: 'ID of the card, such as 0b7a6c1e-...',
  text: 'ID of the card, like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
} as const;

export const ANY_CARDS = { columns: CARD_COLUMNS, argument: { ...CARD_ARGUMENT, variadic: true } } as const;

export const WRITE = { ...ANY_CARDS, expect: true } as const;
