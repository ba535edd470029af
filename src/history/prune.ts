import { open } from 'node:fs/promises';
import type { ClockPort } from '../context.ts';
import { writeFileAtomic } from '../files/atomic.ts';
import { ifThere, ioFailure, orIoFailure } from '../files/io-failure.ts';
import { withLock } from '../files/lock.ts';
import { requireOwnState } from '../files/own-state.ts';
import { parseHistoryEvent } from './history-event.ts';
import { appendLines, historyPath } from './history-file.ts';

export interface PrunePorts {
  readonly stateDir: string;
  readonly clock: ClockPort;
  readonly pid: number;
}

/**
 * Removes the entries that were begun more than `ageMs` ago; answers how many. Writers are not held up: what they
 * append while the file is replaced is carried over. Runs are not touched, `runs remove --older-than` does that.
 * LOCAL_IO when the file cannot be written; then it is as it was.
 */
export async function pruneHistory(ports: PrunePorts, ageMs: number): Promise<number> {
  const path = historyPath(ports.stateDir);
  const what = 'the history';
  requireOwnState(ports.stateDir, path);
  return withLock(`${path}.lock`, { pid: ports.pid, clock: ports.clock, what }, async (prove) => {
    const opening = ifThere(open(path, 'r'));
    const file = await orIoFailure(opening, `the history could not be read (${path})`, 'nothing was changed');
    if (file === undefined) return 0;
    try {
      const text = (await file.readFile()).toString('utf8');
      const wholeLines = text.lastIndexOf('\n') + 1;
      const { kept, removed } = sift(text.slice(0, wholeLines), ports.clock.now() - ageMs);
      if (removed === 0) return 0;
      await writeFileAtomic(path, kept, { pid: ports.pid, what, prove });
      // What was appended to the old file meanwhile. Whoever appends after this sees that the file was replaced.
      const late = text.slice(wholeLines) + (await file.readFile()).toString('utf8');
      if (late !== '') await appendLines(path, late.endsWith('\n') ? late : `${late}\n`);
      return removed;
    } catch (error) {
      throw ioFailure(`the history could not be pruned (${path})`, error);
    } finally {
      await file.close();
    }
  });
}

/** Keeps lines that are no events: a newer frontdesk may have written them. */
function sift(text: string, beforeMs: number): { readonly kept: string; readonly removed: number } {
  const lines = text.split(/(?<=\n)/);
  const old = new Set<string>();
  for (const line of lines) {
    const event = parseHistoryEvent(line);
    if (event?.event === 'begin' && Date.parse(event.time) < beforeMs) old.add(event.entry);
  }
  let kept = '';
  for (const line of lines) {
    const event = parseHistoryEvent(line);
    if (event === undefined || !old.has(event.entry)) kept += line;
  }
  return { kept, removed: old.size };
}
