import { type Ending, NO_ENDING } from '../ending.ts';
import { Failure, OUTCOMES, type Outcome } from '../failure.ts';
import { ioFailure } from '../files/io-failure.ts';
import { INTEGER, jsonOf, NUMBER, nullable, object, oneOf, TEXT } from '../json/shape.ts';
import type { JsonValue } from '../json/value.ts';
import { findRunName } from '../run/run-folder.ts';
import type { BeginEvent, EndEvent, HistoryEntry } from './history-event.ts';
import { historyPath, readEvents } from './history-file.ts';
import { runEntries, runEntry } from './run-entries.ts';

export interface HistoryFilter {
  /** Milliseconds since 1970: only entries from then on. */
  readonly sinceMs?: number | undefined;
  /** The id that was written to, or the id in the answer; of a card whatever the case. */
  readonly id?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** At most so many entries, the newest. */
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** Runs whose journal could not be read, so that their rows are missing. */
  readonly unreadableRuns: readonly string[];
}

/** Keeps the newest entries of any number, holding at most twice as many as are wanted. */
class NewestEntries {
  readonly #limit: number;
  #entries: HistoryEntry[] = [];
  /** Once enough are there: the time of the oldest that is kept. */
  #oldestMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Could an entry of this time still be among the newest? */
  wouldTake(timeMs: number): boolean {
    return timeMs >= this.#oldestMs;
  }

  add(entry: HistoryEntry): void {
    if (!this.wouldTake(Date.parse(entry.time))) return;
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * this.#limit) this.#shrink();
  }

  /** The newest entries, newest first. */
  sorted(): readonly HistoryEntry[] {
    this.#shrink();
    return this.#entries;
  }

  #shrink(): void {
    this.#entries = this.#entries.sort(newestFirst).slice(0, this.#limit);
    const last = this.#entries.at(-1);
    if (last !== undefined && this.#entries.length === this.#limit) this.#oldestMs = Date.parse(last.time);
  }
}

/** Of the same millisecond, the row that comes later in its run is the newer one. */
function newestFirst(a: HistoryEntry, b: HistoryEntry): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return b.entry.localeCompare(a.entry, 'en', { numeric: true });
}

/** The writes that match, newest first, rows of runs included. LOCAL_IO when the history cannot be read. */
export async function readHistory(stateDir: string, filter: HistoryFilter): Promise<HistoryPage> {
  const newest = new NewestEntries(filter.limit);
  const matches = matcher(filter);
  for (const entry of await singleEntries(stateDir)) if (matches(entry)) newest.add(entry);
  const unreadableRuns: string[] = [];
  const window = { isOfInterest: (timeMs: number) => timeMs >= (filter.sinceMs ?? 0) && newest.wouldTake(timeMs) };
  for await (const found of runEntries(stateDir, window)) {
    if ('unreadable' in found) unreadableRuns.push(found.unreadable);
    else if (matches(found)) newest.add(found);
  }
  return { entries: newest.sorted(), unreadableRuns };
}

/** One entry by its name or a part that no other has; USAGE when there is none, or more than one. */
export async function showHistory(stateDir: string, name: string): Promise<HistoryEntry> {
  const [part, row] = splitRunEntry(name);
  if (row !== undefined) {
    const run = await findRunName(stateDir, part);
    const found = run === undefined ? undefined : await runEntry(stateDir, run, row);
    if (found !== undefined) return found;
  } else {
    const entries = await singleEntries(stateDir);
    const exact = entries.find((entry) => entry.entry === name);
    const [found, second] = exact === undefined ? entries.filter(({ entry }) => entry.includes(name)) : [exact];
    if (second !== undefined) {
      throw new Failure('USAGE', `several history entries have "${name}" in their name`, {
        hints: ['give more of the name; list the entries with `frontdesk history`'],
      });
    }
    if (found !== undefined) return found;
  }
  throw new Failure('USAGE', `there is no history entry ${name}`, {
    hints: ['list the entries with `frontdesk history`'],
  });
}

/** One entry as `history` prints it. */
export const HISTORY_OUTPUT = object({
  entry: TEXT,
  /** ISO 8601. */
  time: TEXT,
  user: TEXT,
  profile: TEXT,
  host: TEXT,
  operation: TEXT,
  id: nullable(TEXT),
  resultId: nullable(TEXT),
  reason: nullable(TEXT),
  outcome: oneOf(OUTCOMES),
  httpStatus: nullable(INTEGER),
  requestId: nullable(TEXT),
  durationMs: nullable(NUMBER),
  run: nullable(TEXT),
});

/** An entry as JSON, in the contract's order of members. */
export function historyJson(shown: HistoryEntry): JsonValue {
  const { entry, time, user, profile, host, operation, id = null, reason = null, run = null } = shown;
  const { resultId = null, outcome, httpStatus = null, requestId = null, durationMs = null } = shown.ending;
  const written = { entry, time, user, profile, host, operation, id, resultId, reason };
  return jsonOf(HISTORY_OUTPUT, { ...written, outcome, httpStatus, requestId, durationMs, run });
}

function splitRunEntry(name: string): readonly [run: string, row: number | undefined] {
  const match = /^([^:]+):([1-9]\d{0,8})$/.exec(name);
  return match?.[1] === undefined ? [name, undefined] : [match[1], Number(match[2])];
}

async function singleEntries(stateDir: string): Promise<readonly HistoryEntry[]> {
  const path = historyPath(stateDir);
  // A prune may carry a begin over after its end was written to the new file, so either may come first.
  const writes = new Map<string, { begin?: BeginEvent; end?: EndEvent }>();
  try {
    for await (const event of readEvents(path)) {
      const known = writes.get(event.entry) ?? {};
      if (event.event === 'begin') known.begin ??= event;
      else known.end = event;
      writes.set(event.entry, known);
    }
  } catch (error) {
    throw ioFailure(`the history could not be read (${path})`, error, 'nothing was changed');
  }
  return [...writes.values()].flatMap(({ begin, end }) =>
    begin === undefined ? [] : [{ ...begin, ending: end?.ending ?? NO_END, run: undefined }],
  );
}

const NO_END: Ending = { ...NO_ENDING, outcome: 'unknown' };

const CARD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function matcher({ sinceMs, id, outcome }: HistoryFilter): (entry: HistoryEntry) => boolean {
  const isSameId = (other: string | undefined): boolean =>
    other !== undefined &&
    id !== undefined &&
    (other === id || (CARD_ID.test(id) && other.toLowerCase() === id.toLowerCase()));
  return (entry) =>
    (sinceMs === undefined || Date.parse(entry.time) >= sinceMs) &&
    (id === undefined || isSameId(entry.id) || isSameId(entry.ending.resultId)) &&
    (outcome === undefined || entry.ending.outcome === outcome);
}
