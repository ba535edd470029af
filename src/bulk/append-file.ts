import { constants, fdatasync, ftruncate, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

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
