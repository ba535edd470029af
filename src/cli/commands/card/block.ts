import { callCommand } from '../../../command/command.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { WRITE } from './columns.ts';

export const command = callCommand({
  ...WRITE,
  description:
    'In a terminal, frontdesk shows the card and asks for confirmation. Elsewhere, it needs --yes. If no readable response comes, frontdesk checks the card: BLOCKED counts as done. Otherwise the outcome is unknown (exit 8).',
  operation: OPERATIONS.cardBlock,
  examples: {
    'Block a lost card': 'card block 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "lost, ticket 4711"',
    'Only if it is the card of order 10001':
      'card block 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --expect clientReference=order-10001 --yes',
    'Block every card of a spreadsheet, checking each row against the card':
      'card block --from stolen.csv --expect clientReference --yes',
  },
});
