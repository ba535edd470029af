import { readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf, ifPossible, ignoreErrors, ioFailure, orIoFailure } from '../base/files/io-failure.ts';
import { requireOwnState } from '../base/files/own-state.ts';
import { type ProcessState, processState } from '../base/files/process-identity.ts';
import { appendLines, ledgerFile, linesAbout } from './ledger.ts';
import { type OpenEntry, type OpenPorts, runOfName } from './open-rows.ts';
import { addLine, openFolder, openNames, parseOpenName, runMark } from './stored/open-folder.ts';
import {
  type About,
  type Begin,
  type HistoryEntry,
  isClosed,
  keyOfWrite,
  parseRecord,
  printRecord,
  subjectOfWrite,
} from './write-record.ts';

/** The last whole line of a small file; undefined if it is gone. */
function lastLine(path: string): string | undefined {
  try {
    return (
      readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .findLast((line) => ifPossible(() => JSON.parse(line)) !== undefined) ?? ''
    );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a file in the open folder says of its write; undefined if it is gone. LOCAL_IO if it is damaged. */
export function readWrite(stateDir: string, path: string) {
  requireOwnState(stateDir, path);
  const line = lastLine(path);
  if (line === undefined) return undefined;
  const known = parseRecord(line);
  if (known === undefined) throw new Error(`${path} holds no record`);
  return known;
}

/** The file of a write that is under way or open; undefined if it is neither. */
export function findOpen(stateDir: string, about: About): string | undefined {
  const names = openNames(stateDir);
  const key = keyOfWrite(about);
  const isOnce = (name: string): boolean => {
    const of = name.startsWith('once~') ? parseOpenName(name) : undefined;
    return of !== undefined && 'key' in of && of.key === key;
  };
  const found =
    names.find((name) => name.startsWith(`${about.entry}~`)) ??
    names.find((name) => isOnce(name) && isOf(stateDir, join(openFolder(stateDir), name), about.entry));
  return found && join(openFolder(stateDir), found);
}

function isOf(stateDir: string, path: string, entry: string): boolean {
  return runOfName(stateDir, path) === undefined && readWrite(stateDir, path)?.entry === entry;
}

/**
 * Closes an open write: in its own file first, so that a process that finds it can finish. Once it stands there it counts,
 * and the next look tries the ledger again. Rejects with the system's error, and then it is open as before.
 */
export async function closeOpen(
  stateDir: string,
  known: HistoryEntry,
  at: string,
  path = findOpen(stateDir, known),
): Promise<void> {
  const line = printRecord(known, at);
  const isThere = path !== undefined && (await addLine(path, line));
  try {
    await appendLines(ledgerFile(stateDir, known.entry), line);
  } catch (error) {
    if (isThere) return;
    throw error;
  }
  if (isThere) dropWrite(stateDir, path, known.entry);
}

/** Removes the file of a write. Synchronous: at a name that exists once, the file of another could be by then. */
function dropWrite(stateDir: string, path: string, entry: string): void {
  if (isOf(stateDir, path, entry)) rmSync(path, { force: true });
}

function makerState({ maker = '' }: Pick<Begin, 'maker'>): ProcessState {
  const [host = '', pid, start = ''] = maker.split('-');
  return processState({ host, pid: Number(pid), start });
}

/** Does the process that began a change still run here? Then it may still end it. */
export function isUnderWay(begun: Pick<Begin, 'maker'>): boolean {
  return makerState(begun) === 'running';
}

/** No single write takes longer, unless its options say so or its machine stood still. */
const LONGEST_MS = 3_600_000;

/** Until when a process that cannot be asked may end a change that has only begun; undefined: it cannot any more. */
export function mayEndUntil(begun: Pick<Begin, 'maker' | 'time' | 'takesMs'>, nowMs: number): number | undefined {
  const untilMs = Date.parse(begun.time) + Math.max(LONGEST_MS, begun.takesMs ?? 0);
  return makerState(begun) === 'gone' || nowMs > untilMs ? undefined : untilMs;
}

/** An open write, with the ID that it is about (of a card in lower case). Its `call` is the operation of the table. */
export interface OpenWrite extends OpenEntry {
  readonly subject?: string | undefined;
}

export function openWriteOf(entry: OpenEntry): OpenWrite {
  const { row, subject } = subjectOfWrite(entry);
  return { ...entry, call: row?.name, subject };
}

/** An open write, as a file of the folder says; undefined if it is none. */
async function findOut(ports: OpenPorts, path: string): Promise<OpenEntry | undefined> {
  const { stateDir, clock, mayWrite } = ports;
  const known = readWrite(stateDir, path);
  if (known === undefined) return undefined;
  if (!known.isEnded && isUnderWay(known)) return { ...known, isInProgress: true };
  const at = new Date(clock.now()).toISOString();
  if (isClosed(known) || known.callOutcome.outcome !== 'unknown') {
    // The process that closed it was killed before the ledger said so, or before its file was gone.
    if (mayWrite !== false) await closeOpen(stateDir, known, at, path).catch(() => undefined);
    return undefined;
  }
  if (known.isEnded) return known;
  const isOpen = await isOpenNow(ports, known);
  // The next look-up need not search the ledger again. One that is elsewhere may still end it.
  const isOver = mayEndUntil(known, clock.now()) === undefined;
  if (mayWrite !== false) {
    if (!isOpen) dropWrite(stateDir, path, known.entry);
    else if (isOver) await ignoreErrors(addLine(path, printRecord(known, at)));
  }
  return isOpen ? { ...known, mayEndElsewhere: !isOver } : undefined;
}

/** Is a write under way, or open? */
export async function isOpenNow(
  { stateDir }: Pick<OpenPorts, 'stateDir'>,
  known: HistoryEntry & { readonly isEnded: boolean },
): Promise<boolean> {
  if (known.isEnded) return !isClosed(known) && known.callOutcome.outcome === 'unknown';
  if (isUnderWay(known)) return true;
  const lines = await linesAbout(stateDir, known.entry);
  return !lines.some((line) => parseRecord(line)?.isEnded);
}

/** A time before which what was sent to the sandbox is forgotten; undefined: none. */
function resetTime(stateDir: string): string | undefined {
  const facts = statSync(resetPath(stateDir), { throwIfNoEntry: false });
  return facts === undefined ? undefined : new Date(facts.mtimeMs).toISOString();
}

function resetPath(stateDir: string): string {
  return join(stateDir, 'sandbox-reset');
}

/** Forgets what was sent to the sandbox: it is neither open nor the same input any more. Rejects with LOCAL_IO. */
export async function markSandboxReset(stateDir: string): Promise<void> {
  const path = resetPath(stateDir);
  const attempt = `the sandbox is reset, and what was sent to it before could not be forgotten (${path})`;
  await orIoFailure(writeFile(path, '', { mode: 0o600 }), attempt);
}

/** A reset forgets what was sent to the sandbox. */
export function isForgotten(stateDir: string, { profile, time }: Pick<Begin, 'profile' | 'time'>): boolean {
  if (profile !== 'sandbox') return false;
  const at = resetTime(stateDir);
  return at !== undefined && time <= at;
}

/** A name that is added or removed changes the time of its folder, which some file systems count in steps: the longest. */
const [STEP_MS, WHOLE_SECONDS_MS] = [50, 2_100];

/**
 * Returns whether other writes or runs than `ownRun` began or ended since the last call. Checks once per turn of the event
 * loop. `isExact`: it believes no time of the folder, which a file system may not keep.
 */
export function watchOpen(
  { stateDir, clock, ownRun }: Pick<OpenPorts, 'stateDir' | 'clock' | 'ownRun'>,
  isExact: boolean,
): () => boolean {
  const folder = openFolder(stateDir);
  const own = ownRun && basename(runMark(stateDir, ownRun));
  let names: readonly string[] = [];
  let listedMs: number | undefined;
  // Listing takes a run's row as long as all else that is done for it.
  const list = (): void => {
    const changedMs = isExact ? undefined : ifPossible(() => statSync(folder).ctimeMs);
    if (changedMs !== undefined && changedMs === listedMs) return;
    const nowMs = clock.now();
    // Reading them says why they cannot be listed.
    names = (ifPossible(() => openNames(stateDir)) ?? []).filter((name) => name !== own);
    const stepMs = (changedMs ?? 0) % 1000 === 0 ? WHOLE_SECONDS_MS : STEP_MS;
    listedMs = changedMs !== undefined && nowMs - changedMs > stepMs ? changedMs : undefined;
  };
  const stateOf = (): string => {
    list();
    // A write that is under way may become one with an unknown outcome, in the same file.
    const sizes = names.length > 20 ? [] : names.map((name) => ifPossible(() => statSync(join(folder, name)).size));
    return [...names, ...sizes].join(' ');
  };
  let known = stateOf();
  let isAsked = false;
  return () => {
    if (isAsked) return false;
    isAsked = true;
    setImmediate(() => {
      isAsked = false;
    });
    const before = known;
    known = stateOf();
    return known !== before;
  };
}

/** The open write of a file. Rows are known by the mark of their run. */
async function openOf(ports: OpenPorts, name: string, key: string): Promise<OpenEntry | undefined> {
  const path = join(openFolder(ports.stateDir), name);
  try {
    if ((ports.key !== undefined && key !== ports.key) || runOfName(ports.stateDir, path) !== undefined)
      return undefined;
    return await findOut(ports, path);
  } catch (error) {
    if (ports.unread === undefined) throw error;
    ports.unread.set(name, ioFailure('it could not be read', error, 'unchanged'));
    return undefined;
  }
}

/**
 * THE look-up of open writes: single ones, raw calls, rows of runs, the desk and assistants, in any profile, oldest
 * first. LOCAL_IO or AUTH if the records cannot be read or believed.
 */
export async function readOpenWrites(ports: OpenPorts): Promise<readonly OpenWrite[]> {
  const { stateDir, ownRun } = ports;
  const found: OpenEntry[] = [];
  try {
    const names = openNames(stateDir);
    if (ports.mayWrite !== false && names.some((name) => name.endsWith('.tmp'))) {
      await (await import('../base/files/sweep.ts')).sweepLeftovers(openFolder(stateDir), {
        clock: ports.clock,
        pid: 0,
      });
    }
    const parsed = names.map((name) => ({ name, of: parseOpenName(name) }));
    const runs = parsed.flatMap(({ of }) => (of !== undefined && 'run' in of && of.run !== ownRun ? [of.run] : []));
    for (const { name, of } of parsed) {
      const known = of !== undefined && 'key' in of ? await openOf(ports, name, of.key) : undefined;
      if (known !== undefined) found.push(known);
    }
    if (runs.length > 0) found.push(...(await (await import('./open-rows.ts')).openRowsOf(ports, runs)));
    return found
      .filter((each) => !isForgotten(stateDir, each))
      .map(openWriteOf)
      .sort((one, other) => (one.time < other.time ? -1 : 1));
  } catch (error) {
    throw ioFailure(`could not read the records of earlier changes (${openFolder(stateDir)})`, error, 'unsent');
  }
}
