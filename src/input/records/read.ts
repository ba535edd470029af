import { CsvParser } from './csv.ts';
import { DecodeFault, decodeText } from './decode.ts';
import { detectFormat, firstLine } from './format.ts';
import { JsonArrayParser } from './json-array.ts';
import { LineParser } from './line-parser.ts';
import { countLineBreaks, type InputFormat, type RecordBatch, type RecordParser } from './record.ts';

export interface ReadOptions {
  /** undefined: told by the extension of `path`, else by the content. */
  readonly format: InputFormat | undefined;
  /** Its extension may tell the format; `-` for stdin. */
  readonly path: string;
  /** `--csv-raw`: CSV cells are taken as they are. */
  readonly csvRaw: boolean;
  /** Names that a header may have, to tell a header from an id. */
  readonly columns: readonly string[];
}

/** A piece of an input: its rows and faults, and what is known of the input by then. */
export interface ReadBatch extends RecordBatch {
  readonly format: InputFormat;
  readonly header: RecordParser['header'];
}

function parserFor(format: InputFormat, csvRaw: boolean): RecordParser {
  if (format === 'csv') return new CsvParser({ raw: csvRaw });
  return format === 'json' ? new JsonArrayParser() : new LineParser(format);
}

/**
 * The rows of an input in order, in batches of one piece of the file each, so that a million rows need no more
 * memory than a thousand. Faults come in the batch in which they were met; after one that leaves the rest
 * unreadable the input ends.
 */
export async function* readRecords(bytes: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<ReadBatch> {
  let parser: RecordParser | undefined;
  let format = options.format;
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
    for await (const text of decodeText(bytes)) {
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
