import { compareDecimals } from '../json/decimal.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';

/** Why an expression cannot be compiled or applied; becomes a USAGE failure with the expression in it. */
export class QueryProblem extends Error {}

/** The type by its name in JMESPath. */
export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'number';
  if (isJsonArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'string' ? 'string' : 'boolean';
}

/** JMESPath's false: null, false, and every empty string, array and object. Zero is true. */
export function isFalse(value: JsonValue): boolean {
  if (value === null || value === false || value === '') return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && value.size === 0;
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
