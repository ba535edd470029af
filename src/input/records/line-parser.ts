import { parseJson } from '../../json/parse.ts';
import { JsonSyntaxError } from '../../json/syntax-error.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';
import { showGiven } from '../given.ts';
import { type InputFault, MAX_RECORD_LENGTH, type RawRecord, type RecordBatch, type RecordParser } from './record.ts';

const ID_COLUMN: readonly string[] = ['id'];

/** Makes names and values of one element of a JSON input, or says what is wrong with it. */
export function readElement(value: JsonValue): Pick<RawRecord, 'names' | 'values'> | { readonly problem: string } {
  if (isJsonObject(value)) return { names: [...value.keys()], values: [...value.values()] };
  // A list of ids as `jq '[.[].cardId]'` makes it.
  if (typeof value === 'string') return { names: ID_COLUMN, values: [value] };
  return { problem: `a row must be an object or an id, not ${showGiven(value)}` };
}

/** Where a JSON fault lies in the whole input, when its text began at `line` and `column`. */
export function placeJsonFault(error: unknown, line: number, column: number): InputFault {
  if (!(error instanceof JsonSyntaxError)) throw error;
  const place = error.line === 1 ? column + error.column - 1 : error.column;
  // The message of the error begins with a place inside the row; only what comes after it holds here.
  const problem = error.message.replace(/^line \d+, column \d+(?: \(at [\s\S]*?\))?: /, '');
  return { line: line + error.line - 1, column: `column ${place}`, problem };
}

/** One row per line: NDJSON, or a list of ids. Blank lines are skipped; spaces around a line do not count. */
export class LineParser implements RecordParser {
  readonly header = undefined;
  readonly #format: 'ndjson' | 'ids';
  readonly #read: (line: string) => JsonValue;
  #text = '';
  #line = 1;
  #row = 0;
  #ended = false;

  constructor(format: 'ndjson' | 'ids') {
    this.#format = format;
    this.#read = format === 'ids' ? (line) => line : parseJson;
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
    this.#row += 1;
    const line = this.#line;
    if (this.#format === 'ndjson' && trimmed === '{') {
      // A document that is printed over many lines would be a fault in each of them.
      this.#ended = true;
      const problem = 'one JSON object over several lines; give an array, or one object a line (-o ndjson prints that)';
      faults.push({ line, problem });
      return;
    }
    try {
      const element = readElement(this.#read(trimmed));
      if ('problem' in element) faults.push({ line, problem: element.problem });
      else records.push({ row: this.#row, line, ...element });
    } catch (error) {
      faults.push(placeJsonFault(error, line, 1 + text.length - text.trimStart().length));
    }
  }
}
