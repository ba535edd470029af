import { endOfSlice, escapeUnsafe } from './unsafe-characters.ts';
import { isJsonArray, JsonNumber, type JsonObject, type JsonValue, rememberedText } from './value.ts';

const NO_ESCAPE_NEEDED = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const QUOTED = /["\\]/g;
/** Escapes by code point, filled as they are needed. */
const ESCAPES = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

interface PrintOptions {
  /** Indented for people; otherwise compact. */
  readonly indent?: 2;
}

/**
 * The value as JSON text, numbers digit for digit and keys in their order. Control, bidi, invisible and half characters
 * are always escaped, so the text parses to the same value and cannot act on a terminal.
 */
export function printJson(value: JsonValue, options: PrintOptions = {}): string {
  const known = options.indent === undefined ? rememberedText(value) : undefined;
  if (known !== undefined) return known;
  let text = '';
  for (const piece of printJsonPieces(value, options)) text += piece;
  return text;
}

/** The compact JSON as UTF-8 in pieces: a value of megabytes is never one text in memory. */
export function jsonBytes(value: JsonValue): Buffer[] {
  return Array.from(printJsonPieces(value), (piece) => Buffer.from(piece));
}

const PIECE_LENGTH = 65_536;

/** The JSON in pieces: an indented deep value can exceed the longest string. `margin` follows each line end. */
export function* printJsonPieces(
  value: JsonValue,
  options: PrintOptions & { readonly margin?: string } = {},
): Generator<string, void, undefined> {
  const printer = new Printer(options.indent === undefined ? undefined : (options.margin ?? ''));
  printer.begin(value);
  while (printer.step()) if (printer.out.length >= PIECE_LENGTH) yield printer.take();
  yield printer.take();
}

/** Writes a value as JSON. A long document is written in pieces, each awaited, and is never whole in memory. */
export async function writeJson(
  value: JsonValue,
  layout: Parameters<typeof printJsonPieces>[1] & { readonly before?: string; readonly after?: string },
  sink: { write(text: string): Promise<void> },
): Promise<void> {
  const { before = '', after = '', ...print } = layout;
  let held: string | undefined;
  for (const piece of printJsonPieces(value, print)) {
    if (held === undefined) {
      held = before + piece;
    } else {
      await sink.write(held);
      held = piece;
    }
  }
  await sink.write(`${held ?? before}${after}`);
}

/** An object or a list that is printed in part. */
interface Level {
  readonly parts: Iterator<readonly [string | number, JsonValue]>;
  readonly close: ']' | '}';
  readonly newline: string;
  isBegun: boolean;
}

/** Prints one value per step, so that the reader never waits for all of it. */
class Printer {
  out = '';
  readonly #isCompact: boolean;
  readonly #newline: string;
  readonly #colon: string;
  readonly #step: string;
  readonly #levels: Level[] = [];
  /** The rest of a long text, quoted in slices. */
  #rest: { readonly text: string; at: number } | undefined;

  /** `margin`: indented, with this after each line end; undefined: compact. */
  constructor(margin: string | undefined) {
    this.#isCompact = margin === undefined;
    this.#newline = margin === undefined ? '' : `\n${margin}`;
    this.#colon = margin === undefined ? ':' : ': ';
    this.#step = margin === undefined ? '' : '  ';
  }

  take(): string {
    const piece = this.out;
    this.out = '';
    // A concatenated text keeps its parts, several times its length, until it is first searched.
    piece.includes('\n');
    return piece;
  }

  begin(value: JsonValue): void {
    if (typeof value === 'string') this.#text(value);
    else if (value instanceof JsonNumber) this.out += value.text;
    else if (value === null || typeof value === 'boolean') this.out += String(value);
    else {
      const known = this.#isCompact ? rememberedText(value) : undefined;
      if (known === undefined) this.#open(value);
      else this.out += known;
    }
  }

  /** Returns false when everything is printed. */
  step(): boolean {
    if (this.#rest !== undefined) {
      this.#slice(this.#rest);
      return true;
    }
    const level = this.#levels.at(-1);
    if (level === undefined) return false;
    const next = level.parts.next();
    if (next.done === true) {
      this.#levels.pop();
      this.out += this.#lineEnd() + level.close;
      return true;
    }
    const [name, part] = next.value;
    this.out += level.isBegun ? `,${level.newline}` : level.newline;
    level.isBegun = true;
    if (typeof name === 'string') this.out += quote(name) + this.#colon;
    this.begin(part);
    return true;
  }

  #lineEnd(): string {
    return this.#levels.at(-1)?.newline ?? this.#newline;
  }

  #open(value: readonly JsonValue[] | JsonObject): void {
    const [open, close, size] = isJsonArray(value)
      ? (['[', ']', value.length] as const)
      : (['{', '}', value.size] as const);
    this.out += size === 0 ? open + close : open;
    if (size > 0)
      this.#levels.push({ parts: value.entries(), close, newline: this.#lineEnd() + this.#step, isBegun: false });
  }

  #text(text: string): void {
    if (text.length <= PIECE_LENGTH) {
      this.out += quote(text);
      return;
    }
    this.out += '"';
    this.#rest = { text, at: 0 };
  }

  #slice(rest: { readonly text: string; at: number }): void {
    const end = endOfSlice(rest.text, rest.at, PIECE_LENGTH);
    this.out += escapeUnsafe(rest.text.slice(rest.at, end).replace(QUOTED, '\\$&'), escapeCodePoint);
    rest.at = end;
    if (end < rest.text.length) return;
    this.#rest = undefined;
    this.out += '"';
  }
}

function quote(text: string): string {
  if (NO_ESCAPE_NEEDED.test(text)) return `"${text}"`;
  return `"${escapeUnsafe(text.replace(QUOTED, '\\$&'), escapeCodePoint)}"`;
}

/** The JSON escape: `\n`, `\u202e`. */
export function escapeCodePoint(codePoint: number): string {
  const known = ESCAPES.get(codePoint);
  if (known !== undefined) return known;
  let written = '';
  for (const unit of String.fromCodePoint(codePoint).split('')) {
    written += `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
  ESCAPES.set(codePoint, written);
  return written;
}
