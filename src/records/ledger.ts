import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensurePrivateFolder, putInPlace, syncFolder, writeTemporary } from '../base/files/atomic.ts';
import { errnoOf, ignoreErrors, ignoreNotFound, ioFailure } from '../base/files/io-failure.ts';
import { endsInLine, linesOf } from '../base/files/lines.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { machineName, temporaryName } from '../base/files/process-identity.ts';
import { CLOSED_LINE, RECORD_HEAD } from './write-record.ts';

/** Lines of one file are in the order in which they were written, but for this: a clock may be set back. */
export const SLACK_MS = 60_000;
const NEWLINE = 0x0a;
const PIECE = 256 * 1024;
/** More rounds would need a prune between every write and check. */
const MAX_ROUNDS = 10;

/** The folder of the ledger: a file for each day, UTC, on which writes began, and machine. */
export function ledgerFolder(stateDir: string): string {
  return join(stateDir, 'writes');
}

/** The time at the beginning of an entry's name, to the millisecond. It sorts like the times. */
export function nameTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:.Z]/g, '');
}

/** Does a state folder hold any run or any single change? A new one knows nothing of what was sent elsewhere. */
export async function hasAnyRecord(stateDir: string): Promise<boolean> {
  for (const folder of ['writes', 'open', 'runs']) {
    const names = (await ignoreNotFound(readdir(join(stateDir, folder)))) ?? [];
    // A name that begins with a dot is of a file that is being made.
    if (names.some((name) => !name.startsWith('.'))) return true;
  }
  return false;
}

/** The file to which this machine appends what is known of an entry. Others append to their own. */
export function ledgerFile(stateDir: string, entry: string): string {
  return join(ledgerFolder(stateDir), `${entry.slice(0, 8)}.${machineName()}.ndjson`);
}

/** `20261128.3fa9c2d1.ndjson`, and one that a prune took apart: `20261128.3fa9c2d1-9f3a1c.ndjson`. */
const FILE = /^(\d{8})\.([0-9a-f]{8})(-[0-9a-f]{12})?\.ndjson$/;

/**
 * Appends whole lines with one write and syncs them; none: only checks that it could. Several processes of this machine
 * may do so at once. If a prune took the file apart meanwhile, they are written again (duplicates count once). Rejects
 * with the system's error, or AUTH.
 */
export async function appendLines(path: string, lines: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (await appendOnce(path, lines)) return;
  }
  throw new Error('the file was replaced again and again while it was written');
}

async function appendOnce(path: string, lines: string): Promise<boolean> {
  const folder = dirname(path);
  requireOwnState(dirname(folder), path);
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600).catch(async (error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await ensurePrivateFolder(folder);
    return open(path, flags, 0o600);
  });
  try {
    const before = await file.stat();
    if ((before.mode & 0o077) !== 0) await file.chmod(0o600);
    // Before its first byte: a process that finds one assumes that the name is on the disk.
    if (before.size === 0) await syncFolder(folder);
    if (lines === '') return true;
    const lead = (await endsInLine(file, before.size)) ? '' : '\n';
    const bytes = Buffer.from(lead + lines);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
    await file.datasync();
    const after = await ignoreNotFound(stat(path));
    return after !== undefined && after.ino === before.ino && after.dev === before.dev;
  } finally {
    await ignoreErrors(file.close());
  }
}

export interface LedgerFile {
  readonly path: string;
  readonly day: string;
  readonly machine: string;
  /** A prune took its lines out of another, and nobody appends to it. */
  readonly isApart: boolean;
}

/** The files of the ledger, newest day first; `of`: those of one day. */
export async function ledgerFiles(stateDir: string, of?: string): Promise<readonly LedgerFile[]> {
  const folder = ledgerFolder(stateDir);
  requireOwnState(stateDir, folder);
  const names: Dirent[] = (await ignoreNotFound(readdir(folder, { withFileTypes: true }))) ?? [];
  return names
    .flatMap(({ name }) => {
      const [, day, machine, apart] = FILE.exec(name) ?? [];
      if (day === undefined || machine === undefined || (of !== undefined && day !== of)) return [];
      return [{ path: join(folder, name), day, machine, isApart: apart !== undefined }];
    })
    .sort((one, other) => (one.path < other.path ? 1 : -1));
}

/** Opens a file of the ledger; undefined if a prune removed it. The system's error, or AUTH if others could write it. */
export async function openToRead({ path }: LedgerFile): Promise<FileHandle | undefined> {
  requireOwnState(dirname(dirname(path)), path);
  const file = await ignoreNotFound(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  // Some file systems give a folder no size: its lines would be none, and no error.
  throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
}

/** The whole lines about one entry, oldest first. */
export async function linesAbout(stateDir: string, entry: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of await ledgerFiles(stateDir, entry.slice(0, 8))) {
    for await (const line of linesIn(file)) if (line.includes(entry)) found.push(line.toString('utf8'));
  }
  return found.filter((line) => RECORD_HEAD.exec(line)?.[2] === entry).sort();
}

/** The whole lines of a file of the ledger, none if a prune removed it. */
async function* linesIn(each: LedgerFile): AsyncGenerator<Buffer> {
  const file = await openToRead(each);
  try {
    for await (const lines of file === undefined ? [] : readLines(file)) yield* lines;
  } finally {
    await ignoreErrors(file?.close());
  }
}

/** The whole lines of a file in batches, each with its newline. Half a line at the end is left out. */
export async function* readLines(file: FileHandle): AsyncGenerator<readonly Buffer[]> {
  for await (const lines of linesOf(piecesOf(file))) {
    yield lines.at(-1)?.at(-1) === NEWLINE ? lines : lines.slice(0, -1);
  }
}

async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A longer line is no record: a disk that was cut off can leave megabytes of zeros. */
const MAX_LINE = 1024 * 1024;

/**
 * Passes the lines of a file to `visit`, the last one first, until it returns true. Holds one piece of the file and one
 * line. Lines that are appended meanwhile are left out. Rejects with the system's error.
 */
export async function readLinesBack(file: FileHandle, visit: (line: string) => boolean): Promise<void> {
  const { size } = await file.stat();
  /** The end of a line that begins in an earlier piece, or is too long to keep. */
  let tail = Buffer.alloc(0);
  let isTooLong = false;
  for (let to = size; to > 0; to -= PIECE) {
    const from = Math.max(0, to - PIECE);
    const piece = await readPiece(file, from, to);
    const bytes = tail.length === 0 ? piece : Buffer.concat([piece, tail]);
    const newline = bytes.indexOf(NEWLINE);
    const start = from === 0 ? 0 : newline === -1 ? bytes.length : newline + 1;
    const end = isTooLong ? Math.max(start, bytes.lastIndexOf(NEWLINE)) : bytes.length;
    if (visitBack(bytes.subarray(start, end), visit)) return;
    const rest = newline === -1 ? bytes.length : newline;
    isTooLong = rest > MAX_LINE || (isTooLong && newline === -1);
    tail = isTooLong ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, rest));
  }
}

function visitBack(lines: Buffer, visit: (line: string) => boolean): boolean {
  for (let end = lines.length; end > 0; ) {
    const newline = lines.lastIndexOf(NEWLINE, end - 1);
    if (newline + 1 < end && visit(lines.toString('utf8', newline + 1, end))) return true;
    end = newline;
  }
  return false;
}

async function readPiece(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled, from + filled);
    // Only a file that was cut meanwhile has fewer bytes.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return piece.subarray(0, filled);
}

/**
 * Removes what the ledger has of entries begun before a time, and returns their number. Whole days go with their
 * files. Of the day at the border, this machine's file gets another name, to which nobody appends, and is replaced by
 * the lines that stay: a kill in between loses nothing. LOCAL_IO if a file cannot be written.
 */
export async function pruneLedger(
  { stateDir, pid }: { readonly stateDir: string; readonly pid: number },
  beforeMs: number,
): Promise<number> {
  const before = nameTime(beforeMs);
  const border = before.slice(0, 8);
  const removed = new Set<string>();
  try {
    const files = await ledgerFiles(stateDir);
    const isElsewhere = (file: LedgerFile) => file.day === border && file.machine !== machineName();
    const old = { before, staying: await closedIn(files.filter(isElsewhere)) };
    for (const file of files) {
      if (file.day > border || isElsewhere(file)) continue;
      const kept = await linesFrom(file, old, removed);
      if (file.day < border) await ignoreNotFound(unlink(file.path));
      else if (kept !== undefined) await takeApart(file, old, pid, removed);
    }
    if (removed.size > 0) await syncFolder(ledgerFolder(stateDir));
    return removed.size;
  } catch (error) {
    throw ioFailure(`the history could not be pruned (${ledgerFolder(stateDir)})`, error);
  }
}

/** Which entries go: those begun before a time, but those that stay. */
interface OldEntries {
  readonly before: string;
  readonly staying: ReadonlySet<string>;
}

/** The entries that other machines closed. How they ended may be known here alone, and counts while those lines stay. */
async function closedIn(files: readonly LedgerFile[]): Promise<ReadonlySet<string>> {
  const closed = new Set<string>();
  for (const file of files) {
    for await (const line of linesIn(file)) {
      const text = line.toString('utf8');
      if (CLOSED_LINE.test(text)) closed.add(RECORD_HEAD.exec(text)?.[2] ?? '');
    }
  }
  return closed;
}

/** The lines that stay; undefined if all do. `removed` gets the names of the others. */
async function linesFrom(
  each: LedgerFile,
  { before, staying }: OldEntries,
  removed: Set<string>,
): Promise<Buffer | undefined> {
  const isBorder = each.day === before.slice(0, 8);
  const kept: Buffer[] = [];
  let isAll = true;
  for await (const line of linesIn(each)) {
    // Lines that are no records stay, because a newer frontdesk may have written them.
    const entry = RECORD_HEAD.exec(line.toString('latin1', 0, 120))?.[2] ?? before;
    if (entry >= before || (isBorder && staying.has(entry))) {
      if (isBorder) kept.push(Buffer.from(line));
    } else {
      isAll = false;
      removed.add(entry);
    }
  }
  return isAll ? undefined : Buffer.concat(kept);
}

async function takeApart(file: LedgerFile, old: OldEntries, pid: number, removed: Set<string>): Promise<void> {
  const temporary = join(dirname(file.path), temporaryName(pid));
  const { isApart } = file;
  const apart = isApart ? file.path : file.path.replace(/\.ndjson$/, `-${temporary.slice(-16, -4)}.ndjson`);
  // Who has it open finds out after writing, and writes again.
  if (!isApart) await rename(file.path, apart);
  const kept = await linesFrom({ ...file, path: apart }, old, removed);
  try {
    if (kept === undefined) return;
    if (kept.length === 0) return await unlink(apart);
    await writeTemporary(temporary, kept);
    await putInPlace(temporary, apart);
  } catch (error) {
    await ignoreErrors(rm(temporary, { force: true }));
    throw error;
  }
}
