import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OutputPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ignoreErrors } from './io-failure.ts';

/** Registers what removes a file if a signal or a crash ends the call. Returns how to forget it. */
export type DropAtSignal = (drop: () => Promise<void>) => () => void;

/** Makes the file of `--out` (0600), which `drop` removes and `keep` lets outlive the call. USAGE if it exists or cannot be made. */
export async function createNewFile(path: string, dropAtSignal: DropAtSignal) {
  // Exclusive: never an existing file, link or device.
  const opening = open(path, 'wx', 0o600);
  const drop = async (): Promise<void> => {
    await ignoreErrors((await opening).close());
    await ignoreErrors(rm(path, { force: true }));
    keep();
  };
  // Registered before it is made: a signal may come in between.
  const keep = dropAtSignal(drop);
  try {
    return { file: await opening, drop, keep };
  } catch (error) {
    keep();
    if (errnoOf(error) === 'EEXIST') {
      throw Failure.unsent('USAGE', `--out: ${path} exists, and a result never overwrites a file`, {
        hints: ['name a new file'],
      });
    }
    throw Failure.unsent('USAGE', `--out: cannot create ${path}: ${describeIoError(error)}`, {
      hints: [`check that the folder ${dirname(path)} exists and can be written`],
      cause: error,
    });
  }
}

/** Opens the file of `--out`, to which a result is written as to stdout. Failed writes are LOCAL_IO. */
export async function openResultFile(path: string, dropAtSignal: DropAtSignal, onSaved: () => Promise<void>) {
  const { file, ...made } = await createNewFile(path, dropAtSignal);
  const failing = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throw new Failure('LOCAL_IO', `cannot write ${path}: ${describeIoError(error)}`, { cause: error });
    }
  };
  /** Removes it, and rejects with the error. */
  const drop = async (error: unknown): Promise<never> => {
    await made.drop();
    throw error;
  };
  const save = async (): Promise<void> => {
    await failing(file.sync());
    await failing(file.close());
    made.keep();
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
