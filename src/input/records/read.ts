import { extname } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { KIND_BYTES, otherKindOf } from '../other-files.ts';
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

const LINE_FEED = 0x0a;

/** A longer first line is taken as it is. */
const MAX_FIRST_LINE = 64 * 1024;

/** The first lines that are not blank; undefined if there is none with its end yet. */
function firstLines(text: string, isLast: boolean): readonly string[] | undefined {
  const begin = text.slice(0, MAX_FIRST_LINE);
  const lines = begin.split(/\r\n|\n|\r/);
  if (!isLast && begin.length === text.length) lines.pop();
  const found = lines.map((line) => line.trim()).filter((line) => line !== '');
  return found.length > 0 || isLast || text.length > MAX_FIRST_LINE ? found : undefined;
}

/** Does a line give a card ID alone? Characters around one pasted ID do not make it a CSV, cells beside it do. */
function isCardId(line: string): boolean {
  const isOneCell = !/[,;\t]/.test(line.replace(/[\s",;]+$/, ''));
  return roundedProblem(line) !== undefined || (isOneCell && readCardId(line).kind !== 'none');
}

/** Is the first line a card ID, or more than half of them? What may be a header is none. Other IDs are never guessed. */
function areCardIds(lines: readonly string[], isColumn: (name: string) => boolean): boolean {
  const [first = ''] = lines;
  return !isColumn(first) && (isCardId(first) || 2 * lines.filter(isCardId).length > lines.length);
}

/**
 * The format of an input: by the extension of its path, else by its first lines that are not blank. A `.json` file that
 * begins with `{` is NDJSON.
 */
function detectFormat(lines: readonly string[], { path, takesCards, isColumn }: ReadOptions): TextFormat {
  const [line = ''] = lines;
  const byName = BY_EXTENSION.get(extname(path).toLowerCase());
  if (byName === 'json' && line.startsWith('{')) return 'ndjson';
  if (byName !== undefined) return byName;
  if (line.startsWith('[')) return 'json';
  if (line.startsWith('{')) return 'ndjson';
  if (/^sep=[^"\s]?$/i.test(line)) return 'csv';
  return takesCards && areCardIds(lines, isColumn) ? 'ids' : 'csv';
}

function parserFor(format: TextFormat, csvRaw: boolean): RecordParser {
  if (format === 'csv') return new CsvParser(csvRaw);
  return format === 'json' ? new JsonArrayParser() : new LineParser(format === 'ids' ? readElement : readJsonLine);
}

/**
 * Reads the first bytes of an input, until they tell what it is. `bytes` are all of it, these included; a piece is valid
 * only until the next one is asked for. `close` ends an input that is not read on.
 */
async function peek(bytes: AsyncIterable<Uint8Array>) {
  const source = bytes[Symbol.asyncIterator]();
  let start: Uint8Array = new Uint8Array(0);
  while (start.length < KIND_BYTES && !(start.length >= MAGIC_BYTES && start.includes(LINE_FEED))) {
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
  const input = await peek(bytes);
  // Content goes before name: no text begins like an `.xlsx` file.
  const isWorkbook = looksLikeWorkbook(input.start) || WORKBOOK_NAMES.has(extname(options.path).toLowerCase());
  const format = options.format ?? (isWorkbook ? 'xlsx' : undefined);
  if (format === 'xlsx') {
    const { readWorkbookRows } = await import('./workbook-rows.ts');
    return yield* readWorkbookRows(input.bytes, options);
  }
  const other = otherKindOf(input.start);
  const isSheetNamed = options.sheet !== undefined && options.isOlder !== true;
  if (other !== undefined || isSheetNamed) {
    await input.close();
    if (other !== undefined) throw Failure.unsent('USAGE', `${options.name} ${other}`);
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
  for await (const { text, isLast, problem } of decodeText(bytes, start)) {
    unread += text;
    if (parser === undefined || format === undefined) {
      const lines = firstLines(unread, isLast || problem !== undefined);
      if (lines === undefined) continue;
      mark = unread.startsWith('\ufeff') ? '\ufeff' : '';
      unread = unread.slice(mark.length);
      format ??= detectFormat(lines, options);
      parser = parserFor(format, options.csvRaw);
    }
    // Not the end if it cannot be read: its row is incomplete.
    const batch = parser.take(unread, isLast);
    const faults =
      problem === undefined ? batch.faults : [...batch.faults, { line: parser.currentLine(), problem, isEnd: true }];
    unread = '';
    yield { ...batch, faults, format, header: parser.header, dialect: parser.dialect && { ...parser.dialect, mark } };
    if (parser.ended) return;
  }
}
