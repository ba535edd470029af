import { lstat, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { OutputPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { putInPlace } from '../files/atomic.ts';
import { ignoreErrors, ignoreNotFound, orIoFailure } from '../files/io-failure.ts';
import { temporaryName } from '../files/process-identity.ts';
import { currentUid } from '../files/safety.ts';
import { printJson } from '../json/print.ts';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import { cellText, isOwnColumn, OWN_COLUMNS } from '../output/column.ts';
import { csvLine } from '../output/csv.ts';
import { guardCell } from '../output/formula-guard.ts';
import { type CsvDialect, RFC_4180 } from '../output/options.ts';
import { needsJson, type Row, RowMaker, type RowShape } from '../rows/row.ts';
import type { RowResult } from './row-outcome.ts';

export interface FailedFileOptions {
  readonly path: string;
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
  readonly isKept: boolean;
  /** Files that the call reads or makes, by option. They are never replaced. */
  readonly others?: ReadonlyMap<string, string> | undefined;
  readonly pid: number;
  /** Where `path` leads if it is stdout or stderr: a socket behind it cannot be opened by name. */
  readonly stream?: OutputPort | undefined;
}

/** `--failed`: writes the rows that did not succeed or were not reached as an input of the same command. */
export type FailedFile = Awaited<ReturnType<typeof openFailedFile>>;

const FLUSH_LENGTH = 1 << 16;

type Style = 'csv' | 'ndjson' | 'json';

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
  if (!isSpecial) await refuseOthers(options, style);
  const target = isSpecial ? path : join(dirname(path), temporaryName(options.pid));
  const after = options.isKept ? 'the results are kept in the run' : undefined;
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
  let pending = { csv: dialect.mark + csvLine(columns, dialect), ndjson: '', json: '[' }[style];
  let rows = 0;
  const flush = async (): Promise<void> => {
    await orIoFailure(file.writeFile(pending), attempt, after);
    pending = '';
  };
  const putAway = async (): Promise<void> => {
    if (!isSpecial) await file.sync();
    await file.close();
    if (!isSpecial) await putInPlace(target, path);
  };
  /** Removes the new file. The old one stays as it was. */
  const discard = async (): Promise<void> => {
    await ignoreErrors(file.close());
    if (!isSpecial) await ignoreErrors(rm(target, { force: true }));
  };
  return {
    discard,
    /** Adds a result, unless its row succeeded. Rejects with LOCAL_IO. */
    async add(result: RowResult<Row>): Promise<void> {
      if (result.failure === undefined) return;
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

/** The original row with `_outcome` (`runs results --as-input`), as input of the same command. `isTyped`: JSON. */
export function inputRow(row: Row, maker: RowMaker, outcome: string, isTyped: boolean): JsonObject {
  return originalMembers(row, maker, isTyped).set('_outcome', outcome);
}

function failedRow({ row, callOutcome, failure }: RowResult<Row>, maker: RowMaker, isTyped: boolean): JsonObject {
  return originalMembers(row, maker, isTyped)
    .set('_row', new JsonNumber(String(row.row)))
    .set('_outcome', callOutcome.outcome ?? 'failed')
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
    const problem =
      'with --changed-from and --empty-cells clear csv cannot tell an empty text from a cell that is left alone';
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

const STREAMS = /^\/dev\/(?:null|stdout|stderr|fd\/\d+)$/;

/** Is it a stream of this process? That is written as it is. USAGE for another pipe or device, which may never end. */
async function isSpecialFile(path: string, attempt: string): Promise<boolean> {
  if (STREAMS.test(path)) return true;
  const entry = await orIoFailure(ignoreNotFound(lstat(path)), attempt, 'unsent');
  if (entry === undefined || entry.isFile()) return false;
  const kind = entry.isDirectory() ? 'a folder' : entry.isSymbolicLink() ? 'a link' : 'a pipe or a device';
  throw refused(`${path} is ${kind}`);
}

function fileOf(stream: OutputPort) {
  const leave = () => Promise.resolve();
  return { writeFile: (text: string) => stream.write(text), sync: leave, close: leave };
}

function refused(problem: string): Failure {
  return new Failure('USAGE', `--failed: ${problem}`, { hints: ['name a new file'] });
}

/** USAGE if the file is of another option or user, or not of `--failed`. Its own may be the input: that is copied. */
async function refuseOthers({ path, others = new Map() }: FailedFileOptions, style: Style): Promise<void> {
  const entry = await ignoreNotFound(stat(path));
  if (entry === undefined) return;
  const isReplaceable = entry.size === 0 || (await isOurs(path, style));
  for (const [option, other] of others) {
    if (option === '--from' && isReplaceable) continue;
    const its = await ignoreNotFound(stat(other));
    if (its?.ino === entry.ino && its.dev === entry.dev) throw refused(`${path} is the file of ${option}`);
  }
  const user = currentUid();
  if (user !== undefined && entry.uid !== user) throw refused(`${path} belongs to another user`);
  if (!isReplaceable) throw refused(`${path} exists, and it is not one that --failed wrote`);
}

const LOOKED_AT_BYTES = 65_536;
const OWN_ENDING = /_row"?[^\r\n\w]+"?_outcome"?[^\r\n\w]+"?_error"?[\r\n]/;

/** Do its columns, or the members of its first element, end like those of a failed file? */
async function isOurs(path: string, style: Style): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT_BYTES), 0, LOOKED_AT_BYTES, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    // Only in the header line, where they stand last.
    if (style === 'csv') return OWN_ENDING.exec(text)?.index === text.split(/[\r\n]/, 1)[0]?.lastIndexOf('_row');
    // One element per line. The last line may be cut at the read limit.
    const lines = text.split('\n').slice(0, bytesRead === LOOKED_AT_BYTES ? -1 : undefined);
    const elements = lines.filter((line) => !['', '[', ']'].includes(line.trim()));
    const isOne = (line: string) => line.startsWith('{') && OWN_COLUMNS.every((name) => line.includes(`"${name}":`));
    return elements.every(isOne) && (elements.length > 0 || style === 'json');
  } finally {
    await file.close();
  }
}
