import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePrivateFolder, syncFolder } from '../../base/files/atomic.ts';
import { ignoreErrors, ignoreNotFound } from '../../base/files/io-failure.ts';
import { namesInOwn } from '../../base/files/own-state.ts';
import { temporaryName } from '../../base/files/process-identity.ts';
import { type RunHeader, readRunHeader, runFolder } from './run-folder.ts';

/** Digits of the digest of a run's rows that are in its name. The header has all. */
const DIGITS = 16;

/** The folder with a name for each run that sent something. */
export function sentFolder(stateDir: string): string {
  return join(stateDir, 'sent');
}

function nameOf({ rowsSha256 = '', operation, run }: Pick<RunHeader, 'rowsSha256' | 'operation' | 'run'>): string {
  return `${rowsSha256.slice(0, DIGITS)}~${operation}~${run}`;
}

/** Before the first request of a run: a name by which the same rows are found again. Rejects with the system's error. */
export async function markSent(stateDir: string, header: RunHeader): Promise<void> {
  if (header.rowsSha256 === undefined) return;
  const folder = sentFolder(stateDir);
  await ensurePrivateFolder(folder);
  await (await open(join(folder, nameOf(header)), 'a', 0o600)).close();
  await syncFolder(folder);
}

/** Before the first request of a run that goes on: the folder changes, so that others look at its runs again. */
export async function touchSent(stateDir: string, { rowsSha256 }: Pick<RunHeader, 'rowsSha256'>, pid: number) {
  if (rowsSha256 === undefined) return;
  const path = join(sentFolder(stateDir), temporaryName(pid));
  // Without the folder there is no name by which others find the run.
  const file = await ignoreNotFound(open(path, 'wx', 0o600));
  await file?.close();
  await ignoreErrors(unlink(path));
}

export async function forgetSent(stateDir: string, run: string): Promise<void> {
  for (const name of sentNames(stateDir).filter((each) => each.endsWith(`~${run}`))) {
    await ignoreNotFound(unlink(join(sentFolder(stateDir), name)));
  }
}

/** A name for each run that sent something: digest of its rows, operation, run. */
export function sentNames(stateDir: string): readonly string[] {
  return namesInOwn(stateDir, sentFolder(stateDir));
}

/** The headers of the runs with these rows. LOCAL_IO or AUTH. */
export async function runsWithRows(stateDir: string, rowsSha256: string): Promise<readonly RunHeader[]> {
  const found: RunHeader[] = [];
  for (const name of sentNames(stateDir)) {
    if (!name.startsWith(`${rowsSha256.slice(0, DIGITS)}~`)) continue;
    const header = await readRunHeader(runFolder(stateDir, name.split('~').at(-1) ?? ''), true);
    if (header?.rowsSha256 === rowsSha256) found.push(header);
  }
  return found;
}
