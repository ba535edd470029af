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
  runNames,
  runsFolder,
  type StoredRunHandle,
  storedRowsOf,
} from './run-folder.ts';

const DAY_MS = 86_400_000;
const STALE_DAYS = 7;

export interface RunPorts extends Omit<JournalPorts, 'lock' | 'assertStillHeld' | 'audit'> {
  readonly stateDir: string;
  random(): number;
  /** Hears that a run is held by a process elsewhere, which is waited for. */
  report?(message: string): Promise<void>;
  /** A second record of a run's rows; LOCAL_IO when it cannot be written, before the run is begun. */
  readonly openAudit?: ((header: RunHeader) => Promise<RunAudit>) | undefined;
}

/** A run that is to be begun: what its header will say, and its input. */
export interface NewRun extends Omit<RunHeader, 'version' | 'run' | 'startedAt'> {
  /** `--run`: the id of the run. Undefined: one is made. */
  readonly name?: string | undefined;
  /** The file at `spoolPath` that holds its rows: it is moved into the run's folder, or removed. */
  readonly spool: string;
  /** Which of the options decide what is sent, with the words for them: with others it is another run. */
  readonly rowOptions?: ReadonlyMap<string, string>;
}

/** A run that this process works on; no other can until it is closed. */
export interface ActiveRun extends StoredRunHandle {
  readonly journal: RunJournal;
  /** Closes the journal and gives the lock back. */
  close(): Promise<void>;
}

/** Where an input is copied while it is checked, on the disk of the runs: if this process dies, the next run removes it. */
export async function spoolPath({ stateDir, pid }: Pick<RunPorts, 'stateDir' | 'pid'>): Promise<string> {
  const folder = runsFolder(stateDir);
  await ensurePrivateFolder(folder);
  requireOwnState(stateDir, folder);
  return join(folder, temporaryName(pid));
}

/**
 * Begins a run: takes its lock, keeps the input, writes the header, each on the disk before this resolves.
 * With a name that exists already the run is taken up again if command, input and place are the same, and gets its rows
 * again where they are gone, else USAGE. USAGE when another process works on it; LOCAL_IO when the folder cannot be written.
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
    // At once: a process that stood still between the proof and one of these would take the files of its successor away.
    renameSync(wanted.spool, rowsFileOf({ folder, header }));
    // What an earlier process left here before it had a header was never sent.
    rmSync(folder.journal, { force: true });
    const ofRun = { ...ports, lock, assertStillHeld, audit };
    const journal = await RunJournal.create(folder.journal, header.inputRows, ofRun, contentDigest(header));
    // The header says that all the rest is there, also after a loss of power: so the rest comes to the disk first.
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

/** Takes up a run. USAGE when there is none, a process works on it or its input was changed; LOCAL_IO when damaged. */
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

/** Refuses (USAGE) to go on at another place than where the run began: the profile may have been changed since. */
export function refuseOtherPlace(header: RunHeader, host: string): void {
  if (header.host === host) return;
  throw Failure.unsent(
    'USAGE',
    `run ${header.run} was begun at ${header.host}, and profile ${header.profile} now leads to ${host}`,
    { hints: ['set the address back, or begin a new run'] },
  );
}

/** A warning when a run is taken up so late that its input may no longer be what is wanted (K14); else undefined. */
export function staleRunWarning(header: RunHeader, nowMs: number): string | undefined {
  const days = Math.floor((nowMs - Date.parse(header.startedAt)) / DAY_MS);
  if (days < STALE_DAYS) return undefined;
  return `run ${header.run} was started ${days} days ago. Check that its rows are still what you want`;
}

/** Deletes what a run kept. USAGE when there is none or a process works on it. */
export async function removeRun(ports: RunPorts, name: string): Promise<void> {
  const folder = runFolder(ports.stateDir, name);
  if ((await stat(folder.path).catch(() => undefined)) === undefined) await requireRun(ports.stateDir, name);
  const lock = await lockRun(folder, ports);
  try {
    // A kill in between leaves nothing that looks like a run.
    await rm(folder.header, { force: true });
    await syncFolder(folder.path);
    await rm(folder.path, { recursive: true });
  } catch (error) {
    throw ioFailure(`could not remove run ${name} (${folder.path})`, error, 'a part of it may be left');
  } finally {
    await release(lock, ports);
  }
}

/** Gives the lock of a run back; one that stays is told of, and decides nothing. */
async function release(lock: HeldLock, { report }: RunPorts): Promise<void> {
  const left = lock.release();
  if (left !== undefined) await report?.(left);
}

/**
 * Deletes the runs that were begun more than `ageMs` ago and that no process works on; answers their names. Of a run
 * without a header the time of its folder counts. `unread` hears of those that are not touched because others
 * could have written them, or that cannot be read or removed.
 */
export async function removeRunsOlderThan(ports: RunPorts, ageMs: number, unread: Unread): Promise<readonly string[]> {
  const old: string[] = [];
  for (const name of [...(await runNames(ports.stateDir))].sort()) {
    const folder = runFolder(ports.stateDir, name);
    try {
      const header = await readRunHeader(folder, true);
      const startedMs = header === undefined ? (await stat(folder.path)).mtimeMs : Date.parse(header.startedAt);
      if (startedMs < ports.clock.now() - ageMs) old.push(name);
    } catch (error) {
      unread.set(name, ioFailure('it could not be read', error, 'it was not removed'));
    }
  }
  // Those that killed processes elsewhere left locked are watched at the same time.
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
  // What killed processes left may be a whole input, with customers' data in it.
  for (const path of [dirname(folder.path), folder.path]) await sweepLeftovers(path, ports);
  return lock;
}

/** Another command, input or place under the same name is a mistake that could send rows where they do not belong. */
function refuseOther(existing: RunHeader, wanted: NewRun): void {
  const differences: string[] = [];
  for (const [what, name] of Object.entries({ command: 'operation', profile: 'profile', service: 'host' } as const)) {
    if (existing[name] !== wanted[name]) differences.push(`its ${what} is ${existing[name]}, not ${wanted[name]}`);
  }
  if (existing.inputSha256 !== wanted.inputSha256) differences.push('its input is another one');
  const rows = `it has ${plural(existing.rows, 'row')}, not ${groupThousands(wanted.rows)}`;
  if (existing.rows !== wanted.rows) differences.push(rows);
  for (const [option, words] of wanted.rowOptions ?? []) {
    const isSame = JSON.stringify(existing.options[option]) === JSON.stringify(wanted.options[option]);
    if (!isSame) differences.push(`${words} is not what it was begun with`);
  }
  if (differences.length === 0) return;
  throw Failure.unsent('USAGE', `run ${existing.run} exists and is not this one: ${differences.join('; ')}`, {
    hints: ['choose another name for --run'],
  });
}

/**
 * `wanted`: the same run as it is begun again. Its rows, which were just made of the same input, take the place of those
 * that are gone or changed, and those that were kept have to be the same.
 */
async function openRun(
  folder: RunFolder,
  header: RunHeader,
  lock: HeldLock,
  ports: RunPorts,
  wanted?: NewRun,
): Promise<ActiveRun> {
  const { sha256 } = storedRowsOf({ header, folder });
  const path = rowsFileOf({ folder, header });
  const found = await hashFile(path);
  const isSame =
    wanted !== undefined && contentDigest(header) === contentDigest(makeRunHeader({ ...header, ...wanted }));
  // A plan is its own rows, and the name of its run begins with its hash.
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
  // A process that looks for open writes sees by the folder of all runs that one of them goes on.
  const now = new Date(ports.clock.now());
  const marking = utimes(runsFolder(folder.stateDir), now, now);
  await orIoFailure(marking, `run ${folder.run} could not be taken up (${runsFolder(folder.stateDir)})`, 'unsent');
  const journal = await RunJournal.resume(folder.journal, header.inputRows, ofRun, contentDigest(header));
  return activeRun({ folder, header }, journal, lock, ports);
}

function activeRun(run: StoredRunHandle, journal: RunJournal, lock: HeldLock, ports: RunPorts): ActiveRun {
  return { ...run, journal, close: () => journal.close().finally(() => release(lock, ports)) };
}

/** The proof that a run is still held, whose failure names the successor. */
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

/** SHA-256 of a file, hexadecimal; undefined: it is gone. */
async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  const reading = async () => {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  };
  return orIoFailure(ignoreNotFound(reading()), `could not read the run's rows (${path})`, 'unsent');
}
