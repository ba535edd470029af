import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder, syncFolder, writeTemporary } from '../../base/files/atomic.ts';
import { errnoOf, ignoreErrors, ignoreNotFound } from '../../base/files/io-failure.ts';
import { endsInLine } from '../../base/files/lines.ts';
import { namesInOwn, requireOwnState } from '../../base/files/own-state.ts';
import { temporaryName } from '../../base/files/process-identity.ts';

/** The folder with a file for each write and each run that is under way or open. Nearly always it is empty. */
export function openFolder(stateDir: string): string {
  return join(stateDir, 'open');
}

export function runsFolder(stateDir: string): string {
  return join(stateDir, 'runs');
}

/** What a change is about, as names of files have it: 12 digits for a base URL and a subject there. */
export function openKey(place: string, subject: string): string {
  return createHash('sha256').update(`${place}\n${subject}`).digest('hex').slice(0, 12);
}

/** The file of a write: its beginning, and in later lines what is known since. The last whole line counts. */
export function openFile(stateDir: string, entry: string, key: string): string {
  return join(openFolder(stateDir), `${entry}~${key}.write`);
}

/** A change that must not happen twice: its operation in the table, and what it is about. */
export interface OnceOnly {
  readonly operation: string;
  readonly key: string;
}

/**
 * The file of such a change, whose name can exist once. `after`: the entry that has the name, which the sender of
 * another one knows: there is one next name after it.
 */
export function onceFile(stateDir: string, { operation, key }: OnceOnly, after?: string): string {
  const end = after === undefined ? '' : `~${openKey('', after)}`;
  return join(openFolder(stateDir), `once~${operation}~${key}${end}.write`);
}

/** The file of a run from before its first request until it ends without unknown rows. Its first line names the run. */
export function runMark(stateDir: string, run: string): string {
  return join(openFolder(stateDir), `${run}.run`);
}

/** Removes the mark of a run, and the names of its rows that must not happen twice, which are links to a mark of it. */
export async function dropMark(stateDir: string, run: string): Promise<void> {
  const folder = openFolder(stateDir);
  for (const name of openNames(stateDir).filter((each) => each.startsWith('once~'))) {
    const text = await ignoreNotFound(readFile(join(folder, name), 'utf8'));
    if (text?.startsWith(markLine(run))) await rm(join(folder, name), { force: true });
  }
  await rm(runMark(stateDir, run), { force: true });
}

export function markLine(run: string): string {
  return `${JSON.stringify({ run })}\n`;
}

/** What the name of a file in the open folder says; undefined: it is none of those. */
export function parseOpenName(name: string): { readonly run: string } | { readonly key: string } | undefined {
  const [, run] = /^(.+)\.run$/.exec(name) ?? [];
  if (run !== undefined) return { run };
  const [, key] = /^(?:once~[^~]+|[^~]+)~([0-9a-f]{12})(?:~[0-9a-f]{12})?\.write$/.exec(name) ?? [];
  return key === undefined ? undefined : { key };
}

/** The names in the folder, of which a process that was killed may have left temporary ones. */
export function openNames(stateDir: string): readonly string[] {
  return namesInOwn(stateDir, openFolder(stateDir));
}

/** Puts a new file there, whole and on the disk with its name. Rejects with the system's error, or AUTH. */
export async function putOpen(path: string, text: string, stateDir: string, pid: number): Promise<void> {
  const temporary = await writeOpen(text, stateDir, pid);
  try {
    await rename(temporary, path);
    await syncFolder(openFolder(stateDir));
  } catch (error) {
    // Nothing is sent then. A file that is not on the disk for certain would say that something may have been.
    for (const left of [temporary, path]) await ignoreErrors(unlink(left));
    throw error;
  }
}

/** Writes a file that still needs its name, and returns its path. Rejects with the system's error, or AUTH. */
export async function writeOpen(text: string, stateDir: string, pid: number): Promise<string> {
  const folder = openFolder(stateDir);
  // Runs say what is open, too.
  for (const path of [folder, runsFolder(stateDir)]) requireOwnState(stateDir, path);
  const temporary = join(folder, temporaryName(pid));
  try {
    await writeTemporary(temporary, text).catch(async (error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
      await ensurePrivateFolder(folder);
      await writeTemporary(temporary, text);
    });
  } catch (error) {
    await ignoreErrors(unlink(temporary));
    throw error;
  }
  return temporary;
}

/** Adds a line to a file that is there, and syncs it. Never makes one anew. Returns false if it is gone. */
export async function addLine(path: string, line: string): Promise<boolean> {
  const file = await ignoreNotFound(open(path, constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW));
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    const lead = (await endsInLine(file, size)) ? '' : '\n';
    await file.writeFile(lead + line);
    // What the disk may not keep must not count meanwhile.
    await file.datasync().catch(async (error: unknown) => {
      await ignoreErrors(file.truncate(size));
      throw error;
    });
    return true;
  } finally {
    await ignoreErrors(file.close());
  }
}
