import { OPERATIONS } from '../../../api/operations.ts';
import { callCommand } from '../../../command/command.ts';
import { SPECIAL } from '../../../options/call-options.ts';
import { answerColumns, CALENDAR_ARGUMENT } from '../columns.ts';

export const command = callCommand({
  description:
    'Lists up to 100 subscribers; the service gives 10 active ones when neither --limit nor --active is given. There is no way to page through more: a full list is warned about, and with --require-complete it is exit 15. --active all asks for both and merges the answers. Of several calendars, or with --from, rows have `calendar` as first column, and JSON is an array of the lists.',
  operation: OPERATIONS.subscribersList,
  // Each row is a subscriber.
  columns: answerColumns(OPERATIONS.subscriberUpdate, ['object', 'created', 'updated']),
  argument: { ...CALENDAR_ARGUMENT, variadic: true },
  many: true,
  options: { active: SPECIAL.active, requireComplete: SPECIAL.requireComplete },
  examples: {
    'List as a table': 'calendar subscribers list cal_harbour_tours --limit 100',
    'Of several calendars': 'calendar subscribers list cal_harbour_tours cal_tea_ceremony',
    'Edit in a spreadsheet and send back':
      'calendar subscribers list cal_harbour_tours --active all --limit 100 -o csv',
    'Take the addresses for another program':
      "calendar subscribers list cal_harbour_tours --json --query 'data[].email'",
  },
});
