import { createHmac, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder, putInNewPlace, syncFolder, writeTemporary } from '../base/files/atomic.ts';
import { ignoreErrors, ignoreNotFound, orIoFailure } from '../base/files/io-failure.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { temporaryName } from '../base/files/process-identity.ts';

const KEY = /^[0-9a-f]{64}$/;

async function readKey(path: string): Promise<string | undefined> {
  const file = await ignoreNotFound(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (file === undefined) return undefined;
  try {
    const text = (await readFile(file, 'latin1')).trim();
    return KEY.test(text) ? text : undefined;
  } finally {
    await ignoreErrors(file.close());
  }
}

/** The secret of this user, made at its first use. */
async function keyOf(stateDir: string, pid: number): Promise<string> {
  const path = join(stateDir, 'history-key');
  requireOwnState(stateDir, path);
  const known = await readKey(path);
  if (known !== undefined) return known;
  await ensurePrivateFolder(stateDir);
  const temporary = join(stateDir, temporaryName(pid));
  // An empty key after a power loss would refuse every reissue, event and resume.
  await writeTemporary(temporary, `${randomBytes(32).toString('hex')}\n`);
  // If another process made one meanwhile, that one counts.
  if (!(await putInNewPlace(temporary, path))) await ignoreErrors(unlink(temporary));
  await syncFolder(stateDir);
  const made = await readKey(path);
  if (made === undefined) throw new Error('it holds no key');
  return made;
}

/** Returns what makes the digest that stands for a text in the history and reveals nothing else. LOCAL_IO. */
export async function openDigester(stateDir: string, pid: number): Promise<(text: string) => string> {
  const key = await orIoFailure(keyOf(stateDir, pid), `could not read the key of the history (${stateDir})`, 'unsent');
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
