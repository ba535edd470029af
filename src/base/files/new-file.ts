import { existsSync } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
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
    const file = await opening;
    // Never the file that somebody else put there meanwhile.
    const isOurs = await isStillNamed(file, path).catch(() => false);
    await ignoreErrors(file.close());
    if (isOurs) await ignoreErrors(rm(path, { force: true }));
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

/** Does this name still lead to the open file? Somebody may have removed or replaced it meanwhile. */
export async function isStillNamed(file: FileHandle, path: string): Promise<boolean> {
  const [ours, there] = await Promise.all([
    file.stat({ bigint: true }),
    lstat(path, { bigint: true }).catch(() => undefined),
  ]);
  return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
}

const MAX_NAMES = 100;

/** The name itself, then names beside it: `a.json`, `a-2.json`. */
function* namesBeside(path: string): Generator<string> {
  const { dir, name, ext } = parse(path);
  yield path;
  for (let number = 2; number <= MAX_NAMES; number += 1) yield join(dir, `${name}-${number}${ext}`);
}

/** The first of these names that is free; undefined: none is. */
export function freeNameBeside(path: string): string | undefined {
  for (const name of namesBeside(path)) if (!existsSync(name)) return name;
  return undefined;
}

/** Writes a new file (0600) under this name, or beside it if there is a file of somebody else now. Returns its name. */
export async function writeBeside(path: string, bytes: Uint8Array): Promise<string> {
  for (const name of namesBeside(path)) {
    let file: FileHandle;
    try {
      file = await open(name, 'wx', 0o600);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') continue;
      throw error;
    }
    try {
      await file.writeFile(bytes);
      await file.sync();
      await file.close();
      return name;
    } catch (error) {
      await ignoreErrors(file.close());
      await ignoreErrors(rm(name, { force: true }));
      throw error;
    }
  }
  throw Object.assign(new Error('no free name'), { code: 'EEXIST' });
}

/** Opens the file of `--out`, to which a result is written as to stdout. Failed writes are LOCAL_IO. */
export async function openResultFile(path: string, dropAtSignal: DropAtSignal, onSaved: () => Promise<void>) {
  const { file, ...made } = await createNewFile(path, dropAtSignal);
  const failing = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
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
    const isThere = await failing(isStillNamed(file, path));
    await failing(file.close());
    made.keep();
    if (!isThere) throw new Failure('LOCAL_IO', `could not save ${path}: it was removed or replaced meanwhile`);
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
