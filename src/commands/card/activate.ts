import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../../command/command.ts';
import { WRITE } from './columns.ts';

export const command = callCommand({
  ...WRITE,
  description:
    'Activates one card, or many. When no readable answer comes, the card is read back: status ACTIVE counts as done, anything else is exit 8. Which status an activation leads to is not documented.',
  operation: OPERATIONS.cardActivate,
  examples: {
    'Activate a card': 'card activate 4fbeb052-7396-41ce-8085-9263bed4f505',
    'Only if it is the card of order 10005':
      'card activate 4fbeb052-7396-41ce-8085-9263bed4f505 --expect clientReference=order-10005',
    'See what would be sent for a whole file': 'card activate --from cards.csv --dry-run',
  },
});
