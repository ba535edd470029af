import type { SeededRandom } from '../support/seeded-random.ts';

/** A file or folder, by whatever names. */
export interface Inode {
  readonly ino: number;
  readonly isFolder: boolean;
  mode: number;
  links: number;
  mtimeMs: number;
  /** When it was last written, by the clock of the world. */
  writtenMs: number;
  bytes: Buffer;
  /** What a sync has promised to keep. */
  synced: Buffer;
  readonly names: Map<string, Inode>;
  /** What was done to the names since they were last synced. */
  changes: Change[];
  syncedNames: ReadonlyMap<string, Inode>;
}

/** One change of the names in a folder; `pair`: a rename changes two folders, and is kept or lost as one. */
interface Change {
  readonly atMs: number;
  readonly name: string;
  readonly inode: Inode | undefined;
  readonly pair?: Rename;
}

interface Rename {
  isKept: boolean | undefined;
}

interface StoredFile {
  readonly mode: number;
  readonly mtimeMs: number;
  readonly bytes: Buffer | undefined;
}

/** What stands on a disk, by its path. */
export type Files = ReadonlyMap<string, StoredFile>;

export function systemError(code: string, syscall: string, path?: string): Error {
  const where = path === undefined ? '' : ` '${path}'`;
  return Object.assign(new Error(`${code}: simulated, ${syscall}${where}`), { code, syscall, errno: -1, path });
}

/** So old a change is when a disk writes it down although nobody asked for it. */
const WRITTEN_BACK_MS = 30_000;
const EMPTY = Buffer.alloc(0);

/** A disk as a Unix has it: names and content are there for all at once, and kept for good when they are synced. */
export class SimulatedDisk {
  readonly root: Inode;
  /** By the clock that stamps files, and by that of the world. */
  readonly #nowMs: () => number;
  readonly #worldMs: () => number;
  #lastIno = 1;

  constructor(nowMs: () => number, worldMs: () => number) {
    this.#nowMs = nowMs;
    this.#worldMs = worldMs;
    this.root = this.#make(true, 0o755);
    for (const path of ['/tmp', '/home', '/home/ann', '/jobs']) this.folder(path, path === '/tmp' ? 0o1777 : 0o700);
  }

  #make(isFolder: boolean, mode: number): Inode {
    this.#lastIno += 1;
    return {
      ino: this.#lastIno,
      isFolder,
      mode,
      links: 0,
      mtimeMs: this.#nowMs(),
      writtenMs: this.#worldMs(),
      bytes: EMPTY,
      synced: EMPTY,
      names: new Map(),
      changes: [],
      syncedNames: new Map(),
    };
  }

  /** What is at a path; undefined: nothing. A part of the way that is a file is ENOTDIR. */
  find(path: string, syscall: string): Inode | undefined {
    let at: Inode | undefined = this.root;
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      if (!at.isFolder) throw systemError('ENOTDIR', syscall, path);
      at = at.names.get(name);
      if (at === undefined) return undefined;
    }
    return at;
  }

  get(path: string, syscall: string): Inode {
    const found = this.find(path, syscall);
    if (found === undefined) throw systemError('ENOENT', syscall, path);
    return found;
  }

  /** The folder that a path is in, and its name there. */
  placeOf(path: string, syscall: string): readonly [folder: Inode, name: string] {
    const at = path.replace(/\/+$/, '').lastIndexOf('/');
    const folder = this.get(path.slice(0, at) || '/', syscall);
    if (!folder.isFolder) throw systemError('ENOTDIR', syscall, path);
    return [folder, path.slice(at + 1).replace(/\/+$/, '')];
  }

  set(folder: Inode, name: string, inode: Inode | undefined, pair?: Rename): void {
    const before = folder.names.get(name);
    if (before !== undefined) before.links -= 1;
    if (inode === undefined) folder.names.delete(name);
    else folder.names.set(name, inode);
    if (inode !== undefined) inode.links += 1;
    folder.changes.push({ atMs: this.#worldMs(), name, inode, ...(pair !== undefined && { pair }) });
    folder.mtimeMs = this.#nowMs();
  }

  create(path: string, mode: number, syscall: string, isFolder = false): Inode {
    const [folder, name] = this.placeOf(path, syscall);
    if (folder.names.has(name)) throw systemError('EEXIST', syscall, path);
    const inode = this.#make(isFolder, mode);
    this.set(folder, name, inode);
    return inode;
  }

  /** A folder that is there from the beginning, and a file in it. */
  folder(path: string, mode = 0o700): void {
    this.create(path, mode, 'mkdir', true);
    this.syncAll();
  }

  file(path: string, text: string): void {
    const inode = this.find(path, 'open') ?? this.create(path, 0o600, 'open');
    inode.bytes = Buffer.from(text);
    this.syncAll();
  }

  /** All that stands below a folder, by its path; undefined bytes: a folder. */
  files(folder: string, inode = this.find(folder, 'open')): Files {
    if (inode === undefined) return new Map();
    const inner = [...inode.names].flatMap(([name, each]): [string, StoredFile][] => {
      const path = `${folder}/${name}`;
      const { mode, mtimeMs } = each;
      if (!each.isFolder) return [[path, { mode, mtimeMs, bytes: Buffer.from(each.bytes) }]];
      return [[path, { mode, mtimeMs, bytes: undefined }], ...this.files(path, each)];
    });
    return new Map(inner);
  }

  /** Puts there what stood on another disk. */
  restore(files: Files): void {
    for (const [path, { mode, mtimeMs, bytes }] of files) {
      const inode = this.find(path, 'open') ?? this.create(path, mode, 'open', bytes === undefined);
      inode.mode = mode;
      inode.bytes = bytes ?? EMPTY;
      inode.mtimeMs = mtimeMs;
    }
    this.syncAll();
  }

  rename(from: string, to: string): void {
    const [source, name] = this.placeOf(from, 'rename');
    const inode = source.names.get(name);
    if (inode === undefined) throw systemError('ENOENT', 'rename', from);
    const [target, newName] = this.placeOf(to, 'rename');
    const there = target.names.get(newName);
    if (there === inode) return;
    if (there !== undefined && there.isFolder !== inode.isFolder) {
      throw systemError(there.isFolder ? 'EISDIR' : 'ENOTDIR', 'rename', to);
    }
    if (there !== undefined && there.names.size > 0) throw systemError('ENOTEMPTY', 'rename', to);
    const pair: Rename = { isKept: undefined };
    this.set(target, newName, inode, pair);
    this.set(source, name, undefined, pair);
  }

  remove(path: string, isFolder: boolean): void {
    const syscall = isFolder ? 'rmdir' : 'unlink';
    const [folder, name] = this.placeOf(path, syscall);
    const inode = folder.names.get(name);
    if (inode === undefined) throw systemError('ENOENT', syscall, path);
    if (inode.isFolder !== isFolder) throw systemError(isFolder ? 'ENOTDIR' : 'EISDIR', syscall, path);
    if (inode.names.size > 0) throw systemError('ENOTEMPTY', syscall, path);
    this.set(folder, name, undefined);
  }

  write(inode: Inode, data: Uint8Array, at: number): void {
    const bytes = Buffer.alloc(Math.max(at + data.length, inode.bytes.length));
    inode.bytes.copy(bytes);
    bytes.set(data, at);
    inode.bytes = bytes;
    inode.mtimeMs = this.#nowMs();
    inode.writtenMs = this.#worldMs();
  }

  truncate(inode: Inode, length: number): void {
    const bytes = Buffer.alloc(length);
    inode.bytes.copy(bytes, 0, 0, length);
    inode.bytes = bytes;
    inode.mtimeMs = this.#nowMs();
    inode.writtenMs = this.#worldMs();
  }

  sync(inode: Inode): void {
    inode.synced = inode.bytes;
    inode.syncedNames = new Map(inode.names);
    for (const { pair } of inode.changes) if (pair !== undefined) pair.isKept = true;
    inode.changes = [];
  }

  syncAll(inode = this.root): void {
    this.sync(inode);
    for (const inner of inode.names.values()) this.syncAll(inner);
  }

  /**
   * The power goes. Of each file what was synced is left, and of what came after it nothing, all or a part; of each
   * folder the names that were synced, and of the changes since then the first few. What is older than half a minute the
   * disk has written down by itself.
   */
  losePower(random: SeededRandom): void {
    const seen = new Set<Inode>();
    const sinceMs = this.#worldMs() - WRITTEN_BACK_MS;
    const lose = (inode: Inode): void => {
      if (seen.has(inode)) return;
      seen.add(inode);
      // Also those that lost their name: the change that took it may be lost.
      const inner = [...inode.syncedNames.values(), ...inode.changes.flatMap((change) => change.inode ?? [])];
      if (inode.isFolder) loseNames(inode, random, sinceMs);
      else if (inode.writtenMs > sinceMs) inode.bytes = inode.synced = tornBytes(inode, random);
      for (const each of inner) lose(each);
    };
    lose(this.root);
    for (const inode of seen) inode.links = 0;
    for (const inode of seen) for (const inner of inode.names.values()) inner.links += 1;
  }
}

function loseNames(folder: Inode, random: SeededRandom, sinceMs: number): void {
  const old = folder.changes.filter(({ atMs }) => atMs <= sinceMs).length;
  const kept = old + random.below(folder.changes.length - old + 1);
  const names = new Map(folder.syncedNames);
  for (const [at, { name, inode, pair }] of folder.changes.entries()) {
    const isKept = pair?.isKept ?? at < kept;
    if (pair !== undefined) pair.isKept = isKept;
    if (!isKept) continue;
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
  }
  folder.names.clear();
  for (const [name, inode] of names) folder.names.set(name, inode);
  folder.syncedNames = names;
  folder.changes = [];
}

function tornBytes({ bytes, synced }: Inode, random: SeededRandom): Buffer {
  const how = random.below(3);
  if (how === 0) return synced;
  if (how === 1 || bytes.length <= synced.length) return bytes;
  return bytes.subarray(0, synced.length + random.below(bytes.length - synced.length + 1));
}
