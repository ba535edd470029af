import { callCommand } from '../../../../command/command.ts';
import { SPECIAL, WORKBOOK } from '../../../../input/options/call-options.ts';
import { OPERATIONS } from '../../../../service/api/operations.ts';
import { answerColumns, CALENDAR_ARGUMENT } from '../columns.ts';

export const command = callCommand({
  description:
    'Lists up to 100 subscribers. Without --limit and --active, the service returns 10 active ones. It documents no paging: if the list is full, frontdesk warns that there may be more, or exits with 15 if you use --require-complete. --active all sends two requests and merges the lists. For several calendars, rows begin with a `calendar` column, and JSON is an array of lists.',
  operation: OPERATIONS.subscribersList,
  // Each row is a subscriber.
  columns: answerColumns(OPERATIONS.subscriberUpdate, ['object', 'created', 'updated']),
  argument: { ...CALENDAR_ARGUMENT, variadic: true },
  options: { active: SPECIAL.active, requireComplete: SPECIAL.requireComplete, out: WORKBOOK.out },
  examples: {
    'List as a table': 'calendar subscribers list cal_harbour_tours --limit 100',
    'List several calendars': 'calendar subscribers list cal_harbour_tours cal_tea_ceremony',
    'Export for a spreadsheet':
      'calendar subscribers list cal_harbour_tours --active all --limit 100 -o xlsx --out old.xlsx',
    'Print only the e-mail addresses':
      "calendar subscribers list cal_harbour_tours --json --query 'data[].email' --raw",
  },
});
