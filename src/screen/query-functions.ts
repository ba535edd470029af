import { compareDecimals } from '../base/json/decimal.ts';
import { addDecimals, divideDecimals, floorDecimal, negateDecimal } from '../base/json/decimal-arithmetic.ts';
import { printJson } from '../base/json/print.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { compareTexts } from './column.ts';

/** Why an expression cannot be compiled or applied. Becomes a USAGE failure with the expression. */
export class QueryProblem extends Error {}

/** The type by its name in JMESPath. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'number';
  if (isJsonArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** Equal by value: 10.10 and 10.1 are, "10.1" and 10.1 are not. The order of keys does not count. */
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

/** A value, or (with &) an expression to apply to items. */
export type QueryArgument = JsonValue | Expression;

interface Kinds {
  readonly value: JsonValue;
  readonly string: string;
  readonly number: JsonNumber;
  readonly array: readonly JsonValue[];
  readonly strings: readonly string[];
  readonly numbers: readonly JsonNumber[];
  readonly object: JsonObject;
  readonly sequence: string | readonly JsonValue[];
  readonly collection: string | readonly JsonValue[] | JsonObject;
  readonly expression: Expression;
}

type Kind = keyof Kinds;

const isString = (value: QueryArgument) => typeof value === 'string';
const isArray = (value: QueryArgument) => Array.isArray(value);
const isObject = (value: QueryArgument) => value instanceof Map;

/** What an argument may be: in words, its test, and the kind of its items. */
const KINDS: Readonly<Record<Kind, readonly [words: string, is: (value: QueryArgument) => boolean, items?: Kind]>> = {
  value: ['a value', (value) => typeof value !== 'function'],
  string: ['a string', isString],
  number: ['a number', (value) => value instanceof JsonNumber],
  array: ['an array', isArray],
  strings: ['an array', isArray, 'string'],
  numbers: ['an array', isArray, 'number'],
  object: ['an object', isObject],
  sequence: ['a string or array', (value) => isString(value) || isArray(value)],
  collection: ['a string, array or object', (value) => isString(value) || isArray(value) || isObject(value)],
  expression: ['an expression (&…)', (value) => typeof value === 'function'],
};

function refuse(name: string, wanted: string, index: number, found: QueryArgument): never {
  const got = typeof found === 'function' ? 'an expression' : typeOf(found);
  throw new QueryProblem(`${name}() wants ${wanted} as argument ${index + 1}, got ${got}`);
}

/** Throws QueryProblem for an argument of another kind. */
export function checkArgument(name: string, kind: Kind, index: number, value: QueryArgument): void {
  const [words, is, items] = KINDS[kind];
  if (!is(value)) refuse(name, words, index, value);
  if (items === undefined || !Array.isArray(value)) return;
  for (const item of value) if (!KINDS[items][1](item)) refuse(name, `only ${kind}`, index, item);
}

interface QueryFunction {
  readonly kinds: readonly Kind[];
  /** More arguments of the last kind may follow. */
  readonly isOpen: boolean;
  /** Called with arguments of these kinds. */
  readonly body: (...args: never[]) => JsonValue;
}

function takes<A extends Kind, B extends Kind>(
  kinds: readonly [A, B?],
  body: (first: Kinds[A], second: Kinds[B]) => JsonValue,
): QueryFunction {
  return { kinds: kinds.filter((kind) => kind !== undefined), isOpen: false, body };
}

function takesMany<K extends Kind>(kind: K, body: (...args: Kinds[K][]) => JsonValue): QueryFunction {
  return { kinds: [kind], isOpen: true, body };
}

/** The function of this name. QueryProblem if it does not exist, or takes another number of arguments. */
export function functionOf(name: string, count: number): QueryFunction {
  const known = FUNCTIONS.get(name);
  if (known === undefined) throw new QueryProblem(`there is no function ${name}()`);
  const { kinds, isOpen } = known;
  if (count === kinds.length || (isOpen && count > kinds.length)) return known;
  const wanted = isOpen ? `at least ${kinds.length}` : kinds.length;
  throw new QueryProblem(`${name}() takes ${wanted} arguments, ${count} given`);
}

/** Calls a function. QueryProblem for an argument of a wrong kind. */
export function callFunction(name: string, args: readonly QueryArgument[]): JsonValue {
  const { kinds, body } = functionOf(name, args.length);
  for (const [index, argument] of args.entries())
    checkArgument(name, kinds[index] ?? kinds[0] ?? 'value', index, argument);
  // Each was checked against its kind.
  return body(...(args as readonly never[]));
}

/** The sum of numbers, exactly; 0 for none. */
function sum(numbers: readonly JsonNumber[]): JsonNumber {
  return numbers.reduce((total, number) => calculated(addDecimals(total.text, number.text)), new JsonNumber('0'));
}

function floor(number: JsonNumber): JsonNumber {
  return calculated(floorDecimal(number.text));
}

function negate(number: JsonNumber): JsonNumber {
  return new JsonNumber(negateDecimal(number.text));
}

function calculated(text: string | undefined): JsonNumber {
  if (text === undefined) throw new QueryProblem('the numbers are too different in size for arithmetic');
  return new JsonNumber(text);
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function count(size: number): JsonNumber {
  return new JsonNumber(String(size));
}

/** Compares numbers by value, strings by code point. Refuses anything else and mixtures. */
function compareKeys(name: string, a: JsonValue, b: JsonValue): number {
  if (a instanceof JsonNumber && b instanceof JsonNumber) return compareDecimals(a.text, b.text);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  throw new QueryProblem(`${name}() wants only numbers or only strings, got ${typeOf(a)} and ${typeOf(b)}`);
}

type Key = (item: JsonValue) => JsonValue;

const itself: Key = (item) => item;

/** The items sorted by their keys (`sign` -1: greatest first). Stable. */
function ordered(name: string, items: readonly JsonValue[], key: Key, sign: 1 | -1 = 1): readonly JsonValue[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  // A single item is compared with itself, so that its key is checked too.
  for (const { key: one } of keyed.slice(0, 1)) compareKeys(name, one, one);
  return keyed.sort((a, b) => compareKeys(name, a.key, b.key) * sign).map(({ item }) => item);
}

function length(value: Kinds['collection']): JsonValue {
  if (typeof value === 'string') return count([...value].length);
  return count(isJsonArray(value) ? value.length : value.size);
}

function contains(subject: Kinds['sequence'], wanted: JsonValue): JsonValue {
  if (isJsonArray(subject)) return subject.some((item) => isEqual(item, wanted));
  return typeof wanted === 'string' && subject.includes(wanted);
}

/** The functions of JMESPath. Only arithmetic makes new numbers. */
const FUNCTIONS: ReadonlyMap<string, QueryFunction> = new Map(
  Object.entries({
    abs: takes(['number'], (number) => (number.text.startsWith('-') ? negate(number) : number)),
    avg: takes(['numbers'], (numbers) =>
      numbers.length === 0 ? null : calculated(divideDecimals(sum(numbers).text, String(numbers.length))),
    ),
    ceil: takes(['number'], (number) => negate(floor(negate(number)))),
    contains: takes(['sequence', 'value'], contains),
    ends_with: takes(['string', 'string'], (text, end) => text.endsWith(end)),
    floor: takes(['number'], floor),
    join: takes(['string', 'strings'], (glue, texts) => texts.join(glue)),
    keys: takes(['object'], (object) => [...object.keys()]),
    length: takes(['collection'], length),
    map: takes(['expression', 'array'], (expression, items) => items.map(expression)),
    max: takes(['array'], (items) => ordered('max', items, itself, -1)[0] ?? null),
    max_by: takes(['array', 'expression'], (items, key) => ordered('max_by', items, key, -1)[0] ?? null),
    merge: takesMany('object', (...objects) => new Map(objects.flatMap((object) => [...object]))),
    min: takes(['array'], (items) => ordered('min', items, itself)[0] ?? null),
    min_by: takes(['array', 'expression'], (items, key) => ordered('min_by', items, key)[0] ?? null),
    not_null: takesMany('value', (...values) => values.find((value) => value !== null) ?? null),
    reverse: takes(['sequence'], (value) =>
      typeof value === 'string' ? [...value].reverse().join('') : value.toReversed(),
    ),
    sort: takes(['array'], (items) => ordered('sort', items, itself)),
    sort_by: takes(['array', 'expression'], (items, key) => ordered('sort_by', items, key)),
    starts_with: takes(['string', 'string'], (text, start) => text.startsWith(start)),
    sum: takes(['numbers'], sum),
    to_array: takes(['value'], (value) => (isJsonArray(value) ? value : [value])),
    to_number: takes(['value'], (value) => {
      if (value instanceof JsonNumber) return value;
      return typeof value === 'string' && NUMBER.test(value) ? new JsonNumber(value) : null;
    }),
    to_string: takes(['value'], (value) => (typeof value === 'string' ? value : printJson(value))),
    type: takes(['value'], typeOf),
    values: takes(['object'], (object) => [...object.values()]),
  }),
);
