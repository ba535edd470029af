import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../../command/command.ts';
import { ANY_CARDS } from './columns.ts';

// Each is made when it is used: its options follow from schemas that take a while to make.

export const command = callCommand({
  ...ANY_CARDS,
  description:
    'Reads one card, or several. One id gives one card; several ids or --from give a list in the order asked for, and exit 15 when some could not be read.',
  operation: OPERATIONS.cardGet,
  examples: {
    'Show a card': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'Take the status for a script': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status',
    'Read many cards as CSV with a metadata column':
      'card get --from ids.txt -o csv --columns cardId,status,metadata.store',
  },
});
