import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Pieces } from './pieces.ts';
import { damaged, WorkbookFault } from './workbook-fault.ts';

/** One file of an archive, as its central directory says. */
interface Entry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  /** Bytes in the archive. */
  readonly packed: number;
  /** Bytes unpacked. */
  readonly size: number;
  /** Of its local header. */
  readonly offset: number;
}

const MAX_UNPACKED_BYTES = 1024 ** 3;
/** A large part that was packed better than this was made to fill the memory: rows differ, at least in their ids. */
const MAX_RATIO = 150;
const LARGE_BYTES = 64 * 1024 * 1024;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR_BYTES = 20;
const END_64_BYTES = 56;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** In place of a number that stands in the Zip64 field. */
const IN_ZIP64 = 0xffffffff;
const UNPACK_CHUNK_BYTES = 128 * 1024;

/** Where the central directory stands. */
function findDirectory(bytes: Pieces): { readonly start: number; readonly size: number } {
  const from = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  const tail = bytes.slice(from, bytes.length);
  const at = tail.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  if (at === -1 || at + END_BYTES > tail.length) throw damaged('the end of the file is missing');
  const directory = { size: tail.readUInt32LE(at + 12), start: tail.readUInt32LE(at + 16) };
  const locator = bytes.slice(from + at - LOCATOR_BYTES, from + at);
  if (directory.start !== IN_ZIP64 && directory.size !== IN_ZIP64) return directory;
  if (locator.toString('latin1', 0, 4) !== 'PK\u0006\u0007') throw damaged('its directory is missing');
  const endAt = Number(locator.readBigUInt64LE(8));
  const end = bytes.slice(endAt, endAt + END_64_BYTES);
  if (end.length < END_64_BYTES || end.toString('latin1', 0, 4) !== 'PK\u0006\u0006') {
    throw damaged('its directory is missing');
  }
  return { size: Number(end.readBigUInt64LE(40)), start: Number(end.readBigUInt64LE(48)) };
}

/** The numbers that do not fit into 32 bits, in the order in which the Zip64 field has them. */
function zip64Numbers(extra: Buffer): readonly number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    const count = Math.min(3, Math.floor(field.length / 8));
    return Array.from({ length: count }, (_, index) => Number(field.readBigUInt64LE(8 * index)));
  }
  return [];
}

function readEntry(directory: Buffer, at: number): Entry & { readonly next: number } {
  const header = directory.subarray(at, at + ENTRY_BYTES);
  if (header.length < ENTRY_BYTES || header.toString('latin1', 0, 4) !== 'PK\u0001\u0002') {
    throw damaged('its directory cannot be read');
  }
  const nameEnd = at + ENTRY_BYTES + header.readUInt16LE(28);
  const extraEnd = nameEnd + header.readUInt16LE(30);
  const name = directory.toString('utf8', at + ENTRY_BYTES, nameEnd);
  const method = header.readUInt16LE(10);
  if ((header.readUInt16LE(8) & 1) !== 0) throw new WorkbookFault('is encrypted; save it without a password');
  if (method !== 0 && method !== 8) throw damaged('it is packed in a way that workbooks are not');
  const wide = [...zip64Numbers(directory.subarray(nameEnd, extraEnd))];
  const number = (field: number): number => {
    const value = header.readUInt32LE(field);
    return value === IN_ZIP64 ? (wide.shift() ?? value) : value;
  };
  const [size, packed, offset] = [number(24), number(20), number(42)];
  const crc = header.readUInt32LE(16);
  return { name, isDeflated: method === 8, crc, size, packed, offset, next: extraEnd + header.readUInt16LE(32) };
}

/** The files of a ZIP archive. Nothing is unpacked before it is asked for, and never more than the archive says. */
export class Archive {
  readonly #bytes: Pieces;
  readonly #entries = new Map<string, Entry>();

  /** Raises a `WorkbookFault` when the archive is damaged, encrypted, or unpacks to more than 1 GiB. */
  constructor(bytes: Pieces) {
    this.#bytes = bytes;
    const { start, size } = findDirectory(bytes);
    if (size > MAX_DIRECTORY_BYTES) throw damaged('it has too many parts');
    const directory = bytes.slice(start, start + size);
    let unpacked = 0;
    for (let at = 0; at < directory.length; ) {
      const { next, ...entry } = readEntry(directory, at);
      const key = keyOf(entry.name);
      // Two readers could take two different ones.
      if (this.#entries.has(key)) throw damaged('it holds a part twice');
      this.#entries.set(key, entry);
      unpacked += entry.size;
      at = next;
    }
    if (unpacked > MAX_UNPACKED_BYTES) throw new WorkbookFault('unpacks to more than 1 GiB');
    const bomb = [...this.#entries.values()].find(
      ({ size, packed }) => size > LARGE_BYTES && size > MAX_RATIO * packed,
    );
    if (bomb !== undefined) {
      throw new WorkbookFault(`unpacks to ${Math.floor(bomb.size / bomb.packed)} times its size, as no workbook does`);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** The unpacked bytes of a file. Raises a `WorkbookFault` when there is none, or its size or checksum is wrong. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name));
    if (entry === undefined) throw damaged(`the part ${name} is missing`);
    let size = 0;
    let crc = 0;
    for await (const chunk of this.#unpack(entry)) {
      size += chunk.length;
      if (size > entry.size) break;
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (size !== entry.size || crc !== entry.crc) throw damaged(`the part ${name} is not what the directory says`);
  }

  async *#unpack(entry: Entry): AsyncGenerator<Buffer> {
    const local = this.#bytes.slice(entry.offset, entry.offset + LOCAL_BYTES);
    if (local.length < LOCAL_BYTES || local.toString('latin1', 0, 4) !== 'PK\u0003\u0004') {
      throw damaged(`the part ${entry.name} is not where the directory says`);
    }
    const start = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = this.#bytes.between(start, start + entry.packed);
    if (!entry.isDeflated) return yield* packed;
    const inflate = createInflateRaw({ chunkSize: UNPACK_CHUNK_BYTES });
    // What goes wrong is raised to whoever reads the chunks.
    pipeline(Readable.from(packed), inflate, () => undefined);
    try {
      yield* inflate;
    } catch (error) {
      throw damaged(`the part ${entry.name} cannot be unpacked`, error);
    }
  }
}

/** Names of parts are the same whatever their case. */
function keyOf(name: string): string {
  return name.replace(/^\//, '').toLowerCase();
}
