import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** An error says all that it has to say in the beginning. */
const MAX_UNPACKED_BYTES = 65_536;

const FLUSH = { finishFlush: constants.Z_SYNC_FLUSH };

function unpackersOf(encoding: string): readonly (() => Transform)[] {
  if (encoding === 'gzip' || encoding === 'x-gzip') return [() => createGunzip(FLUSH)];
  if (encoding === 'br') return [() => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })];
  // Two forms go by this name.
  return encoding === 'deflate' ? [() => createInflate(FLUSH), () => createInflateRaw(FLUSH)] : [];
}

/** The beginning of a compressed body; undefined if it cannot be unpacked. Never more than 64 KiB. */
export async function unpackBeginning(body: readonly Uint8Array[], encoding: string): Promise<Uint8Array | undefined> {
  for (const make of unpackersOf(encoding)) {
    const stream = make();
    const pieces: Buffer[] = [];
    let length = 0;
    stream.end(Buffer.concat(body));
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        pieces.push(piece);
        length += piece.length;
        if (length >= MAX_UNPACKED_BYTES) break;
      }
    } catch {
      // What came before the damage is shown.
    }
    stream.destroy();
    if (length > 0) return Buffer.concat(pieces).subarray(0, MAX_UNPACKED_BYTES);
  }
  return undefined;
}
