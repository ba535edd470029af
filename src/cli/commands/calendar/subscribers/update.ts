import { callCommand } from '../../../../command/command.ts';
import { OPERATIONS } from '../../../../service/api/operations.ts';
import { answerColumns } from '../columns.ts';

export const command = callCommand({
  description:
    'Sends exactly the given fields. An empty text is sent as an empty text. The service does not document what happens to omitted fields. If no response comes, the outcome is unknown (exit 8), because no command can show a single subscriber. Running the command again sends the same values.',
  operation: OPERATIONS.subscriberUpdate,
  columns: answerColumns(OPERATIONS.subscriberUpdate, ['object', 'created', 'updated']),
  argument: {
    name: 'subscriberId',
    question: 'ID of the subscriber, such as sub_001',
    text: 'ID of the subscriber, at most 5000 characters',
  },
  changedFrom: true,
  examples: {
    'Correct an address': 'calendar subscribers update sub_0001 --email ana@example.com',
    'Send an edited spreadsheet, only what changed':
      'calendar subscribers update --from new.xlsx --changed-from old.xlsx --yes',
    'Switch many off': 'calendar subscribers update --from ids.txt --from-format ids --active false --yes',
  },
});
