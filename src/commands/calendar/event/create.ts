import { OPERATIONS } from '../../../api/operations.ts';
import { callCommand } from '../../../command/command.ts';
import { SPECIAL } from '../../../options/call-options.ts';
import { answerColumns } from '../columns.ts';

export const command = callCommand({
  description:
    'Creates an event in a calendar. Dates are any ISO 8601 date or date-time and are sent exactly as typed: how the service reads time zones is not shown. Events cannot be listed or read, so a call without an answer is exit 8 and must not be repeated before the calendar was looked at; the id in the answer is kept in history.',
  operation: OPERATIONS.eventCreate,
  columns: answerColumns(OPERATIONS.eventCreate, ['object', 'created', 'updated', 'description', 'url']),
  argument: null,
  many: true,
  options: { again: SPECIAL.again },
  examples: {
    'Create an event': 'calendar event create --calendar cal_harbour_tours --name "Tasting" --start 2027-04-02T18:00',
    'With an end, a place and no page':
      'calendar event create --calendar cal_harbour_tours --name "Tasting" --start 2027-04-02T18:00 --end 2027-04-02T20:00 --location "Cellar 2" --no-url',
    'Create a season from a spreadsheet': 'calendar event create --from season.csv --calendar cal_harbour_tours --yes',
  },
});
