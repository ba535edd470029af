import type { JsonObject, JsonValue } from '../json/value.ts';
import { JsonNumber } from '../json/value.ts';
import { errorObject } from '../output/failure-text.ts';
import type { RowResult } from './row-outcome.ts';

/**
 * A row of a write as it is printed: `{"row":1,"id":"…","outcome":"applied","httpStatus":200,"attempts":1,
 * "resource":{…}}`, or with `error`. A row from the journal has neither when it succeeded:
 * bodies are not kept. `resultId` is there when the answer had one.
 */
export function printedRow(result: RowResult): JsonObject {
  const { failure, resource } = result;
  const { resultId } = result.ending;
  const printed = leadingMembers(result);
  if (failure !== undefined) printed.set('error', errorObject(failure));
  else if (resource !== undefined) printed.set('resource', resource);
  if (resultId !== undefined) printed.set('resultId', resultId);
  return printed;
}

/**
 * A row as `runs results` prints it: row, id, outcome, httpStatus, attempts, error, resultId, absent ones null.
 * The outcome of a row that another process waits for is `in_flight`.
 */
export function storedRow(result: RowResult): JsonObject {
  const printed = leadingMembers(result);
  printed.set('error', result.failure === undefined ? null : errorObject(result.failure));
  printed.set('resultId', result.ending.resultId ?? null);
  return printed;
}

function leadingMembers({ row, ending, source }: RowResult): Map<string, JsonValue> {
  const { outcome, httpStatus, attempts } = ending;
  return new Map<string, JsonValue>([
    ['row', new JsonNumber(String(row.row))],
    ['id', row.id ?? null],
    ['outcome', source === 'in_flight' ? 'in_flight' : outcome],
    ['httpStatus', httpStatus === undefined ? null : new JsonNumber(String(httpStatus))],
    ['attempts', new JsonNumber(String(attempts))],
  ]);
}
