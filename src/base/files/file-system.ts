import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeIoError, errnoOf } from './io-failure.ts';
import { temporaryName } from './process-identity.ts';

/** The last is that of Windows, for folders. */
const REFUSALS = ['EEXIST', 'ENOTEMPTY', 'EPERM'];

/** Does the system say that the name is taken? */
function isRefused(work: () => void): boolean {
  try {
    work();
  } catch (error) {
    if (REFUSALS.includes(errnoOf(error) ?? '')) return true;
    throw error;
  }
  return false;
}

/** Makes a file of this name, which must be new. */
function make(path: string, text: string): string {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return path;
}

/** What locks, runs and records rely on. Each returns whether it holds in a folder. */
const TRIALS: Readonly<Record<string, (folder: string) => boolean>> = {
  'a file is created only once (O_EXCL)': (folder) => {
    const path = make(join(folder, 'once'), '');
    return isRefused(() => make(path, ''));
  },
  'a folder takes a free name, but not one with a file': (folder) => {
    const to = join(folder, 'taken');
    const move = (name: string) => {
      mkdirSync(join(folder, name));
      make(join(folder, name, 'file'), name);
      renameSync(join(folder, name), to);
    };
    move('first');
    return isRefused(() => move('second')) && readFileSync(join(to, 'file'), 'utf8') === 'first';
  },
  'a rename replaces a file': (folder) => {
    const [from, to] = [make(join(folder, 'new'), 'new'), make(join(folder, 'old'), 'old')];
    renameSync(from, to);
    return readFileSync(to, 'utf8') === 'new' && !existsSync(from);
  },
  'appended text is last (O_APPEND)': (folder) => {
    const path = make(join(folder, 'appended'), '');
    const descriptors = [openSync(path, 'a'), openSync(path, 'a')];
    for (const text of ['a', 'b', 'c']) for (const descriptor of descriptors) writeSync(descriptor, text);
    for (const descriptor of descriptors) closeSync(descriptor);
    return readFileSync(path, 'utf8') === 'aabbcc';
  },
};

/** What helps if one of them does not hold. */
export const MOVE_STATE = 'set FRONTDESK_STATE_DIR to a folder on a local disk';

/** What does not hold on a folder's file system, with the system's reason. Throws its error if it cannot be tried. */
function unsupportedGuarantees(folder: string, pid: number): readonly string[] {
  const own = join(folder, temporaryName(pid));
  mkdirSync(own, { mode: 0o700 });
  try {
    return Object.entries(TRIALS).flatMap(([promise, holds]) => {
      try {
        return holds(own) ? [] : [promise];
      } catch (error) {
        return [`${promise}: ${describeIoError(error)}`];
      }
    });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** The same at the first use of a folder, noted in `kept`. Nothing if it cannot be tried: the next step says why. */
export function newlyUnsupported(folder: string, pid: number, kept: string): readonly string[] {
  try {
    const broken = unsupportedGuarantees(folder, pid);
    writeFileSync(kept, broken.join('\n'), { mode: 0o600 });
    return broken;
  } catch {
    return [];
  }
}
