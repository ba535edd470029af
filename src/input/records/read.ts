import { extname } from 'node:path';
import { Failure } from '../../failure.ts';
import { nearest } from '../../output/nearest.ts';
import { readCardId } from '../values.ts';
import { looksLikeWorkbook, MAGIC_BYTES } from '../xlsx/packed.ts';
import { roundedProblem } from './columns.ts';
import { CsvParser } from './csv.ts';
import { decodeText } from './decode.ts';
import { JsonArrayParser, LineParser, readElement, readJsonLine } from './elements.ts';
import type { ReadBatch, ReadOptions, RecordParser, TextFormat } from './record.ts';

/** `.xlsm` is the same with macros, which are not read. */
const WORKBOOK_NAMES: ReadonlySet<string> = new Set(['.xlsx', '.xlsm']);

const BY_EXTENSION: ReadonlyMap<string, TextFormat> = new Map([
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.json', 'json'],
  ['.ids', 'ids'],
]);

/** A longer first line is taken as it is. */
const MAX_FIRST_LINE = 64 * 1024;

/** The first line that is not blank; undefined if its end has not come yet. */
function firstLine(text: string, isLast: boolean): string | undefined {
  const found = /[^\s][^\r\n]*/.exec(text.slice(0, MAX_FIRST_LINE));
  if (found === null) return isLast || text.length > MAX_FIRST_LINE ? '' : undefined;
  const isWhole = found.index + found[0].length < text.length;
  return isWhole || isLast ? found[0].trimEnd() : undefined;
}

function isId(line: string, columns: readonly string[]): boolean {
  // Cells beside the ID make it a CSV. Characters around one pasted ID do not.
  const isOneCell = !/[,;\t]/.test(line.replace(/[\s",;]+$/, ''));
  if (isOneCell && readCardId(line).kind !== 'none') return true;
  if (/[\s,;"]/.test(line) || columns.includes(line)) return false;
  // A header of one misspelt name must not become an ID: `emial` is none, `sub_1` and `cal2024` may be.
  return /[^a-z_.]/i.test(line) || nearest(line, columns) === undefined;
}

/**
 * The format of an input: by the extension of its path, else by its first line that is not blank. `columns`: names that
 * a header may have. A `.json` file that begins with `{` is NDJSON.
 */
function detectFormat(path: string, line: string, columns: readonly string[]): TextFormat {
  const byName = BY_EXTENSION.get(extname(path).toLowerCase());
  if (byName === 'json' && line.startsWith('{')) return 'ndjson';
  if (byName !== undefined) return byName;
  if (line.startsWith('[')) return 'json';
  if (line.startsWith('{')) return 'ndjson';
  if (/^sep=[^"\s]?$/i.test(line)) return 'csv';
  return roundedProblem(line) !== undefined || isId(line, columns) ? 'ids' : 'csv';
}

function parserFor(format: TextFormat, csvRaw: boolean): RecordParser {
  if (format === 'csv') return new CsvParser(csvRaw);
  return format === 'json' ? new JsonArrayParser() : new LineParser(format === 'ids' ? readElement : readJsonLine);
}

/**
 * Reads the first bytes of an input until `isEnough`. `bytes` are all of it, these included; a piece is valid only
 * until the next one is asked for. `close` ends an input that is not read on.
 */
async function peek(bytes: AsyncIterable<Uint8Array>, isEnough: (start: Uint8Array) => boolean) {
  const source = bytes[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  while (!isEnough(start)) {
    const next = await source.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  return { start, bytes: goOn(start, source), close: async () => void (await source.return?.()) };
}

async function* goOn(start: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

/**
 * The rows of an input in order, in batches of one piece of the file, so that memory does not grow with the rows.
 * Faults come in their batch. A fault that makes the rest unreadable ends the input. USAGE if a spreadsheet cannot be
 * read, or `--sheet` is given for another file.
 */
export async function* readRecords(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<ReadBatch> {
  const input = await peek(bytes, ({ length }) => length >= MAGIC_BYTES);
  // Content goes before name: no text begins like an `.xlsx` file.
  const isWorkbook = looksLikeWorkbook(input.start) || WORKBOOK_NAMES.has(extname(options.path).toLowerCase());
  const format = options.format ?? (isWorkbook ? 'xlsx' : undefined);
  if (format === 'xlsx') {
    const { readWorkbookRows } = await import('./workbook-rows.ts');
    return yield* readWorkbookRows(input.bytes, options);
  }
  if (options.sheet !== undefined && options.isOlder !== true) {
    await input.close();
    throw Failure.unsent('USAGE', `--sheet is for .xlsx files, but ${options.name} is not one`);
  }
  yield* readTextRows(input, format, options);
}

async function* readTextRows(
  { bytes, start }: Awaited<ReturnType<typeof peek>>,
  knownFormat: TextFormat | undefined,
  options: ReadOptions,
): AsyncGenerator<ReadBatch> {
  let format = knownFormat;
  let parser: RecordParser | undefined;
  let unread = '';
  let mark = '';
  for await (const { text, isLast, problem } of decodeText(bytes, start, options.csvRaw)) {
    unread += text;
    if (parser === undefined || format === undefined) {
      const line = firstLine(unread, isLast || problem !== undefined);
      if (line === undefined) continue;
      mark = unread.startsWith('\ufeff') ? '\ufeff' : '';
      unread = unread.slice(mark.length);
      format ??= detectFormat(options.path, line, options.columns);
      parser = parserFor(format, options.csvRaw);
    }
    // Not the end if it cannot be read: its row is incomplete.
    const batch = parser.take(unread, isLast);
    const faults = problem === undefined ? batch.faults : [...batch.faults, { line: parser.currentLine(), problem }];
    unread = '';
    yield { ...batch, faults, format, header: parser.header, dialect: parser.dialect && { ...parser.dialect, mark } };
    if (parser.ended) return;
  }
}
