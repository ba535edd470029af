import { compareDecimals } from '../json/decimal.ts';
import { addDecimals, divideDecimals, floorDecimal, negateDecimal } from '../json/decimal-arithmetic.ts';
import { printJson } from '../json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';
import { compareTexts } from './column.ts';
import { type Arguments, defineFunction, type QueryFunction } from './query-signature.ts';
import { isEqual, QueryProblem, typeOf } from './query-values.ts';

export type { QueryArgument, QueryFunction } from './query-signature.ts';

/** The sum of numbers, exactly; 0 for none. */
function sum(numbers: readonly JsonNumber[]): JsonNumber {
  return numbers.reduce((total, number) => calculated(addDecimals(total.text, number.text)), new JsonNumber('0'));
}

/** The quotient to 20 significant digits. */
function quotient(a: JsonNumber, b: JsonNumber): JsonNumber {
  return calculated(divideDecimals(a.text, b.text));
}

/** The greatest integer that is not above the number. */
function floor(number: JsonNumber): JsonNumber {
  return calculated(floorDecimal(number.text));
}

/** The number with its sign turned round. */
function negate(number: JsonNumber): JsonNumber {
  return new JsonNumber(negateDecimal(number.text));
}

function calculated(text: string | undefined): JsonNumber {
  if (text === undefined) throw new QueryProblem('the numbers are too far apart for arithmetic');
  return new JsonNumber(text);
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function count(size: number): JsonNumber {
  return new JsonNumber(String(size));
}

/** Orders numbers by value, strings by code point. Anything else, or a mixture, is refused. */
function compareKeys(name: string, a: JsonValue, b: JsonValue): number {
  if (a instanceof JsonNumber && b instanceof JsonNumber) return compareDecimals(a.text, b.text);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  throw new QueryProblem(`${name}() wants only numbers or only strings, got ${typeOf(a)} and ${typeOf(b)}`);
}

/** The items with their keys, smallest first; the order of equal ones stays. */
function ordered(name: string, items: readonly JsonValue[], key: (item: JsonValue) => JsonValue): readonly JsonValue[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  // A single item is compared with itself, so that its key is checked like any other.
  for (const { key: one } of keyed.slice(0, 1)) compareKeys(name, one, one);
  return keyed.sort((a, b) => compareKeys(name, a.key, b.key)).map(({ item }) => item);
}

/** The item with the greatest (or, `sign` -1, smallest) key; the first of equal ones. */
function extreme(
  name: string,
  items: readonly JsonValue[],
  key: (item: JsonValue) => JsonValue,
  sign: 1 | -1,
): JsonValue {
  let best: { item: JsonValue; key: JsonValue } | undefined;
  for (const item of items) {
    const candidate = { item, key: key(item) };
    if (compareKeys(name, candidate.key, best?.key ?? candidate.key) * sign > 0 || best === undefined) best = candidate;
  }
  return best?.item ?? null;
}

const itself = (item: JsonValue): JsonValue => item;

function length(given: Arguments): JsonValue {
  const value = given.value(0);
  if (typeof value === 'string') return count([...value].length);
  if (isJsonArray(value)) return count(value.length);
  if (isJsonObject(value)) return count(value.size);
  throw new QueryProblem(`length() wants a string, array or object, got ${typeOf(value)}`);
}

function contains(given: Arguments): JsonValue {
  const subject = given.value(0);
  const wanted = given.value(1);
  if (isJsonArray(subject)) return subject.some((item) => isEqual(item, wanted));
  if (typeof subject === 'string') return typeof wanted === 'string' && subject.includes(wanted);
  throw new QueryProblem(`contains() wants a string or array, got ${typeOf(subject)}`);
}

function reverse(given: Arguments): JsonValue {
  const value = given.value(0);
  if (typeof value === 'string') return [...value].reverse().join('');
  return [...given.array(0)].reverse();
}

function toNumber(given: Arguments): JsonValue {
  const value = given.value(0);
  if (value instanceof JsonNumber) return value;
  return typeof value === 'string' && NUMBER.test(value) ? new JsonNumber(value) : null;
}

function average(given: Arguments): JsonValue {
  const numbers = given.numbers(0);
  return numbers.length === 0 ? null : quotient(sum(numbers), count(numbers.length));
}

function join(given: Arguments): JsonValue {
  const texts = given.array(1).map((item) => {
    if (typeof item !== 'string') throw new QueryProblem('join() wants an array of strings');
    return item;
  });
  return texts.join(given.text(0));
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The functions of JMESPath by name. All see the service's digits; only arithmetic makes new numbers. */
export const FUNCTIONS: ReadonlyMap<string, QueryFunction> = new Map(
  [
    defineFunction('abs', 1, 1, (given) =>
      given.number(0).text.startsWith('-') ? negate(given.number(0)) : given.number(0),
    ),
    defineFunction('avg', 1, 1, average),
    defineFunction('ceil', 1, 1, (given) => negate(floor(negate(given.number(0))))),
    defineFunction('contains', 2, 2, contains),
    defineFunction('floor', 1, 1, (given) => floor(given.number(0))),
    defineFunction('keys', 1, 1, (given) => [...given.object(0).keys()]),
    defineFunction('length', 1, 1, length),
    defineFunction('map', 2, 2, (given) => given.array(1).map(given.expression(0))),
    defineFunction('max', 1, 1, (given) => extreme('max', given.array(0), itself, 1)),
    defineFunction('max_by', 2, 2, (given) => extreme('max_by', given.array(0), given.expression(1), 1)),
    defineFunction(
      'merge',
      1,
      NO_LIMIT,
      (given) => new Map(given.all().flatMap((_, index) => [...given.object(index)])),
    ),
    defineFunction('min', 1, 1, (given) => extreme('min', given.array(0), itself, -1)),
    defineFunction('min_by', 2, 2, (given) => extreme('min_by', given.array(0), given.expression(1), -1)),
    defineFunction('not_null', 1, NO_LIMIT, (given) => {
      return (
        given
          .all()
          .map((_, index) => given.value(index))
          .find((value) => value !== null) ?? null
      );
    }),
    defineFunction('reverse', 1, 1, reverse),
    defineFunction('sort', 1, 1, (given) => ordered('sort', given.array(0), itself)),
    defineFunction('sort_by', 2, 2, (given) => ordered('sort_by', given.array(0), given.expression(1))),
    defineFunction('sum', 1, 1, (given) => sum(given.numbers(0))),
    defineFunction('to_array', 1, 1, (given) => (isJsonArray(given.value(0)) ? given.value(0) : [given.value(0)])),
    defineFunction('to_number', 1, 1, toNumber),
    defineFunction('to_string', 1, 1, (given) => {
      const value = given.value(0);
      return typeof value === 'string' ? value : printJson(value);
    }),
    defineFunction('type', 1, 1, (given) => typeOf(given.value(0))),
    defineFunction('values', 1, 1, (given) => [...given.object(0).values()]),
    defineFunction('ends_with', 2, 2, (given) => given.text(0).endsWith(given.text(1))),
    defineFunction('join', 2, 2, join),
    defineFunction('starts_with', 2, 2, (given) => given.text(0).startsWith(given.text(1))),
  ].map((one) => [one.name, one]),
);
