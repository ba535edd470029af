import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Context } from '../context.ts';
import { putInPlace } from '../files/atomic.ts';
import { ioFailure, orIoFailure, tidy } from '../files/io-failure.ts';
import { withLock } from '../files/lock.ts';
import { requireOwnState } from '../files/own-state.ts';
import { temporaryName } from '../files/process-identity.ts';
import { sweepLeftovers } from '../files/sweep.ts';
import { DISORDER } from './event-window.ts';
import { appendLines, historyPath, openHistory, readLines } from './history-file.ts';
import { nameTime } from './record.ts';

const IS_WINDOWS = sep === '\\';

/** Until a look finds nothing new; writers that never rest are caught up with after the last one. */
const MAX_ROUNDS = 5;

/**
 * Removes the entries that were begun more than `ageMs` ago; returns how many. Writers are not held up: what they
 * append while the file is replaced is carried over. Runs are not touched, `runs remove --older-than` does that.
 * Holds a small part of the file, however large it is. LOCAL_IO when the file cannot be written; then it is as it was.
 */
export async function pruneHistory(
  ports: { readonly stateDir: string } & Pick<Context, 'clock' | 'pid'>,
  ageMs: number,
): Promise<number> {
  const { stateDir, pid, clock } = ports;
  const path = historyPath(stateDir);
  requireOwnState(stateDir, path);
  return withLock(`${path}.lock`, { pid, clock, what: 'the history' }, async (prove) => {
    await sweepLeftovers(stateDir, ports);
    const opening = openHistory(stateDir);
    let file = await orIoFailure(opening, `the history could not be read (${path})`, 'unchanged');
    if (file === undefined) return 0;
    const temporary = join(stateDir, temporaryName(pid));
    const second = join(stateDir, temporaryName(pid));
    try {
      const before = nameTime(clock.now() - ageMs);
      const removed = await countOld(file, before);
      if (removed === 0) return 0;
      const end = await stage(file, temporary, before);
      prove();
      file = await replace(file, { temporary, path, second });
      // What was appended to the old file meanwhile. A write that is appended after this sees that it was replaced.
      let late = '';
      for await (const lines of readLines(file, end)) late += Buffer.concat(lines).toString('utf8');
      if (late !== '') await appendLines(path, late);
      return removed;
    } catch (error) {
      await tidy(unlink(temporary));
      throw ioFailure(`the history could not be pruned (${path})`, error);
    } finally {
      await tidy(file.close());
      await removeSecond(second);
    }
  });
}

/**
 * Puts the new file in the place of the old one, which it returns open. Windows replaces no file that is open: there the old
 * one is closed before, and kept by a second name.
 */
async function replace(
  file: FileHandle,
  { temporary, path, second }: { readonly temporary: string; readonly path: string; readonly second: string },
): Promise<FileHandle> {
  if (IS_WINDOWS) {
    await link(path, second);
    await file.close();
  }
  await putInPlace(temporary, path);
  return IS_WINDOWS ? open(second, 'r') : file;
}

async function removeSecond(second: string): Promise<void> {
  if (IS_WINDOWS) await tidy(unlink(second));
}

/** Copies the lines that stay, and those that are appended meanwhile; returns how far the file was read. */
async function stage(file: FileHandle, temporary: string, before: string): Promise<number> {
  const staged = await open(temporary, 'wx', 0o600);
  let at = 0;
  try {
    await staged.chmod(0o600);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const from = at;
      for await (const lines of readLines(file, at)) {
        await staged.writeFile(Buffer.concat(lines.filter((line) => !isOld(line, before))));
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

/** How every version begins a line. The name of an entry begins with the time at which it was begun. */
const HEAD = /^\{"event":"([a-z]+)","entry":"(\d{8}T\d{9}-[^"]+)"/;

function headOf(line: Buffer): readonly (string | undefined)[] {
  return HEAD.exec(line.toString('latin1', 0, 80))?.slice(1) ?? [];
}

/** Is the line of an entry that was begun before that? Lines that are no events stay: a newer frontdesk may have written them. */
function isOld(line: Buffer, before: string): boolean {
  const [, name = before] = headOf(line);
  return name < before;
}

async function countOld(file: FileHandle, before: string): Promise<number> {
  let count = 0;
  /** A beginning that was carried over may be there twice. */
  const lately = new Set<string>();
  for await (const lines of readLines(file, 0)) {
    for (const line of lines) {
      const [event, name = before] = headOf(line);
      if (event !== 'begin' || name >= before || lately.has(name)) continue;
      count += 1;
      const [oldest] = lately.add(name);
      if (lately.size > DISORDER && oldest !== undefined) lately.delete(oldest);
    }
  }
  return count;
}
