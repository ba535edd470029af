import { printJson } from '../../base/json/print.ts';
import { countFrom } from '../../base/json/shorten.ts';
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  rememberedText,
} from '../../base/json/value.ts';
import { ONE_TIME_SECRETS } from '../api/operation.ts';
import type { CallOutcome } from '../call-outcome.ts';

/** What `rewriteJson` does to the parts of a value. An unchanged part is not copied. */
export interface Rewrite {
  text?(text: string): string;
  /** Of the digits of a number. One that changes becomes a text. */
  number?(digits: string): string;
  /** What replaces a member of this name; undefined: nothing, and its parts are rewritten. */
  member?(name: string, value: JsonValue): JsonValue | undefined;
}

/** The value with strings, names and members changed. Unchanged parts are not copied: they may be megabytes. */
export function rewriteJson(value: JsonValue, rewrite: Rewrite): JsonValue {
  if (typeof value === 'string') return rewrite.text?.(value) ?? value;
  if (value instanceof JsonNumber) {
    const digits = rewrite.number?.(value.text);
    return digits === undefined || digits === value.text ? value : digits;
  }
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
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Payload and signature of a JWT, in both alphabets. Its header is the same for many tokens. */
function jwtPieces(token: string): readonly string[] {
  const [header = '', ...pieces] = token.split('.');
  if (!header.startsWith('eyJ') || pieces.length !== 2) return [];
  return pieces.flatMap((piece) => [piece, piece.replaceAll('-', '+').replaceAll('_', '/')]);
}

/** A token as a service or a gateway may repeat it, besides its escapes. */
function formsOf(token: string): readonly string[] {
  const bytes = Buffer.from(token, 'utf8');
  // Percent-encoding escapes the bytes.
  const texts = [token, bytes.toString('latin1'), JSON.stringify(token).slice(1, -1)];
  const hex = [bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  // A token is ASCII, which UTF-16 has with a zero behind each byte.
  const encoded = [bytes, Buffer.from(token.replace(/./g, '$&\0'), 'utf8')].flatMap(base64Forms);
  return [...texts, ...hex, bytes.toString('base64'), ...encoded, ...jwtPieces(token)];
}

/**
 * A character as JSON (also within a string), JavaScript, a URL or HTML may write it. A run of backslashes is tried from
 * its first one alone: from each it would take a time that grows with the square of its length.
 */
const ESCAPED =
  /\\(?<!\\\\)\\*(?:(?:u00|x)([0-9a-f]{2})|(?=\/))|%(?:25)*([0-9a-f]{2})|&(?:amp;)*(?:#x0*([0-9a-f]{2});?|#0*(\d{2,3});|(plus|sol|equals);)/gi;

const NAMED: Readonly<Record<string, string>> = { plus: '+', sol: '/', equals: '=' };

function unescaped(text: string): string {
  return text.replace(ESCAPED, (_, json?: string, url?: string, html?: string, decimal?: string, name?: string) => {
    const hex = json ?? url ?? html;
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return decimal === undefined ? (NAMED[name?.toLowerCase() ?? ''] ?? '') : String.fromCharCode(Number(decimal));
  });
}

/** The line ends inside of long base64, also escaped. */
const FOLDED = /(?<=[\w+/-])(?:\r|\n|\\+[rn])+(?=[\w+/-])/g;

/** Escapes of escapes that are read: of HTML in JSON in a URL. */
const MOST_ESCAPES = 3;

/**
 * Removes frontdesk's own tokens: from messages, records and `--verbose` in every form, from data only the whole token,
 * because data stays as it came.
 */
export class TokenMask {
  readonly #tokens = new Set<string>();
  readonly #forms = new Set<string>();
  #shortestLength = Number.POSITIVE_INFINITY;

  constructor(tokens: readonly string[] = []) {
    for (const token of tokens) this.add(token);
  }

  add(token: string): void {
    if (token.length < MIN_TOKEN_LENGTH || this.#tokens.has(token)) return;
    this.#tokens.add(token);
    for (const form of formsOf(token)) if (form.length >= MIN_TOKEN_LENGTH) this.#forms.add(form);
    for (const { length } of this.#forms) this.#shortestLength = Math.min(this.#shortestLength, length);
  }

  /** False if no value of this JSON text can hold a whole token. */
  mayBeIn(jsonText: string): boolean {
    return jsonText.includes('\\') || this.whole(jsonText) !== jsonText;
  }

  /** A text of a message, a record or the exchange. One with an escaped token loses its escapes. */
  text(text: string): string {
    let masked = this.#withoutCut(this.#without(this.#forms, text));
    for (let [plain, depth] = [masked, 0]; depth < MOST_ESCAPES && /[\\%&\r\n]/.test(plain); depth += 1) {
      const read = unescaped(plain.replace(FOLDED, ''));
      if (read === plain) break;
      plain = this.#withoutCut(this.#without(this.#forms, read));
      if (plain !== read) masked = plain;
    }
    return masked;
  }

  /** What a text that was cut still has of a token, at its mark. */
  #withoutCut(text: string): string {
    const mark = text.indexOf('…');
    if (mark === -1) return text;
    // It may be cut inside of an escape.
    const end = text.slice(0, mark).replace(/%[0-9a-f]?$/i, '').length;
    for (const form of this.#forms) {
      for (let length = Math.min(form.length - 1, end); length >= MIN_TOKEN_LENGTH; length -= 1) {
        const begin = end - length;
        if (form.startsWith(text.slice(begin, end))) return `${text.slice(0, begin)}${MASKED}${text.slice(mark)}`;
      }
    }
    return text;
  }

  whole(text: string): string {
    return this.#without(this.#tokens, text);
  }

  /** The body of an error. Returns the same value if it holds no token. */
  json(value: JsonValue): JsonValue {
    const text = (part: string) => this.text(part);
    return rewriteJson(value, { text, number: text });
  }

  /** The body of a 2xx. Returns the same value if it holds no token. */
  data(value: JsonValue): JsonValue {
    return rewriteJson(value, {
      text: (text) => this.whole(text),
      number: (digits) => (this.#tokens.has(digits) ? MASKED : digits),
    });
  }

  #without(forms: ReadonlySet<string>, text: string): string {
    // Most strings of a response are shorter than any token.
    if (text.length < this.#shortestLength) return text;
    let masked = text;
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASKED);
    return masked;
  }
}

/** The names of one-time secrets, also as `activation_data`. */
const SECRET_NAMES = ONE_TIME_SECRETS.map((name) => name.replaceAll(/[A-Z]/g, '[-_]?$&')).join('|');
const SECRET_NAME = new RegExp(SECRET_NAMES, 'i');
/** The name of a secret, and behind it in the same sentence what may begin its value. */
const SECRET_IN_TEXT = new RegExp(`(${SECRET_NAMES})(?=[^.]{0,60}?(?:[:=>]|%3[ad]|&#|\\\\u))[\\s\\S]*`, 'i');

/** Does a one-time secret's name occur in a text, however it is written? Only its letters count. */
export function namesSecret(text: string): boolean {
  return SECRET_NAME.test(unescaped(text).replace(/[^a-z]+/gi, ''));
}

/**
 * A text without the values of one-time secrets (docs/faults.md C23). Nothing says where a value ends in a body that is
 * cut or no JSON, or in JSON inside a text, so everything after the name goes. One that names them loses its escapes.
 */
export function withoutSecretsInText(text: string): string {
  const plain = unescaped(text);
  return SECRET_NAME.test(plain) ? plain.replace(SECRET_IN_TEXT, `$1 ${MASKED}`) : text;
}

/** The body of an error without one-time secrets, at any depth. Returns the same value if it holds none. */
export function withoutSecrets(value: JsonValue): JsonValue {
  return rewriteJson(value, {
    text: withoutSecretsInText,
    member: (name) => (SECRET_NAME.test(name) ? MASKED : undefined),
  });
}

/** The value with each member of these names, at any depth, shown only by its size. */
export function hideMembers(value: JsonValue, names: readonly string[]): JsonValue {
  if (names.length === 0) return value;
  return rewriteJson(value, { member: (name, member) => (names.includes(name) ? sizeOf(member) : undefined) });
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

/** The same for plain data. */
export function maskPlain<Data extends object>(data: Data, mask: (text: string) => string = (text) => text): Data {
  return JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? mask(value) : value));
}

/** The outcome as a record keeps it: nothing that the service said holds a token in any form. The same if nothing does. */
export function maskOutcome(callOutcome: CallOutcome, mask: (text: string) => string = (text) => text): CallOutcome {
  const { resultId, observedStatus, clientReference } = callOutcome;
  const isSame = (text: string | undefined) => text === undefined || mask(text) === text;
  if (isSame(resultId) && isSame(observedStatus) && isSame(clientReference)) return callOutcome;
  return { ...callOutcome, ...maskPlain({ resultId, observedStatus, clientReference }, mask) };
}
