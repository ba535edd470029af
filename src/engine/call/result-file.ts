import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import { syncFolder } from '../../files/atomic.ts';
import { errnoOf, ioFailure, messageOf } from '../../files/io-failure.ts';

/** More than any answer that was seen; what is longer still has to find room once it is here. */
const RESERVED_BYTES = 65_536;

async function openNew(path: string): Promise<FileHandle> {
  try {
    // Exclusive: never a file, a link or a device that was there before.
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') {
      throw Failure.unsent('USAGE', `--out: ${path} exists, and a result never overwrites a file`, {
        hints: ['name a new file'],
      });
    }
    throw Failure.unsent('USAGE', `--out: cannot create ${path}: ${messageOf(error)}`, {
      hints: [`check that the folder ${dirname(path)} exists and can be written`],
      cause: error,
    });
  }
}

/** Makes the file of `--out` (0600), with room, before anything is sent: an answer that comes once is not lost. */
export async function createResultFile(path: string) {
  const file = await openNew(path);
  const discard = async () => {
    await file.close().catch(() => undefined);
    await rm(path, { force: true }).catch(() => undefined);
  };
  try {
    await file.chmod(0o600);
    await file.write(Buffer.alloc(RESERVED_BYTES), 0, RESERVED_BYTES, 0);
    await file.sync();
    await syncFolder(dirname(path));
  } catch (error) {
    await discard();
    throw ioFailure(`--out: no room for the answer in ${path}`, error, 'unsent').with({
      outcome: 'not_sent',
    });
  }
  let isWhole = false;
  return {
    /** Whether the file has the whole answer, also where it may not be on the disk yet. */
    get isWhole() {
      return isWhole;
    },
    /** Writes the answer over the room that was kept for it. Rejects with what the system said; no part is left then. */
    async keep(bytes: Uint8Array): Promise<void> {
      try {
        for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
        await file.truncate(bytes.length);
        isWhole = true;
        await file.sync();
        await file.close();
      } catch (error) {
        await (isWhole ? file.close().catch(() => undefined) : discard());
        throw error;
      }
    },
    discard,
  };
}
