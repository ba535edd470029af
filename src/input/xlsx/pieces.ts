import { WorkbookFault } from './workbook-fault.ts';

/** The directory of a ZIP file stands at its end, so the packed file is kept in memory while it is read. */
const MAX_PACKED_BYTES = 128 * 1024 * 1024;
/** How much of an older or encrypted file is looked at to tell which of the two it is. */
const MAX_OLE_BYTES = 4 * 1024 * 1024;
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const ZIP = [0x50, 0x4b];
/** How Excel names the part that holds an encrypted workbook. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/** How many bytes tell a workbook from text. */
export const MAGIC_BYTES = 8;

function begins(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** Can this be no text, but a workbook: a ZIP file, or the container of encrypted and of older ones? */
export function looksLikeWorkbook(start: Uint8Array): boolean {
  const isZip = begins(start, ZIP) && (begins(start.subarray(2), [3, 4]) || begins(start.subarray(2), [5, 6]));
  return isZip || begins(start, OLE);
}

/** The bytes of a packed file, in the pieces in which they came. */
export class Pieces {
  readonly length: number;
  readonly #pieces: readonly Buffer[];

  private constructor(pieces: readonly Buffer[], length: number) {
    this.#pieces = pieces;
    this.length = length;
  }

  /** Reads to the end. A file that is no ZIP file is refused by its first bytes, before the rest is read. */
  static async read(bytes: AsyncIterable<Uint8Array>): Promise<Pieces> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of bytes) {
      pieces.push(Buffer.from(piece));
      length += piece.length;
      const [first = piece] = pieces;
      if (length >= MAGIC_BYTES && !begins(first, ZIP) && !begins(first, OLE)) break;
      if (begins(first, OLE) && length > MAX_OLE_BYTES) break;
      if (length > MAX_PACKED_BYTES) throw new WorkbookFault('is larger than 128 MiB');
    }
    const whole = new Pieces(pieces, length);
    whole.#refuseOtherFormats();
    return whole;
  }

  /** The bytes from `start` to `end`, not copied, one piece after the other. */
  *between(start: number, end: number): Generator<Buffer> {
    let at = 0;
    for (const piece of this.#pieces) {
      if (at >= end) return;
      if (at + piece.length > start) yield piece.subarray(Math.max(0, start - at), end - at);
      at += piece.length;
    }
  }

  /** The same as one. */
  slice(start: number, end: number): Buffer {
    return Buffer.concat([...this.between(start, end)]);
  }

  #refuseOtherFormats(): void {
    const start = this.slice(0, MAGIC_BYTES);
    if (begins(start, OLE)) {
      if (this.#includes(ENCRYPTED_PACKAGE)) throw new WorkbookFault('is encrypted; save it without a password');
      throw new WorkbookFault('is in the older .xls format, or encrypted; save it as .xlsx, without a password');
    }
    if (!begins(start, ZIP))
      throw new WorkbookFault('is not a workbook (an .xlsx file is a ZIP file, and this is not)');
  }

  #includes(wanted: Buffer): boolean {
    let tail: Buffer = Buffer.alloc(0);
    return this.#pieces.some((piece) => {
      const isFound = Buffer.concat([tail, piece]).includes(wanted);
      tail = piece.subarray(-wanted.length);
      return isFound;
    });
  }
}
