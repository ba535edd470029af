import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AppendFile, openAppendFile } from '../../../../src/records/journal/append-file.ts';

/** Text of each file below the folder, by its path in it. */
export type Tree = Readonly<Record<string, string>>;

type Names = ReadonlyMap<string, number>;

/**
 * Records what the program does to the files below a folder, and can say what a disk that loses power would keep of
 * it: of a file what it held when it was last synced, of a folder the names that it had when it was last synced, or
 * else those that it has now, since a disk may write names down by itself, before the content and in any order.
 */
export class Disk {
  readonly root: string;
  /** What would be left at each moment so far at which the power could have gone, the last one last. */
  readonly losses: Tree[] = [];
  /** Bytes that one write takes at most. */
  mostBytes = Number.POSITIVE_INFINITY;
  readonly #contents = new Map<number, string>();
  readonly #names = new Map<number, Names>();

  /** What is there by now is on the disk. */
  constructor(root: string) {
    this.root = root;
    this.#keepAll(root);
  }

  #keepAll(path: string): void {
    this.keep(path);
    if (!fs.statSync(path).isDirectory()) return;
    for (const name of fs.readdirSync(path)) this.#keepAll(join(path, name));
  }

  /** The file or folder is synced. */
  keep(path: string): void {
    const { ino } = fs.statSync(path);
    if (fs.statSync(path).isDirectory()) this.#names.set(ino, namesIn(path));
    else this.#contents.set(ino, fs.readFileSync(path, 'utf8'));
  }

  /** The number of a removed file may be given to a new one, of which nothing is on the disk. */
  forget(ino: number): void {
    this.#contents.delete(ino);
    this.#names.delete(ino);
  }

  /** Opens the journal of a run on this disk: it calls a function of Node that cannot be put in the place of another. */
  openJournal = async (path: string): Promise<AppendFile> => {
    const file = await openAppendFile(path);
    const sync = async (): Promise<void> => {
      this.moment();
      await file.sync();
      this.keep(path);
      this.moment();
    };
    return { ...file, sync };
  };

  moment(): void {
    this.losses.push(...this.left(), ...this.#oneNameLeft());
  }

  /** Of each folder whose names were not synced: what would be left if one of its new names alone had come to the disk. */
  #oneNameLeft(): readonly Tree[] {
    return [this.root, ...fs.readdirSync(this.root, { recursive: true, encoding: 'utf8' })].flatMap((name) => {
      const path = name === this.root ? name : join(this.root, name);
      const facts = fs.lstatSync(path, { throwIfNoEntry: false });
      if (facts?.isDirectory() !== true) return [];
      const kept = this.#names.get(facts.ino) ?? new Map();
      const fresh = [...namesIn(path)].filter(([each, ino]) => kept.get(each) !== ino);
      if (fresh.length < 2) return [];
      return fresh.map((one) => this.#tree((at, ino) => (ino === facts.ino ? new Map([...kept, one]) : namesIn(at))));
    });
  }

  /** What a loss of power would leave now: without names that were not synced, and with them. */
  left(): readonly [Tree, Tree] {
    return [this.#tree((_path, ino) => this.#names.get(ino) ?? new Map()), this.#tree(namesIn)];
  }

  #tree(namesOf: (path: string, ino: number) => Names): Tree {
    const tree: Record<string, string> = {};
    const walk = (path: string, ino: number, prefix: string): void => {
      for (const [name, inner] of namesOf(path, ino)) {
        const isFolder = this.#names.has(inner) || isFolderNow(join(path, name), inner);
        if (isFolder) walk(join(path, name), inner, `${prefix}${name}/`);
        else tree[prefix + name] = this.#contents.get(inner) ?? '';
      }
    };
    walk(this.root, fs.statSync(this.root).ino, '');
    return tree;
  }
}

function namesIn(path: string): Names {
  return new Map(fs.readdirSync(path).map((name) => [name, fs.lstatSync(join(path, name)).ino]));
}

function isFolderNow(path: string, ino: number): boolean {
  const entry = fs.lstatSync(path, { throwIfNoEntry: false });
  return entry?.ino === ino && entry.isDirectory();
}

/** Node's functions that make, name, fill or sync a file, put in the place of its own until the test is finished. */
export function recordDisk(root: string): Disk {
  const disk = new Disk(root);
  const { fsync, writeSync } = fs;
  const promises = { ...fs.promises };

  /** A step that may or may not have reached the disk when the power goes. */
  function around<Arguments extends unknown[], Result>(step: (...given: Arguments) => Promise<Result>) {
    return async (...given: Arguments): Promise<Result> => {
      disk.moment();
      const result = await step(...given);
      disk.moment();
      return result;
    };
  }

  async function open(...[path, flags, mode]: Parameters<typeof promises.open>): Promise<fs.promises.FileHandle> {
    const name = String(path);
    const isNew = !fs.existsSync(name);
    const file = await promises.open(name, flags, mode);
    if (isNew) disk.forget((await file.stat()).ino);
    const { sync, datasync, write } = file;
    const synced = (own: () => Promise<void>) =>
      around(async () => {
        await own.call(file);
        disk.keep(name);
      });
    return Object.assign(file, {
      sync: synced(sync),
      datasync: synced(datasync),
      write: (data: Uint8Array | string, ...rest: [number?, number?, number?]) =>
        Reflect.apply(write, file, [typeof data === 'string' ? data : data.subarray(0, disk.mostBytes), ...rest]),
    });
  }

  Object.assign(fs.promises, {
    open,
    rename: around(promises.rename),
    link: around(promises.link),
    unlink: around(promises.unlink),
    rm: around(promises.rm),
    mkdir: around(async (path: string, mode: number) => {
      await promises.mkdir(path, mode);
      disk.forget(fs.statSync(path).ino);
    }),
  });
  Object.assign(fs, {
    writeSync: (descriptor: number, data: Uint8Array, from = 0) =>
      writeSync(descriptor, data, from, Math.min(disk.mostBytes, data.length - from)),
    // A stream that flushes calls this; its file is found by its number.
    fsync: (descriptor: number, done: (error: Error | null) => void) => {
      const { ino } = fs.fstatSync(descriptor);
      const found = fs
        .readdirSync(root, { recursive: true, encoding: 'utf8' })
        .find((name) => fs.statSync(join(root, name)).ino === ino);
      if (found !== undefined) disk.keep(join(root, found));
      fsync(descriptor, done);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs.promises, promises);
    Object.assign(fs, { fsync, writeSync });
    syncBuiltinESMExports();
  });
  return disk;
}
