import { callCommand } from '../../../../command/command.ts';
import { SPECIAL } from '../../../../input/options/call-options.ts';
import { OPERATIONS } from '../../../../service/api/operations.ts';
import { answerColumns } from '../columns.ts';

export const command = callCommand({
  description:
    'In a terminal, frontdesk asks for confirmation. Elsewhere, a single event needs no --yes. Dates are any ISO 8601 date or date-time, sent as typed: the service does not document how it reads time zones. If no response comes, the outcome is unknown (exit 8): look in the calendar itself before you run it again. The history keeps the ID from the response.',
  operation: OPERATIONS.eventCreate,
  columns: answerColumns(OPERATIONS.eventCreate, ['object', 'created', 'updated', 'description', 'url']),
  argument: null,
  options: { again: SPECIAL.again },
  examples: {
    'Create events': 'calendar event create --calendar cal_harbour_tours --name "Tasting" --start 2027-04-02T18:00',
    'With an end, a place and no URL':
      'calendar event create --calendar cal_harbour_tours --name "Tasting" --start 2027-04-02T18:00 --end 2027-04-02T20:00 --location "Cellar 2" --no-url',
    'Create a season from a spreadsheet': 'calendar event create --from season.csv --calendar cal_harbour_tours --yes',
  },
});
