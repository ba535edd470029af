import { printJson } from '../json/print.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../json/value.ts';
import { countFrom } from './safe-text.ts';

/** The value with each member of these names, at any depth, shown only by its size. */
export function hideMembers(value: JsonValue, names: readonly string[]): JsonValue {
  if (names.length === 0) return value;
  if (isJsonArray(value)) return value.map((item) => hideMembers(item, names));
  if (!isJsonObject(value)) return value;
  const shown = new Map<string, JsonValue>();
  for (const [key, member] of value) shown.set(key, names.includes(key) ? hidden(member) : hideMembers(member, names));
  return shown;
}

function hidden(value: JsonValue): JsonValue {
  if (value === null) return null;
  return `<hidden, ${countFrom(typeof value === 'string' ? value : printJson(value), 0)} characters>`;
}

/** The value with every text and name passed through `mask`. */
export function maskTexts(value: JsonValue, mask: (text: string) => string): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (isJsonArray(value)) return value.map((item) => maskTexts(item, mask));
  if (!isJsonObject(value)) return value;
  const masked = new Map<string, JsonValue>();
  for (const [key, member] of value) masked.set(mask(key), maskTexts(member, mask));
  return masked;
}
