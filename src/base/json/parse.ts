import { countFrom, shorten } from './shorten.ts';
import { type JsonProblem, JsonSyntaxError } from './syntax-error.ts';
import { isJsonObject, JsonNumber, type JsonValue, rememberLength, rememberText } from './value.ts';

/** Most levels of arrays and objects. Deeper texts are refused (docs/faults.md B20). */
const MAX_DEPTH = 256;

/** Names in messages and paths are cut to this many UTF-16 units. */
const MAX_NAME_LENGTH = 60;

/**
 * Reads one JSON document without loss: numbers keep their digits, objects their order and every key (also
 * `__proto__`). Stricter than `JSON.parse`: refuses duplicate keys and nesting past `maxDepth`. Accepts one byte order
 * mark. Linear in the length. Throws `JsonSyntaxError`. `maxValues` limits the values
 * in it. `remembers`: an object whose text is compact and plain keeps it for `printJson`.
 */
export function parseJson(
  text: string,
  options: { readonly maxDepth?: number; readonly maxValues?: number; readonly remembers?: boolean } = {},
): JsonValue {
  const { maxDepth, maxValues, remembers = false } = options;
  const parser = new Parser(text, maxDepth, maxValues);
  const value = parser.document();
  // All empty objects are the same one, which has no text.
  if (remembers && isJsonObject(value) && value.size > 0) {
    if (text.length > MAX_REMEMBERED) rememberLength(value, text.length);
    const compact = text.length > MAX_REMEMBERED ? undefined : parser.compact;
    if (compact !== undefined && PLAIN.test(compact)) rememberText(value, compact);
  }
  return value;
}

/** Reads the JSON value at the beginning of a text, and returns its end. Ignores what follows. */
export function parseBeginning(text: string): { readonly value: JsonValue; readonly end: number } {
  return new Parser(text).beginning();
}

/** A longer text is printed in pieces. */
const MAX_REMEMBERED = 65_536;
/** Characters that need no escape. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_E = 0x65;
/** Bit that tells e from E. */
const LOWER_CASE = 0x20;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Values without parts are made once: a hostile response of millions of them must not fill the memory. */
const DIGITS: readonly JsonNumber[] = Array.from('0123456789', (digit) => new JsonNumber(digit));
const NO_MEMBERS: ReadonlyMap<string, JsonValue> = new Map();
const NO_ITEMS: readonly JsonValue[] = [];

/** V8 makes room for this many items when an array gets its first one. */
const SPARE_ITEMS = 17;

/** Names kept for reuse: the rows of a list share their names. */
const MAX_KNOWN_NAMES = 1000;

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  /** Spaces skipped so far. */
  #skipped = 0;
  /** The text that was read, without surrounding space; undefined if there are spaces in it. */
  compact: string | undefined;
  #values = 0;
  #index = 0;
  readonly #path: (string | number)[] = [];
  readonly #names = new Map<string, string>();

  constructor(text: string, maxDepth = MAX_DEPTH, maxValues = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === 0xfeff) this.#index = 1;
    this.#skipSpace();
    if (this.#index === this.#text.length) this.#fail('syntax', 'there is no JSON here, the text is empty');
    const [start, skipped] = [this.#index, this.#skipped];
    const value = this.#value();
    if (this.#skipped === skipped) this.compact = this.#text.slice(start, this.#index);
    this.#skipSpace();
    if (this.#index < this.#text.length) {
      const isComma = this.#text.slice(this.#index).trim() === ',';
      const what = isComma ? 'a comma after the end' : 'there is text after the end of the JSON document';
      this.#fail('syntax', isComma ? `${what}: delete it` : what);
    }
    return value;
  }

  beginning(): { readonly value: JsonValue; readonly end: number } {
    return { value: this.#value(), end: this.#index };
  }

  #value(): JsonValue {
    this.#count();
    switch (this.#text.charCodeAt(this.#index)) {
      case QUOTE:
        return this.#string();
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_ARRAY:
        return this.#array();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(): JsonValue {
    const depth = this.#enter('');
    if (this.#next() === CLOSE_OBJECT) return this.#leave(NO_MEMBERS);
    const members = new Map<string, JsonValue>();
    this.#count();
    for (;;) {
      if (this.#text.charCodeAt(this.#index) !== QUOTE) this.#fail('syntax', 'expected a name in double quotes', 1);
      const start = this.#index;
      const key = this.#name();
      this.#path[depth] = key;
      if (members.has(key)) {
        this.#index = start;
        this.#fail(
          'duplicate_key',
          `the name ${JSON.stringify(shorten(key, MAX_NAME_LENGTH))} occurs twice in one object`,
        );
      }
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#index) !== COLON) this.#fail('syntax', 'expected ":" after the name');
      this.#next();
      const value = this.#value();
      members.set(key, value);
      this.#skipSpace();
      const after = this.#text.charCodeAt(this.#index);
      if (after === CLOSE_OBJECT) return this.#leave(members);
      if (after !== COMMA) this.#fail('syntax', 'expected "," or "}"');
      if (this.#next() === CLOSE_OBJECT) this.#fail('syntax', 'a comma after the last member: delete it', 1);
    }
  }

  #name(): string {
    const name = this.#string();
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size < MAX_KNOWN_NAMES) this.#names.set(name, name);
    else this.#count(3);
    return name;
  }

  #array(): JsonValue {
    const depth = this.#enter(0);
    if (this.#next() === CLOSE_ARRAY) return this.#leave(NO_ITEMS);
    const items: JsonValue[] = [];
    for (;;) {
      this.#path[depth] = items.length;
      items.push(this.#value());
      this.#skipSpace();
      const after = this.#text.charCodeAt(this.#index);
      // A copy has no spare room, which many small arrays would waste.
      if (after === CLOSE_ARRAY) return this.#leave(items.length < SPARE_ITEMS ? items.slice() : items);
      if (after !== COMMA) this.#fail('syntax', 'expected "," or "]"');
      if (this.#next() === CLOSE_ARRAY) this.#fail('syntax', 'a comma after the last element: delete it');
    }
  }

  #enter(first: string | number): number {
    const depth = this.#path.length;
    if (depth >= this.#maxDepth) this.#fail('too_deep', `nested deeper than ${this.#maxDepth} levels`);
    this.#path.push(first);
    return depth;
  }

  #leave<T extends JsonValue>(value: T): T {
    this.#path.pop();
    this.#index += 1;
    return value;
  }

  /** Steps over one character and the space after it. Returns the next character code. */
  #next(): number {
    this.#index += 1;
    this.#skipSpace();
    return this.#text.charCodeAt(this.#index);
  }

  #string(): string {
    const text = this.#text;
    const start = this.#index + 1;
    let index = start;
    let escaped = false;
    for (;;) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) break;
      if (unit === BACKSLASH) {
        escaped = true;
        index += 2;
      } else if (unit >= 0x20) {
        index += 1;
      } else {
        this.#index = Math.min(index, text.length);
        this.#fail(
          'syntax',
          index >= text.length ? 'the text ends inside a string' : 'a raw control character in a string',
        );
      }
    }
    this.#index = index + 1;
    if (!escaped) return text.slice(start, index);
    return this.#unescape(start, index);
  }

  #unescape(start: number, end: number): string {
    try {
      // V8's own reader of a string literal: fast, and exact about escapes and lone surrogates.
      return String(JSON.parse(this.#text.slice(start - 1, end + 1)));
    } catch {
      const wrongEscape = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})|\\./g;
      wrongEscape.lastIndex = start;
      for (let match = wrongEscape.exec(this.#text); match !== null; match = wrongEscape.exec(this.#text)) {
        if (match[0].length > 1) continue;
        this.#index = match.index;
        break;
      }
      return this.#fail('syntax', 'an escape that JSON does not know');
    }
  }

  #number(): JsonValue {
    const text = this.#text;
    const start = this.#index;
    let index = text.charCodeAt(start) === MINUS ? start + 1 : start;
    const whole = index;
    index = this.#digits(index);
    const hasLeadingZero = index - whole > 1 && text.charCodeAt(whole) === ZERO;
    if (text.charCodeAt(index) === POINT) index = this.#digits(index + 1);
    if ((text.charCodeAt(index) | LOWER_CASE) === LETTER_E) {
      const sign = text.charCodeAt(index + 1);
      index = this.#digits(sign === MINUS || sign === PLUS ? index + 2 : index + 1);
    }
    if (hasLeadingZero) this.#fail('syntax', 'a number cannot have leading zeros');
    this.#index = index;
    // Most numbers of a long list are short. They share one object each.
    if (index - start === 1) return DIGITS[text.charCodeAt(start) - ZERO] ?? new JsonNumber(text[start] ?? '');
    return new JsonNumber(text.slice(start, index));
  }

  /** Counts a value, the table of an object, or a name of its own. */
  /** A name that no other object shares takes as much as three values: its text, and its place in a large map. */
  #count(values = 1): void {
    this.#values += values;
    if (this.#values > this.#maxValues) this.#fail('too_many', 'too many values to hold in memory');
  }

  /** The end of the digits that must begin at `index`. */
  #digits(index: number): number {
    let end = index;
    for (;;) {
      const unit = this.#text.charCodeAt(end);
      if (!(unit >= ZERO && unit <= NINE)) break;
      end += 1;
    }
    if (end > index) return end;
    const isStart = index === this.#index;
    this.#index = Math.min(index, this.#text.length);
    if (this.#index === this.#text.length) this.#fail('syntax', 'the text ends too early');
    return this.#fail('syntax', isStart ? 'expected a value' : 'expected a digit');
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#index)) this.#fail('syntax', 'expected a value');
    this.#index += word.length;
    return value;
  }

  #skipSpace(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#index);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#skipped += 1;
      this.#index += 1;
    }
  }

  /** Throws at the present position. `outside` leaves that many levels out of the path. */
  #fail(problem: JsonProblem, what: string, outside = 0): never {
    const before = this.#text.slice(0, this.#index);
    let line = 1;
    for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1;
    const start = before.lastIndexOf('\n') + 1;
    const mark = start === 0 && before.startsWith('\ufeff') ? 1 : 0;
    const column = 1 + countFrom(before, start + mark);
    const names = outside === 0 ? this.#path : this.#path.slice(0, -outside);
    const path = names.slice(0, 12).map((name) => shorten(String(name), MAX_NAME_LENGTH));
    if (names.length > path.length) path.push('…');
    throw new JsonSyntaxError(problem, what, { line, column, offset: this.#index, path: path.join('.') });
  }
}
