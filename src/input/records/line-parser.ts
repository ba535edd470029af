import { parseJson } from '../../json/parse.ts';
import { JsonSyntaxError } from '../../json/syntax-error.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';
import { showGiven } from '../given.ts';
import { type InputFault, MAX_RECORD_LENGTH, type RawRecord, type RecordBatch, type RecordParser } from './record.ts';

const ID_COLUMN: readonly string[] = ['id'];

/** What a line holds: a row, which may bring its own number, or what is wrong. `isEnd`: no line after it is read. */
export type Element =
  | (Omit<RawRecord, 'row' | 'line'> & { readonly row?: number })
  | { readonly problem: string; readonly isEnd?: boolean };

/** Makes names and values of one element of a JSON input, or says what is wrong with it. */
export function readElement(value: JsonValue): Element {
  if (isJsonObject(value)) return { names: [...value.keys()], values: [...value.values()] };
  // A list of ids as `jq '[.[].cardId]'` makes it.
  if (typeof value === 'string') return { names: ID_COLUMN, values: [value] };
  return { problem: `a row must be an object or an id, not ${showGiven(value)}` };
}

/** Where a JSON fault lies in the whole input, when its text began at `line` and `column`. */
export function placeJsonFault(error: unknown, line: number, column: number): InputFault {
  if (!(error instanceof JsonSyntaxError)) throw error;
  const place = error.line === 1 ? column + error.column - 1 : error.column;
  return { line: line + error.line - 1, column: String(place), problem: error.reason };
}

/** A line of NDJSON. */
export function readJsonLine(text: string): Element {
  if (text !== '{') return readElement(parseJson(text));
  // A document that is printed over many lines would be a fault in each of them.
  const problem = 'one JSON object over several lines; give an array, or one object a line (-o ndjson prints that)';
  return { problem, isEnd: true };
}

/** One row per line: NDJSON, a list of ids, or a plan. Blank lines are skipped; spaces around a line do not count. */
export class LineParser implements RecordParser {
  readonly header = undefined;
  readonly #read: (text: string, line: number) => Element | undefined;
  #text = '';
  #line = 1;
  #row = 0;
  #ended = false;

  /** `read` returns undefined for a line that is no row. */
  constructor(read: (text: string, line: number) => Element | undefined) {
    this.#read = read;
  }

  get ended(): boolean {
    return this.#ended;
  }

  currentLine(): number {
    return this.#line;
  }

  take(added: string, isLast: boolean): RecordBatch {
    const records: RawRecord[] = [];
    const faults: InputFault[] = [];
    const text = this.#text + added;
    let index = 0;
    let nextReturn = -1;
    while (index < text.length && !this.#ended) {
      if (nextReturn < index) nextReturn = text.indexOf('\r', index);
      if (nextReturn === -1) nextReturn = text.length;
      const feed = text.indexOf('\n', index);
      const end = Math.min(feed === -1 ? text.length : feed, nextReturn);
      const isCut = end === text.length || (end === nextReturn && end + 1 === text.length);
      if (isCut && !isLast) break;
      this.#readLine(text.slice(index, end), records, faults);
      this.#line += 1;
      index = end + (end === nextReturn && feed === end + 1 ? 2 : 1);
    }
    this.#text = text.slice(index);
    if (this.#text.length > MAX_RECORD_LENGTH) {
      this.#ended = true;
      faults.push({ line: this.#line, problem: 'a line of more than 8 million characters; nothing after it was read' });
    }
    return { records, faults };
  }

  #readLine(text: string, records: RawRecord[], faults: InputFault[]): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    const line = this.#line;
    try {
      const element = this.#read(trimmed, line);
      if (element === undefined) return;
      this.#row += 1;
      if ('problem' in element) {
        this.#ended = element.isEnd === true;
        faults.push({ line, problem: element.problem });
      } else records.push({ row: this.#row, line, ...element });
    } catch (error) {
      this.#row += 1;
      faults.push(placeJsonFault(error, line, 1 + text.length - text.trimStart().length));
    }
  }
}
