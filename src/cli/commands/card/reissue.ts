import { callCommand } from '../../../command/command.ts';
import { SPECIAL } from '../../../input/options/call-options.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { WRITE } from './columns.ts';

export const command = callCommand({
  ...WRITE,
  description:
    'In a terminal, frontdesk shows the card and asks for confirmation. Elsewhere, it needs --yes. The history keeps the ID from the response: the service does not document whether that is the original card or the replacement. frontdesk never retries a reissue that got no response: a second one may create a second live card.',
  operation: OPERATIONS.cardReissue,
  options: { again: SPECIAL.again },
  examples: {
    'Reissue a damaged card': 'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --reason "damaged, ticket 4711"',
    'Print only the ID from the response, for a script':
      'card reissue 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101 --yes --json --query cardId --raw',
  },
});
