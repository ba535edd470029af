import { createHash } from 'node:crypto';
import { createReadStream, renameSync, rmSync } from 'node:fs';
import { rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../../base/failure.ts';
import { ensurePrivateFolder, syncFolder, writeFileAtomic } from '../../base/files/atomic.ts';
import type { HeldLock } from '../../base/files/held-lock.ts';
import { ignoreErrors, ignoreNotFound, ioFailure, orIoFailure } from '../../base/files/io-failure.ts';
import { acquireLock, lostLockFailure } from '../../base/files/lock.ts';
import { requireOwnState } from '../../base/files/own-state.ts';
import { temporaryName } from '../../base/files/process-identity.ts';
import { sweepLeftovers } from '../../base/files/sweep.ts';
import { groupThousands, plural } from '../../screen/text.ts';
import { type JournalPorts, type RunAudit, RunJournal } from '../journal/journal.ts';
import { successorIn } from '../journal/reader.ts';
import { ledgerFolder } from '../ledger.ts';
import { markLine, putOpen, runMark, runsFolder } from './open-folder.ts';
import {
  contentDigest,
  lostRows,
  makeRunHeader,
  makeRunName,
  type RunFolder,
  type RunHeader,
  type RunOptions,
  readRunHeader,
  refuseCut,
  requireRun,
  rowsFileOf,
  runFolder,
  type StoredRunHandle,
} from './run-folder.ts';
import { noteBegun } from './run-order.ts';
import { markSent, touchSent } from './sent-rows.ts';
import { StoredRun } from './stored-run.ts';

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
      await refuseOther({ folder, header: existing }, wanted);
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
    // Once there is a header the run can be resumed: by then it has its place, and its rows are found again.
    await noteBegun(ports.stateDir, name);
    await markSent(ports.stateDir, header);
    await writeFileAtomic(folder.header, text, { pid: ports.pid, assertStillHeld, what: "the run's header" });
    await mark({ folder, header }, ports);
    return activeRun({ folder, header }, journal, lock, ports);
  } catch (error) {
    await release(lock, ports);
    throw ioFailure(`could not start run ${name} (${folder.path})`, error, 'unsent');
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
  const problem = `run ${header.run} was started at ${header.host}, and profile ${header.profile} now leads to ${host}`;
  throw Failure.unsent('USAGE', problem, { hints: ['restore the base URL, or start a new run'] });
}

/** A warning if a run is resumed so late that its input may be outdated (K14). */
export function staleRunWarning(header: RunHeader, nowMs: number): string | undefined {
  const days = Math.floor((nowMs - Date.parse(header.startedAt)) / DAY_MS);
  if (days < STALE_DAYS) return undefined;
  return `run ${header.run} was started ${days} days ago. Check that its rows are still what you want`;
}

/** Releases the lock of a run. One that cannot be released is only a warning. */
export async function release(lock: HeldLock, { report }: RunPorts): Promise<void> {
  const left = lock.release();
  if (left !== undefined) await report?.(left);
}

/** Takes the lock of a run, which all take that write to it or remove it. USAGE if another process has it. */
export async function lockRun(folder: RunFolder, ports: RunPorts): Promise<HeldLock> {
  await ensurePrivateFolder(folder.path);
  requireOwnState(folder.stateDir, folder.path);
  // What others can have written about single changes would hold rows back, or let them through.
  requireOwnState(folder.stateDir, ledgerFolder(folder.stateDir));
  const { pid, clock } = ports;
  const lock = await acquireLock(folder.lock, { pid, clock, what: `run ${folder.run}` }, ports.report?.bind(ports));
  // A killed process may have left a whole input, with customers' data in it.
  for (const path of [dirname(folder.path), folder.path]) await sweepLeftovers(path, ports);
  return lock;
}

/** An option as a text, whatever the order in which its values were typed. */
function anyOrder(value: RunOptions[string] | undefined): string | undefined {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

/** Another command, input or place under the same name could send rows where they do not belong. */
async function refuseOther(known: StoredRunHandle, wanted: NewRun): Promise<void> {
  const { header: existing } = known;
  const differences: string[] = [];
  for (const [what, name] of Object.entries({ command: 'operation', profile: 'profile', service: 'host' } as const)) {
    if (existing[name] !== wanted[name]) differences.push(`its ${what} is ${existing[name]}, not ${wanted[name]}`);
  }
  // The rows count, not the bytes or the format in which they came.
  if (existing.rowsSha256 !== wanted.rowsSha256) differences.push('its rows differ');
  const rows = `it has ${plural(existing.rows, 'row')}, not ${groupThousands(wanted.rows)}`;
  if (existing.rows !== wanted.rows) differences.push(rows);
  for (const [option, words] of wanted.rowOptions ?? []) {
    if (anyOrder(existing.options[option]) !== anyOrder(wanted.options[option]))
      differences.push(`${words} is not what it was started with`);
  }
  if (differences.length === 0) return;
  const { left } = await StoredRun.read(known);
  const about = existing.run;
  throw Failure.unsent('USAGE', `could not start run ${existing.run}: it exists, and ${differences.join(', and ')}`, {
    hints: [
      left > 0 ? { do: 'resume it', words: 'resume that run', about } : { do: 'see its rows', about },
      'choose another name for --run',
    ],
  });
}

/** `wanted`: the same run, begun again, whose rows replace missing or changed ones, and else must be equal. */
async function openRun(folder: RunFolder, header: RunHeader, lock: HeldLock, ports: RunPorts, wanted?: NewRun) {
  const { sha256 } = header.stored;
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
    await rm(wanted.spool, { force: true });
    await syncFolder(folder.path);
  }
  const audit = await ports.openAudit?.(header);
  const ofRun = { ...ports, lock, assertStillHeld: assertionOf(lock, folder), audit };
  const marking = mark({ folder, header }, ports).then(() => touchSent(ports.stateDir, header, ports.pid));
  await orIoFailure(marking, `could not resume run ${folder.run} (${folder.path})`, 'unsent');
  const journal = await RunJournal.resume(folder.journal, header.inputRows, ofRun, contentDigest(header));
  try {
    refuseCut({ folder }, journal.states.progress);
  } catch (error) {
    await journal.close();
    throw error;
  }
  return activeRun({ folder, header }, journal, lock, ports);
}

function activeRun(run: StoredRunHandle, journal: RunJournal, lock: HeldLock, ports: RunPorts): ActiveRun {
  const close = async (): Promise<void> => {
    try {
      await journal.close();
      const { states } = journal;
      // Not synced: after a power cut it may be missing, and then says nothing.
      const { rows, ended } = states.progress;
      if (journal.failure === undefined)
        await ignoreErrors(writeFile(run.folder.reached, `${rows} ${ended}`, { mode: 0o600 }));
      // Without a sync: a mark that is there again after a power cut says that its journal is to be read, no more.
      const isResolved = states.count('intent', 'unknown') === 0;
      if (isResolved && journal.failure === undefined)
        await ignoreErrors(unlink(runMark(ports.stateDir, run.folder.run)));
    } finally {
      await release(lock, ports);
    }
  };
  return { ...run, journal, close };
}

/** Says that rows of a run may be open, before its first request. It stays while one is unknown. */
function mark({ folder: { run, stateDir } }: StoredRunHandle, { pid }: RunPorts): Promise<void> {
  return putOpen(runMark(stateDir, run), markLine(run), stateDir, pid);
}

/** The proof that a run is still held. Its failure names the successor. */
function assertionOf(lock: HeldLock, folder: RunFolder): () => void {
  const after = 'handedOver';
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
