import type { Column } from '../../../screen/column.ts';
import type { Operation } from '../../../service/api/operation.ts';

/** A column for each member of the response. `wide` ones are left out of tables unless named; CSV has all. */
export function answerColumns({ response }: Operation, wide: readonly string[]): readonly Column[] {
  return Object.keys(response.properties).map((name) => ({
    name,
    header: name.toUpperCase().replaceAll('_', ' '),
    ...(name === 'id' ? { keep: true } : {}),
    ...(wide.includes(name) ? { wide: true } : {}),
  }));
}

export const CALENDAR_ARGUMENT = {
  name: 'calendarId',
  question: 'ID of the calendar, such as cal_harbour_tours',
  text: 'ID of the calendar, at most 5000 characters',
} as const;
