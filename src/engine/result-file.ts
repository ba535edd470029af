import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Failure } from '../failure.ts';
import { syncFolder } from '../files/atomic.ts';
import { errnoOf, messageOf } from '../files/io-failure.ts';
import { printJson } from '../json/print.ts';
import type { JsonValue } from '../json/value.ts';

async function openNew(path: string): Promise<FileHandle> {
  try {
    // Exclusive: never a file, a link or a device that somebody else put there.
    const file = await open(path, 'wx', 0o600);
    await syncFolder(dirname(path));
    return file;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') {
      throw new Failure('USAGE', `--out: ${path} exists, and a result never overwrites a file`, {
        hints: ['name a new file; nothing was sent'],
      });
    }
    throw new Failure('USAGE', `--out: cannot create ${path}: ${messageOf(error)}`, {
      hints: [`check that the folder ${dirname(path)} exists and can be written; nothing was sent`],
      cause: error,
    });
  }
}

/**
 * Makes the file of `--out`, mode 0600, before anything is sent, so that a one-time result is never lost to a bad path.
 * USAGE when it cannot be made.
 */
export async function createResultFile(path: string) {
  const file = await openNew(path);
  return {
    /** Writes the result; a failure says that the write was applied. */
    async keep(result: JsonValue, what: string): Promise<void> {
      try {
        await file.chmod(0o600);
        await file.writeFile(`${printJson(result, { indent: 2 })}\n`);
        await file.sync();
        await file.close();
      } catch (error) {
        throw new Failure(
          'LOCAL_IO',
          `the ${what} WAS applied, but its result could not be written to ${path}: ${messageOf(error)}`,
          {
            hints: ['the result cannot be had again'],
            details: { outcome: 'applied' },
            cause: error,
          },
        );
      }
    },
    /** Removes the file: there is nothing to keep. */
    async discard(): Promise<void> {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
    },
  };
}
