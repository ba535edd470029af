import { createReadStream, type Stats } from 'node:fs';
import { lstat, open, rm, stat } from 'node:fs/promises';
import { Failure } from '../base/failure.ts';
import { putInNewPlace, putInPlace } from '../base/files/atomic.ts';
import { ignoreErrors, ignoreNotFound, orIoFailure } from '../base/files/io-failure.ts';
import { currentUid } from '../base/files/safety.ts';
import { isInShard, type Shard } from '../input/records/shard.ts';
import { cellAt } from '../input/values.ts';
import { cellText, OWN_COLUMNS } from '../screen/column.ts';

/** How the rows are written. */
export type Style = 'csv' | 'ndjson' | 'json';

/** Where a file of `--failed` goes. */
export interface Place {
  readonly path: string;
  /** Of a run of a part of the rows: the file of another part is never replaced. */
  readonly shard?: Shard | undefined;
  /** Files that the call reads or makes, by option. They are never replaced. */
  readonly others?: ReadonlyMap<string, string> | undefined;
}

const STREAMS = /^\/dev\/(?:null|stdout|stderr|fd\/\d+)$/;

/** Is it a stream of this process? That is written as it is. USAGE for another pipe or device, which may never end. */
export async function isSpecialFile(path: string, attempt: string): Promise<boolean> {
  if (STREAMS.test(path)) return true;
  const entry = await orIoFailure(ignoreNotFound(lstat(path)), attempt, 'unsent');
  if (entry === undefined || entry.isFile()) return false;
  const kind = entry.isDirectory() ? 'a folder' : entry.isSymbolicLink() ? 'a link' : 'a pipe or a device';
  throw refused(`${path} is ${kind}`);
}

function refused(problem: string): Failure {
  return new Failure('USAGE', `--failed: ${problem}`, { hints: ['name a new file'] });
}

/**
 * USAGE if the file is of another option or user, not of `--failed`, or of another part of the rows. Its own may be the
 * input: that is copied. Returns the file that may be replaced.
 */
export async function refuseOthers(
  { path, others = new Map(), shard }: Place,
  style: Style,
): Promise<Stats | undefined> {
  const entry = await ignoreNotFound(stat(path));
  if (entry === undefined) return undefined;
  const isReplaceable = entry.size === 0 || (await isOurs(path, style));
  for (const [option, other] of others) {
    if (option === '--from' && isReplaceable) continue;
    const its = await ignoreNotFound(stat(other));
    if (its?.ino === entry.ino && its.dev === entry.dev) throw refused(`${path} is the file of ${option}`);
  }
  const user = currentUid();
  if (user !== undefined && entry.uid !== user) throw refused(`${path} belongs to another user`);
  if (!isReplaceable) throw refused(`${path} exists, and it is not one that --failed wrote`);
  if (shard !== undefined && !(await hasOnly(path, style, (row) => isInShard(row, shard))))
    throw refused(`${path} has rows of another shard`);
  return entry;
}

/** Has the file no row but those that `isMeant` admits? */
async function hasOnly(path: string, style: Style, isMeant: (row: number) => boolean): Promise<boolean> {
  // Most places are new: the reader of inputs is loaded where there is one to read.
  const { readRecords } = await import('../input/records/read.ts');
  const how = { name: path, path, format: style, csvRaw: true, sheet: undefined, takesCards: false } as const;
  for await (const { records, faults } of readRecords(createReadStream(path), { ...how, isColumn: () => true })) {
    const rows = records.map(({ names, values }) =>
      Number(cellText(cellAt(values, names.lastIndexOf('_row')) ?? null)),
    );
    if (faults.length > 0 || !rows.every(isMeant)) return false;
  }
  return true;
}

function isSame(now: Stats, seen: Stats | undefined): boolean {
  return now.ino === seen?.ino && now.dev === seen.dev && now.mtimeMs === seen.mtimeMs && now.size === seen.size;
}

/**
 * Moves the written file to its place. LOCAL_IO, and what is there is left alone, if another file with rows has come
 * there since `seen`: of two shards with one file, the second would take away the rows of the first.
 */
export async function putWhereSeen(
  temporary: string,
  path: string,
  seen: Stats | undefined,
  style: Style,
): Promise<void> {
  const now = await ignoreNotFound(lstat(path));
  if (now === undefined && (await putInNewPlace(temporary, path))) return;
  const isFree = now?.isFile() === true && (isSame(now, seen) || (await isEmpty(path, now, style)));
  if (isFree) return putInPlace(temporary, path);
  await ignoreErrors(rm(temporary, { force: true }));
  throw new Failure('LOCAL_IO', `--failed: another file appeared at ${path}, and was left alone`, {
    hints: ['name a file of its own for each run or shard'],
  });
}

async function isEmpty(path: string, { size }: Stats, style: Style): Promise<boolean> {
  return size === 0 || ((await isOurs(path, style)) && (await hasOnly(path, style, () => false)));
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
