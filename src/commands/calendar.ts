import type { Operation } from '../api/operation.ts';
import { OPERATIONS } from '../api/operations.ts';
import { callCommand } from '../command/command.ts';
import { SPECIAL } from '../options/call-options.ts';
import type { Column } from '../output/column.ts';

/** A column for each member of the answer. `wide` ones are left out of tables unless asked for; csv has all. */
function answerColumns({ response }: Operation, wide: readonly string[]): readonly Column[] {
  return Object.keys(response.properties).map((name) => ({
    name,
    header: name.toUpperCase().replaceAll('_', ' '),
    ...(name === 'id' ? { keep: true } : {}),
    ...(wide.includes(name) ? { wide: true } : {}),
  }));
}

const CALENDAR_ARGUMENT = {
  name: 'calendarId',
  question: 'Id of the calendar',
  text: 'id of the calendar, at most 5000 characters',
} as const;

// Each is made when it is used: its options follow from schemas that take a while to make.

export const calendarUpdate = () =>
  callCommand({
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

export const calendarEventCreate = () =>
  callCommand({
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
      'Create a season from a spreadsheet':
        'calendar event create --from season.csv --calendar cal_harbour_tours --yes',
    },
  });

export const calendarSubscribersList = () =>
  callCommand({
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

export const calendarSubscribersUpdate = () =>
  callCommand({
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
