import { KIND_BYTES, otherKindOf } from '../other-files.ts';

/** Why a file cannot be read as a workbook: a clause about the file, such as `is encrypted`. */
export class WorkbookFault extends Error {
  constructor(problem: string, cause?: unknown) {
    super(problem, { cause });
    this.name = 'WorkbookFault';
  }
}

/** A fault of a file that breaks its own format. `detail` says how. */
export function damaged(detail: string, cause?: unknown): WorkbookFault {
  return new WorkbookFault(`is damaged, or not an .xlsx file (${detail})`, cause);
}

/** The directory of a ZIP file is at its end, so the packed file is kept in memory. */
const MAX_PACKED_BYTES = 128 * 1024 * 1024;
/** How much of an older or encrypted file is read to tell which of the two it is. */
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

/** Is this a ZIP file, or the container of encrypted and old spreadsheets? */
export function looksLikeWorkbook(start: Uint8Array): boolean {
  const isZip = begins(start, ZIP) && (begins(start.subarray(2), [3, 4]) || begins(start.subarray(2), [5, 6]));
  return isZip || begins(start, OLE);
}

const SAVE = 'open it in the program that made it and save it as .xlsx';

/** Reads a packed file. One that is no ZIP file is refused by its first bytes. */
export async function readPacked(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    pieces.push(Buffer.from(piece));
    length += piece.length;
    const [first = piece] = pieces;
    if (length >= KIND_BYTES && !begins(first, ZIP) && !begins(first, OLE)) break;
    if (begins(first, OLE) && length > MAX_OLE_BYTES) break;
    if (length > MAX_PACKED_BYTES) throw new WorkbookFault('is larger than 128 MiB');
  }
  const whole = Buffer.concat(pieces);
  if (begins(whole, ZIP)) return whole;
  if (length === 0) throw new WorkbookFault('is empty (0 bytes): save it again in the program that made it');
  if (!begins(whole, OLE)) throw new WorkbookFault(otherKindOf(whole) ?? NOT_PACKED);
  if (whole.includes(ENCRYPTED_PACKAGE)) throw new WorkbookFault('is encrypted: save it without a password');
  throw new WorkbookFault(`is in the older .xls format, or encrypted: ${SAVE}, without a password`);
}

const NOT_PACKED =
  'is text or something else, not an .xlsx file: --from-format csv reads a CSV under this name. Or open it in the program that made it and save it as .xlsx';
