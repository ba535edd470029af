/**
 * JSON as it was sent. Objects are Maps, so that every key keeps its place and its name (`__proto__`, `then`, `10`).
 * Numbers keep their digits (`10.10`, `12345678901234567.89`): an amount never passes through a JavaScript number.
 */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** The members of an object, in their order. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number literal, digit for digit. Only a query computes with it. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The text in a member of an object; undefined if there is none. */
export function textAt(value: JsonValue | undefined, name: string): string | undefined {
  const member = isJsonObject(value) ? value.get(name) : undefined;
  return typeof member === 'string' ? member : undefined;
}

const TEXT = Symbol('text');
const LENGTH = Symbol('length');

type Remembering = JsonObject & { [TEXT]?: string; [LENGTH]?: number };

/** Keeps the text that an object was read from and is printed as: faster than a table beside the objects. */
export function rememberText(object: JsonObject, text: string): void {
  // A Map takes further properties, and no other code knows this one.
  (object as Remembering)[TEXT] = text;
}

/** Keeps the length of a text that is too long to be kept. */
export function rememberLength(object: JsonObject, length: number): void {
  (object as Remembering)[LENGTH] = length;
}

/** The length of the text that this value was read from; 0 if unknown. */
export function rememberedLength(value: JsonValue | undefined): number {
  if (!isJsonObject(value)) return 0;
  return rememberedText(value)?.length ?? (value as Remembering)[LENGTH] ?? 0;
}

/** The text that prints this value compactly, if it is known; a copy of the value does not have it. */
export function rememberedText(value: JsonValue): string | undefined {
  // Only an object that was read with its text has this property.
  return isJsonObject(value) ? (value as Remembering)[TEXT] : undefined;
}

/** A JSON value in plain JavaScript, for a schema. */
export type PlainValue = null | boolean | string | number | PlainValue[] | { [name: string]: PlainValue };

/** A copy in plain JavaScript values, for a check against a schema and nothing else: numbers lose digits in it. */
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

/** A key as a part of a dotted path: as a JSON string if it is empty, or has a dot or a quote in it. */
export function pathPart(key: string): string {
  return /^$|[."]/.test(key) ? JSON.stringify(key) : key;
}

/** The key in quotes at the beginning of a path, and the rest behind it. */
const QUOTED_KEY = /^("(?:[^"\\]|\\.)*")(?:\.|$)/;

/** The value at a dotted path (`transactions.0.amount`), or undefined. A key that has the dots itself wins. */
export function getPath(value: JsonValue | undefined, path: string): JsonValue | undefined {
  if (isJsonObject(value)) return memberAt(value, path);
  if (!isJsonArray(value)) return undefined;
  const dot = path.indexOf('.');
  const index = dot === -1 ? path : path.slice(0, dot);
  if (!INDEX.test(index)) return undefined;
  const item = value[Number(index)];
  return dot === -1 ? item : getPath(item, path.slice(dot + 1));
}

function memberInQuotes(object: JsonObject, quoted: string, rest: string): JsonValue | undefined {
  let key: unknown;
  try {
    key = JSON.parse(quoted);
  } catch {
    return undefined;
  }
  const member = object.get(String(key));
  return rest === '' ? member : getPath(member, rest);
}

function memberAt(object: JsonObject, path: string): JsonValue | undefined {
  const exact = object.get(path);
  if (exact !== undefined) return exact;
  const [whole, quoted] = QUOTED_KEY.exec(path) ?? [];
  if (whole !== undefined && quoted !== undefined) return memberInQuotes(object, quoted, path.slice(whole.length));
  for (let dot = path.lastIndexOf('.'); dot !== -1; dot = dot === 0 ? -1 : path.lastIndexOf('.', dot - 1)) {
    const member = object.get(path.slice(0, dot));
    if (member === undefined) continue;
    const found = getPath(member, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
