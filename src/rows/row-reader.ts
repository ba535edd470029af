import { Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { openReadable } from '../files/readable.ts';
import { parseJson } from '../json/parse.ts';
import { fromPlain } from '../json/plain.ts';
import { isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { unpackCells } from './pack-cells.ts';
import { type Given, hasExtra, type Row, type RowExtra, RowMaker, type RowShape } from './row.ts';

const NEWLINE = 0x0a;

/** The rows that a `RowWriter` wrote, a line of them at a time. LOCAL_IO where the file is not as it was written. */
export async function* readRows(path: string, shape: RowShape): AsyncGenerator<readonly Row[]> {
  const maker = new RowMaker(shape);
  let line = 0;
  for await (const text of wholeLines(path)) {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      line += 1;
      yield rowsOf(text.slice(start, end), shape, maker) ?? refuse(path, line);
      start = end + 1;
    }
    // A last line without an end was never written so.
    if (start < text.length) refuse(path, line + 1);
  }
}

function refuse(path: string, line: number): never {
  throw Failure.unsent('LOCAL_IO', `the rows of the run are damaged at line ${line} (${path})`);
}

function rowsOf(text: string, shape: RowShape, maker: RowMaker): readonly Row[] | undefined {
  const { given } = shape;
  // Texts alone lose nothing in the quicker parser, as numbers would lose digits.
  const items = parsed(text, given === 'cells' || given === 'id' ? JSON.parse : parseJson);
  const width = hasExtra(shape) ? 3 : 2;
  if (!Array.isArray(items) || items.length % width !== 0) return undefined;
  const rows: Row[] = [];
  for (let at = 0; at < items.length; at += width) {
    const number: unknown = items[at];
    const row = Number(number instanceof JsonNumber ? number.text : number);
    const cells: unknown = items[at + 1];
    const isPacked = shape.given === 'cells' && Array.isArray(cells) && cells.length < shape.columns.length;
    const extra = width === 3 ? extraOf(fromPlain(items[at + 2])) : undefined;
    // Whatever is sent of the file, its digest was compared before: it was written so.
    rows.push(maker.make(row, isPacked ? unpackCells(cells, shape.columns.length) : (cells as Given), extra));
  }
  return rows;
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function extraOf(extra: JsonValue): RowExtra {
  const members: JsonObject = isJsonObject(extra) ? extra : new Map();
  const part = (name: string) => {
    const value = members.get(name);
    return isJsonObject(value) ? value : undefined;
  };
  const expect = members.get('expect');
  const drift = members.get('drift');
  return {
    was: part('was'),
    before: part('before'),
    about: part('about'),
    expect: isJsonArray(expect) ? expect.map(String) : undefined,
    drift: drift === 'checked' || drift === 'unchecked' ? drift : undefined,
  };
}

async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of (await openReadable(path)).bytes()) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield bytes.toString('utf8', 0, end);
    }
  } catch (error) {
    throw ioFailure(`the rows of the run could not be read (${path})`, error, 'unsent');
  }
  if (rest.length > 0) yield rest.toString();
}
