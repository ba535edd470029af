import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive, and what the archive says of it where that is not the truth. */
export interface ZipFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly isStored?: boolean;
  /** What the directory says instead of the size unpacked. */
  readonly saidSize?: number;
  readonly saidCrc?: number;
  /** The name before its bytes, of the same length. */
  readonly localName?: string;
  /** Bits of the header; 1 means encrypted. */
  readonly flags?: number;
  readonly method?: number;
  /** Sizes in the Zip64 field, as programs write that do not know them beforehand. */
  readonly isZip64?: boolean;
}

function localHeader({ localName, flags = 0, method, ...file }: ZipFile, method8: number): Buffer {
  const name = localName ?? file.name;
  const header = Buffer.alloc(30);
  header.write('PK\u0003\u0004', 'latin1');
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method ?? method8, 8);
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

function zip64Field(size: number, packed: number): Buffer {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(BigInt(size), 4);
  field.writeBigUInt64LE(BigInt(packed), 12);
  return field;
}

function entry(file: ZipFile, facts: { size: number; packed: number; crc: number; offset: number }): Buffer {
  const { name, flags = 0, method, isStored = false, isZip64 = false } = file;
  const size = file.saidSize ?? facts.size;
  const header = Buffer.alloc(46);
  header.write('PK\u0001\u0002', 'latin1');
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method ?? (isStored ? 0 : 8), 10);
  header.writeUInt32LE(file.saidCrc ?? facts.crc, 16);
  header.writeUInt32LE(isZip64 ? 0xffffffff : facts.packed, 20);
  header.writeUInt32LE(isZip64 ? 0xffffffff : size, 24);
  header.writeUInt16LE(Buffer.byteLength(name), 28);
  const extra = isZip64 ? zip64Field(size, facts.packed) : Buffer.alloc(0);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(facts.offset, 42);
  return Buffer.concat([header, Buffer.from(name), extra]);
}

function zip64End(offset: number, length: number, count: number): readonly Buffer[] {
  const [record, locator] = [Buffer.alloc(56), Buffer.alloc(20)];
  record.write('PK\u0006\u0006', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  locator.write('PK\u0006\u0007', 'latin1');
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}

/** A ZIP archive, made by hand so that it may also be one that no program writes. `isZip64`: with an end in 64 bits too. */
export function makeZip(files: readonly ZipFile[], isZip64 = false): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const content = Buffer.from(file.content);
    const data = file.isStored === true ? content : deflateRawSync(content);
    const local = localHeader(file, file.isStored === true ? 0 : 8);
    directory.push(entry(file, { size: content.length, packed: data.length, crc: crc32(content), offset }));
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, ...(isZip64 ? zip64End(offset, central.length, files.length) : []), end]);
}
