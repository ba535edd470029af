import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { ignoreErrors, orIoFailure } from '../files/io-failure.ts';
import { printJson } from '../json/print.ts';
import { fromPlain, isJsonArray } from '../json/value.ts';
import { packCells } from './pack-cells.ts';
import type { Row, RowExtra } from './row.ts';

/** A line has so many rows, or as many as fit into so much text: one call prints it, and one reads it. */
const LINE_ROWS = 256;
const LINE_LENGTH = 1 << 16;

/**
 * Writes the rows of a run down, once, while its input is checked: a new file of mode 0600, of which each line is a JSON
 * array `[number, given, number, given, …]`, with an object behind each `given` where there is more to say, and a number in
 * the place of many empty cells. `readRows` reads it.
 */
export class RowWriter {
  readonly #path: string;
  readonly #file: FileHandle | undefined;
  readonly #isKept: boolean;
  readonly #hash = createHash('sha256');
  /** Of rows that are texts alone: the line so far. */
  #items: unknown[] = [];
  /** Of JSON rows, which are copied as they stand in the input: the text of the line so far. */
  #line = '';
  #length = 0;
  #count = 0;
  /** Lines that are not written yet. */
  #text = '';

  private constructor(path: string, file: FileHandle | undefined, isKept: boolean) {
    this.#path = path;
    this.#file = file;
    this.#isKept = isKept;
  }

  /** `isKept`: for a run, and not for a moment. Without a path only the digest is made. Rejects with LOCAL_IO. */
  static async open(path: string | undefined, isKept: boolean): Promise<RowWriter> {
    if (path === undefined) return new RowWriter('', undefined, isKept);
    return new RowWriter(path, await failing(path, open(path, 'wx', 0o600)), isKept);
  }

  /** `text`: a JSON row as it stands in the input; line breaks in it stand between tokens. Rejects with LOCAL_IO. */
  add({ row, given }: Row, text: string | undefined, extra: RowExtra | undefined): Promise<void> | undefined {
    if (isJsonArray(given) || (typeof given === 'string' && text === undefined)) {
      const items = typeof given === 'string' ? given : packCells(given);
      this.#items.push(row, items);
      if (extra !== undefined) this.#items.push({ ...extra, was: extra.was && Object.fromEntries(extra.was) });
      this.#length += lengthOf(items);
    } else {
      const json = text?.replace(/[\r\n]+/g, ' ') ?? printJson(given);
      const more = extra === undefined ? '' : `,${printJson(fromPlain(extra))}`;
      this.#line += `${this.#line === '' ? '[' : ','}${row},${json}${more}`;
      this.#length = this.#line.length;
    }
    this.#count += 1;
    return this.#count < LINE_ROWS && this.#length < LINE_LENGTH ? undefined : this.#endLine();
  }

  /** On the disk when this resolves, if it is kept. Answers the SHA-256 of the file, hexadecimal. Rejects with LOCAL_IO. */
  async end(): Promise<string> {
    await this.#endLine();
    await this.#flush();
    if (this.#isKept && this.#file !== undefined) await failing(this.#path, this.#file.sync());
    return this.#hash.digest('hex');
  }

  async close(): Promise<void> {
    if (this.#file !== undefined) await ignoreErrors(this.#file.close());
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
    if (this.#isKept) this.#hash.update(bytes);
    if (this.#file !== undefined) await failing(this.#path, this.#file.writeFile(bytes));
  }
}

function lengthOf(items: string | readonly (string | number)[]): number {
  if (typeof items === 'string') return items.length;
  let length = 0;
  for (const item of items) length += typeof item === 'string' ? item.length : 1;
  return length;
}

function failing<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return orIoFailure(work, `cannot write the rows to ${path}`, 'unsent');
}
