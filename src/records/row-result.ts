import { OUTCOMES } from '../base/failure.ts';
import { printJson } from '../base/json/print.ts';
import { INTEGER, nullable, object, oneOf, type Shape, type ShapeOf, TEXT } from '../base/json/shape.ts';
import { JsonNumber, type JsonObject, type JsonValue, rememberedText, rememberText } from '../base/json/value.ts';
import type { Column } from '../screen/column.ts';
import { ERROR, errorObject } from '../screen/failure-text.ts';
import { outcomeWords } from '../screen/people-text.ts';
import type { RowResult } from './row-outcome.ts';

const LEADING = {
  /** Row number in the whole input. */
  row: INTEGER,
  /** null for a new event. */
  id: nullable(TEXT),
  outcome: oneOf(OUTCOMES),
  httpStatus: nullable(INTEGER),
  attempts: INTEGER,
} as const;

export const ROW_COLUMNS: readonly Column[] = [
  { name: 'row', header: 'ROW', align: 'right' },
  { name: 'id', header: 'ID', keep: true },
  { name: 'outcome', header: 'OUTCOME', tone: 'outcome', people: outcomeWords },
  { name: 'httpStatus', header: 'STATUS', align: 'right', spare: true },
  { name: 'attempts', header: 'ATTEMPTS', align: 'right', wide: true },
  { name: 'resultId', header: 'RESULT ID', keep: true, below: 'labelled' },
  { name: 'error.code', header: 'ERROR', wide: true },
  { name: 'error.message', header: 'MESSAGE', below: 'plain' },
];

/** One printed row of a change. `resource`: the shape of the service's response. */
export function rowOutput<T>(resource: Shape<T>) {
  return object(LEADING, { resource, error: ERROR, resultId: TEXT });
}

/** One row as `runs results` prints it, without bodies. */
export const STORED_ROW_OUTPUT = object(
  { ...LEADING, outcome: oneOf([...OUTCOMES, 'in_flight']), error: nullable(ERROR), resultId: nullable(TEXT) },
  { /** Of several runs: the one that it is of. */ run: TEXT },
);

type PrintedMember = keyof ShapeOf<ReturnType<typeof rowOutput>>;

/** A printed row of a change, with `resource` or `error`, whose message people see without the ID beside it. A row from the journal that succeeded has neither. */
export function printedRow(result: RowResult, isForPeople = false): JsonObject {
  const { failure, resource } = result;
  const { resultId } = result.callOutcome;
  const printed = leadingMembers(result);
  if (failure !== undefined) printed.set('error', errorObject(failure, isForPeople));
  else if (resource !== undefined) printed.set('resource', resource);
  if (resultId !== undefined) printed.set('resultId', resultId);
  if (resource !== undefined && rememberedText(resource) !== undefined) {
    const text = printJson(printed);
    // A remembered text has no escapes, which an ID may need.
    if (!text.includes('\\')) rememberText(printed, text);
  }
  return printed;
}

/** A row as `runs results` prints it, with every member. `in_flight`: another process waits for its response. */
export function storedRow({ failure, ...result }: RowResult, isForPeople = false): JsonObject {
  const printed = leadingMembers(result);
  printed.set('error', failure === undefined ? null : errorObject(failure, isForPeople));
  printed.set('resultId', result.callOutcome.resultId ?? null);
  return printed;
}

// A map at once: there may be a million rows, and a resource may be large.
function leadingMembers({ row, callOutcome, source }: Omit<RowResult, 'failure'>): Map<PrintedMember, JsonValue> {
  const { outcome, httpStatus, attempts } = callOutcome;
  return new Map<PrintedMember, JsonValue>([
    ['row', new JsonNumber(String(row.row))],
    ['id', row.id ?? null],
    ['outcome', source === 'in_flight' ? 'in_flight' : outcome],
    ['httpStatus', httpStatus === undefined ? null : new JsonNumber(String(httpStatus))],
    ['attempts', new JsonNumber(String(attempts))],
  ]);
}
