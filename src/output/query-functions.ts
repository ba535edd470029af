import { compareDecimals } from '../json/decimal.ts';
import { addDecimals, divideDecimals, floorDecimal, negateDecimal } from '../json/decimal-arithmetic.ts';
import { printJson } from '../json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { compareTexts } from './column.ts';

/** Why an expression cannot be compiled or applied; becomes a USAGE failure with the expression in it. */
export class QueryProblem extends Error {}

/** The type by its name in JMESPath. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'number';
  if (isJsonArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** Equal by value: 10.10 and 10.1 are, "10.1" and 10.1 are not; the order of keys does not count. */
export function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (a instanceof JsonNumber && b instanceof JsonNumber) return compareDecimals(a.text, b.text) === 0;
  if (isJsonArray(a) && isJsonArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null));
  }
  if (!isJsonObject(a) || !isJsonObject(b) || a.size !== b.size) return false;
  for (const [key, member] of a) {
    const other = b.get(key);
    if (other === undefined || !isEqual(member, other)) return false;
  }
  return true;
}

type Expression = (item: JsonValue) => JsonValue;

/** A value, or (written with &) an expression to be applied to items. */
export type QueryArgument = JsonValue | Expression;

/** A function of JMESPath. */
export interface QueryFunction {
  /** Least and greatest number of arguments. */
  readonly least: number;
  readonly most: number;
  /** Raises QueryProblem, under its name, for an argument of another type than it wants. */
  apply(name: string, given: readonly QueryArgument[]): JsonValue;
}

interface Types {
  readonly value: JsonValue;
  readonly string: string;
  readonly number: JsonNumber;
  readonly array: readonly JsonValue[];
  readonly numbers: readonly JsonNumber[];
  readonly object: JsonObject;
  readonly expression: Expression;
}

const isArray = (given: QueryArgument) => Array.isArray(given);

/** The types by their words, and how they are told. */
const TYPES: Readonly<Record<keyof Types, readonly [words: string, is: (given: QueryArgument) => boolean]>> = {
  value: ['a value', (given) => typeof given !== 'function'],
  string: ['a string', (given) => typeof given === 'string'],
  number: ['a number', (given) => given instanceof JsonNumber],
  array: ['an array', isArray],
  numbers: ['an array', isArray],
  object: ['an object', (given) => given instanceof Map],
  expression: ['an expression (&…)', (given) => typeof given === 'function'],
};

function refuse(name: string, wanted: string, index: number, found: QueryArgument): never {
  const got = typeof found === 'function' ? 'an expression' : typeOf(found);
  throw new QueryProblem(`${name}() wants ${wanted} as argument ${index + 1}, got ${got}`);
}

function check(name: string, type: keyof Types, index: number, given: QueryArgument): void {
  const [words, is] = TYPES[type];
  if (!is(given)) refuse(name, words, index, given);
  if (type !== 'numbers' || typeof given === 'function' || !isJsonArray(given)) return;
  for (const item of given) if (!(item instanceof JsonNumber)) refuse(name, 'only numbers', index, item);
}

type Values<T extends readonly (keyof Types)[]> = { readonly [Index in keyof T]: Types[T[Index]] };

function takes<const T extends readonly (keyof Types)[]>(
  types: T,
  body: (...given: Values<T>) => JsonValue,
): QueryFunction {
  const count = types.length;
  return {
    least: count,
    most: count,
    apply(name, given) {
      for (const [index, type] of types.entries()) check(name, type, index, given[index] ?? null);
      // Each has just been held against its type.
      return body(...(given as unknown as Values<T>));
    },
  };
}

function takesMany<T extends keyof Types>(type: T, body: (given: readonly Types[T][]) => JsonValue): QueryFunction {
  return {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    apply(name, given) {
      for (const [index, one] of given.entries()) check(name, type, index, one);
      // Each has just been held against its type.
      return body(given as readonly Types[T][]);
    },
  };
}

/** The sum of numbers, exactly; 0 for none. */
function sum(numbers: readonly JsonNumber[]): JsonNumber {
  return numbers.reduce((total, number) => calculated(addDecimals(total.text, number.text)), new JsonNumber('0'));
}

/** The quotient to 20 significant digits. */
function quotient(a: JsonNumber, b: JsonNumber): JsonNumber {
  return calculated(divideDecimals(a.text, b.text));
}

function floor(number: JsonNumber): JsonNumber {
  return calculated(floorDecimal(number.text));
}

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

function length(value: JsonValue): JsonValue {
  if (typeof value === 'string') return count([...value].length);
  if (isJsonArray(value)) return count(value.length);
  if (isJsonObject(value)) return count(value.size);
  throw new QueryProblem(`length() wants a string, array or object, got ${typeOf(value)}`);
}

function contains(subject: JsonValue, wanted: JsonValue): JsonValue {
  if (isJsonArray(subject)) return subject.some((item) => isEqual(item, wanted));
  if (typeof subject === 'string') return typeof wanted === 'string' && subject.includes(wanted);
  throw new QueryProblem(`contains() wants a string or array, got ${typeOf(subject)}`);
}

function reverse(value: JsonValue): JsonValue {
  if (typeof value === 'string') return [...value].reverse().join('');
  return isJsonArray(value) ? [...value].reverse() : refuse('reverse', 'an array', 0, value);
}

function toNumber(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return value;
  return typeof value === 'string' && NUMBER.test(value) ? new JsonNumber(value) : null;
}

function join(glue: string, items: readonly JsonValue[]): JsonValue {
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length < items.length) throw new QueryProblem('join() wants an array of strings');
  return texts.join(glue);
}

/** The functions of JMESPath by name. All see the service's digits; only arithmetic makes new numbers. */
export const FUNCTIONS: ReadonlyMap<string, QueryFunction> = new Map(
  Object.entries({
    abs: takes(['number'], (number) => (number.text.startsWith('-') ? negate(number) : number)),
    avg: takes(['numbers'], (numbers) => (numbers.length === 0 ? null : quotient(sum(numbers), count(numbers.length)))),
    ceil: takes(['number'], (number) => negate(floor(negate(number)))),
    contains: takes(['value', 'value'], contains),
    ends_with: takes(['string', 'string'], (text, end) => text.endsWith(end)),
    floor: takes(['number'], floor),
    join: takes(['string', 'array'], join),
    keys: takes(['object'], (object) => [...object.keys()]),
    length: takes(['value'], length),
    map: takes(['expression', 'array'], (expression, items) => items.map(expression)),
    max: takes(['array'], (items) => extreme('max', items, itself, 1)),
    max_by: takes(['array', 'expression'], (items, key) => extreme('max_by', items, key, 1)),
    merge: takesMany('object', (objects) => new Map(objects.flatMap((object) => [...object]))),
    min: takes(['array'], (items) => extreme('min', items, itself, -1)),
    min_by: takes(['array', 'expression'], (items, key) => extreme('min_by', items, key, -1)),
    not_null: takesMany('value', (values) => values.find((value) => value !== null) ?? null),
    reverse: takes(['value'], reverse),
    sort: takes(['array'], (items) => ordered('sort', items, itself)),
    sort_by: takes(['array', 'expression'], (items, key) => ordered('sort_by', items, key)),
    starts_with: takes(['string', 'string'], (text, start) => text.startsWith(start)),
    sum: takes(['numbers'], sum),
    to_array: takes(['value'], (value) => (isJsonArray(value) ? value : [value])),
    to_number: takes(['value'], toNumber),
    to_string: takes(['value'], (value) => (typeof value === 'string' ? value : printJson(value))),
    type: takes(['value'], typeOf),
    values: takes(['object'], (object) => [...object.values()]),
  }),
);
