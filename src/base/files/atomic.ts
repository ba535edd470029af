import { chmod, link, mkdir, mkdtemp, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { describeIoError, errnoOf, ignoreErrors, orIoFailure, remedyHints } from './io-failure.ts';
import type { DropAtSignal } from './new-file.ts';
import { temporaryName } from './process-identity.ts';

/** Node's `recursive` never ends in a folder that returns ENOENT for new entries, as /proc and automounts do. */
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

/** Makes the folder and missing parents for this user only (0700). An existing one stays. Rejects with LOCAL_IO. */
export function ensurePrivateFolder(path: string): Promise<void> {
  return orIoFailure(makePrivateFolder(path), `could not create the folder ${path}`, 'unchanged');
}

/** After a rename, the new name itself must reach the disk. Not every system can sync a folder. */
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

/** How Windows refuses to replace a file that another process (a virus scanner) has open for a moment. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;

/** Renames over a file. On Windows retries for two seconds while it is in use. */
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

/** Renames a temporary file into place, or removes it. LOCAL_IO also if it is there, but may not be on the disk. */
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

/** Reserves a free place by an empty file. Returns false if something is there. */
async function isReserved(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a finished temporary file to a free place. Returns false if something is there. */
export async function putInNewPlace(temporary: string, path: string): Promise<boolean> {
  try {
    // A link is made only in a free place. Some file systems have none.
    await link(temporary, path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (!(await isReserved(path))) return false;
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
 * Replaces a whole file: a reader sees the old content or the new, also after a kill or a power cut. The new file has
 * mode 0600. `what` names it in the LOCAL_IO failure (`the credentials file`), after which the old one is unharmed.
 * `assertStillHeld` is called right before the replacement, and throws a Failure if it is not allowed any more.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  by: { readonly pid: number; readonly what: string; readonly assertStillHeld?: () => void },
): Promise<void> {
  const folder = dirname(path);
  await ensurePrivateFolder(folder);
  const temporary = join(folder, temporaryName(by.pid));
  try {
    await writeTemporary(temporary, data);
    by.assertStillHeld?.();
    await putInPlace(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    if (error instanceof Failure) throw error;
    const attempted = `save ${by.what} ${path}`;
    throw new Failure('LOCAL_IO', describeIoError(error), {
      ...{ attempted, after: 'kept', hints: remedyHints(error), cause: error },
    });
  }
}

/** Runs the work with a new private folder, which is removed afterwards. If it cannot be removed, it stays silently. */
export async function withTemporaryFolder<Result>(
  work: (folder: string) => Promise<Result>,
  dropAtSignal: DropAtSignal,
): Promise<Result> {
  const making = mkdtemp(join(tmpdir(), 'frontdesk-'));
  const folder = await orIoFailure(making, 'could not create a temporary folder', 'unchanged');
  const drop = () => ignoreErrors(rm(folder, { recursive: true, force: true }));
  const forget = dropAtSignal(drop);
  try {
    return await work(folder);
  } finally {
    forget();
    await drop();
  }
}
