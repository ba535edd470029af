import { printJson } from '../json/print.ts';
import { countFrom } from '../json/shorten.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, rememberedText } from '../json/value.ts';

/** What `rewriteJson` does to the parts of a value. An unchanged part is not copied. */
export interface Rewrite {
  text?(text: string): string;
  /** What replaces a member of this name; undefined: nothing, and its parts are rewritten. */
  member?(name: string, value: JsonValue): JsonValue | undefined;
}

/** The value with strings, names and members changed. Unchanged parts are not copied: they may be megabytes. */
export function rewriteJson(value: JsonValue, rewrite: Rewrite): JsonValue {
  if (typeof value === 'string') return rewrite.text?.(value) ?? value;
  if (isJsonArray(value)) return rewriteArray(value, rewrite);
  return isJsonObject(value) ? rewriteObject(value, rewrite) : value;
}

function rewriteArray(items: readonly JsonValue[], rewrite: Rewrite): readonly JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as JsonValue;
    const next = rewriteJson(item, rewrite);
    if (next !== item) changed ??= items.slice(0, index);
    changed?.push(next);
  }
  return changed ?? items;
}

function rewriteObject(object: JsonObject, rewrite: Rewrite): JsonObject {
  let changed: Map<string, JsonValue> | undefined;
  let count = 0;
  for (const [name, member] of object) {
    const nextName = rewrite.text?.(name) ?? name;
    const next = rewrite.member?.(name, member) ?? rewriteJson(member, rewrite);
    if (changed === undefined && (nextName !== name || next !== member)) changed = new Map([...object].slice(0, count));
    changed?.set(nextName, next);
    count += 1;
  }
  return changed ?? object;
}

const MASKED = '***';

/** A shorter one could occur in ordinary words. No real token is that short. */
const MIN_TOKEN_LENGTH = 6;

/** Base64 of a token at each offset in three bytes, without what depends on its neighbors, in both alphabets. */
function base64Forms(token: string): readonly string[] {
  const bytes = Buffer.from(token, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Removes frontdesk's own tokens from text: as they are, percent-encoded (also twice) and in base64. */
export class TokenMask {
  readonly #forms = new Set<string>();
  #shortestLength = Number.POSITIVE_INFINITY;

  add(token: string): void {
    if (token.length < MIN_TOKEN_LENGTH || this.#forms.has(token)) return;
    const encoded = encodeURIComponent(token);
    const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
    const twice = [encoded, lower].map((form) => form.replaceAll('%', '%25'));
    const padded = Buffer.from(token, 'utf8').toString('base64');
    for (const form of [token, encoded, lower, ...twice, padded, ...base64Forms(token)]) this.#forms.add(form);
    for (const { length } of this.#forms) this.#shortestLength = Math.min(this.#shortestLength, length);
  }

  /** False if no value of this JSON text can hold a token, even an escaped one. */
  mayBeIn(jsonText: string): boolean {
    if (jsonText.includes('\\')) return true;
    for (const form of this.#forms) if (jsonText.includes(form)) return true;
    return false;
  }

  text(text: string): string {
    // Most strings of a response are shorter than any token.
    if (text.length < this.#shortestLength) return text;
    let masked = text;
    for (const form of this.#forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASKED);
    return masked;
  }

  /** Returns the same value if it holds no token. */
  json(value: JsonValue): JsonValue {
    return rewriteJson(value, { text: (text) => this.text(text) });
  }
}

/** The value without the one-time secrets of an operation, at any depth (docs/faults.md C23). */
export function maskMembers(value: JsonValue, names: readonly string[]): JsonValue {
  return hideMembers(value, names, () => MASKED);
}

/** The value with each member of these names, at any depth, shown only by its size. */
export function hideMembers(value: JsonValue, names: readonly string[], hide = sizeOf): JsonValue {
  if (names.length === 0) return value;
  return rewriteJson(value, { member: (name, member) => (names.includes(name) ? hide(member) : undefined) });
}

function sizeOf(value: JsonValue): JsonValue {
  if (value === null) return null;
  return `<hidden, ${countFrom(typeof value === 'string' ? value : printJson(value), 0)} characters>`;
}

/** The value with every string and name passed through `mask`. */
export function maskTexts(value: JsonValue, mask: (text: string) => string): JsonValue {
  // The text has no escapes, so it contains all its strings and names.
  const whole = rememberedText(value);
  if (whole !== undefined && mask(whole) === whole) return value;
  return rewriteJson(value, { text: mask });
}
