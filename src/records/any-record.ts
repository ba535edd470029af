import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreNotFound } from '../base/files/io-failure.ts';

/** Does a state folder hold any run or any single change? A new one knows nothing of what was sent elsewhere. */
export async function hasAnyRecord(stateDir: string): Promise<boolean> {
  for (const folder of ['writes', 'open', 'runs']) {
    const names = (await ignoreNotFound(readdir(join(stateDir, folder)))) ?? [];
    // A name that begins with a dot is of a file that is being made.
    if (names.some((name) => !name.startsWith('.'))) return true;
  }
  return false;
}
