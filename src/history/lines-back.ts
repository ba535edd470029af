import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;
const CHUNK = 256 * 1024;
/** A longer line is no event: a disk that was cut off can leave megabytes of zeros. */
const MAX_LINE = 1024 * 1024;

/**
 * Hands the lines of a file to `visit`, the last one first, until it returns true or none is left. Holds one piece of
 * the file and one line, however large the file is. Lines that are appended meanwhile are left out. Rejects with the
 * system's error.
 */
export async function readLinesBack(file: FileHandle, visit: (line: string) => boolean): Promise<void> {
  const { size } = await file.stat();
  /** The end of a line whose beginning is in an earlier piece, or that is too long to be kept. */
  let tail = Buffer.alloc(0);
  let isTooLong = false;
  for (let to = size; to > 0; to -= CHUNK) {
    const from = Math.max(0, to - CHUNK);
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
    // Only a file that was cut short meanwhile has less than it said.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return piece.subarray(0, filled);
}
