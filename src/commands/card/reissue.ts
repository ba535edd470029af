import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../command.ts';
import { CARD_ARGUMENT, CARD_COLUMNS } from './columns.ts';

export const cardReissue = callCommand({
  description:
    'Reissues one card, or many. On a terminal it shows the card as it is now and asks; elsewhere it needs --yes. Whether the answer is the original or its replacement is not documented, so the id in the answer is kept in the history. A reissue without an answer is never repeated: two may mean two live cards.',
  operation: OPERATIONS.cardReissue,
  columns: CARD_COLUMNS,
  argument: { ...CARD_ARGUMENT, variadic: true },
  many: true,
  expect: true,
  examples: {
    'Reissue a damaged card': 'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "damaged, ticket 4711"',
    'Take the id of the answer for a script':
      'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --yes --json --query cardId',
  },
});
