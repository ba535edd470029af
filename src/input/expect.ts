import { sameDecimal } from '../base/json/decimal.ts';
import { getPath, JsonNumber, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { didYouMean } from '../screen/nearest.ts';
import { CARD_STATUSES, Card } from '../service/api/card.ts';
import type { RawRecord } from './records/record.ts';
import type { Expectation, Skip } from './rows/row.ts';
import { cellAt, quoteValue, showValue } from './values.ts';

/** An expectation. Without a value, each row of `--from` brings its own. */
export interface ExpectationInput {
  readonly field: string;
  readonly value: string | undefined;
}

const METADATA = 'metadata';
const FIELDS = Object.keys(Card.properties);
/** Fields that hold many values: none of them can be compared as a whole. */
const COMPOUND = new Set([METADATA, 'transactions']);

function fieldProblem(field: string): string | undefined {
  if (field.startsWith(`${METADATA}.`) && field.length > METADATA.length + 1) return undefined;
  if (field === METADATA || field === `${METADATA}.`) return 'name a member of the metadata, such as metadata.shop';
  if (COMPOUND.has(field)) return `${field} has many values and cannot be compared`;
  if (FIELDS.includes(field)) return undefined;
  const comparable = FIELDS.filter((name) => !COMPOUND.has(name));
  return `${quoteValue(field)} is not a field of a card${didYouMean(field, comparable)}`;
}

/** Reads an `--expect`: `field=value`, or only `field` with `--from`. The value, after the first `=`, may be empty. */
export function parseExpectation(text: string, options: { readonly hasRows: boolean }) {
  const mark = text.indexOf('=');
  const field = mark === -1 ? text : text.slice(0, mark);
  const problem = fieldProblem(field);
  if (problem !== undefined) return { problem };
  if (mark !== -1) return { field, value: text.slice(mark + 1) };
  if (options.hasRows) return { field, value: undefined };
  return { problem: `give a value: ${field}=<value> (only --from allows to omit it)` };
}

/** Reads a `--skip-if`: `field=value,value`. */
export function parseSkip(text: string): Skip | { readonly problem: string } {
  const [field = '', ...rest] = text.split('=');
  const problem = fieldProblem(field);
  if (problem !== undefined) return { problem };
  if (rest.length === 0) return { problem: `give a value: ${field}=<value>` };
  const values = rest.join('=').split(',');
  // A misspelt status would never be met, and the change always sent.
  const odd =
    field === 'status' ? values.find((value) => !CARD_STATUSES.some((status) => status === value)) : undefined;
  if (odd === undefined) return { field, values };
  const hint = didYouMean(odd, CARD_STATUSES) || `. The statuses are ${CARD_STATUSES.join(', ')}`;
  return { problem: `${quoteValue(odd)} is not a status of a card${hint}` };
}

/** The value at a field, dotted into metadata. A metadata key that contains dots itself wins. */
function valueAt(object: JsonObject, field: string): JsonValue | undefined {
  const mark = field.indexOf('.');
  if (mark === -1) return object.get(field);
  return getPath(object.get(field.slice(0, mark)), field.slice(mark + 1));
}

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function isSame(actual: JsonValue | undefined, wanted: string): boolean {
  if (typeof actual === 'string') return actual === wanted;
  if (typeof actual === 'boolean' || actual === null) return String(actual) === wanted;
  return actual instanceof JsonNumber && NUMBER.test(wanted) && sameDecimal(actual.text, wanted);
}

/**
 * What of a card is not as expected, for a message: `status is BLOCKED, not ACTIVE`; undefined if all is. Texts are
 * compared exactly, numbers by value (`10.5` is `10.50`), `true`, `false` and `null` as words. A field that is absent
 * equals nothing: the empty value may be a variable that was not set.
 */
export function unmetExpectation(card: JsonObject, expectations: readonly Expectation[]): string | undefined {
  for (const { field, value } of expectations) {
    const actual = valueAt(card, field);
    if (!isSame(actual, value))
      return `${field} is ${actual === undefined ? 'absent' : showValue(actual)}, not ${showValue(value)}`;
  }
  return undefined;
}

/** The row's own value of a card field: a column of that name, or a member inside a JSON row's metadata. */
export function ownValue({ names, values, object }: RawRecord, field: string): string | undefined {
  const value = cellAt(values, names.indexOf(field)) ?? valueAt(object ?? new Map(), field);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return value instanceof JsonNumber ? value.text : undefined;
}
