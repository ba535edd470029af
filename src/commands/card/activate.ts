import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../command.ts';
import { CARD_ARGUMENT, CARD_COLUMNS } from './columns.ts';

export const cardActivate = callCommand({
  path: ['card', 'activate'],
  description:
    'Activates one card, or many. When no readable answer comes, the card is read back: status ACTIVE counts as done, anything else is exit 8. Which status an activation leads to is not documented.',
  operation: OPERATIONS.cardActivate,
  columns: CARD_COLUMNS,
  argument: { ...CARD_ARGUMENT, several: true },
  many: true,
  expect: true,
  examples: [
    { text: 'Activate a card', line: 'card activate 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101' },
    {
      text: 'Only if it is the card of order 10001',
      line: 'card activate 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --expect clientReference=order-10001',
    },
    { text: 'See what would be sent for a whole file', line: 'card activate --from cards.csv --dry-run' },
  ],
});
