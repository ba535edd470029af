import { constants, readdirSync, statSync } from 'node:fs';
import { type FileHandle, open, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensurePrivateFolder, syncFolder } from '../files/atomic.ts';
import { ifPossible, ignoreErrors, ignoreNotFound, orIoFailure } from '../files/io-failure.ts';
import { linesOf } from '../files/lines.ts';
import { requireOwnState } from '../files/own-state.ts';

const NEWLINE = 0x0a;
const PIECE = 256 * 1024;
/** More rounds would need a prune between every write and check. */
const MAX_ROUNDS = 10;

/** The file of the history of single changes. */
export function historyPath(stateDir: string): string {
  return join(stateDir, 'history.jsonl');
}

/**
 * Appends whole lines with one write and syncs them. Several processes may do so at once. If a prune replaced the file
 * meanwhile, the lines may be in the old one and are written again (duplicates count once). Rejects with the system's
 * error.
 */
export async function appendLines(path: string, lines: string): Promise<void> {
  await ensurePrivateFolder(dirname(path));
  requireOwnState(dirname(path), path);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (await appendOnce(path, lines)) return;
  }
  throw new Error('the file was replaced again and again while it was written');
}

async function appendOnce(path: string, lines: string): Promise<boolean> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    const before = await file.stat();
    if ((before.mode & 0o077) !== 0) await file.chmod(0o600);
    // Before its first byte: a process that finds one assumes that the names are on the disk, also that of a new
    // folder.
    if (before.size === 0) for (const folder of [dirname(dirname(path)), dirname(path)]) await syncFolder(folder);
    const lead = (await endsInLine(file, before.size)) ? '' : '\n';
    const bytes = Buffer.from(lead + lines);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
    await file.datasync();
    const after = await stat(path).catch(() => undefined);
    return after !== undefined && after.ino === before.ino && after.dev === before.dev;
  } finally {
    await ignoreErrors(file.close());
  }
}

/** A process that died while writing left half a line, which the next line must not join. */
export async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

const REPLACED = /^history\.jsonl\.replaced-(\d+)$/;

/** The second name of a file that a prune replaces. `end`: how far its lines were judged. */
export function replacedPath(stateDir: string, end: number): string {
  return `${historyPath(stateDir)}.replaced-${end}`;
}

/**
 * Appends what was written to a replaced history after a prune judged it, then removes the replaced file. Duplicate
 * lines count once. A file that is not replaced yet is left to its prune, or removed with `isOnlyPrune`. Rejects with
 * the system's error, without losing anything.
 */
export async function carryOver(stateDir: string, isOnlyPrune = false): Promise<void> {
  // Opening the history says why its folder cannot be listed.
  for (const name of ifPossible(() => readdirSync(stateDir)) ?? []) {
    const end = REPLACED.exec(name)?.[1];
    if (end === undefined) continue;
    const [path, second] = [historyPath(stateDir), join(stateDir, name)];
    requireOwnState(stateDir, second);
    const file = await ignoreNotFound(open(second, constants.O_RDONLY | constants.O_NOFOLLOW));
    if (file === undefined) continue;
    try {
      const [old, now] = [await file.stat(), await ignoreNotFound(stat(path))];
      const isSame = old.ino === now?.ino && old.dev === now.dev;
      if (isSame && !isOnlyPrune) continue;
      if (!isSame) await appendLate(file, Number(end), path);
    } finally {
      await ignoreErrors(file.close());
    }
    await ignoreNotFound(unlink(second));
  }
}

/** Appends the lines of a replaced file from `end` on to its successor. */
export async function appendLate(replaced: FileHandle, end: number, path: string): Promise<void> {
  let late = '';
  for await (const lines of readLines(replaced, end)) late += Buffer.concat(lines).toString('utf8');
  if (late !== '') await appendLines(path, late);
}

/** Opens the history; undefined without one. The system's error, or AUTH if others could have written it. */
export async function openHistory(stateDir: string): Promise<FileHandle | undefined> {
  requireOwnState(stateDir, historyPath(stateDir));
  await carryOver(stateDir);
  const file = await ignoreNotFound(open(historyPath(stateDir), constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  // Some file systems give a folder no size: its lines would be none, and no error.
  throw Object.assign(new Error('the history is a folder'), { code: 'EISDIR' });
}

/**
 * The whole lines of a file from an offset on, in batches, each with its newline. Holds one piece of the file and one
 * line. Lines that are appended meanwhile may be included, half a line at the end is not.
 */
export async function* readLines(file: FileHandle, from: number): AsyncGenerator<readonly Buffer[]> {
  for await (const lines of linesOf(piecesOf(file, from))) {
    yield lines.at(-1)?.at(-1) === NEWLINE ? lines : lines.slice(0, -1);
  }
}

async function* piecesOf(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A longer line is no event: a disk that was cut off can leave megabytes of zeros. */
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
    const kept = newline === -1 ? bytes.length : newline;
    isTooLong = kept > MAX_LINE || (isTooLong && newline === -1);
    tail = isTooLong ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, kept));
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

function pathOf(stateDir: string): string {
  return join(stateDir, 'sandbox-reset');
}

/** Forgets what was sent to the sandbox: it is neither open nor the same input any more. Rejects with LOCAL_IO. */
export async function markSandboxReset(stateDir: string): Promise<void> {
  const path = pathOf(stateDir);
  const attempt = `the sandbox is reset, and what was sent to it before could not be forgotten (${path})`;
  await orIoFailure(writeFile(path, '', { mode: 0o600 }), attempt);
}

/** ISO 8601 time of the last reset of the sandbox; undefined: never. */
export function sandboxResetTime(stateDir: string): string | undefined {
  const facts = statSync(pathOf(stateDir), { throwIfNoEntry: false });
  return facts === undefined ? undefined : new Date(facts.mtimeMs).toISOString();
}
