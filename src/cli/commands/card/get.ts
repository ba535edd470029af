import { callCommand } from '../../../command/command.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { ANY_CARDS } from './columns.ts';

export const command = callCommand({
  ...ANY_CARDS,
  description:
    'One ID prints one card. Several IDs, or --from, print a list in the same order, and exit with 15 if some cards could not be read.',
  operation: OPERATIONS.cardGet,
  options: { out: WORKBOOK.out },
  examples: {
    'Show a card': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101',
    'Print only the status, for a script': 'card get 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --json --query status --raw',
    'Export many cards as CSV, with a metadata column':
      'card get --from ids.txt -o csv --columns cardId,status,metadata.store',
  },
});
