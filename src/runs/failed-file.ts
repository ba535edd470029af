import { open, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { OutputPort } from '../base/context.ts';
import { Failure, type Outcome } from '../base/failure.ts';
import { ignoreErrors, orIoFailure } from '../base/files/io-failure.ts';
import { temporaryName } from '../base/files/process-identity.ts';
import { printJson } from '../base/json/print.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../base/json/value.ts';
import { needsJson, type Row, RowMaker, type RowShape } from '../input/rows/row.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { cellText, isOwnColumn, OWN_COLUMNS } from '../screen/column.ts';
import { csvHeader, csvLine } from '../screen/csv.ts';
import { guardCell } from '../screen/formula-guard.ts';
import { type CsvDialect, RFC_4180 } from '../screen/options.ts';
import { isDone } from '../service/call-outcome.ts';
import { isSpecialFile, type Place, putWhereSeen, refuseOthers, type Style } from './failed-place.ts';

export interface FailedFileOptions extends Place {
  /** Format of the input. The rows of a plan are written as any format, like a list of IDs. */
  readonly inputFormat: string;
  /** Original columns, in the order in which they first occur. */
  readonly columns: readonly string[];
  /** How the CSV was written that the rows came from; undefined: they came from none. */
  readonly dialect?: CsvDialect | undefined;
  /** `--csv-raw`: cells without the guard against formulas. */
  readonly csvRaw: boolean;
  readonly shape: RowShape;
  /** Whether a run keeps the results too: of reads nothing does. */
  readonly isStored: boolean;
  readonly pid: number;
  /** Where `path` leads if it is stdout or stderr: a socket behind it cannot be opened by name. */
  readonly stream?: OutputPort | undefined;
}

/** `--failed`: writes the rows that did not succeed or were not reached as an input of the same command. */
export type FailedFile = Awaited<ReturnType<typeof openFailedFile>>;

const FLUSH_LENGTH = 1 << 16;

/**
 * Opens the file for writing before anything is sent. It grows under another name (mode 0600) and is renamed at the
 * end. USAGE if something else made the file, or if its extension means another format. LOCAL_IO if it cannot be
 * written.
 */
export async function openFailedFile(options: FailedFileOptions) {
  const style = styleOf(options);
  const { path, csvRaw, stream, dialect = RFC_4180 } = options;
  const attempt = `--failed: cannot write ${path}`;
  const isSpecial = await isSpecialFile(path, attempt);
  const seen = isSpecial ? undefined : await refuseOthers(options, style);
  const target = isSpecial ? path : join(dirname(path), temporaryName(options.pid));
  const after = options.isStored ? 'results' : undefined;
  const columns = [...options.columns.filter((name) => !isOwnColumn(name)), ...OWN_COLUMNS];
  const cellsOf = (row: JsonObject): readonly string[] =>
    columns.map((name) => {
      const text = cellText(row.get(name));
      return csvRaw || name === '_row' ? text : guardCell(text);
    });
  const maker = new RowMaker(options.shape);
  const printers: Readonly<Record<Style, (row: JsonObject) => string>> = {
    csv: (row) => csvLine(cellsOf(row), dialect),
    ndjson: (row) => `${printJson(row)}\n`,
    json: (row) => `${rows === 0 ? '\n' : ',\n'}${printJson(row)}`,
  };
  const opened = stream === undefined ? open(target, isSpecial ? 'a' : 'wx', 0o600) : fileOf(stream);
  const file = await orIoFailure(Promise.resolve(opened), attempt, 'unsent');
  let pending = { csv: csvHeader(columns, dialect), ndjson: '', json: '[' }[style];
  let rows = 0;
  const flush = async (): Promise<void> => {
    await orIoFailure(file.writeFile(pending), attempt, after);
    pending = '';
  };
  const putAway = async (): Promise<void> => {
    if (!isSpecial) await file.sync();
    await file.close();
    if (!isSpecial) await putWhereSeen(target, path, seen, style);
  };
  /** Removes the new file. The old one stays as it was. */
  const discard = async (): Promise<void> => {
    await ignoreErrors(file.close());
    if (!isSpecial) await ignoreErrors(rm(target, { force: true }));
  };
  return {
    discard,
    /** Adds a result, unless its row succeeded, here or elsewhere. Rejects with LOCAL_IO. */
    async add(result: RowResult<Row>): Promise<void> {
      if (result.failure === undefined || isDone(inputOutcome(result))) return;
      pending += printers[style](failedRow(result, maker, needsJson(options.shape)));
      rows += 1;
      if (pending.length >= FLUSH_LENGTH) await flush();
    },
    /** Renames the file into place. LOCAL_IO, and no new file, if that cannot be done. */
    async keep(): Promise<void> {
      if (style === 'json') pending += '\n]\n';
      const keeping = flush().then(() => orIoFailure(putAway(), attempt, after));
      await orDiscard({ discard }, keeping);
    },
  };
}

/** Returns what `work` returns, and discards the file if it fails. */
export async function orDiscard<Result>(
  file: Pick<FailedFile, 'discard'> | undefined,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    await file?.discard();
    throw error;
  }
}

/** What is said of a row's change if the row is an input again: a file is sent as a new run, which knows no other. */
export function inputOutcome({ callOutcome: { outcome, same } }: RowResult): Outcome | null {
  return outcome === 'not_sent' ? (same ?? outcome) : outcome;
}

/** The original row with `_outcome` (`runs results --as-input`), as input of the same command. `isTyped`: JSON. */
export function inputRow(result: RowResult<Row>, maker: RowMaker, isTyped: boolean): JsonObject {
  return originalMembers(result.row, maker, isTyped).set('_outcome', inputOutcome(result) ?? 'unknown');
}

function failedRow(result: RowResult<Row>, maker: RowMaker, isTyped: boolean): JsonObject {
  const { row, failure } = result;
  return originalMembers(row, maker, isTyped)
    .set('_row', new JsonNumber(String(row.row)))
    .set('_outcome', inputOutcome(result) ?? 'failed')
    .set('_error', failure === undefined ? '' : `${failure.code}: ${failure.message}`);
}

/** Drops the members that an earlier failed file added: they belong to another run. */
function originalMembers(row: Row, maker: RowMaker, isTyped: boolean): Map<string, JsonValue> {
  const members = isTyped ? maker.typedMembersOf(row) : maker.membersOf(row);
  return new Map([...members].filter(([name]) => !isOwnColumn(name)));
}

const FORMAT_OF_NAME: Readonly<Record<string, Style | 'xlsx'>> = {
  '.csv': 'csv',
  '.xlsx': 'xlsx',
  '.xlsm': 'xlsx',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** Rows keep the kind of format they came from: CSV has no null and no types. A list of IDs can become any format. */
function styleOf({ path, inputFormat, shape }: FailedFileOptions): Style {
  const isAny = inputFormat === 'ids' || inputFormat === 'plan';
  const isTabular = inputFormat === 'csv' || inputFormat === 'xlsx' || isAny;
  const byName = FORMAT_OF_NAME[extname(path).toLowerCase()];
  if (needsJson(shape)) {
    if (byName === 'ndjson') return byName;
    const problem = 'with --changed-from and --empty-cells clear, CSV cannot tell an empty text from an omitted cell';
    throw new Failure('USAGE', `--failed: ${problem}`, { hints: ['give it a name that ends in .ndjson'] });
  }
  if (byName === undefined) return isTabular ? 'csv' : 'ndjson';
  if (byName !== 'xlsx' && (isAny || (byName === 'csv') === isTabular)) return byName;
  const wanted = isTabular ? '.csv' : '.ndjson';
  const kind = inputFormat === 'xlsx' ? 'written as csv' : inputFormat;
  throw new Failure('USAGE', `--failed: ${basename(path)} would be read as ${byName}, but the rows are ${kind}`, {
    hints: [`give it a name that ends in ${wanted}`],
  });
}

function fileOf(stream: OutputPort) {
  const leave = () => Promise.resolve();
  return { writeFile: (text: string) => stream.write(text), sync: leave, close: leave };
}
