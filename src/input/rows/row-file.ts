import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { ifPossible, ignoreErrors, ioFailure, orIoFailure } from '../../base/files/io-failure.ts';
import { linesOf } from '../../base/files/lines.ts';
import { openReadable } from '../../base/files/readable.ts';
import { parseJson } from '../../base/json/parse.ts';
import { printJson } from '../../base/json/print.ts';
import {
  fromPlain,
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../base/json/value.ts';
import type { PackedCells } from '../values.ts';
import { hasExtra, isCells, type Row, type RowExtra, type RowInput, RowMaker, type RowShape } from './row.ts';

const NEWLINE = 0x0a;

/** The rows that a `RowWriter` wrote, one line at a time. LOCAL_IO if the file was changed. */
export async function* readRows(path: string, shape: RowShape): AsyncGenerator<readonly Row[]> {
  const maker = new RowMaker(shape);
  let number = 0;
  try {
    for await (const lines of linesOf((await openReadable(path)).bytes())) {
      for (const line of lines) {
        number += 1;
        // A last line without an end was cut.
        const rows = line.at(-1) === NEWLINE ? rowsOf(line.toString(), shape, maker) : undefined;
        yield rows ?? refuse(path, number);
      }
    }
  } catch (error) {
    throw ioFailure(`could not read the rows of the run (${path})`, error, 'unsent');
  }
}

function refuse(path: string, line: number): never {
  throw Failure.unsent('LOCAL_IO', `the rows of the run are damaged at line ${line} (${path})`);
}

function rowsOf(text: string, shape: RowShape, maker: RowMaker): readonly Row[] | undefined {
  const { form } = shape;
  // Texts lose nothing in the faster parser, unlike numbers.
  const items: unknown = ifPossible(() => (form === 'cells' || form === 'id' ? JSON.parse : parseJson)(text));
  const width = hasExtra(shape) ? 3 : 2;
  if (!Array.isArray(items) || items.length % width !== 0) return undefined;
  const rows: Row[] = [];
  for (let at = 0; at < items.length; at += width) {
    const number: unknown = items[at];
    const row = Number(number instanceof JsonNumber ? number.text : number);
    const extra = width === 3 ? extraOf(fromPlain(items[at + 2])) : undefined;
    // The digest of the file was compared before, so it is as it was written.
    rows.push(maker.make(row, items[at + 1] as RowInput, extra));
  }
  return rows;
}

function extraOf(extra: JsonValue): RowExtra {
  const members: JsonObject = isJsonObject(extra) ? extra : new Map();
  const [was, expect] = [members.get('was'), members.get('expect')];
  return { was: isJsonObject(was) ? was : undefined, expect: isJsonArray(expect) ? expect.map(String) : undefined };
}

/** Most rows of a line, or as many as fit into so much text: one call prints it, and one reads it. */
const LINE_ROWS = 256;
const LINE_LENGTH = 1 << 16;

/**
 * Writes the rows of a run once, while its input is checked: a new file of mode 0600. Each line is a JSON array
 * `[number, given, number, given, …]`, with an object after a `given` that needs more. `readRows` reads it.
 */
export class RowWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #isStored: boolean;
  readonly #hash = createHash('sha256');
  /** Rows that are only texts: the line so far. */
  #items: unknown[] = [];
  /** JSON rows, copied from the input: the text of the line so far. */
  #line = '';
  #length = 0;
  #count = 0;
  /** Complete lines that are not written yet. */
  #text = '';

  private constructor(path: string, file: FileHandle, isStored: boolean) {
    this.#path = path;
    this.#file = file;
    this.#isStored = isStored;
  }

  /** `isStored`: for a run. Rejects with LOCAL_IO. */
  static async open(path: string, isStored: boolean): Promise<RowWriter> {
    return new RowWriter(path, await failing(path, open(path, 'wx', 0o600)), isStored);
  }

  /** `text`: a JSON row as in the input. Its line breaks are between tokens. Rejects with LOCAL_IO. */
  add({ row, input }: Row, text: string | undefined, extra: RowExtra | undefined): Promise<void> | undefined {
    if (isCells(input) || (typeof input === 'string' && text === undefined)) {
      this.#items.push(row, input);
      if (extra !== undefined) this.#items.push({ ...extra, was: extra.was && Object.fromEntries(extra.was) });
      this.#length += lengthOf(input);
    } else {
      const json = text?.replace(/[\r\n]+/g, ' ') ?? printJson(input);
      const more = extra === undefined ? '' : `,${printJson(fromPlain(extra))}`;
      this.#line += `${this.#line === '' ? '[' : ','}${row},${json}${more}`;
      this.#length = this.#line.length;
    }
    this.#count += 1;
    return this.#count < LINE_ROWS && this.#length < LINE_LENGTH ? undefined : this.#endLine();
  }

  /** Resolves with the SHA-256 of the file, hexadecimal, once it is on the disk if kept. Rejects with LOCAL_IO. */
  async end(): Promise<string> {
    await this.#endLine();
    await this.#flush();
    if (this.#isStored) await failing(this.#path, this.#file.sync());
    return this.#hash.digest('hex');
  }

  async close(): Promise<void> {
    await ignoreErrors(this.#file.close());
  }

  #endLine(): Promise<void> | undefined {
    if (this.#count === 0) return undefined;
    this.#text += `${this.#line === '' ? JSON.stringify(this.#items) : `${this.#line}]`}\n`;
    this.#items = [];
    this.#line = '';
    this.#length = 0;
    this.#count = 0;
    return this.#text.length < LINE_LENGTH ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    if (this.#isStored) this.#hash.update(bytes);
    await failing(this.#path, this.#file.writeFile(bytes));
  }
}

function lengthOf(input: string | PackedCells): number {
  if (typeof input === 'string') return input.length;
  return input.reduce<number>((length, cell) => length + (typeof cell === 'string' ? cell.length : 1), 0);
}

function failing<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return orIoFailure(work, `cannot write the rows to ${path}`, 'unsent');
}
