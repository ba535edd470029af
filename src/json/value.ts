/**
 * JSON as it was sent. Objects are Maps, so that every key keeps its place and its name
 * (`__proto__`, `then`, `10`), and numbers keep their digits (`10.10`, `12345678901234567.89`):
 * an amount never passes through a JavaScript number.
 */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A number literal, digit for digit. No arithmetic is ever done on it. */
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
