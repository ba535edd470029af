import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;

/**
 * The lines of some bytes with their line breaks, in the batches that the pieces complete. The last line may lack its
 * break. A line beyond `maxLength` is cut, and ends the lines. A line is valid only until the next batch.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  maxLength = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Buffer[]> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    const part = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, start)) {
      const line = part.subarray(start, end + 1);
      lines.push(parts.length === 0 ? line : Buffer.concat([...parts, line]));
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (lines.length > 0) yield lines;
    // A copy: the reader uses its buffer again.
    if (start < part.length) parts.push(Buffer.from(part.subarray(start)));
    length += part.length - start;
    if (length > maxLength) break;
  }
  if (parts.length > 0) yield [Buffer.concat(parts)];
}

/** A process that died while writing left half a line, which the next line must not join. */
export async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] === NEWLINE;
}
