import { printJson } from '../json/print.ts';
import { rewriteJson } from '../json/rewrite.ts';
import { type JsonValue, rememberedText } from '../json/value.ts';
import { countFrom } from './safe-text.ts';

/** The value with each member of these names, at any depth, shown only by its size. */
export function hideMembers(value: JsonValue, names: readonly string[]): JsonValue {
  if (names.length === 0) return value;
  return rewriteJson(value, { member: (name, member) => (names.includes(name) ? hidden(member) : undefined) });
}

function hidden(value: JsonValue): JsonValue {
  if (value === null) return null;
  return `<hidden, ${countFrom(typeof value === 'string' ? value : printJson(value), 0)} characters>`;
}

/** The value with every text and name passed through `mask`. */
export function maskTexts(value: JsonValue, mask: (text: string) => string): JsonValue {
  // It has no escapes, so what is in one of its texts or names is in it as well.
  const whole = rememberedText(value);
  if (whole !== undefined && mask(whole) === whole) return value;
  return rewriteJson(value, { text: mask });
}
