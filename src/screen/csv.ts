import type { OutputPort } from '../base/context.ts';
import { getPath, isJsonArray, isJsonObject, type JsonValue, pathPart } from '../base/json/value.ts';
import { type Column, cellText } from './column.ts';
import { guardCell, visibleCell } from './formula-guard.ts';
import { type CsvDialect, type OutputOptions, RFC_4180, type RowWriter } from './options.ts';
import { lineWriter } from './table.ts';

type CsvStyle = Pick<OutputOptions, 'header' | 'csvRaw' | 'dialect'>;

/** How texts become cells: `--csv-raw` leaves out the formula guard, and only a terminal gets escapes. */
type Dressing = ReturnType<typeof dressingOf>;

function dressingOf({ csvRaw }: CsvStyle, stdout: OutputPort) {
  return { isGuarded: !csvRaw, isEscaped: stdout.isTerminal };
}

const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;
/** A line of one empty cell would be empty, and readers skip such lines. */
const EMPTY_CELL = '""';

/** Rows as RFC 4180: the chosen columns, metadata and transactions as JSON cells. */
export function csvRowWriter(columns: readonly Column[], style: CsvStyle, stdout: OutputPort): RowWriter {
  const dressing = dressingOf(style, stdout);
  const { dialect = RFC_4180 } = style;
  const names = columns.map(({ name }) => textCell(name, dressing));
  const header = style.header ? csvHeader(names, dialect) : '';
  const line = (row: JsonValue) =>
    csvLine(
      columns.map(({ name }) => csvCell(getPath(row, name), dressing)),
      dialect,
    );
  return lineWriter(header, line, stdout);
}

/** One resource as RFC 4180: nested values as dotted columns, entries of a list by index, an empty one as `[]`. */
export async function writeCsvResource(resource: JsonValue, style: CsvStyle, stdout: OutputPort): Promise<void> {
  const dressing = dressingOf(style, stdout);
  const parts = function* (at: 0 | 1) {
    for (const leaf of leavesOf(resource, '')) yield leaf[at];
  };
  if (style.header) await writeLine(parts(0), dressing, stdout);
  await writeLine(parts(1), dressing, stdout);
}

const PIECE_LENGTH = 65_536;

/** A line of perhaps a million cells, which are never all in memory. */
async function writeLine(values: Iterable<JsonValue>, dressing: Dressing, stdout: OutputPort): Promise<void> {
  let piece = '';
  let isBlank = true;
  let separator = '';
  for (const value of values) {
    const cell = quoteCell(csvCell(value, dressing));
    piece += separator + cell;
    isBlank &&= separator === '' && cell === '';
    separator = ',';
    if (piece.length < PIECE_LENGTH) continue;
    await stdout.write(piece);
    piece = '';
  }
  await stdout.write((isBlank ? EMPTY_CELL : piece) + RFC_4180.lineEnd);
}

/** The values without further parts, each with its dotted path, in order. */
export function flatten(value: JsonValue): [string, JsonValue][] {
  return [...leavesOf(value, '')];
}

function* leavesOf(value: JsonValue, path: string): Generator<[string, JsonValue], void, undefined> {
  const prefix = path === '' ? '' : `${path}.`;
  if (isJsonObject(value) && value.size > 0) {
    for (const [key, member] of value) yield* leavesOf(member, prefix + pathPart(key));
  } else if (isJsonArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) yield* leavesOf(item, prefix + index);
  } else {
    yield [path === '' ? 'value' : path, value];
  }
}

function csvCell(value: JsonValue | undefined, dressing: Dressing): string {
  const isText = typeof value === 'string' || isJsonObject(value) || isJsonArray(value);
  return isText ? textCell(cellText(value), dressing) : cellText(value);
}

/** A text as a cell. Even without the guard, no control characters reach a terminal. */
function textCell(text: string, { isGuarded, isEscaped }: Dressing): string {
  const cell = isGuarded ? guardCell(text) : text;
  return isEscaped ? visibleCell(cell) : cell;
}

const KNOWN_DELIMITERS = ',;\t';

/** The beginning of a CSV: its mark, a line that names an unusual delimiter, and the names of the columns. */
export function csvHeader(names: readonly string[], dialect: CsvDialect): string {
  const { mark, delimiter, lineEnd } = dialect;
  const separator = KNOWN_DELIMITERS.includes(delimiter) ? '' : `sep=${delimiter}${lineEnd}`;
  return `${mark}${separator}${csvLine(names, dialect)}`;
}

/** Cells as one line, with its end. */
export function csvLine(cells: readonly string[], { delimiter, lineEnd }: CsvDialect = RFC_4180): string {
  const quoted = cells.map((cell) => quoteCell(cell, delimiter));
  return (quoted.length === 1 && quoted[0] === '' ? EMPTY_CELL : quoted.join(delimiter)) + lineEnd;
}

function quoteCell(cell: string, delimiter = ','): string {
  return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
