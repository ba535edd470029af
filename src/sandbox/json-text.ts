import { printJson } from '../json/print.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';

/** Spec: texts of calendars and subscribers have at most this many characters in a response. */
const RESPONSE_TEXT_LIMIT = 5000;

const kept = new WeakMap<JsonObject, string>();
const answered = new WeakMap<JsonObject, string>();

/** The resource as compact JSON, whole. Printed once per resource, which never changes. */
export function keptText(resource: JsonObject): string {
  let text = kept.get(resource);
  if (text === undefined) {
    text = printJson(resource);
    kept.set(resource, text);
  }
  return text;
}

function cut(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || value.length <= RESPONSE_TEXT_LIMIT) return value;
  const characters = Array.from(value);
  return characters.length <= RESPONSE_TEXT_LIMIT ? value : characters.slice(0, RESPONSE_TEXT_LIMIT).join('');
}

/** A calendar or subscriber as the service answers it: texts within the response limits of the spec. */
export function answeredText(resource: JsonObject): string {
  let text = answered.get(resource);
  if (text === undefined) {
    const within = new Map<string, JsonValue>();
    for (const [name, value] of resource) within.set(name, cut(value));
    text = printJson(within);
    answered.set(resource, text);
  }
  return text;
}
