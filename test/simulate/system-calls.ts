import { constants } from 'node:fs';
import { type Inode, type SimulatedDisk, systemError } from './disk.ts';

export type Data = string | Uint8Array;
export type FileOptions =
  | BufferEncoding
  | null
  | { readonly encoding?: BufferEncoding | null; readonly flag?: string | number; readonly mode?: number };
type Place = number | null | undefined;

interface Opened {
  readonly inode: Inode;
  readonly isAppending: boolean;
  at: number;
}

const FLAGS: Readonly<Record<string, number>> = {
  r: constants.O_RDONLY,
  'r+': constants.O_RDWR,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_EXCL,
  'wx+': constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_EXCL,
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
};

export const UID = 1000;

/** As `fs.Stats`, as far as the program looks at it. */
function statsOf(inode: Inode) {
  const is = (wanted: boolean) => () => wanted;
  return {
    dev: 1,
    ino: inode.ino,
    mode: inode.mode | (inode.isFolder ? constants.S_IFDIR : constants.S_IFREG),
    nlink: inode.links,
    uid: UID,
    gid: UID,
    rdev: 0,
    size: inode.bytes.length,
    mtimeMs: inode.mtimeMs,
    mtime: new Date(inode.mtimeMs),
    ctimeMs: inode.mtimeMs,
    isFile: is(!inode.isFolder),
    isDirectory: is(inode.isFolder),
    isSymbolicLink: is(false),
    isFIFO: is(false),
    isSocket: is(false),
    isCharacterDevice: is(false),
  };
}

function entryOf(name: string, { isFolder }: Inode) {
  return { name, isDirectory: () => isFolder, isFile: () => !isFolder, isSymbolicLink: () => false };
}

export function asBytes(data: Data, encoding: BufferEncoding = 'utf8'): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, encoding) : data;
}

/** What becomes of a call: it may fail, write a part only, or never come back because the process is killed in it. */
export interface Trouble {
  /** Throws what the system answers, or what stands for the end of the process. */
  before(call: string, path: string | undefined): void;
  /** How many of these bytes are taken. */
  takes(length: number): number;
}

/** The calls of one process on the disk, each at once. */
export class SystemCalls {
  readonly #disk: SimulatedDisk;
  readonly #trouble: Trouble;
  readonly #opened = new Map<number, Opened>();
  /** What /proc and others show that are on no disk. */
  readonly #shown: (path: string) => string | readonly string[] | undefined;
  #lastDescriptor = 2;

  constructor(disk: SimulatedDisk, trouble: Trouble, shown: (path: string) => string | readonly string[] | undefined) {
    this.#disk = disk;
    this.#trouble = trouble;
    this.#shown = shown;
  }

  #of(descriptor: number, call: string): Opened {
    this.#trouble.before(call, undefined);
    const found = this.#opened.get(descriptor);
    if (found === undefined) throw systemError('EBADF', call);
    return found;
  }

  #at(path: string, call: string): Inode {
    this.#trouble.before(call, path);
    return this.#disk.get(path, call);
  }

  open(path: string, flags: string | number = 'r', mode = 0o666): number {
    this.#trouble.before('open', path);
    const bits = typeof flags === 'number' ? flags : FLAGS[flags];
    if (bits === undefined) throw new Error(`flags ${flags} are not simulated`);
    const has = (bit: number) => (bits & bit) !== 0;
    let inode = this.#disk.find(path, 'open');
    if (inode !== undefined && has(constants.O_CREAT) && has(constants.O_EXCL)) {
      throw systemError('EEXIST', 'open', path);
    }
    if (inode === undefined && !has(constants.O_CREAT)) throw systemError('ENOENT', 'open', path);
    if (inode?.isFolder === true && has(constants.O_WRONLY | constants.O_RDWR)) {
      throw systemError('EISDIR', 'open', path);
    }
    inode ??= this.#disk.create(path, mode & ~0o022, 'open');
    if (has(constants.O_TRUNC)) this.#disk.truncate(inode, 0);
    this.#lastDescriptor += 1;
    this.#opened.set(this.#lastDescriptor, { inode, isAppending: has(constants.O_APPEND), at: 0 });
    return this.#lastDescriptor;
  }

  close(descriptor: number): void {
    this.#of(descriptor, 'close');
    this.#opened.delete(descriptor);
  }

  read(descriptor: number, into: Uint8Array, offset = 0, length = into.length - offset, place?: Place): number {
    const opened = this.#of(descriptor, 'read');
    if (opened.inode.isFolder) throw systemError('EISDIR', 'read');
    const from = place ?? opened.at;
    const piece = opened.inode.bytes.subarray(from, from + length);
    into.set(piece, offset);
    if (typeof place !== 'number') opened.at = from + piece.length;
    return piece.length;
  }

  write(descriptor: number, data: Uint8Array, place?: Place): number {
    const opened = this.#of(descriptor, 'write');
    const taken = data.subarray(0, this.#trouble.takes(data.length));
    const at = opened.isAppending ? opened.inode.bytes.length : (place ?? opened.at);
    this.#disk.write(opened.inode, taken, at);
    if (typeof place !== 'number') opened.at = at + taken.length;
    return taken.length;
  }

  fstat(descriptor: number) {
    return statsOf(this.#of(descriptor, 'fstat').inode);
  }

  fsync(descriptor: number): void {
    this.#disk.sync(this.#of(descriptor, 'fsync').inode);
  }

  fchmod(descriptor: number, mode: number): void {
    this.#of(descriptor, 'fchmod').inode.mode = mode;
  }

  ftruncate(descriptor: number, length = 0): void {
    this.#disk.truncate(this.#of(descriptor, 'ftruncate').inode, length);
  }

  stat(path: string) {
    return statsOf(this.#at(path, 'stat'));
  }

  statIfThere(path: string) {
    this.#trouble.before('stat', path);
    const found = this.#disk.find(path, 'stat');
    return found === undefined ? undefined : statsOf(found);
  }

  exists(path: string): boolean {
    try {
      return this.statIfThere(path) !== undefined;
    } catch {
      return false;
    }
  }

  access(path: string): void {
    this.#at(path, 'access');
  }

  chmod(path: string, mode: number): void {
    this.#at(path, 'chmod').mode = mode;
  }

  mkdir(path: string, mode = 0o777): void {
    this.#trouble.before('mkdir', path);
    this.#disk.create(path, mode & ~0o022, 'mkdir', true);
  }

  readdir(path: string, options?: { readonly withFileTypes?: boolean }) {
    const shown = this.#shown(path);
    if (Array.isArray(shown)) return [...shown];
    const folder = this.#at(path, 'scandir');
    if (!folder.isFolder) throw systemError('ENOTDIR', 'scandir', path);
    const names = [...folder.names];
    return options?.withFileTypes === true
      ? names.map(([name, inode]) => entryOf(name, inode))
      : [...folder.names.keys()];
  }

  readFile(from: string | number, options?: FileOptions): string | Buffer {
    const encoding = typeof options === 'object' ? options?.encoding : options;
    const shown = typeof from === 'string' ? this.#shown(from) : undefined;
    if (typeof shown === 'string') return shown;
    const inode = typeof from === 'number' ? this.#of(from, 'read').inode : this.#at(from, 'open');
    if (inode.isFolder) throw systemError('EISDIR', 'read');
    const bytes = Buffer.from(inode.bytes);
    return encoding ? bytes.toString(encoding) : bytes;
  }

  writeFile(to: string, data: Data, options?: FileOptions): void {
    const given = typeof options === 'object' && options !== null ? options : {};
    const descriptor = this.open(to, given.flag ?? 'w', given.mode);
    this.writeAll(descriptor, asBytes(data));
    this.close(descriptor);
  }

  writeAll(descriptor: number, data: Uint8Array): void {
    for (let rest = data; rest.length > 0; ) rest = rest.subarray(this.write(descriptor, rest));
  }

  copyFile(from: string, to: string): void {
    this.writeFile(to, this.readFile(from));
  }

  rename(from: string, to: string): void {
    this.#trouble.before('rename', to);
    this.#disk.rename(from, to);
  }

  link(from: string, to: string): void {
    const inode = this.#at(from, 'link');
    const [folder, name] = this.#disk.placeOf(to, 'link');
    if (folder.names.has(name)) throw systemError('EEXIST', 'link', to);
    this.#disk.set(folder, name, inode);
  }

  unlink(path: string): void {
    this.#trouble.before('unlink', path);
    this.#disk.remove(path, false);
  }

  rmdir(path: string): void {
    this.#trouble.before('rmdir', path);
    this.#disk.remove(path, true);
  }

  rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): void {
    const found = this.#disk.find(path, 'rm');
    if (found === undefined) {
      if (options.force === true) return;
      throw systemError('ENOENT', 'rm', path);
    }
    if (!found.isFolder) {
      this.unlink(path);
      return;
    }
    if (options.recursive !== true) throw systemError('ERR_FS_EISDIR', 'rm', path);
    for (const name of [...found.names.keys()]) this.rm(`${path}/${name}`, options);
    this.rmdir(path);
  }

  readlink(path: string): string {
    const shown = this.#shown(path);
    if (typeof shown !== 'string') throw systemError('EINVAL', 'readlink', path);
    return shown;
  }

  realpath(path: string): string {
    this.#at(path, 'realpath');
    return path;
  }

  mkdtemp(prefix: string, letters: string): string {
    this.mkdir(prefix + letters, 0o700);
    return prefix + letters;
  }
}
