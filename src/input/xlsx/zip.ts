import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { damaged, WorkbookFault } from './packed.ts';

const MAX_UNPACKED_BYTES = 1024 ** 3;
/** A large part that was packed better than this was made to fill the memory: rows differ, at least in their IDs. */
const MAX_RATIO = 150;
const LARGE_BYTES = 64 * 1024 * 1024;
const MAX_PARTS = 100_000;

/** The files of a ZIP archive. Nothing is unpacked before it is asked for, and never more than the archive says. */
export type Archive = Awaited<ReturnType<typeof openArchive>>;

/** Raises a `WorkbookFault` when the archive is damaged, encrypted, or unpacks to more than 1 GiB. */
export async function openArchive(bytes: Buffer) {
  // Not decoded: a name that leads out of the archive names no wanted part.
  const packed = withoutRest(bytes);
  const opening = fromBufferPromise(packed, { decodeStrings: false });
  const zip = await raised(opening, 'the end of the file is missing: was it copied whole?');
  const entries = await raised(readDirectory(zip), 'its directory cannot be read');
  return {
    has: (name: string): boolean => entries.has(keyOf(name)),
    /** The unpacked bytes of a file. Raises a `WorkbookFault` when there is none, or its size or checksum is wrong. */
    async *read(name: string): AsyncGenerator<Buffer> {
      const entry = entries.get(keyOf(name));
      if (entry === undefined) throw damaged(`the part ${name} is missing`);
      const problem = `the part ${name} does not match the directory`;
      let crc = 0;
      if (!isNamedAlike(packed, entry)) throw damaged(problem);
      try {
        for await (const chunk of await zip.openReadStreamPromise(entry)) {
          crc = crc32(chunk, crc);
          yield chunk;
        }
      } catch (error) {
        throw damaged(problem, error);
      }
      if (crc !== entry.crc32) throw damaged(problem);
    },
  };
}

async function readDirectory(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MAX_PARTS) throw damaged('it has too many parts');
  const entries = new Map<string, Entry>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new WorkbookFault('is encrypted: save it without a password');
    if (!entry.canDecodeFileData()) throw damaged('it is packed in an unknown way');
    const key = keyOf(entry.fileNameRaw.toString('utf8'));
    // Two readers could take two different ones.
    if (entries.has(key)) throw damaged('it contains a part twice');
    entries.set(key, entry);
    unpacked += entry.uncompressedSize;
  }
  if (unpacked > MAX_UNPACKED_BYTES) throw new WorkbookFault('unpacks to more than 1 GiB');
  for (const { uncompressedSize: size, compressedSize: packed } of entries.values()) {
    if (size <= LARGE_BYTES || size <= MAX_RATIO * packed) continue;
    throw new WorkbookFault(`unpacks to ${Math.floor(size / packed)} times its size, which no real .xlsx file does`);
  }
  return entries;
}

/** Has a file the name before its bytes that it has in the directory? Others refuse it, or go by the one before it. */
function isNamedAlike(bytes: Buffer, { relativeOffsetOfLocalHeader: at, fileNameRaw }: Entry): boolean {
  const name = at + 30;
  return (
    bytes.subarray(name, name + fileNameRaw.length).equals(fileNameRaw) &&
    bytes.readUInt16LE(at + 26) === fileNameRaw.length
  );
}

/** What an attempt gives; what yauzl says against it becomes the cause of a fault in plain words. */
async function raised<Result>(attempt: Promise<Result>, problem: string): Promise<Result> {
  try {
    return await attempt;
  } catch (error) {
    throw error instanceof WorkbookFault ? error : damaged(problem, error);
  }
}

/** The record at the end of an archive, its length without the comment, and the place of the comment's length. */
const END = Buffer.from([0x50, 0x4b, 5, 6]);
const END_LENGTH = 22;
const COMMENT_AT = 20;
/** Stands right before the end record, 20 bytes, where a third one says the same in 64 bits. */
const LOCATOR = Buffer.from([0x50, 0x4b, 6, 7]);

/** Some programs leave bytes behind the end, and spreadsheets open such files. */
function withoutRest(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(END);
  if (at === -1 || at + END_LENGTH > bytes.length) return bytes;
  requireDirectoryBefore(bytes, at);
  return bytes.subarray(0, at + END_LENGTH + bytes.readUInt16LE(at + COMMENT_AT));
}

/**
 * The directory must end where the records behind it begin: other programs correct every place by the difference, so
 * that of two archives one behind the other they read the second, and yauzl the first.
 */
function requireDirectoryBefore(bytes: Buffer, end: number): void {
  const [length, begin] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)];
  const locator = end - 20;
  const isZip64 = locator >= 0 && bytes.compare(LOCATOR, 0, 4, locator, locator + 4) === 0;
  if (isZip64 ? !isBeforeZip64(bytes, locator, length, begin) : begin + length !== end) {
    throw damaged('its directory is not where its end says');
  }
}

/** The record in 64 bits says the same as the end record, whose values may be all ones instead. */
function isBeforeZip64(bytes: Buffer, locator: number, length: number, begin: number): boolean {
  const at = Number(bytes.readBigUInt64LE(locator + 8));
  if (at + 56 > locator) return false;
  const [length64, begin64] = [Number(bytes.readBigUInt64LE(at + 40)), Number(bytes.readBigUInt64LE(at + 48))];
  const isSame = (short: number, long: number) => short === 0xffffffff || short === long;
  const endsAtLocator = at + 12 + Number(bytes.readBigUInt64LE(at + 4)) === locator;
  return endsAtLocator && begin64 + length64 === at && isSame(length, length64) && isSame(begin, begin64);
}

/** Names of parts are the same whatever their case, and some programs write `\` in them. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}
