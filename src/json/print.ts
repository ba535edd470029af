import { endOfSlice, escapeUnsafe } from './unsafe-characters.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue, rememberedText } from './value.ts';

const NO_ESCAPE_NEEDED = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const QUOTED = /["\\]/g;
/** Escapes by code point: the short ones, and those that were needed once. */
const ESCAPES = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
]);

interface PrintOptions {
  /** As people read it; without it the text is compact. */
  readonly indent?: 2;
}

/**
 * The value as JSON text, numbers digit for digit and keys in their order; compact, or with `indent: 2` as
 * people read it. Control, bidi, invisible and half characters are always escaped, so the text parses to
 * the same value and cannot act on a terminal.
 */
export function printJson(value: JsonValue, options: PrintOptions = {}): string {
  const known = options.indent === undefined ? rememberedText(value) : undefined;
  if (known !== undefined) return known;
  let text = '';
  for (const piece of printJsonPieces(value, options)) text += piece;
  return text;
}

/** The compact JSON as UTF-8, in pieces: a value of megabytes is never in memory as one text. */
export function jsonBytes(value: JsonValue): Buffer[] {
  return Array.from(printJsonPieces(value), (piece) => Buffer.from(piece));
}

/** A piece is handed over as soon as it has this many UTF-16 units. */
const PIECE_LENGTH = 65_536;

/**
 * The JSON in pieces, for values of megabytes: indented, one that is nested deep is far longer than the
 * longest string there can be. `margin` stands after each line end.
 */
export function* printJsonPieces(
  value: JsonValue,
  options: PrintOptions & { readonly margin?: string } = {},
): Generator<string, void, undefined> {
  const printer = new Printer(options.indent !== undefined);
  yield* printer.print(value, options.indent === undefined ? '' : `\n${options.margin ?? ''}`);
  yield printer.take();
}

type JsonLayout = Parameters<typeof printJsonPieces>[1] & {
  /** Stands before the document. */
  readonly before?: string;
  /** Stands after it. */
  readonly after?: string;
};

/** Writes a value as JSON. A long document goes out in pieces, each awaited, and is never whole in memory. */
export async function writeJson(
  value: JsonValue,
  layout: JsonLayout,
  sink: { write(text: string): Promise<void> },
): Promise<void> {
  const { before = '', after = '', ...print } = layout;
  let text = before;
  for (const piece of printJsonPieces(value, print)) {
    if (text.length >= PIECE_LENGTH) {
      await sink.write(text);
      text = '';
    }
    text += piece;
  }
  await sink.write(text + after);
}

/** Prints value by value, and gives a piece away as soon as it is long enough. */
class Printer {
  #out = '';
  readonly #isIndented: boolean;

  constructor(isIndented: boolean) {
    this.#isIndented = isIndented;
  }

  take(): string {
    const piece = this.#out;
    this.#out = '';
    // A text that was put together keeps its parts, several times as long, until it is first looked into.
    piece.includes('\n');
    return piece;
  }

  /** `lineEnd`: a line break and what the lines of the value begin with; empty in a compact text. */
  *print(value: JsonValue, lineEnd: string): Generator<string, void, undefined> {
    const text = shortText(value, this.#isIndented);
    if (text !== undefined) this.#out += text;
    else if (typeof value === 'string') yield* this.#slices(value);
    else if (isJsonArray(value) || isJsonObject(value)) yield* this.#parts(value, lineEnd);
  }

  *#parts(value: readonly JsonValue[] | JsonObject, lineEnd: string): Generator<string, void, undefined> {
    const [open, close] = isJsonArray(value) ? ['[', ']'] : ['{', '}'];
    const inner = this.#isIndented ? `${lineEnd}  ` : '';
    const colon = this.#isIndented ? ': ' : ':';
    let before = open;
    for (const [name, part] of value.entries()) {
      this.#out += before + inner;
      if (typeof name === 'string') this.#out += quote(name) + colon;
      const text = shortText(part, this.#isIndented);
      if (text === undefined) yield* this.print(part, inner);
      else this.#out += text;
      if (this.#out.length >= PIECE_LENGTH) yield this.take();
      before = ',';
    }
    this.#out += lineEnd + close;
  }

  /** A long text is quoted in slices. */
  *#slices(text: string): Generator<string, void, undefined> {
    this.#out += '"';
    for (let at = 0; at < text.length; ) {
      const end = endOfSlice(text, at, PIECE_LENGTH);
      this.#out += escapeText(text.slice(at, end));
      at = end;
      yield this.take();
    }
    this.#out += '"';
  }
}

/** What is printed in one step; undefined: the value takes several. */
function shortText(value: JsonValue, isIndented: boolean): string | undefined {
  if (typeof value === 'string') return value.length <= PIECE_LENGTH ? quote(value) : undefined;
  if (value instanceof JsonNumber) return value.text;
  if (value === null || typeof value === 'boolean') return String(value);
  if (isJsonArray(value)) return value.length === 0 ? '[]' : undefined;
  if (value.size === 0) return '{}';
  return isIndented ? undefined : rememberedText(value);
}

function quote(text: string): string {
  return NO_ESCAPE_NEEDED.test(text) ? `"${text}"` : `"${escapeText(text)}"`;
}

function escapeText(text: string): string {
  return escapeUnsafe(text.replace(QUOTED, '\\$&'), escapeCodePoint);
}

function escapeCodePoint(codePoint: number): string {
  const known = ESCAPES.get(codePoint);
  if (known !== undefined) return known;
  let written = '';
  for (const unit of String.fromCodePoint(codePoint).split('')) {
    written += `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
  ESCAPES.set(codePoint, written);
  return written;
}
