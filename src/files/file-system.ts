import {
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeIoError, errnoOf } from './io-failure.ts';

/** Whether the system says that the name is taken. */
function isRefused(work: () => void): boolean {
  try {
    work();
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return true;
    throw error;
  }
  return false;
}

/** The file of this name, which has to be new, with this text. */
function make(path: string, text: string): string {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return path;
}

/** Each returns whether what locks, runs and records rest on holds in a folder. */
const TRIALS: Readonly<Record<string, (folder: string) => boolean>> = {
  'a file is made once (O_EXCL)': (folder) => {
    const path = make(join(folder, 'once'), '');
    return isRefused(() => make(path, ''));
  },
  'a hard link never replaces a file': (folder) => {
    const [from, to] = [make(join(folder, 'from'), 'from'), join(folder, 'to')];
    linkSync(from, to);
    return isRefused(() => linkSync(from, to)) && readFileSync(to, 'utf8') === 'from';
  },
  'a rename replaces a file': (folder) => {
    const [from, to] = [make(join(folder, 'new'), 'new'), make(join(folder, 'old'), 'old')];
    renameSync(from, to);
    return readFileSync(to, 'utf8') === 'new' && !existsSync(from);
  },
  'what is appended comes last (O_APPEND)': (folder) => {
    const path = make(join(folder, 'appended'), '');
    const descriptors = [openSync(path, 'a'), openSync(path, 'a')];
    for (const text of ['a', 'b', 'c']) for (const descriptor of descriptors) writeSync(descriptor, text);
    for (const descriptor of descriptors) closeSync(descriptor);
    return readFileSync(path, 'utf8') === 'aabbcc';
  },
};

/**
 * What does not hold on the file system of a folder, with the reason where the system gives one; tried in a folder of
 * its own, which is gone afterwards. Throws the system's error where that cannot be made.
 */
export function brokenPromises(folder: string): readonly string[] {
  const own = mkdtempSync(join(folder, '.frontdesk-try-'));
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
