import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { putInPlace } from '../files/atomic.ts';
import { ioFailure } from '../files/io-failure.ts';
import { temporaryName } from '../files/process-identity.ts';

/**
 * Puts a copy of the first `length` bytes of a journal in its place. Whoever has the old file open writes to that
 * from then on, where nobody reads it: on a network file system what two append at once lies on top of each other.
 * LOCAL_IO when it cannot be done.
 */
export async function setApart(
  path: string,
  length: number,
  { pid, hold }: { readonly pid: number; readonly hold: { prove(): void } },
): Promise<void> {
  const copy = join(dirname(path), temporaryName(pid));
  try {
    const source = length === 0 ? [] : createReadStream(path, { end: length - 1 });
    await pipeline(source, createWriteStream(copy, { flags: 'wx', mode: 0o600, flush: true }));
    hold.prove();
    await putInPlace(copy, path);
  } catch (error) {
    await rm(copy, { force: true }).catch(() => undefined);
    throw ioFailure(`the run's record could not be taken over (${path})`, error, 'nothing was sent');
  }
}
