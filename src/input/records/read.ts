import { extname } from 'node:path';
import { Failure } from '../../failure.ts';
import { looksLikeWorkbook, MAGIC_BYTES } from '../xlsx/pieces.ts';
import { CsvParser } from './csv.ts';
import { DecodeFault, decodeText } from './decode.ts';
import { detectFormat, firstLine } from './format.ts';
import { JsonArrayParser } from './json-array.ts';
import { LineParser } from './line-parser.ts';
import { peek } from './peek.ts';
import {
  countLineBreaks,
  type RawRecord,
  type ReadBatch,
  type ReadOptions,
  type RecordBatch,
  type RecordParser,
  type TextFormat,
} from './record.ts';

/** `.xlsm` is the same with macros, which are not read. */
const WORKBOOK_NAMES: ReadonlySet<string> = new Set(['.xlsx', '.xlsm']);

function parserFor(format: TextFormat, csvRaw: boolean): RecordParser {
  if (format === 'csv') return new CsvParser({ raw: csvRaw });
  return format === 'json' ? new JsonArrayParser() : new LineParser(format);
}

/**
 * The rows of an input in order, in batches of one piece of the file each, so that a million rows need no more
 * memory than a thousand. Faults come in the batch in which they were met; after one that leaves the rest
 * unreadable the input ends. A file that is no workbook that can be read is a USAGE failure.
 */
export async function* readRecords(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<ReadBatch> {
  const input = await peek(bytes, MAGIC_BYTES);
  const format = options.format ?? (isWorkbook(input.start, options.path) ? 'xlsx' : undefined);
  if (format === 'xlsx') {
    const { readWorkbookRows } = await import('./workbook-rows.ts');
    yield* readWorkbookRows(input.bytes, options);
  } else {
    if (options.sheet !== undefined && options.isOlder !== true) {
      await input.close();
      throw new Failure('USAGE', `--sheet belongs to workbooks (.xlsx), and ${options.name} is none; nothing was sent`);
    }
    yield* withoutEmptyEnd(readTextRows(input.bytes, format, options));
  }
}

/**
 * The same without the rows of empty cells at the end (`;;;;`), which spreadsheets leave behind; a note says how many
 * there were. Anywhere else such a row is what it was: a row that lacks everything.
 */
async function* withoutEmptyEnd(batches: AsyncGenerator<ReadBatch>): AsyncGenerator<ReadBatch> {
  let held: RawRecord[] = [];
  let last: ReadBatch | undefined;
  for await (const batch of batches) {
    last = batch;
    const end =
      batch.format === 'csv' ? batch.records.findLastIndex((record) => !isEmptyRow(record)) : batch.records.length - 1;
    const records = end === -1 ? [] : [...held, ...batch.records.slice(0, end + 1)];
    held = end === -1 ? [...held, ...batch.records] : batch.records.slice(end + 1);
    yield held.length === 0 && records.length === batch.records.length ? batch : { ...batch, records };
  }
  const [first] = held;
  if (first === undefined || last === undefined) return;
  const rows = held.length === 1 ? '1 row' : `${held.length} rows`;
  yield {
    ...last,
    records: [],
    faults: [],
    notes: [`${rows} of empty cells at the end skipped (from line ${first.line})`],
  };
}

function isEmptyRow({ values }: RawRecord): boolean {
  return values.length > 1 && values.every((value) => value === '');
}

/** No text begins as a workbook does, so its content goes before its name. */
function isWorkbook(start: Uint8Array, path: string): boolean {
  return looksLikeWorkbook(start) || WORKBOOK_NAMES.has(extname(path).toLowerCase());
}

async function* readTextRows(
  bytes: AsyncIterable<Uint8Array>,
  knownFormat: TextFormat | undefined,
  options: ReadOptions,
): AsyncGenerator<ReadBatch> {
  let parser: RecordParser | undefined;
  let format = knownFormat;
  let unread = '';
  const take = (text: string, isLast: boolean): ReadBatch | undefined => {
    unread += text;
    if (parser === undefined || format === undefined) {
      const line = firstLine(unread, isLast);
      if (line === undefined) return undefined;
      format ??= detectFormat(options.path, line, options.columns);
      parser = parserFor(format, options.csvRaw);
    }
    const batch = isLast ? join(parser.push(unread), parser.finish()) : parser.push(unread);
    unread = '';
    return { ...batch, format, header: parser.header };
  };
  try {
    for await (const text of decodeText(bytes, { takesNul: options.csvRaw })) {
      const batch = take(text, false);
      if (batch !== undefined) yield batch;
      if (parser?.ended) return;
    }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error;
    // Not `finish`: the row under way goes on in what cannot be read.
    const batch = take('', false);
    const line = parser === undefined ? 1 + countLineBreaks(unread) : parser.currentLine();
    const fault = { line, problem: error.message };
    yield {
      records: batch?.records ?? [],
      faults: [...(batch?.faults ?? []), fault],
      format: format ?? 'csv',
      header: parser?.header,
    };
    return;
  }
  const last = take('', true);
  if (last !== undefined) yield last;
}

function join(first: RecordBatch, second: RecordBatch): RecordBatch {
  return { records: [...first.records, ...second.records], faults: [...first.faults, ...second.faults] };
}
