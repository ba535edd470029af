import { escapeUnsafe } from './unsafe-characters.ts';
import { isJsonArray, JsonNumber, type JsonObject, type JsonValue } from './value.ts';

const NO_ESCAPE_NEEDED = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const QUOTED = /["\\]/g;
const SHORT_ESCAPES = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

/**
 * The value as JSON text, numbers digit for digit and keys in their order; compact, or with `indent: 2` as
 * people read it. Control, bidi, invisible and half characters are always escaped, so the text parses to
 * the same value and cannot act on a terminal.
 */
export function printJson(value: JsonValue, options: { readonly indent?: 2 } = {}): string {
  const printer = options.indent === undefined ? new Printer('', ':', '') : new Printer('\n', ': ', '  ');
  printer.value(value, printer.newline);
  return printer.out;
}

class Printer {
  out = '';
  readonly newline: string;
  readonly #colon: string;
  readonly #step: string;

  constructor(newline: string, colon: string, step: string) {
    this.newline = newline;
    this.#colon = colon;
    this.#step = step;
  }

  value(value: JsonValue, newline: string): void {
    if (typeof value === 'string') this.out += quote(value);
    else if (value instanceof JsonNumber) this.out += value.text;
    else if (value === null || typeof value === 'boolean') this.out += String(value);
    else if (isJsonArray(value)) this.#array(value, newline);
    else this.#object(value, newline);
  }

  #object(object: JsonObject, newline: string): void {
    const inner = newline + this.#step;
    let before = `{${inner}`;
    for (const [key, member] of object) {
      this.out += before;
      this.out += quote(key);
      this.out += this.#colon;
      this.value(member, inner);
      before = `,${inner}`;
    }
    this.out += object.size === 0 ? '{}' : `${newline}}`;
  }

  #array(items: readonly JsonValue[], newline: string): void {
    const inner = newline + this.#step;
    let before = `[${inner}`;
    for (const item of items) {
      this.out += before;
      this.value(item, inner);
      before = `,${inner}`;
    }
    this.out += items.length === 0 ? '[]' : `${newline}]`;
  }
}

function quote(text: string): string {
  if (NO_ESCAPE_NEEDED.test(text)) return `"${text}"`;
  return `"${escapeUnsafe(text.replace(QUOTED, '\\$&'), escapeCodePoint)}"`;
}

function escapeCodePoint(codePoint: number): string {
  const short = SHORT_ESCAPES.get(codePoint);
  if (short !== undefined) return short;
  let out = '';
  for (const unit of String.fromCodePoint(codePoint).split('')) {
    out += `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
  return out;
}
