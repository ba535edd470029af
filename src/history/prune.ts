import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { putInPlace, syncFolder } from '../files/atomic.ts';
import { errnoOf, ignoreErrors, ioFailure, orIoFailure } from '../files/io-failure.ts';
import { type LockPorts, withLock } from '../files/lock.ts';
import { requireOwnState } from '../files/own-state.ts';
import { temporaryName } from '../files/process-identity.ts';
import { sweepLeftovers } from '../files/sweep.ts';
import { DISORDER } from './history-event.ts';
import { appendLate, carryOver, historyPath, openHistory, readLines, replacedPath } from './history-file.ts';
import { readOpenWrites } from './open-index.ts';
import { nameTime } from './record.ts';

const IS_WINDOWS = sep === '\\';

/** Rounds until nothing new is found. Writers that never rest are caught up with after the last one. */
const MAX_ROUNDS = 5;

/**
 * Removes entries begun more than `ageMs` ago that are neither open nor under way. Returns their number. Writers are
 * not held up: the replaced file keeps a second name until what they appended meanwhile is in the new one, so a kill in
 * between loses nothing (the next reader or prune carries it over). Does not touch runs. Holds a small part of the
 * file. LOCAL_IO if the file cannot be written.
 */
export async function pruneHistory(ports: { readonly stateDir: string } & LockPorts, ageMs: number): Promise<number> {
  const { stateDir, pid, clock } = ports;
  const path = historyPath(stateDir);
  requireOwnState(stateDir, path);
  return withLock(`${path}.lock`, { ...ports, what: 'the history' }, async (assertStillHeld) => {
    await sweepLeftovers(stateDir, ports);
    await orIoFailure(carryOver(stateDir, true), `the history could not be pruned (${path})`, 'unchanged');
    const { open: openNow, underWay } = await readOpenWrites({ ...ports, keepsIndex: false });
    const keptNames = new Set([...openNow.map(({ entry }) => entry), ...underWay]);
    const opening = openHistory(stateDir);
    const file = await orIoFailure(opening, `could not read the history (${path})`, 'unchanged');
    if (file === undefined) return 0;
    const temporary = join(stateDir, temporaryName(pid));
    const goes: Goes = { before: nameTime(clock.now() - ageMs), kept: keptNames };
    try {
      const removed = await countOld(file, goes);
      if (removed === 0) return 0;
      const end = await stage(file, temporary, goes);
      assertStillHeld();
      const hasSecond = await replace(file, { temporary, path, second: replacedPath(stateDir, end) });
      await (hasSecond ? carryOver(stateDir) : appendLate(file, end, path));
      // The old index belongs to the old file. A new one saves the next change the time.
      await ignoreErrors(readOpenWrites(ports));
      return removed;
    } catch (error) {
      await ignoreErrors(unlink(temporary));
      throw ioFailure(`the history could not be pruned (${path})`, error);
    } finally {
      await ignoreErrors(file.close());
    }
  });
}

/** How file systems refuse hard links. */
const HAS_NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Replaces the old file, which keeps a second name (false: it has none). Windows replaces no open file. */
async function replace(
  file: FileHandle,
  { temporary, path, second }: { readonly temporary: string; readonly path: string; readonly second: string },
): Promise<boolean> {
  let hasSecond = true;
  await link(path, second).catch((error: unknown) => {
    if (IS_WINDOWS || !HAS_NO_LINKS.has(errnoOf(error) ?? '')) throw error;
    hasSecond = false;
  });
  await syncFolder(dirname(path));
  if (IS_WINDOWS) await file.close();
  await putInPlace(temporary, path);
  return hasSecond;
}

/** Which entries are removed: those begun before that time, unless they are or may become open. */
interface Goes {
  readonly before: string;
  readonly kept: ReadonlySet<string>;
}

/** Copies the lines that stay, and those appended meanwhile. Returns how far the file was read. */
async function stage(file: FileHandle, temporary: string, goes: Goes): Promise<number> {
  const staged = await open(temporary, 'wx', 0o600);
  let at = 0;
  try {
    await staged.chmod(0o600);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const from = at;
      for await (const lines of readLines(file, at)) {
        await staged.writeFile(Buffer.concat(lines.filter((line) => !isOld(line, goes))));
        at += lines.reduce((sum, line) => sum + line.length, 0);
      }
      if (at === from) break;
      await staged.sync();
    }
    return at;
  } finally {
    await staged.close();
  }
}

/** The beginning of a line in every version. An entry's name begins with its time. */
const HEAD = /^\{"event":"([a-z]+)","entry":"(\d{8}T\d{9}-[^"]+)"/;

function headOf(line: Buffer): readonly (string | undefined)[] {
  return HEAD.exec(line.toString('latin1', 0, 80))?.slice(1) ?? [];
}

/**
 * Does the line belong to an entry to remove? Lines that are no events stay, because a newer frontdesk may have written
 * them. What closed a row stays as long as its run.
 */
function isOld(line: Buffer, { before, kept }: Goes): boolean {
  const [, name = before] = headOf(line);
  return name < before && !name.includes(':') && !kept.has(name);
}

async function countOld(file: FileHandle, goes: Goes): Promise<number> {
  let count = 0;
  /** A beginning that was carried over may occur twice. */
  const lately = new Set<string>();
  for await (const lines of readLines(file, 0)) {
    for (const line of lines) {
      const [event, name = ''] = headOf(line);
      if (event !== 'begin' || !isOld(line, goes) || lately.has(name)) continue;
      count += 1;
      const [oldest] = lately.add(name);
      if (lately.size > DISORDER && oldest !== undefined) lately.delete(oldest);
    }
  }
  return count;
}
