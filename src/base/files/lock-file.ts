import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { errnoOf, ifPossible } from './io-failure.ts';
import { identify, type ProcessIdentity, temporaryName } from './process-identity.ts';

/**
 * A lock is a folder with one file in it, named after its holder and holding its heartbeat. Each step names the holder
 * that it is meant for: making the lock puts a folder in a free place or over an empty one, a takeover renames the
 * previous holder's file, releasing removes the own file. So a process that was paused at any step finds the name gone,
 * and never touches the lock of a later holder. File times and clocks do not matter.
 */
export interface LockFile {
  readonly name: string;
  /** Undefined if the name says none: frontdesk did not make it. */
  readonly holder: (ProcessIdentity & { readonly machine: string | undefined }) | undefined;
  /** Distinguishes this lock from any other in its place. */
  readonly instance: string;
  /** Counts the holders of what the lock guards. */
  readonly epoch: number;
  /** Any change is a heartbeat. */
  readonly life: string;
}

/** What the maker of a lock needs to keep it. */
export type OwnLock = ReturnType<typeof newLock>;

const HOLDER = /^([0-9a-f]{8})\.(\d{1,10})\.(\d{1,20}|x)\.([0-9a-f]{16})\.([A-Za-z0-9._-]{1,64})$/;
/** Two numbers of fixed width after a line: the epoch, and a count that grows while the holder lives. */
const NUMBERS = /^[^\n]*\n(\d{10}) \d{12}\n$/;

function parse(name: string, text: string): LockFile {
  const found = HOLDER.exec(name);
  if (found === null) return { name, holder: undefined, instance: name, epoch: 1, life: text };
  const [, host = '', pid, start = '', instance = '', machine] = found;
  const holder = { host, pid: Number(pid), start, machine };
  return { name, holder, instance, epoch: Number(NUMBERS.exec(text)?.[1] ?? 1), life: text };
}

const LONGEST_LOCK = 256;
const bytes = Buffer.alloc(LONGEST_LOCK);

/** Fast, because a holder checks its lock before each group of requests. */
function readText(descriptor: number): string {
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, LONGEST_LOCK, 0));
}

/** Calls `use` with an opened file; undefined after a code in `absent`. Throws the system's error. */
function withFile<Result>(
  path: string,
  flags: string,
  use: (descriptor: number) => Result,
  absent: readonly string[] = ['ENOENT'],
): Result | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch (error) {
    if (absent.includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Repeats the check if, on a network file system, another machine has replaced or removed the opened file. */
function whileStale<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) !== 'ESTALE') throw error;
    return read();
  }
}

/** Names in the folder of a lock, a holder's first. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).sort((one, other) => Number(HOLDER.test(other)) - Number(HOLDER.test(one)));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function readOnce(path: string): LockFile | 'free' | undefined {
  const [name] = namesIn(path);
  if (name === undefined) return 'free';
  return withFile(join(path, name), 'r', (descriptor) => parse(name, readText(descriptor)));
}

/** The lock in this place; undefined if there is none. Throws the system's error. */
export function readLockFile(path: string): LockFile | undefined {
  // Its holder may change between reading the names and the file.
  const found = whileStale(() => readOnce(path) ?? readOnce(path));
  return found === 'free' ? undefined : found;
}

/** Is this lock in its place? Reads only the file of that name. */
export function isInPlace({ path, instance }: OwnLock): boolean {
  // A file that frontdesk did not make may be in the place of the folder.
  const text = whileStale(() => withFile(path, 'r', readText, ['ENOENT', 'ENOTDIR']));
  // A network file system may show the file under its old name for a while, but never its old content.
  return text?.startsWith(instance) === true;
}

function numbers(epoch: number, count: number): string {
  return `${String(epoch).padStart(10, '0')} ${String(count).padStart(12, '0')}\n`;
}

function textOf({ instance }: OwnLock, epoch: number): string {
  return `${instance}\n${numbers(epoch, 0)}`;
}

/** `path`: its file in the folder of the lock. `by`: its maker for others, `pod-7 (process 1)`. */
function newLock(path: string, pid: number) {
  const instance = randomBytes(8).toString('hex');
  const { host, start } = identify(pid);
  // Host names come from outside and are written into names of files.
  const machine =
    hostname()
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 64) || 'unknown';
  const name = `${host}.${pid}.${start}.${instance}.${machine}`;
  return { instance, path: join(path, name), by: `${machine} (process ${pid})` };
}

/** How a rename says that the place is taken. The last may be the repeat of a network file system. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'ENOENT'];
/** How Windows and some network shares say so, and anything else. */
const REFUSED = ['EPERM', 'EACCES', 'EBUSY'];

/** Renames a folder to a free place, or over an empty folder. */
function putInPlace(folder: string, path: string): void {
  try {
    renameSync(folder, path);
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (!(TAKEN.includes(errno) || (REFUSED.includes(errno) && (sep !== '/' || existsSync(path))))) throw error;
    // Some systems replace no folder, so an empty one is in the way.
    ifPossible(() => rmdirSync(path));
  }
}

/** Makes a folder with a unique name. A network file system that repeats the call may say that it exists. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Makes a lock of this process; undefined if the place is taken. Synchronous: nothing of this process interferes. */
export function makeLockFile(path: string, epoch: number, pid: number): OwnLock | undefined {
  const own = newLock(path, pid);
  const folder = join(dirname(path), temporaryName(pid));
  try {
    makeFolder(folder);
    writeFileSync(join(folder, basename(own.path)), textOf(own, epoch), { flag: 'wx', mode: 0o600 });
    putInPlace(folder, path);
  } finally {
    ifPossible(() => rmSync(folder, { recursive: true, force: true }));
  }
  return isInPlace(own) ? own : undefined;
}

/** Replaces the lock of a holder that is gone, in one step: it is never free. Undefined if that lock is gone. */
export function replaceLockFile(path: string, { name, epoch }: LockFile, pid: number): OwnLock | undefined {
  const own = newLock(path, pid);
  try {
    renameSync(join(path, name), own.path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return write(own.path, textOf(own, epoch + 1), 0) ? own : undefined;
}

/** Writes into an existing file. Returns false if there is none. */
function write(path: string, text: string, at: number, isWanted = (_text: string) => true): boolean {
  const isThere = withFile(path, 'r+', (descriptor) => {
    if (isWanted(readText(descriptor))) {
      writeSync(descriptor, text, at, 'latin1');
      // Only then a network file system shows it to others.
      fsyncSync(descriptor);
    }
    return true;
  });
  return isThere === true;
}

/** Writes the numbers if the lock is in its place. */
export function writeNumbers({ path, instance }: OwnLock, epoch: number, count: number): void {
  write(path, numbers(epoch, count), instance.length + 1, (text) => text.startsWith(instance));
}

/** Releases a lock of this process. Throws the system's error if it cannot, also if the lock is gone. */
export function removeLockFile({ path }: OwnLock): void {
  unlinkSync(path);
  ifPossible(() => rmdirSync(dirname(path)));
}
