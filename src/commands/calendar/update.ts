import { OPERATIONS } from '../../api/operations.ts';
import { callCommand } from '../../command/command.ts';
import { answerColumns, CALENDAR_ARGUMENT } from './columns.ts';

// Each is made when it is used: its options follow from schemas that take a while to make.

export const command = callCommand({
  description:
    'Sends exactly the fields that are given; an empty text is sent as an empty text. What the service does with omitted fields is not shown. There is no way to read a calendar back, so a call without an answer is exit 8; repeating it sets the same values.',
  operation: OPERATIONS.calendarUpdate,
  columns: answerColumns(OPERATIONS.calendarUpdate, ['object', 'created']),
  argument: CALENDAR_ARGUMENT,
  many: true,
  changedFrom: true,
  examples: {
    'Rename a calendar': 'calendar update cal_harbour_tours --name "Spring tastings"',
    'Set a long description from a file and take the page away':
      'calendar update cal_harbour_tours --description-file about.txt --url ""',
    'Switch calendars off from a spreadsheet': 'calendar update --from calendars.csv --active false --yes',
  },
});
