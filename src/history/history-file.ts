import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensurePrivateFolder, syncFolder } from '../files/atomic.ts';
import { ifThere, tidy } from '../files/io-failure.ts';
import { requireOwnState } from '../files/own-state.ts';

const NEWLINE = 0x0a;
const PIECE = 256 * 1024;
/** A prune would have to replace the file between every write and look of ours. */
const MAX_ROUNDS = 10;

export function historyPath(stateDir: string): string {
  return join(stateDir, 'history.jsonl');
}

/**
 * Appends whole lines with one write and syncs them; several processes may do so at once. A prune replaces the
 * file: when that happened meanwhile, the lines may have gone to the old one and are written again (an entry that
 * is there twice is read once). Rejects with the system's error.
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
    const lead = (await endsInLine(file, before.size)) ? '' : '\n';
    const bytes = Buffer.from(lead + lines);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
    await file.datasync();
    if (before.size === 0) await syncFolder(dirname(path));
    const after = await stat(path).catch(() => undefined);
    return after !== undefined && after.ino === before.ino && after.dev === before.dev;
  } finally {
    await tidy(file.close());
  }
}

/** A process that died while it wrote left half a line: the next one must not become a part of it. */
export async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}

/**
 * The history for reading; undefined when there is none. Rejects with the system's error, and with AUTH where others
 * could have written it.
 */
export async function openHistory(stateDir: string): Promise<FileHandle | undefined> {
  requireOwnState(stateDir, historyPath(stateDir));
  return ifThere(open(historyPath(stateDir), constants.O_RDONLY | constants.O_NOFOLLOW));
}

/**
 * The whole lines of a file from an offset on, some at a time, each with its newline. Holds one piece of the file and
 * one line. What is appended meanwhile may be among them; half a line at the end is not.
 */
export async function* readLines(file: FileHandle, from: number): AsyncGenerator<readonly Buffer[]> {
  let rest = Buffer.alloc(0);
  for (let at = from; ; ) {
    const piece = Buffer.allocUnsafe(PIECE);
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let newline = bytes.indexOf(NEWLINE); newline !== -1; newline = bytes.indexOf(NEWLINE, start)) {
      lines.push(bytes.subarray(start, newline + 1));
      start = newline + 1;
    }
    rest = bytes.subarray(start);
    yield lines;
  }
}
