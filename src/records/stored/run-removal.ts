import { existsSync, statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { syncFolder } from '../../base/files/atomic.ts';
import { ifPossible, ioFailure, type Unread } from '../../base/files/io-failure.ts';
import { dropMark } from './open-folder.ts';
import { type RunFolder, readRunHeader, refuseForeign, requireRun, runFolder, runFolders } from './run-folder.ts';
import { heldRuns } from './run-list.ts';
import { lockRun, type RunPorts, release } from './run-store.ts';
import { forgetSent } from './sent-rows.ts';

/** The stamp of a run of which nothing is left. */
const NOTHING = ' ';

/** What there is of a run: it is another text once anything more is recorded of it. */
export function stampOf({ header, journal }: RunFolder): string {
  const facts = [header, journal].map((path) => ifPossible(() => statSync(path)));
  return facts.map((fact) => (fact === undefined ? '' : `${fact.ino}-${fact.size}-${fact.mtimeMs}`)).join(' ');
}

function changed(name: string, cause?: unknown): Failure {
  const problem = `run ${name} is not as it was before you confirmed`;
  return new Failure('PRECONDITION', problem, {
    after: 'unremoved',
    hints: [{ do: 'see its rows', about: name }],
    cause,
  });
}

/**
 * Deletes a run that is still as it was (`as`). PRECONDITION if it is not: rows may have been sent since. USAGE if it
 * does not exist or a process works on it.
 */
export async function removeRun(ports: RunPorts, name: string, as: string): Promise<void> {
  const folder = runFolder(ports.stateDir, name);
  if ((await stat(folder.path).catch(() => undefined)) === undefined) await requireRun(ports.stateDir, name);
  await refuseForeign(folder);
  const lock = await lockRun(folder, ports);
  try {
    // Another removal may have come first: then the lock was taken in a folder that is new.
    if (![as, NOTHING].includes(stampOf(folder))) throw changed(name);
    // After a kill, what is left does not look like a run.
    await rm(folder.header, { force: true });
    await syncFolder(folder.path);
    // The lock is in the folder: once that is gone, the name and its marks may be another run's.
    await dropMark(ports.stateDir, folder.run);
    await forgetSent(ports.stateDir, folder.run);
    await rm(folder.path, { recursive: true });
  } catch (error) {
    throw ioFailure(`could not remove run ${name} (${folder.path})`, error, 'partly');
  } finally {
    await release(lock, ports);
  }
}

/**
 * The runs that were begun before a time and that no process works on, as they are now. Without a header the time of the
 * folder counts. `unread` gets those that others could have written, or that cannot be read.
 */
export async function runsBefore(
  ports: RunPorts,
  beforeMs: number,
  unread: Unread,
): Promise<ReadonlyMap<string, string>> {
  const old: { readonly folder: RunFolder; readonly as: string }[] = [];
  const folders = await runFolders(ports.stateDir);
  for (const folder of folders.sort((one, other) => (one.run < other.run ? -1 : 1))) {
    try {
      const as = stampOf(folder);
      const header = await readRunHeader(folder, true);
      const startedMs = header === undefined ? (await stat(folder.path)).mtimeMs : Date.parse(header.startedAt);
      if (startedMs < beforeMs) old.push({ folder, as });
    } catch (error) {
      unread.set(folder.run, ioFailure('it could not be read', error, 'unremoved'));
    }
  }
  const held = await heldRuns(old, ports.clock);
  return new Map(old.flatMap(({ folder, as }) => (held.has(folder) ? [] : [[folder.run, as]])));
}

/** Deletes the runs that are as they were, and returns their names. `unread` gets the others, unless they are gone. */
export async function removeRuns(
  ports: RunPorts,
  named: ReadonlyMap<string, string>,
  unread: Unread,
): Promise<readonly string[]> {
  // Locks that processes elsewhere left behind are watched at the same time.
  const removals = await Promise.allSettled([...named].map(([name, as]) => removeRun(ports, name, as)));
  const folders = [...named.keys()].map((name) => ({ folder: runFolder(ports.stateDir, name) }));
  const held = await heldRuns(folders, ports.clock);
  return folders.flatMap(({ folder }, index) => {
    const removal = removals[index];
    if (removal?.status !== 'rejected') return [folder.run];
    const failure = ioFailure('it could not be removed', removal.reason, 'partly');
    // A process that has begun to work on it may send its rows. What is no run any more needs no word.
    const isOther = existsSync(folder.header) && stampOf(folder) !== named.get(folder.run);
    const isChanged = failure.code === 'USAGE' && (held.has(folder) || isOther);
    if (isChanged || failure.code !== 'USAGE')
      unread.set(folder.run, isChanged ? changed(folder.run, failure) : failure);
    return [];
  });
}
