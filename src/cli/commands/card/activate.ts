import { callCommand } from '../../../command/command.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { WRITE } from './columns.ts';

export const command = callCommand({
  ...WRITE,
  description:
    'If no readable response comes, frontdesk checks the card: ACTIVE counts as done. Otherwise the outcome is unknown (exit 8). The service does not document which status an activation leads to.',
  operation: OPERATIONS.cardActivate,
  examples: {
    'Activate a card': 'card activate 4fbeb052-7396-41ce-8085-9263bed4f505',
    'Only if it is the card of order 10005':
      'card activate 4fbeb052-7396-41ce-8085-9263bed4f505 --expect clientReference=order-10005',
    'See what would be sent for a whole file': 'card activate --from cards.csv --dry-run',
  },
});
