import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../command.ts';
import { CARD_ARGUMENT, CARD_COLUMNS } from './columns.ts';

export const cardGet = callCommand({
  description:
    'Reads one card, or several. One id gives one card; several ids or --from give a list in the order asked for, and exit 15 when some could not be read.',
  operation: OPERATIONS.cardGet,
  columns: CARD_COLUMNS,
  argument: { ...CARD_ARGUMENT, variadic: true },
  many: true,
  examples: {
    'Show a card': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'Take the status for a script': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status',
    'Read many cards as CSV with a metadata column':
      'card get --from ids.txt -o csv --columns cardId,status,metadata.store',
  },
});
