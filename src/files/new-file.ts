import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OutputPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ignoreErrors, messageOf } from './io-failure.ts';

/** Makes the file of `--out` (0600). USAGE if it exists or cannot be made. */
export async function createNewFile(path: string): Promise<FileHandle> {
  try {
    // Exclusive: never an existing file, link or device.
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

/**
 * Opens the file of `--out`, to which a result is written as to stdout. Failed writes are LOCAL_IO. `forget` is called
 * once it is kept or gone.
 */
export async function openResultFile(path: string, forget: () => void, onSaved: () => Promise<void>) {
  const file = await createNewFile(path);
  const failing = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throw new Failure('LOCAL_IO', `cannot write ${path}: ${describeIoError(error)}`, { cause: error });
    }
  };
  /** Removes it, and rejects with the error. */
  const drop = async (error: unknown): Promise<never> => {
    await ignoreErrors(file.close());
    await ignoreErrors(rm(path, { force: true }));
    forget();
    throw error;
  };
  const save = async (): Promise<void> => {
    await failing(file.sync());
    await failing(file.close());
    forget();
  };
  const port: OutputPort = {
    isTerminal: false,
    columns: undefined,
    write: (bytes) => failing(file.appendFile(bytes)),
  };
  return {
    ...port,
    drop,
    /** Keeps it after the work, also if the work left something out (PARTIAL). Any other failure removes it. */
    async ending(work: Promise<void>): Promise<void> {
      const left = await work.catch((error: unknown) => {
        return error instanceof Failure && error.code === 'PARTIAL' ? error : drop(error);
      });
      await save().catch(drop);
      await onSaved();
      if (left !== undefined) throw left;
    },
  };
}
