import { chmod, link, mkdir, mkdtemp, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ignoreErrors, ioFailure, orIoFailure } from './io-failure.ts';
import { temporaryName } from './process-identity.ts';

/**
 * Node's own `recursive` tries for ever where a folder exists and nothing can be made in it because the system
 * answers ENOENT, as /proc and automounted places do.
 */
async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (errno !== 'ENOENT' || dirname(path) === path) throw error;
    await makePrivateFolder(dirname(path));
    // Another process may make the same folder at the same moment.
    await mkdir(path, 0o700).catch((failure: unknown) => {
      if (errnoOf(failure) !== 'EEXIST') throw failure;
    });
  }
  await chmod(path, 0o700);
  await syncFolder(dirname(path));
}

/**
 * Makes the folder, and those above it that are missing, for this user only (0700 whatever the umask).
 * A folder that exists is left as it is. LOCAL_IO when it cannot be made.
 */
export function ensurePrivateFolder(path: string): Promise<void> {
  return orIoFailure(makePrivateFolder(path), `could not create the folder ${path}`, 'unchanged');
}

/** After a rename the new name itself must reach the disk. Not every system lets a folder be synced. */
export async function syncFolder(path: string): Promise<void> {
  let folder: Awaited<ReturnType<typeof open>>;
  try {
    folder = await open(path, 'r');
  } catch {
    return;
  }
  try {
    await folder.sync();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EIO' || errno === 'ENOSPC') throw error;
  } finally {
    await ignoreErrors(folder.close());
  }
}

/** How Windows refuses to replace a file that another process, a virus scanner among them, has open for a moment. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/** Renames over a file. On Windows again and again for two seconds while it is in use. */
async function replaceFile(temporary: string, path: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      return await rename(temporary, path);
    } catch (error) {
      if (sep === '/' || waitedMs >= PATIENCE_MS || !IN_USE.has(errnoOf(error) ?? '')) throw error;
      const { setTimeout: sleep } = await import('node:timers/promises');
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Puts a finished temporary file in the place of the real one, or removes it and changes nothing. LOCAL_IO where it is in
 * place, and its new name may not be on the disk.
 */
export async function putInPlace(temporary: string, path: string): Promise<void> {
  try {
    await replaceFile(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path)).catch((error: unknown) => {
    throw new Failure(
      'LOCAL_IO',
      `${path} is saved, but could not be synced, so that a power cut may undo it: ${describeIoError(error)}`,
    );
  });
}

/** Takes a place by an empty file of this process's own, where nothing is; false: something is. */
async function isOurs(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Puts a finished temporary file in a place where nothing is; false: something is, and the file stays as it was. */
export async function putInNewPlace(temporary: string, path: string): Promise<boolean> {
  try {
    // A link is made only where nothing is; some file systems have none.
    await link(temporary, path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!(await isOurs(path))) return false;
    await rename(temporary, path);
    return true;
  }
  await ignoreErrors(rm(temporary));
  return true;
}

/** A new file of mode 0600 whose content is on the disk. Rejects with the system's error. */
export async function writeTemporary(path: string, data: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file as a whole: a reader sees the old content or the new, never a part, also after a kill
 * or a power cut. The new file has mode 0600 whatever the old one had and whatever the umask. `what`
 * names the file in the LOCAL_IO failure (`the credentials file`); then the old one is unharmed. `assertStillHeld` is called
 * right before the old one is replaced, and throws a Failure if that may not be done any more.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  {
    pid,
    what,
    assertStillHeld,
  }: { readonly pid: number; readonly what: string; readonly assertStillHeld?: () => void },
): Promise<void> {
  const folder = dirname(path);
  await ensurePrivateFolder(folder);
  const temporary = join(folder, temporaryName(pid));
  try {
    await writeTemporary(temporary, data);
    assertStillHeld?.();
    await putInPlace(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw ioFailure(`could not save ${what} ${path}`, error);
  }
}

/**
 * What the work gives that is done in a new folder of this user's own, which is gone afterwards; one that cannot be
 * removed stays, and decides nothing.
 */
export async function withTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const making = mkdtemp(join(tmpdir(), 'frontdesk-'));
  const folder = await orIoFailure(making, 'could not create a temporary folder', 'unchanged');
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
