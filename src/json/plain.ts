import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from './value.ts';

/** What a schema is shown of a JSON value. */
export type PlainValue = null | boolean | string | number | PlainValue[] | { [name: string]: PlainValue };

/**
 * A copy in plain JavaScript values, for checking a shape against a schema and nothing else: numbers lose
 * digits in it (and are clamped to finite ones). Objects have no prototype, so a `__proto__` key is a key.
 */
export function toPlain(value: JsonValue): PlainValue {
  if (value instanceof JsonNumber) {
    const number = Number(value.text);
    return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
  }
  if (isJsonArray(value)) return value.map(toPlain);
  if (isJsonObject(value)) {
    // Object.create(null) is typed any; a fresh object without members is one of no members yet.
    const plain = Object.create(null) as { [name: string]: PlainValue };
    for (const [key, member] of value) plain[key] = toPlain(member);
    return plain;
  }
  return value;
}

/**
 * A plain JavaScript value as a JSON value: what frontdesk's own code builds as object literals. JSON values inside it
 * stay as they are, undefined members are left out, a number is written as JavaScript writes it. Throws a
 * TypeError for what JSON cannot carry (NaN, functions).
 */
export function fromPlain(value: unknown): JsonValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return new JsonNumber(String(value));
  if (typeof value === 'bigint') return new JsonNumber(String(value));
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value === 'object') {
    const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
    const object = new Map<string, JsonValue>();
    for (const [key, member] of entries) if (member !== undefined) object.set(String(key), fromPlain(member));
    return object;
  }
  throw new TypeError(`JSON cannot carry ${typeof value} ${String(value)}`);
}

const INDEX = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * The value at a dotted path, `metadata.store` or `transactions.0.amount`; undefined when there is none. A key
 * that itself has dots wins over the same dots taken as steps.
 */
export function getPath(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (isJsonObject(value)) return memberAt(value, path);
  if (!isJsonArray(value)) return undefined;
  const dot = path.indexOf('.');
  const index = dot === -1 ? path : path.slice(0, dot);
  if (!INDEX.test(index)) return undefined;
  const item = value[Number(index)];
  return dot === -1 ? item : getPath(item, path.slice(dot + 1));
}

function memberAt(object: JsonObject, path: string): JsonValue | undefined {
  const exact = object.get(path);
  if (exact !== undefined) return exact;
  for (let dot = path.lastIndexOf('.'); dot !== -1; dot = dot === 0 ? -1 : path.lastIndexOf('.', dot - 1)) {
    const member = object.get(path.slice(0, dot));
    if (member === undefined) continue;
    const found = getPath(member, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
