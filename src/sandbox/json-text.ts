import { printJson } from '../json/print.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';

/** Spec: texts of calendars and subscribers have at most this many characters in a response. */
const RESPONSE_TEXT_LIMIT = 5000;

const kept = new WeakMap<JsonObject, string>();

/** The resource as compact JSON, whole. Printed once per resource, which never changes. */
export function keptText(resource: JsonObject): string {
  const text = kept.get(resource) ?? printJson(resource);
  kept.set(resource, text);
  return text;
}

function cut(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || value.length <= RESPONSE_TEXT_LIMIT) return value;
  return Array.from(value).slice(0, RESPONSE_TEXT_LIMIT).join('');
}

/** A calendar or subscriber as the service answers it: texts within the response limits of the spec. */
export function answeredText(resource: JsonObject): string {
  return printJson(new Map([...resource].map(([name, value]) => [name, cut(value)])));
}
