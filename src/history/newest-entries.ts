import type { HistoryEntry } from './history-event.ts';

/** Keeps the newest entries of any number, holding at most twice as many as are wanted. */
export class NewestEntries {
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
