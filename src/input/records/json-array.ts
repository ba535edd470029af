import { parseBeginning } from '../../json/parse.ts';
import { JsonSyntaxError } from '../../json/syntax-error.ts';
import { placeJsonFault, readElement } from './line-parser.ts';
import { RecordParser } from './record.ts';

/** What comes next at the top: the array, an element or `]`, an element, a comma or `]`, nothing more. */
type Expected = 'array' | 'first' | 'element' | 'comma' | 'end';

const AFTER: Readonly<Record<Expected, Readonly<Record<string, Expected>>>> = {
  array: { '[': 'first' },
  first: { ']': 'end' },
  element: {},
  comma: { ',': 'element', ']': 'end' },
  end: {},
};

const PROBLEMS: Readonly<Record<Expected, string>> = {
  array: 'expected a JSON array, which begins with [',
  first: 'expected a row',
  element: 'expected a row',
  comma: 'expected "," or "]" after a row',
  end: 'something follows the end of the JSON array',
};

const SPACE = /[ \t\r\n]*/y;
/** `false` that is cut off is no error yet. */
const LONGEST_WORD = 5;

/**
 * The elements of one JSON array, one at a time: what is not complete yet is read again with more text. So a file of any
 * size is read in little memory, and every number keeps its digits.
 */
export class JsonArrayParser extends RecordParser {
  #expected: Expected = 'array';
  #index = 0;
  /** Index of the first character of the present line; may be negative. */
  #lineStart = 0;
  /** Length from which on the text is read again: twice what was too short, so that a long row is not read many times. */
  #enough = 0;

  constructor() {
    super('a row of more than 8 million characters; nothing after it was read');
  }

  protected override read(isLast: boolean, isAll: boolean): number {
    const { text } = this;
    this.#index = 0;
    if (isLast || isAll || text.length >= this.#enough) {
      while (!this.ended && this.#readNext(isLast)) {
        // each call takes one element or one sign between two
      }
      this.#enough = 2 * (text.length - this.#index);
    }
    if (isLast && !this.ended && this.#expected !== 'end') {
      this.#stepTo(text.length);
      const isEmpty = this.#expected === 'array';
      this.#fail(isEmpty ? 'there is no JSON array here' : 'the input ends before the array is closed');
    }
    this.#lineStart -= this.#index;
    return this.#index;
  }

  /** False: nothing more is complete. */
  #readNext(isLast: boolean): boolean {
    SPACE.lastIndex = this.#index;
    SPACE.test(this.text);
    this.#stepTo(SPACE.lastIndex);
    const sign = this.text[this.#index];
    if (sign === undefined) return false;
    const next = AFTER[this.#expected][sign];
    const isElement = (this.#expected === 'first' || this.#expected === 'element') && sign !== ',' && sign !== ']';
    if (isElement) return this.#readElement(isLast);
    if (next === undefined) {
      this.#fail(PROBLEMS[this.#expected]);
      return false;
    }
    this.#expected = next;
    this.#index += 1;
    return true;
  }

  #readElement(isLast: boolean): boolean {
    const rest = this.text.slice(this.#index);
    try {
      const { value, end } = parseBeginning(rest);
      // A number may go on in the next piece.
      if (end === rest.length && !isLast) return false;
      this.addElement(readElement(value));
      this.#stepTo(this.#index + end);
      this.#expected = 'comma';
      return true;
    } catch (error) {
      const missing = error instanceof JsonSyntaxError ? rest.length - error.offset : Number.NaN;
      if (isLast ? missing === 0 : missing < LONGEST_WORD) return false;
      const fault = placeJsonFault(error, this.line, this.#column);
      // A quote is missing, and the rest of the file would turn inside out.
      const isBreak = rest[rest.length - missing] === '\n';
      this.endWith(isBreak ? { ...fault, problem: 'a raw line break in a string' } : fault);
      return false;
    }
  }

  get #column(): number {
    return this.#index - this.#lineStart + 1;
  }

  #stepTo(end: number): void {
    const passed = this.text.slice(this.#index, end);
    for (let at = passed.indexOf('\n'); at !== -1; at = passed.indexOf('\n', at + 1)) {
      this.line += 1;
      this.#lineStart = this.#index + at + 1;
    }
    this.#index = end;
  }

  #fail(problem: string): void {
    this.endWith({ line: this.line, column: String(this.#column), problem });
  }
}
