import type { Failure, Outcome } from '../base/failure.ts';
import { type HistoryEntry, type WantedId, wantedId } from './write-record.ts';

export interface HistoryFilter {
  /** Only entries from then on, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Only entries before, in milliseconds since 1970. */
  readonly untilMs?: number | undefined;
  /** The ID in the request or the response; of a card in any case, or its beginning. */
  readonly id?: string | undefined;
  /** IDs of the cards whose order number `id` is. */
  readonly cardIds?: readonly string[];
  /** Dotted command path: `card.block`. */
  readonly operation?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** False: no rows of runs. */
  readonly runs?: boolean;
  readonly isWanted?: (entry: HistoryEntry) => boolean;
  /** Called if the single changes cannot be read. */
  readonly onUnreadable?: (failure: Failure) => void;
  /** At most this many entries, the newest. */
  readonly limit: number;
  /** How many single changes, and how many rows, are read; default: all. */
  readonly most?: number;
}

/** Of the same millisecond, the later row is newer. */
function newestFirst(a: HistoryEntry, b: HistoryEntry): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return b.entry.localeCompare(a.entry, 'en', { numeric: true });
}

/** The IDs that a filter looks for; undefined: all entries. */
export function wantedOf({ id, cardIds }: Pick<HistoryFilter, 'id' | 'cardIds'>): WantedId | undefined {
  return id === undefined ? undefined : wantedId(id, cardIds);
}

/** The newest matching entries, at most twice as many as wanted. After an exact fit longer IDs do not count. */
export class Page {
  readonly #filter: HistoryFilter;
  readonly #wanted: WantedId | undefined;
  #entries = new Map<string, HistoryEntry>();
  /** Only newer entries can replace what is held: no ID was asked for, or one fitted exactly. */
  #isExact: boolean;
  /** Time of the oldest entry, once enough are held. */
  #oldestMs = Number.NEGATIVE_INFINITY;

  constructor(filter: HistoryFilter) {
    this.#filter = filter;
    this.#wanted = wantedOf(filter);
    this.#isExact = filter.id === undefined;
  }

  isOfInterest(timeMs: number): boolean {
    return timeMs >= (this.#filter.sinceMs ?? Number.NEGATIVE_INFINITY) && (!this.#isExact || timeMs >= this.#oldestMs);
  }

  /** Could this line match? Parsing all of a large file would take long. */
  mayHold(line: string): boolean {
    const { operation, outcome } = this.#filter;
    if (operation !== undefined && !line.includes(`"${operation}"`)) return false;
    if (outcome !== undefined && !line.includes(`"${outcome}"`)) return false;
    return this.#wanted?.pattern.test(line) !== false;
  }

  add(entry: HistoryEntry): void {
    const { operation, outcome, isWanted } = this.#filter;
    const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = this.#filter;
    const timeMs = Date.parse(entry.time);
    if (timeMs < sinceMs || timeMs >= untilMs) return;
    if (operation !== undefined && entry.operation !== operation) return;
    if (outcome !== undefined && entry.callOutcome.outcome !== outcome) return;
    if (isWanted?.(entry) === false) return;
    const fit =
      this.#wanted === undefined
        ? 'exact'
        : this.#wanted.fitOf(entry.id, entry.callOutcome.resultId, entry.clientReference);
    if (fit === undefined || (fit === 'part' && this.#isExact)) return;
    if (fit === 'exact' && !this.#isExact) {
      this.#isExact = true;
      this.#entries.clear();
      this.#oldestMs = Number.NEGATIVE_INFINITY;
    }
    // The last line of an entry counts, which comes first.
    if (timeMs < this.#oldestMs || this.#entries.has(entry.entry)) return;
    this.#entries.set(entry.entry, entry);
    if (this.#entries.size >= 2 * this.#filter.limit) this.entries();
  }

  entries(): readonly HistoryEntry[] {
    const { limit } = this.#filter;
    const entries = [...this.#entries.values()].sort(newestFirst).slice(0, limit);
    this.#entries = new Map(entries.map((entry) => [entry.entry, entry]));
    const oldest = entries[limit - 1];
    if (oldest !== undefined) this.#oldestMs = Date.parse(oldest.time);
    return entries;
  }
}

/** Those that match, newest first. */
export function pageOf(entries: readonly HistoryEntry[], filter: HistoryFilter): readonly HistoryEntry[] {
  const page = new Page(filter);
  for (const entry of entries) page.add(entry);
  return page.entries();
}
