import { constants, createReadStream, createWriteStream, fdatasync, ftruncate, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { putInPlace } from '../../files/atomic.ts';
import { ioFailure } from '../../files/io-failure.ts';
import { temporaryName } from '../../files/process-identity.ts';

const syncData = promisify(fdatasync);
const truncateFile = promisify(ftruncate);

/** A file that only grows. The port of the journal to the disk; tests crash it wherever they like. */
export interface AppendFile {
  /** Bytes in the file when it was opened. */
  readonly length: number;
  /** Hands text (ASCII) to the operating system. Throws the system's error; a part may have been written then. */
  append(text: string): void;
  /** Resolves when everything appended so far is on the disk. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens or creates a file of mode 0600 for appending; a symbolic link is refused. */
export async function openAppendFile(path: string): Promise<AppendFile> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  const { size } = await file.stat();
  return {
    length: size,
    append(text) {
      const bytes = Buffer.from(text, 'latin1');
      // Into the page cache this costs microseconds, a trip through the thread pool more than the sync that follows.
      for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
    },
    sync: () => syncData(file.fd),
    truncate: (length) => truncateFile(file.fd, length),
    close: () => file.close(),
  };
}

/**
 * Puts a copy of the first `length` bytes of a journal in its place. A process with the old file open writes to that
 * from then on, where it is not read: on a network file system what two append at once lies on top of each other.
 * LOCAL_IO when it cannot be done.
 */
export async function setApart(
  path: string,
  length: number,
  { pid, assertStillHeld }: { readonly pid: number; readonly assertStillHeld: () => void },
): Promise<void> {
  const copy = join(dirname(path), temporaryName(pid));
  try {
    const source = length === 0 ? [] : createReadStream(path, { end: length - 1 });
    await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: 0o600, flush: true }));
    assertStillHeld();
    await putInPlace(copy, path);
  } catch (error) {
    await rm(copy, { force: true }).catch(() => undefined);
    throw ioFailure(`the run's record could not be taken over (${path})`, error, 'unsent');
  }
}
