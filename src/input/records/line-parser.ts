import { parseJson } from '../../json/parse.ts';
import { JsonSyntaxError } from '../../json/syntax-error.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';
import { showValue } from '../quote-value.ts';
import { type Element, type InputFault, RecordParser } from './record.ts';

const ID_COLUMN: readonly string[] = ['id'];

/** Makes names and values of one element of a JSON input, or says what is wrong with it. */
export function readElement(value: JsonValue): Element {
  if (isJsonObject(value)) return { names: [...value.keys()], values: [...value.values()], object: value };
  // A list of ids as `jq '[.[].cardId]'` makes it.
  if (typeof value === 'string') return { names: ID_COLUMN, values: [value] };
  return { problem: `a row must be an object or an id, not ${showValue(value)}` };
}

/** Where a JSON fault lies in the whole input, when its text began at `line` and `column`. */
export function placeJsonFault(error: unknown, line: number, column: number): InputFault {
  if (!(error instanceof JsonSyntaxError)) throw error;
  const place = error.line === 1 ? column + error.column - 1 : error.column;
  return { line: line + error.line - 1, column: String(place), problem: error.reason };
}

/** A line of NDJSON. */
export function readJsonLine(text: string): Element {
  if (text !== '{') return { ...readElement(parseJson(text)), text };
  // A document that is printed over many lines would be a fault in each of them.
  const problem = 'a JSON object over several lines. Give an array, or one object per line (-o ndjson prints that)';
  return { problem, isEnd: true };
}

/** One row per line: NDJSON, or a list of ids. Blank lines are skipped; spaces around a line do not count. */
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
      const element = this.#read(trimmed);
      this.addElement(element);
      this.ended = 'problem' in element && element.isEnd === true;
    } catch (error) {
      this.row += 1;
      this.faults.push(placeJsonFault(error, this.line, 1 + text.length - text.trimStart().length));
    }
  }
}
