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
import { parseHistoryEvent } from './history-event.ts';
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
      const sieve = new Sieve(clock.now() - ageMs);
      let removed = 0;
      for await (const lines of readLines(file, 0)) for (const line of lines) if (sieve.isOldBegin(line)) removed += 1;
      if (removed === 0) return 0;
      const end = await stage(file, temporary, sieve);
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
async function stage(file: FileHandle, temporary: string, sieve: Sieve): Promise<number> {
  const staged = await open(temporary, 'wx', 0o600);
  let at = 0;
  try {
    await staged.chmod(0o600);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const before = at;
      for await (const lines of readLines(file, at)) {
        await staged.writeFile(Buffer.concat(lines.filter((line) => !sieve.isOld(line))));
        at += lines.reduce((sum, line) => sum + line.length, 0);
      }
      if (at === before) break;
      await staged.sync();
    }
    return at;
  } finally {
    await staged.close();
  }
}

const NAME_TIME = /^\{"event":"[a-z]+","entry":"(\d{8}T\d{9})-/;

/** Separates the lines of old entries from those that stay. */
class Sieve {
  readonly #beforeMs: number;
  readonly #before: string;
  /** Old entries whose names do not say when they were begun. */
  readonly #old = new Set<string>();
  /** Names of beginnings seen lately: a beginning that was carried over may be there twice. */
  readonly #lately = new Set<string>();

  constructor(beforeMs: number) {
    this.#beforeMs = beforeMs;
    this.#before = nameTime(beforeMs);
  }

  /** Keeps lines that are no events: a newer frontdesk may have written them. */
  isOld(line: Buffer): boolean {
    const [, time] = NAME_TIME.exec(line.toString('latin1', 0, 60)) ?? [];
    if (time !== undefined) return time < this.#before;
    const event = parseHistoryEvent(line.toString('utf8'));
    if (event?.event === 'begin' && Date.parse(event.time) < this.#beforeMs) this.#old.add(event.entry);
    return event !== undefined && this.#old.has(event.entry);
  }

  /** Is it the beginning of an old entry, and the first one? */
  isOldBegin(line: Buffer): boolean {
    if (!this.isOld(line)) return false;
    const event = parseHistoryEvent(line.toString('utf8'));
    if (event?.event !== 'begin' || this.#lately.has(event.entry)) return false;
    this.#lately.add(event.entry);
    const [oldest] = this.#lately;
    if (this.#lately.size > DISORDER && oldest !== undefined) this.#lately.delete(oldest);
    return true;
  }
}
