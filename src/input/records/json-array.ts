import { parseJson } from '../../json/parse.ts';
import { placeJsonFault, readElement } from './line-parser.ts';
import { type InputFault, MAX_RECORD_LENGTH, type RawRecord, type RecordBatch, type RecordParser } from './record.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const COMMA = 0x2c;

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === LF || unit === 0x0d || unit === 0x09;
}

function isOpening(unit: number): boolean {
  return unit === 0x5b || unit === 0x7b;
}

function isClosing(unit: number): boolean {
  return unit === 0x5d || unit === 0x7d;
}

/**
 * The elements of one JSON array, one at a time: a scanner finds where each begins and ends, and the strict
 * parser reads it. So a file of any size is read in little memory, and every number keeps its digits.
 */
export class JsonArrayParser implements RecordParser {
  readonly header = undefined;
  #text = '';
  /** Index in `#text` up to which the scanner has looked. */
  #scanned = 0;
  /** Where the element under way began, or -1 between elements. */
  #start = -1;
  #startLine = 1;
  #startColumn = 1;
  #line = 1;
  /** Index in `#text` of the first character of the present line; may be negative. */
  #lineStart = 0;
  #depth = 0;
  #inString = false;
  /** What the scanner waits for at the top: the array, an element or `]`, an element, a comma or `]`, nothing more. */
  #expects: 'array' | 'first' | 'element' | 'comma' | 'end' = 'array';
  #row = 0;
  #ended = false;
  #records: RawRecord[] = [];
  #faults: InputFault[] = [];

  get ended(): boolean {
    return this.#ended;
  }

  take(text: string, isLast: boolean): RecordBatch {
    this.#records = [];
    this.#faults = [];
    if (!this.#ended) {
      this.#text += text;
      this.#scan();
      this.#forgetScanned();
    }
    if (isLast && !this.#ended && this.#expects !== 'end') {
      this.#fail(
        this.#expects === 'array' ? 'there is no JSON array here' : 'the input ends before the array is closed',
      );
    }
    return { records: this.#records, faults: this.#faults };
  }

  currentLine(): number {
    return this.#line;
  }

  #scan(): void {
    const text = this.#text;
    while (this.#scanned < text.length && !this.#ended) {
      const unit = text.charCodeAt(this.#scanned);
      if (this.#inString) {
        if (!this.#skipString()) return;
        continue;
      }
      if (unit === LF) {
        this.#line += 1;
        this.#lineStart = this.#scanned + 1;
      }
      if (this.#start === -1) this.#between(unit);
      else this.#within(unit);
      this.#scanned += 1;
    }
  }

  /** Moves past the string under way; false when its end is not here yet. */
  #skipString(): boolean {
    const text = this.#text;
    for (let index = this.#scanned; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === BACKSLASH) {
        // The escaped character is not here yet: look at this backslash again with the next piece.
        if (index + 1 === text.length) {
          this.#scanned = index;
          return false;
        }
        index += 1;
      } else if (unit === QUOTE) {
        this.#inString = false;
        this.#scanned = index + 1;
        return true;
      } else if (unit === LF) {
        // A quote is missing, and the rest of the file would turn inside out.
        this.#scanned = index;
        this.#fail('a raw line break in a string');
        return false;
      }
    }
    this.#scanned = text.length;
    return false;
  }

  #between(unit: number): void {
    if (isSpace(unit)) return;
    if (this.#expects === 'array') {
      if (unit !== 0x5b) this.#fail('expected a JSON array, which begins with [');
      this.#expects = 'first';
    } else if (this.#expects === 'end') {
      this.#fail('something follows the end of the JSON array');
    } else if (unit === 0x5d && this.#expects !== 'element') {
      this.#expects = 'end';
    } else if (this.#expects === 'comma') {
      if (unit !== COMMA) this.#fail('expected "," or "]" after a row');
      this.#expects = 'element';
    } else if (unit === COMMA || unit === 0x5d) {
      this.#fail('expected a row');
    } else {
      this.#begin(unit);
    }
  }

  #begin(unit: number): void {
    this.#start = this.#scanned;
    this.#startLine = this.#line;
    this.#startColumn = this.#scanned - this.#lineStart + 1;
    this.#depth = 0;
    this.#within(unit);
  }

  #within(unit: number): void {
    if (unit === QUOTE) this.#inString = true;
    else if (isOpening(unit)) this.#depth += 1;
    else if (isClosing(unit) && this.#depth > 0) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#complete(this.#scanned + 1, 'comma');
    } else if (this.#depth === 0 && (unit === COMMA || unit === 0x5d)) {
      this.#complete(this.#scanned, unit === COMMA ? 'element' : 'end');
    }
  }

  #complete(end: number, expects: 'comma' | 'element' | 'end'): void {
    const text = this.#text.slice(this.#start, end);
    this.#start = -1;
    this.#expects = expects;
    this.#row += 1;
    try {
      const element = readElement(parseJson(text));
      if ('problem' in element) this.#faults.push({ line: this.#startLine, problem: element.problem });
      else this.#records.push({ row: this.#row, line: this.#startLine, ...element });
    } catch (error) {
      // Brackets may not pair up any more, so what would be read as the next row is a guess.
      this.#faults.push(placeJsonFault(error, this.#startLine, this.#startColumn));
      this.#ended = true;
    }
  }

  #fail(problem: string): void {
    this.#faults.push({ line: this.#line, column: String(this.#scanned - this.#lineStart + 1), problem });
    this.#ended = true;
  }

  /** Drops what was scanned and belongs to no element under way. */
  #forgetScanned(): void {
    const keepFrom = this.#start === -1 ? this.#scanned : this.#start;
    this.#text = this.#text.slice(keepFrom);
    this.#scanned -= keepFrom;
    this.#lineStart -= keepFrom;
    if (this.#start !== -1) this.#start = 0;
    if (this.#text.length > MAX_RECORD_LENGTH && !this.#ended) {
      this.#faults.push({
        line: this.#startLine,
        problem: 'a row of more than 8 million characters; nothing after it was read',
      });
      this.#ended = true;
    }
  }
}
