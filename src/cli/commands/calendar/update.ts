import { callCommand } from '../../../command/command.ts';
import { OPERATIONS } from '../../../service/api/operations.ts';
import { answerColumns, CALENDAR_ARGUMENT } from './columns.ts';

export const command = callCommand({
  description:
    'Sends exactly the given fields. An empty text is sent as an empty text. The service does not document what happens to omitted fields. If no response comes, the outcome is unknown (exit 8), because no command can show a calendar. Running the command again sends the same values.',
  operation: OPERATIONS.calendarUpdate,
  columns: answerColumns(OPERATIONS.calendarUpdate, ['object', 'created']),
  argument: CALENDAR_ARGUMENT,
  changedFrom: true,
  examples: {
    'Rename a calendar': 'calendar update cal_harbour_tours --name "Spring tastings"',
    'Set a long description from a file, and clear the URL':
      'calendar update cal_harbour_tours --description-file about.txt --url ""',
    'Switch calendars off from a spreadsheet': 'calendar update --from calendars.csv --active false --yes',
  },
});
