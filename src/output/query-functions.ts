import { compareDecimals } from '../json/decimal.ts';
import { printJson } from '../json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { compareTexts } from './column.ts';
import { floor, negate, quotient, sum } from './query-arithmetic.ts';
import { type Arguments, defineFunction, type QueryFunction } from './query-signature.ts';
import { isEqual, QueryProblem, typeOf } from './query-values.ts';

export type { QueryArgument, QueryFunction } from './query-signature.ts';

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function count(size: number): JsonNumber {
  return new JsonNumber(String(size));
}

/** Numbers before each other by value, texts by code point. Anything else, or a mixture, is refused. */
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

function groupBy(given: Arguments): JsonValue {
  const groups = new Map<string, JsonValue[]>();
  const key = given.expression(1);
  for (const item of given.array(0)) {
    const name = key(item);
    if (typeof name !== 'string') throw new QueryProblem(`group_by() wants string keys, got ${typeOf(name)}`);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

function fromItems(given: Arguments): JsonObject {
  const object = new Map<string, JsonValue>();
  for (const pair of given.array(0)) {
    const [name, value] = isJsonArray(pair) && pair.length === 2 ? pair : [];
    if (typeof name !== 'string' || value === undefined)
      throw new QueryProblem('from_items() wants [name, value] pairs');
    object.set(name, value);
  }
  return object;
}

function zip(given: Arguments): JsonValue {
  const arrays = given.all().map((_, index) => given.array(index));
  const length = Math.min(...arrays.map((array) => array.length));
  return Array.from({ length }, (_, row) => arrays.map((array) => array[row] ?? null));
}

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

const WHITE_SPACE = /^[\s\u0085]$/u;

function find(given: Arguments, last: boolean): JsonValue {
  const subject = [...given.text(0)];
  const wanted = [...given.text(1)];
  const start = Math.max(0, given.integer(2, 0));
  const end = Math.min(subject.length, given.integer(3, subject.length));
  if (subject.length === 0 || wanted.length === 0) return null;
  let found: number | undefined;
  for (let at = start; at + wanted.length <= end; at += 1) {
    if (!wanted.every((character, index) => subject[at + index] === character)) continue;
    found = at;
    if (!last) break;
  }
  return found === undefined ? null : new JsonNumber(String(found));
}

function padding(name: string, given: Arguments): string {
  const pad = given.all().length > 2 ? given.text(2) : ' ';
  if ([...pad].length !== 1) throw new QueryProblem(`${name}() wants one character to pad with`);
  const width = given.integer(1, 0);
  if (width < 0 || width > 1_000_000) throw new QueryProblem(`${name}() wants a width from 0 to 1000000`);
  return pad.repeat(Math.max(0, width - [...given.text(0)].length));
}

function join(given: Arguments): JsonValue {
  const texts = given.array(1).map((item) => {
    if (typeof item !== 'string') throw new QueryProblem('join() wants an array of strings');
    return item;
  });
  return texts.join(given.text(0));
}

/** The parts between the first `limit` separators; the rest stays in the last part. */
function parts(subject: string, separator: string, limit: number): string[] {
  const all = separator === '' ? [...subject] : subject.split(separator);
  return all.length <= limit + 1 ? all : [...all.slice(0, limit), all.slice(limit).join(separator)];
}

function limitOf(name: string, given: Arguments, index: number): number {
  const limit = given.integer(index, Number.MAX_SAFE_INTEGER);
  if (limit < 0) throw new QueryProblem(`${name}() wants a count of 0 or more`);
  return limit;
}

function trim(given: Arguments, atStart: boolean, atEnd: boolean): JsonValue {
  const subject = [...given.text(0)];
  const chosen = given.all().length > 1 ? given.text(1) : '';
  const isTrimmed = (character: string | undefined): boolean => {
    if (character === undefined) return false;
    return chosen === '' ? WHITE_SPACE.test(character) : [...chosen].includes(character);
  };
  let start = 0;
  let end = subject.length;
  while (atStart && start < end && isTrimmed(subject[start])) start += 1;
  while (atEnd && end > start && isTrimmed(subject[end - 1])) end -= 1;
  return subject.slice(start, end).join('');
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
    defineFunction('from_items', 1, 1, fromItems),
    defineFunction('group_by', 2, 2, groupBy),
    defineFunction('items', 1, 1, (given) => [...given.object(0)].map(([name, value]) => [name, value])),
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
    defineFunction('zip', 1, NO_LIMIT, zip),
    // Positions and widths of texts count code points.
    defineFunction('ends_with', 2, 2, (given) => given.text(0).endsWith(given.text(1))),
    defineFunction('find_first', 2, 4, (given) => find(given, false)),
    defineFunction('find_last', 2, 4, (given) => find(given, true)),
    defineFunction('join', 2, 2, join),
    defineFunction('lower', 1, 1, (given) => given.text(0).toLowerCase()),
    defineFunction('pad_left', 2, 3, (given) => padding('pad_left', given) + given.text(0)),
    defineFunction('pad_right', 2, 3, (given) => given.text(0) + padding('pad_right', given)),
    defineFunction('replace', 3, 4, (given) =>
      parts(given.text(0), given.text(1), limitOf('replace', given, 3)).join(given.text(2)),
    ),
    defineFunction('split', 2, 3, (given) => parts(given.text(0), given.text(1), limitOf('split', given, 2))),
    defineFunction('starts_with', 2, 2, (given) => given.text(0).startsWith(given.text(1))),
    defineFunction('trim', 1, 2, (given) => trim(given, true, true)),
    defineFunction('trim_left', 1, 2, (given) => trim(given, true, false)),
    defineFunction('trim_right', 1, 2, (given) => trim(given, false, true)),
    defineFunction('upper', 1, 1, (given) => given.text(0).toUpperCase()),
  ].map((one) => [one.name, one]),
);
