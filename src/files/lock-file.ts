import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
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
import { errnoOf } from './io-failure.ts';
import { identify, type ProcessIdentity, temporaryName } from './process-identity.ts';

/**
 * A lock is a folder with one file in it, which is named after its holder and holds its heartbeats. Each step names
 * the holder that it is meant for: making the lock puts a folder where none is or an empty one, taking it over renames
 * the file of the one before, giving it back removes the own file. So a process that stood still at any step finds the
 * name gone, and never touches the lock of a later holder. Times of the file and of clocks mean nothing.
 */
export interface LockFile {
  /** Its name in the folder; undefined where the lock is of the first version: a file itself. */
  readonly name: string | undefined;
  /** Undefined where the name says none: an earlier version died while it made the file, or it is not one of frontdesk. */
  readonly holder: (ProcessIdentity & { readonly machine: string | undefined }) | undefined;
  /** Distinguishes this lock from any other that ever was in its place. */
  readonly instance: string;
  /** Counts the holders of what the lock guards. */
  readonly epoch: number;
  /** Any change of this is a heartbeat. */
  readonly life: string;
}

/** What the maker of a lock has to know to keep it. */
export interface OwnLock {
  readonly instance: string;
  /** Its file in the folder of the lock. */
  readonly path: string;
  /** Its maker, for others: `pod-7 (process 1)`. */
  readonly by: string;
}

/** As the name of a file, and, with blanks, as the first line of a lock of the first version. */
const HOLDER = /^([0-9a-f]{8})[. ](\d{1,10})[. ](\d{1,20}|x)[. ]([0-9a-f]{16})(?:[. ]([A-Za-z0-9._-]{1,64}))?$/;
/** Two numbers of fixed width after a line: the epoch, and a count that goes up as long as the holder lives. */
const NUMBERS = /^[^\n]*\n(\d{10}) \d{12}\n$/;

function parse(name: string | undefined, text: string, changedMs: () => number): LockFile {
  const found = HOLDER.exec(name ?? text.slice(0, Math.max(text.indexOf('\n'), 0)));
  if (found === null) return { name, holder: undefined, instance: name ?? 'torn', epoch: 1, life: text };
  const [, host = '', pid, start = '', instance = '', machine] = found;
  return {
    name,
    holder: { host, pid: Number(pid), start, machine },
    instance,
    epoch: Number(NUMBERS.exec(text)?.[1] ?? 1),
    // The first of all had no count: its holder beat by the file's time.
    life: machine === undefined ? `${text}${changedMs()}` : text,
  };
}

const LONGEST_LOCK = 256;
const bytes = Buffer.alloc(LONGEST_LOCK);

/** A holder looks at its lock before each group of requests: this takes microseconds, and no more than that. */
function readText(descriptor: number): string {
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, LONGEST_LOCK, 0));
}

/** What is done with an opened file; undefined when there is none: `absent` says so. Throws the system's error. */
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

/** On a network file system another machine has replaced or removed what was just opened: it is looked for again. */
function whileStale<Result>(look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) !== 'ESTALE') throw error;
    return look();
  }
}

/** Names in the folder of a lock, that of a holder first; undefined: it is a file. */
function namesIn(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path).sort((one, other) => Number(HOLDER.test(other)) - Number(HOLDER.test(one)));
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function readOnce(path: string): LockFile | 'free' | undefined {
  const names = namesIn(path);
  const name = names?.[0];
  if (names !== undefined && name === undefined) return 'free';
  return withFile(name === undefined ? path : join(path, name), 'r', (descriptor) =>
    parse(name, readText(descriptor), () => fstatSync(descriptor).mtimeMs),
  );
}

/** The lock in this place, undefined when there is none. Throws the system's error. */
export function readLockFile(path: string): LockFile | undefined {
  // Its holder may have changed between the look at the names and at the file.
  const found = whileStale(() => readOnce(path) ?? readOnce(path));
  return found === 'free' ? undefined : found;
}

/** Is this lock in its place? Only the file of that name is looked at. */
export function isInPlace({ path, instance }: OwnLock): boolean {
  // A file stands in the place of the folder where the first version has taken it.
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

function newLock(path: string, pid: number): OwnLock {
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

/** How a rename says that the place is taken; after the last one it may have been done, on a network file system that repeats a call. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'ENOENT'];
/** How Windows and some network shares say so, and anything else. */
const REFUSED = ['EPERM', 'EACCES', 'EBUSY'];

/** Gives a folder its name where nothing is, or an empty one. */
function putInPlace(folder: string, path: string): void {
  try {
    renameSync(folder, path);
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (!(TAKEN.includes(errno) || (REFUSED.includes(errno) && (sep !== '/' || existsSync(path))))) throw error;
    // Where no folder replaces another, an empty one is in the way.
    quietly(() => rmdirSync(path));
  }
}

/** For what another process may have done first, and for what can stay. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The next look at the lock says how it is.
  }
}

/** A folder of a name that no other has: a network file system that repeats the call may say that it is there. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Makes a lock of this process; undefined when the place is taken. Synchronous: nothing of this process comes in between. */
export function makeLockFile(path: string, epoch: number, pid: number): OwnLock | undefined {
  const own = newLock(path, pid);
  const folder = join(dirname(path), temporaryName(pid));
  try {
    makeFolder(folder);
    writeFileSync(join(folder, basename(own.path)), textOf(own, epoch), { flag: 'wx', mode: 0o600 });
    putInPlace(folder, path);
  } finally {
    quietly(() => rmSync(folder, { recursive: true, force: true }));
  }
  return isInPlace(own) ? own : undefined;
}

/**
 * Puts a lock of this process in the place of one whose holder is gone, in one step: there is no moment in which a third
 * finds the place free. Undefined when that lock is not there any more.
 */
export function replaceLockFile(path: string, { name, epoch }: LockFile, pid: number): OwnLock | undefined {
  if (name === undefined) {
    // Of the first version; a folder, which is one of today, is not removed in this way.
    quietly(() => unlinkSync(path));
    return makeLockFile(path, epoch + 1, pid);
  }
  const own = newLock(path, pid);
  try {
    renameSync(join(path, name), own.path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return write(own.path, textOf(own, epoch + 1), 0) ? own : undefined;
}

/** Writes into a file that is there; false: there is none. */
function write(path: string, text: string, at: number, isWanted = (_text: string) => true): boolean {
  const isDone = withFile(path, 'r+', (descriptor) => {
    if (!isWanted(readText(descriptor))) return false;
    writeSync(descriptor, text, at, 'latin1');
    // A network file system shows it to others only then.
    fsyncSync(descriptor);
    return true;
  });
  return isDone === true;
}

/** Writes the numbers anew if the lock is still in its place; returns whether it is. */
export function writeNumbers({ path, instance }: OwnLock, epoch: number, count: number): boolean {
  return write(path, numbers(epoch, count), instance.length + 1, (text) => text.startsWith(instance));
}

/** Gives a lock of this process back. Throws the system's error where it cannot, also when it is not there any more. */
export function removeLockFile({ path }: OwnLock): void {
  unlinkSync(path);
  quietly(() => rmdirSync(dirname(path)));
}
