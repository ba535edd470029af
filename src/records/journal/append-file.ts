import {
  constants,
  createReadStream,
  createWriteStream,
  fdatasync,
  fstatSync,
  ftruncateSync,
  writeSync,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { putInPlace } from '../../base/files/atomic.ts';
import { ioFailure } from '../../base/files/io-failure.ts';
import { temporaryName } from '../../base/files/process-identity.ts';

const syncData = promisify(fdatasync);

/** A file that only grows: what the journal needs of the disk. Tests make it crash. */
export type AppendFile = Awaited<ReturnType<typeof openAppendFile>>;

/** Opens or creates a file of mode 0600 for appending; a symbolic link is refused. */
export async function openAppendFile(path: string) {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  const { size, nlink } = await file.stat();
  return {
    /** Bytes in the file when it was opened. */
    length: size,
    /** Writes ASCII text to the page cache. Throws the system's error; a part may have been written then. */
    append(text: string): void {
      const bytes = Buffer.from(text, 'latin1');
      // This takes microseconds. The thread pool would take longer than the sync that follows.
      for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
    },
    /** Resolves when everything appended so far is on the disk. */
    sync: () => syncData(file.fd),
    /** Has it no name any more? What is appended then is gone with the process. Some file systems count no names. */
    isRemoved: (): boolean => nlink > 0 && fstatSync(file.fd).nlink === 0,
    /** At once: between a look at the lock and this, no other process may take the run over. */
    truncate: async (length: number): Promise<void> => ftruncateSync(file.fd, length),
    close: (): Promise<void> => file.close(),
  };
}

/**
 * Replaces a journal by a copy of its first `length` bytes. A process that still has the old file open then writes to a
 * file that is not read. On a network file system, appends of two processes would overwrite each other. Rejects with
 * LOCAL_IO.
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
