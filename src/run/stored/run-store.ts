import { createHash } from 'node:crypto';
import { createReadStream, renameSync, rmSync } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { ensurePrivateFolder, syncFolder, writeFileAtomic } from '../../files/atomic.ts';
import type { HeldLock } from '../../files/held-lock.ts';
import { ignoreNotFound, ioFailure, orIoFailure, type Unread } from '../../files/io-failure.ts';
import { acquireLock, lostLockFailure } from '../../files/lock.ts';
import { requireOwnState } from '../../files/own-state.ts';
import { temporaryName } from '../../files/process-identity.ts';
import { sweepLeftovers } from '../../files/sweep.ts';
import { groupThousands, plural } from '../../output/text.ts';
import { type JournalPorts, type RunAudit, RunJournal } from '../journal/journal.ts';
import { successorIn } from '../journal/reader.ts';
import {
  contentDigest,
  lostRows,
  makeRunHeader,
  makeRunName,
  type RunFolder,
  type RunHeader,
  readRunHeader,
  requireRun,
  rowsFileOf,
  runFolder,
  runFolders,
  runsFolder,
  type StoredRunHandle,
  storedRowsOf,
} from './run-folder.ts';

const DAY_MS = 86_400_000;
const STALE_DAYS = 7;

export interface RunPorts extends Omit<JournalPorts, 'lock' | 'assertStillHeld' | 'audit'> {
  readonly stateDir: string;
  random(): number;
  /** Called if a process elsewhere holds the run, and while it is waited for. */
  report?(message: string): Promise<void>;
  /** The audit log. LOCAL_IO before the run is begun if it cannot be written. */
  readonly openAudit?: ((header: RunHeader) => Promise<RunAudit>) | undefined;
}

/** A run to be begun: what its header will say, and its rows. */
export interface NewRun extends Omit<RunHeader, 'version' | 'run' | 'startedAt'> {
  /** The ID of the run (`--run`); undefined: one is made. */
  readonly name?: string | undefined;
  /** The file at `spoolPath` with its rows. It is moved into the run's folder, or removed. */
  readonly spool: string;
  /** The options that decide what is sent, with their words: with other values it is another run. */
  readonly rowOptions?: ReadonlyMap<string, string>;
}

/** A run that only this process works on until it is closed. */
export interface ActiveRun extends StoredRunHandle {
  readonly journal: RunJournal;
  /** Closes the journal and releases the lock. */
  close(): Promise<void>;
}

/** Where rows are written during the check, on the disk of the runs. A later run removes what a kill leaves. */
export async function spoolPath({ stateDir, pid }: Pick<RunPorts, 'stateDir' | 'pid'>): Promise<string> {
  const folder = runsFolder(stateDir);
  await ensurePrivateFolder(folder);
  requireOwnState(stateDir, folder);
  return join(folder, temporaryName(pid));
}

/**
 * Begins a run: takes its lock, and puts rows and header on the disk. If the name exists, the run is resumed if
 * command, input and place are the same (its rows are replaced if they are gone), else USAGE. USAGE if another process
 * works on it. LOCAL_IO if the folder cannot be written.
 */
export async function beginRun(ports: RunPorts, wanted: NewRun): Promise<ActiveRun> {
  const name = wanted.name ?? makeRunName(ports.clock, ports.random);
  const folder = runFolder(ports.stateDir, name);
  const lock = await lockRun(folder, ports);
  try {
    const existing = await readRunHeader(folder);
    if (existing !== undefined) {
      refuseOther(existing, wanted);
      return await openRun(folder, existing, lock, ports, wanted);
    }
    const header = makeRunHeader({ ...wanted, run: name, startedAt: new Date(ports.clock.now()).toISOString() });
    const audit = await ports.openAudit?.(header);
    const assertStillHeld = assertionOf(lock, folder);
    assertStillHeld();
    // Synchronous: a process paused between the proof and one of these would remove its successor's files.
    renameSync(wanted.spool, rowsFileOf({ folder, header }));
    // An earlier process without a header sent nothing.
    rmSync(folder.journal, { force: true });
    const ofRun = { ...ports, lock, assertStillHeld, audit };
    const journal = await RunJournal.create(folder.journal, header.inputRows, ofRun, contentDigest(header));
    // The header says that all the rest exists, also after a power loss, so the rest is synced first.
    for (const path of [dirname(ports.stateDir), ports.stateDir, dirname(folder.path), folder.path]) {
      await syncFolder(path);
    }
    const text = `${JSON.stringify(header, undefined, 2)}\n`;
    await writeFileAtomic(folder.header, text, { pid: ports.pid, assertStillHeld, what: "the run's header" });
    return activeRun({ folder, header }, journal, lock, ports);
  } catch (error) {
    await release(lock, ports);
    throw ioFailure(`run ${name} could not be begun (${folder.path})`, error, 'unsent');
  }
}

/** Resumes a run. USAGE if it does not exist, is held, or its rows were changed. LOCAL_IO if it is damaged. */
export async function resumeRun(ports: RunPorts, name: string): Promise<ActiveRun> {
  const { folder, header } = await requireRun(ports.stateDir, name);
  const lock = await lockRun(folder, ports);
  try {
    return await openRun(folder, header, lock, ports);
  } catch (error) {
    await release(lock, ports);
    throw error;
  }
}

/** USAGE if the profile has another base URL than the run: it may have been changed since. */
export function refuseOtherPlace(header: RunHeader, host: string): void {
  if (header.host === host) return;
  const problem = `run ${header.run} was begun at ${header.host}, and profile ${header.profile} now leads to ${host}`;
  throw Failure.unsent('USAGE', problem, { hints: ['set the address back, or begin a new run'] });
}

/** A warning if a run is resumed so late that its input may be outdated (K14). */
export function staleRunWarning(header: RunHeader, nowMs: number): string | undefined {
  const days = Math.floor((nowMs - Date.parse(header.startedAt)) / DAY_MS);
  if (days < STALE_DAYS) return undefined;
  return `run ${header.run} was started ${days} days ago. Check that its rows are still what you want`;
}

/** Deletes a run. USAGE if it does not exist or a process works on it. */
export async function removeRun(ports: RunPorts, name: string): Promise<void> {
  const folder = runFolder(ports.stateDir, name);
  if ((await stat(folder.path).catch(() => undefined)) === undefined) await requireRun(ports.stateDir, name);
  const lock = await lockRun(folder, ports);
  try {
    // After a kill, what is left does not look like a run.
    await rm(folder.header, { force: true });
    await syncFolder(folder.path);
    await rm(folder.path, { recursive: true });
  } catch (error) {
    throw ioFailure(`could not remove run ${name} (${folder.path})`, error, 'a part of it may be left');
  } finally {
    await release(lock, ports);
  }
}

/** Releases the lock of a run. One that cannot be released is only a warning. */
async function release(lock: HeldLock, { report }: RunPorts): Promise<void> {
  const left = lock.release();
  if (left !== undefined) await report?.(left);
}

/**
 * Deletes the runs that were begun more than `ageMs` ago and that no process works on. Returns their names. Without a
 * header the time of the folder counts. `unread` gets those that others could have written, or that cannot be read or
 * removed.
 */
export async function removeRunsOlderThan(ports: RunPorts, ageMs: number, unread: Unread): Promise<readonly string[]> {
  const old: string[] = [];
  const folders = await runFolders(ports.stateDir);
  for (const folder of folders.sort((one, other) => (one.run < other.run ? -1 : 1))) {
    try {
      const header = await readRunHeader(folder, true);
      const startedMs = header === undefined ? (await stat(folder.path)).mtimeMs : Date.parse(header.startedAt);
      if (startedMs < ports.clock.now() - ageMs) old.push(folder.run);
    } catch (error) {
      unread.set(folder.run, ioFailure('it could not be read', error, 'it was not removed'));
    }
  }
  // Locks that processes elsewhere left behind are watched at the same time.
  const removals = await Promise.allSettled(old.map((name) => removeRun(ports, name)));
  return old.filter((name, index) => {
    const removal = removals[index];
    if (removal?.status !== 'rejected') return true;
    const failure = ioFailure('it could not be removed', removal.reason, 'a part of it may be left');
    if (failure.code !== 'USAGE') unread.set(name, failure);
    return false;
  });
}

async function lockRun(folder: RunFolder, ports: RunPorts): Promise<HeldLock> {
  await ensurePrivateFolder(folder.path);
  requireOwnState(folder.stateDir, folder.path);
  const { pid, clock } = ports;
  const lock = await acquireLock(folder.lock, { pid, clock, what: `run ${folder.run}` }, ports.report?.bind(ports));
  // A killed process may have left a whole input, with customers' data in it.
  for (const path of [dirname(folder.path), folder.path]) await sweepLeftovers(path, ports);
  return lock;
}

/** Another command, input or place under the same name could send rows where they do not belong. */
function refuseOther(existing: RunHeader, wanted: NewRun): void {
  const differences: string[] = [];
  for (const [what, name] of Object.entries({ command: 'operation', profile: 'profile', service: 'host' } as const)) {
    if (existing[name] !== wanted[name]) differences.push(`its ${what} is ${existing[name]}, not ${wanted[name]}`);
  }
  if (existing.inputSha256 !== wanted.inputSha256) differences.push('its input differs');
  const rows = `it has ${plural(existing.rows, 'row')}, not ${groupThousands(wanted.rows)}`;
  if (existing.rows !== wanted.rows) differences.push(rows);
  for (const [option, words] of wanted.rowOptions ?? []) {
    const isSame = JSON.stringify(existing.options[option]) === JSON.stringify(wanted.options[option]);
    if (!isSame) differences.push(`${words} is not what it was begun with`);
  }
  if (differences.length === 0) return;
  throw Failure.unsent('USAGE', `could not start run ${existing.run}: it exists, and ${differences.join(', and ')}`, {
    hints: ['choose another name for --run'],
  });
}

/** `wanted`: the same run, begun again, whose rows replace missing or changed ones, and else must be equal. */
async function openRun(folder: RunFolder, header: RunHeader, lock: HeldLock, ports: RunPorts, wanted?: NewRun) {
  const { sha256 } = storedRowsOf({ header, folder });
  const path = rowsFileOf({ folder, header });
  const found = await hashFile(path);
  const isSame =
    wanted !== undefined && contentDigest(header) === contentDigest(makeRunHeader({ ...header, ...wanted }));
  // A plan is its own file of rows, and the name of its run begins with its hash.
  if (found !== (header.inputFormat === 'plan' ? header.inputSha256 : sha256)) {
    const problem = found === undefined ? 'are gone' : 'were changed after they were written';
    if (!isSame) throw lostRows({ header, folder }, problem);
    await rename(wanted.spool, path);
  }
  if (wanted !== undefined) {
    if (!isSame) {
      throw Failure.unsent('LOCAL_IO', `run ${header.run} keeps other rows than those of its input`, {
        hints: [`see what it did: frontdesk runs results ${header.run}`],
      });
    }
    await rm(wanted.spool, { force: true });
    await syncFolder(folder.path);
  }
  const audit = await ports.openAudit?.(header);
  const ofRun = { ...ports, lock, assertStillHeld: assertionOf(lock, folder), audit };
  // Tells processes that look for open writes that a run continues: they check the time of this folder.
  const now = new Date(ports.clock.now());
  const marking = utimes(runsFolder(folder.stateDir), now, now);
  await orIoFailure(marking, `run ${folder.run} could not be taken up (${runsFolder(folder.stateDir)})`, 'unsent');
  const journal = await RunJournal.resume(folder.journal, header.inputRows, ofRun, contentDigest(header));
  return activeRun({ folder, header }, journal, lock, ports);
}

function activeRun(run: StoredRunHandle, journal: RunJournal, lock: HeldLock, ports: RunPorts): ActiveRun {
  return { ...run, journal, close: () => journal.close().finally(() => release(lock, ports)) };
}

/** The proof that a run is still held. Its failure names the successor. */
function assertionOf(lock: HeldLock, folder: RunFolder): () => void {
  const after = 'nothing more of it is sent from here';
  return () => {
    let lost: ReturnType<HeldLock['lost']>;
    try {
      lost = lock.lost();
    } catch (error) {
      throw ioFailure(`the lock of run ${folder.run} could not be read (${folder.lock})`, error, after);
    }
    if (lost === undefined) return;
    throw lostLockFailure(`run ${folder.run}`, lost.to ?? successorIn(folder.journal, lock.epoch), after);
  };
}

/** SHA-256 of a file, hexadecimal; undefined if it is gone. */
async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  const reading = async () => {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  };
  return orIoFailure(ignoreNotFound(reading()), `could not read the run's rows (${path})`, 'unsent');
}
