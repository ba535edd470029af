import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OutputPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ignoreErrors, messageOf } from './io-failure.ts';

/** Makes the file of `--out` (0600), never one that was there. Raises USAGE where it cannot be made. */
export async function createNewFile(path: string): Promise<FileHandle> {
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

/** A new file that a result grows in as on stdout. */
export interface ResultFile extends OutputPort {
  /** Leaves no part of it behind, and rejects with the error. */
  drop(error: unknown): Promise<never>;
  /** Keeps it once the work is done, also where that left something out (PARTIAL); what else fails drops it. */
  ending(work: Promise<void>): Promise<void>;
}

/** Opens the file of `--out`. What the system has against a write is LOCAL_IO. `forget` hears that it is kept or gone. */
export async function openResultFile(
  path: string,
  forget: () => void,
  onSaved: () => Promise<void>,
): Promise<ResultFile> {
  const file = await createNewFile(path);
  const failing = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throw new Failure('LOCAL_IO', `cannot write ${path}: ${describeIoError(error)}`, { cause: error });
    }
  };
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
  return {
    isTerminal: false,
    columns: undefined,
    write: (bytes) => failing(file.appendFile(bytes)),
    drop,
    async ending(work) {
      const left = await work.catch((error: unknown) => {
        return error instanceof Failure && error.code === 'PARTIAL' ? error : drop(error);
      });
      await save().catch(drop);
      await onSaved();
      if (left !== undefined) throw left;
    },
  };
}
