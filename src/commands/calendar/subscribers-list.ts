import { OPERATIONS } from '../../api/operations.ts';
import { SPECIAL } from '../../options/call-options.ts';
import { callCommand } from '../command.ts';
import { answerColumns } from './columns.ts';

export const calendarSubscribersList = callCommand({
  description:
    'Lists up to 100 subscribers; the service gives 10 active ones when neither --limit nor --active is given. There is no way to page through more: a full list is warned about, and with --require-complete it is exit 15. --active all asks for both and merges the answers.',
  operation: OPERATIONS.subscribersList,
  // Each row is a subscriber.
  columns: answerColumns(OPERATIONS.subscriberUpdate, ['object', 'created', 'updated']),
  argument: { name: 'calendarId', text: 'id of the calendar, at most 5000 characters' },
  options: { active: SPECIAL.active, requireComplete: SPECIAL.requireComplete },
  examples: {
    'List as a table': 'calendar subscribers list cal_harbour_tours --limit 100',
    'Edit in a spreadsheet and send back':
      'calendar subscribers list cal_harbour_tours --active all --limit 100 -o csv',
    'Take the addresses for another program':
      "calendar subscribers list cal_harbour_tours --json --query 'data[].email'",
  },
});
