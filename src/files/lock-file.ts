import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoOf } from './io-failure.ts';
import { identify, type ProcessIdentity, temporaryName } from './process-identity.ts';

interface LockHolder extends ProcessIdentity {
  /** Host name of its machine or container, for messages. */
  readonly machine: string | undefined;
}

/**
 * A lock as it stands under its name. Two lines: who holds it, and two numbers of fixed width: the epoch and a
 * count that goes up as long as the holder lives. Times of the file and of clocks mean nothing.
 */
export interface LockFile {
  /** Undefined while its maker has not finished writing it. */
  readonly holder: LockHolder | undefined;
  /** Distinguishes this lock from any other that ever had the same name. */
  readonly instance: string;
  /** Counts the holders of what the lock guards. */
  readonly epoch: number;
  /** Any change of this is a sign of life. */
  readonly life: string;
}

/** What the maker of a lock has to know to keep it. */
export interface OwnLock {
  readonly instance: string;
  /** Bytes of the first line: where the numbers begin. */
  readonly numbersAt: number;
  /** Its maker, for others: `pod-7 (process 1)`. */
  readonly by: string;
}

const HOLDER_LINE = /^([0-9a-f]{8}) (\d{1,10}) (\d{1,20}|x) ([0-9a-f]{16})(?: ([A-Za-z0-9._-]{1,64}))?\n/;
const NUMBERS = /\n(\d{10}) \d{12}\n$/;

function parse(text: string, changedMs: () => number): LockFile {
  const found = HOLDER_LINE.exec(text);
  if (found === null) return { holder: undefined, instance: 'torn', epoch: 1, life: text };
  const [, host = '', pid, start = '', instance = '', machine] = found;
  return {
    holder: { host, pid: Number(pid), start, machine },
    instance,
    epoch: Number(NUMBERS.exec(text)?.[1] ?? 1),
    // The first version of this file had no count: its holder gave signs of life by the file's time.
    life: machine === undefined ? `${text}${changedMs()}` : text,
  };
}

const LONGEST_LOCK = 256;
const bytes = Buffer.alloc(LONGEST_LOCK);

/** A holder looks at its lock before each group of requests: this takes microseconds, and no more than that. */
function readText(descriptor: number): string {
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, LONGEST_LOCK, 0));
}

/** What is done with the opened file of a lock; undefined when there is none. Throws the system's error. */
function withLockFile<Result>(path: string, flags: string, use: (descriptor: number) => Result): Result | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The lock under this name, undefined when there is none. Throws the system's error. */
export function readLockFile(path: string): LockFile | undefined {
  const read = () =>
    withLockFile(path, 'r', (descriptor) => parse(readText(descriptor), () => fstatSync(descriptor).mtimeMs));
  try {
    return read();
  } catch (error) {
    // On a network file system another machine has replaced or removed what was just opened.
    if (errnoOf(error) !== 'ESTALE') throw error;
    return read();
  }
}

function numbers(epoch: number, count: number): string {
  return `${String(epoch).padStart(10, '0')} ${String(count).padStart(12, '0')}\n`;
}

/** Host names come from outside and are written between blanks. */
function machineName(): string {
  const name = hostname()
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 64);
  return name === '' ? 'unknown' : name;
}

/** File systems without hard links (FAT, some network shares) say so in one of these ways. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** `link` of the file system; tests give one that has none. */
type LinkFile = (from: string, to: string) => void;

/**
 * A lock appears under its name with its content in it: a process that is killed between making the file and
 * filling it would leave a lock without an owner's name.
 */
function putUnderName(path: string, content: string, { pid, link }: LockMaker): void {
  const temporary = join(dirname(path), temporaryName(pid));
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    (link ?? linkSync)(temporary, path);
  } catch (error) {
    if (!NO_LINKS.includes(errnoOf(error) ?? '')) throw error;
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
  } finally {
    rmSync(temporary, { force: true });
  }
}

export interface LockMaker {
  readonly pid: number;
  readonly link?: LinkFile | undefined;
}

/** Makes a lock of this process; undefined when the name is taken. Synchronous: nothing of this process comes in between. */
export function makeLockFile(path: string, epoch: number, maker: LockMaker): OwnLock | undefined {
  const instance = randomBytes(8).toString('hex');
  const { host, start } = identify(maker.pid);
  const machine = machineName();
  const holderLine = `${host} ${maker.pid} ${start} ${instance} ${machine}\n`;
  try {
    putUnderName(path, holderLine + numbers(epoch, 0), maker);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  // A network file system that repeats a call may say that the name is taken by what the first one made. Without hard
  // links it stood there empty for a moment, in which another process may have taken it for torn.
  if (readLockFile(path)?.instance !== instance) return undefined;
  return { instance, numbersAt: holderLine.length, by: `${machine} (process ${maker.pid})` };
}

/**
 * Writes the numbers anew if the lock is still this one; returns whether it is. What is written goes into the file
 * that was looked at: a lock that is put in its place at that very moment is not touched.
 */
export function writeNumbers(path: string, own: OwnLock, epoch: number, count: number): boolean {
  const isOwn = withLockFile(path, 'r+', (descriptor) => {
    if (parse(readText(descriptor), () => 0).instance !== own.instance) return false;
    writeSync(descriptor, numbers(epoch, count), own.numbersAt, 'latin1');
    // A network file system shows it to others only then.
    fsyncSync(descriptor);
    return true;
  });
  return isOwn === true;
}
