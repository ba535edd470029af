/**
 * JSON as it was sent. Objects are Maps, so that every key keeps its place and its name
 * (`__proto__`, `then`, `10`), and numbers keep their digits (`10.10`, `12345678901234567.89`):
 * an amount never passes through a JavaScript number.
 */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** The members of an object, in their order. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number literal, digit for digit. Only a query computes with it; everything else prints it as it came. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Is the value an object? Tells the compiler too. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Is the value an array? Tells the compiler too. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The text that a member of an object is; undefined where there is no object, no such member, or no text. */
export function textAt(value: JsonValue | undefined, name: string): string | undefined {
  const member = isJsonObject(value) ? value.get(name) : undefined;
  return typeof member === 'string' ? member : undefined;
}

const TEXT = Symbol('text');
const LENGTH = Symbol('length');

/** An object that remembers the text it was read from, or how long that was. */
type Remembering = JsonObject & { [TEXT]?: string; [LENGTH]?: number };

/**
 * Keeps the text that an object was read from, for a text that printing the object would give again. Not in a table
 * beside the objects, which takes longer than printing does.
 */
export function rememberText(object: JsonObject, text: string): void {
  // A Map takes further properties, and no other code knows this one.
  (object as Remembering)[TEXT] = text;
}

/** Keeps the length of a text that is too long to be kept. */
export function rememberLength(object: JsonObject, length: number): void {
  (object as Remembering)[LENGTH] = length;
}

/** The length of the text that this value was read from, where it is known; else 0. */
export function rememberedLength(value: JsonValue | undefined): number {
  if (!isJsonObject(value)) return 0;
  return rememberedText(value)?.length ?? (value as Remembering)[LENGTH] ?? 0;
}

/** The text that prints this value compactly, if it is known; a copy of the value does not have it. */
export function rememberedText(value: JsonValue): string | undefined {
  // What is no object that was read so has no such property.
  return isJsonObject(value) ? (value as Remembering)[TEXT] : undefined;
}
