import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../../command/command.ts';
import { SPECIAL } from '../../options/call-options.ts';
import { WRITE } from './columns.ts';

export const command = callCommand({
  ...WRITE,
  description:
    'Reissues one card, or many. On a terminal it shows the card as it is now and asks; elsewhere it needs --yes. Whether the answer is the original or its replacement is not documented, so the id in the answer is kept in the history. A reissue without an answer is never repeated: two may mean two live cards.',
  operation: OPERATIONS.cardReissue,
  options: { again: SPECIAL.again },
  examples: {
    'Reissue a damaged card': 'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "damaged, ticket 4711"',
    'Take the id of the answer for a script':
      'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --yes --json --query cardId',
  },
});
