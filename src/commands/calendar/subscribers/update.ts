import { OPERATIONS } from '../../../api/operations.ts';
import { callCommand } from '../../../command/command.ts';
import { answerColumns } from '../columns.ts';

export const command = callCommand({
  description:
    'Sends exactly the fields that are given; an empty text is sent as an empty text. What the service does with omitted fields is not shown. A single subscriber cannot be read back, so a call without an answer is exit 8; repeating it sets the same values.',
  operation: OPERATIONS.subscriberUpdate,
  columns: answerColumns(OPERATIONS.subscriberUpdate, ['object', 'created', 'updated']),
  argument: {
    name: 'subscriberId',
    question: 'Id of the subscriber',
    text: 'id of the subscriber, at most 5000 characters',
  },
  many: true,
  changedFrom: true,
  examples: {
    'Correct an address': 'calendar subscribers update sub_0001 --email ana@example.com',
    'Send an edited spreadsheet, only what changed':
      'calendar subscribers update --from new.csv --changed-from old.csv --yes',
    'Switch many off': 'calendar subscribers update --from ids.txt --active false --yes',
  },
});
