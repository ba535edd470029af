import { parseBeginning, parseJson } from '../../base/json/parse.ts';
import { JsonSyntaxError } from '../../base/json/syntax-error.ts';
import { isJsonObject, type JsonValue } from '../../base/json/value.ts';
import { showValue } from '../values.ts';
import { type Element, type InputFault, RecordParser } from './record.ts';

const ID_COLUMN: readonly string[] = ['id'];

export function readElement(value: JsonValue): Element {
  if (isJsonObject(value)) return { names: [...value.keys()], values: [...value.values()], object: value };
  // A list of IDs, as `jq '[.[].cardId]'` makes it.
  if (typeof value === 'string') return { names: ID_COLUMN, values: [value] };
  return { kind: 'element', problem: `a row must be an object or an id, not ${showValue(value)}` };
}

/** The place of a JSON fault in the whole input, if its text began at `line` and `column`. */
function placeJsonFault(error: unknown, line: number, column: number): InputFault {
  if (!(error instanceof JsonSyntaxError)) throw error;
  const place = error.line === 1 ? column + error.column - 1 : error.column;
  return { line: line + error.line - 1, column: String(place), problem: error.reason };
}

export function readJsonLine(text: string): Element {
  if (text !== '{') return { ...readElement(parseJson(text)), text };
  // A document printed over several lines would be a fault on each of them.
  const problem = 'a JSON object over several lines. Give an array, or one object per line (-o ndjson prints that)';
  return { problem, isEnd: true };
}

/** One row per line: NDJSON, or a list of IDs. Blank lines are skipped; spaces around a line do not count. */
export class LineParser extends RecordParser {
  readonly #read: (text: string) => Element;

  constructor(read: (text: string) => Element) {
    super('a line of more than 8 million characters. Nothing after it was read');
    this.#read = read;
  }

  protected override readNext(start: number, isLast: boolean): number | undefined {
    const end = this.endOfLine(start, isLast);
    if (end === undefined) return undefined;
    this.#readLine(this.text.slice(start, end.at));
    this.line += 1;
    return end.next;
  }

  #readLine(text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    try {
      this.addElement(this.#read(trimmed));
    } catch (error) {
      this.row += 1;
      const fault = placeJsonFault(error, this.line, 1 + text.length - text.trimStart().length);
      this.faults.push({ ...fault, ofRow: this.row });
    }
  }
}

/** What comes next: the array, an element or `]`, an element, a comma or `]`, nothing. */
type Expected = 'array' | 'first' | 'element' | 'comma' | 'end';

const AFTER: Readonly<Record<Expected, Readonly<Record<string, Expected>>>> = {
  array: { '[': 'first' },
  first: { ']': 'end' },
  element: {},
  comma: { ',': 'element', ']': 'end' },
  end: {},
};

const PROBLEMS: Readonly<Record<Expected, string>> = {
  array: 'expected a JSON array, which starts with [',
  first: 'expected a row',
  element: 'expected a row',
  comma: 'expected "," or "]" after a row',
  end: 'there is text after the end of the JSON array',
};

const SPACE = /[ \t\r\n]*/y;
/** `false` may be cut off at the end of a piece. */
const LONGEST_WORD = 5;

/** The elements of one JSON array. What is incomplete is read again, so a file of any size needs little memory. */
export class JsonArrayParser extends RecordParser {
  #expected: Expected = 'array';
  #column = 1;

  constructor() {
    super('a row of more than 8 million characters. Nothing after it was read');
  }

  protected override readNext(start: number, isLast: boolean): number | undefined {
    SPACE.lastIndex = start;
    SPACE.test(this.text);
    if (SPACE.lastIndex > start) return this.#pass(start, SPACE.lastIndex);
    const sign = this.text[start] ?? '';
    const mayBeRow = this.#expected === 'first' || this.#expected === 'element';
    if (mayBeRow && sign !== ',' && sign !== ']') return this.#readElement(start, isLast);
    const next = AFTER[this.#expected][sign];
    if (next === undefined) {
      const isTrailing = this.#expected === 'element' && sign === ']';
      this.#fail(isTrailing ? 'a comma after the last row: delete it' : PROBLEMS[this.#expected]);
      return undefined;
    }
    this.#expected = next;
    return this.#pass(start, start + 1);
  }

  protected override atEnd(): void {
    if (this.#expected === 'end') return;
    this.#pass(0, this.text.length);
    const isEmpty = this.#expected === 'array';
    this.#fail(isEmpty ? 'there is no JSON array here' : 'the input ends before the array is closed');
  }

  #readElement(start: number, isLast: boolean): number | undefined {
    const rest = this.text.slice(start);
    try {
      const { value, end } = parseBeginning(rest);
      // A number may continue in the next piece.
      if (end === rest.length && !isLast) return undefined;
      this.addElement({ ...readElement(value), text: rest.slice(0, end) });
      this.#expected = 'comma';
      return this.#pass(start, start + end);
    } catch (error) {
      const missing = error instanceof JsonSyntaxError ? rest.length - error.offset : Number.NaN;
      if (isLast ? missing === 0 : missing < LONGEST_WORD) return undefined;
      const fault = placeJsonFault(error, this.line, this.#column);
      // A quote is missing, so the rest of the file would be read inside out.
      const isBreak = rest[rest.length - missing] === '\n';
      this.endWith(isBreak ? { ...fault, problem: 'a raw line break in a string' } : fault);
      return undefined;
    }
  }

  /** Moves behind this part of the text, and returns its end. */
  #pass(start: number, end: number): number {
    this.#column += end - start;
    const passed = this.text.slice(start, end);
    for (let at = passed.indexOf('\n'); at !== -1; at = passed.indexOf('\n', at + 1)) {
      this.line += 1;
      this.#column = passed.length - at;
    }
    return end;
  }

  #fail(problem: string): void {
    this.endWith({ line: this.line, column: String(this.#column), problem });
  }
}
