import { shorten } from '../json/shorten.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonValue } from '../json/value.ts';
import { safeText } from '../output/safe-text.ts';

/** Longer values are cut in messages: a description may have 40,000 characters. */
const SHOWN_CHARACTERS = 60;

/**
 * What was given, for a message: quoted, safe for a terminal, cut at 60 characters. Never call it with a
 * secret; no field of the API's request bodies is one.
 */
export function quoteValue(text: string): string {
  return `"${safeText(shorten(text, SHOWN_CHARACTERS))}"`;
}

/** Any JSON value for a message: strings are quoted, numbers shown digit for digit, the rest is named by its kind. */
export function showValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoteValue(value);
  if (value instanceof JsonNumber) return value.text.length > SHOWN_CHARACTERS ? 'a number' : value.text;
  if (isJsonArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : 'a value';
}
