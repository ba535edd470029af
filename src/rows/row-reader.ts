import { Failure } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { linesOf } from '../files/lines.ts';
import { openReadable } from '../files/readable.ts';
import { parseJson } from '../json/parse.ts';
import { fromPlain, isJsonArray, isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { unpackCells } from './pack-cells.ts';
import { type Given, hasExtra, type Row, type RowExtra, RowMaker, type RowShape } from './row.ts';

const NEWLINE = 0x0a;

/** The rows that a `RowWriter` wrote, a line of them at a time. LOCAL_IO where the file is not as it was written. */
export async function* readRows(path: string, shape: RowShape): AsyncGenerator<readonly Row[]> {
  const maker = new RowMaker(shape);
  let number = 0;
  try {
    for await (const lines of linesOf((await openReadable(path)).bytes())) {
      for (const line of lines) {
        number += 1;
        // A last line without an end was never written so.
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
  const [was, expect] = [members.get('was'), members.get('expect')];
  return {
    was: isJsonObject(was) ? was : undefined,
    expect: isJsonArray(expect) ? expect.map(String) : undefined,
  };
}
