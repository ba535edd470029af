/**
 * How many entries are kept back, and read on, for events that stand out of order: a prune carries over what was
 * written while it replaced the file, after what was already written to the new one, and the clocks of several
 * machines differ.
 */
export const DISORDER = 2048;

/** How every version begins the line of an event. */
const HEAD = /^\{"event":"(begin|end|read|superseded|resolved)","entry":"([^"\\]+)"/;

/** One write of the history as the lines it has there. */
export interface EntryLines {
  readonly entry: string;
  readonly begin: string;
  /** Ends and reads, oldest first. */
  readonly others: readonly string[];
}

/** Puts the lines of each entry together while the file is read from its end; an entry that is there twice is one. */
export class EventWindow {
  readonly #deliver: (lines: EntryLines) => boolean;
  readonly #begun = new Map<string, { readonly begin: string; readonly newestFirst: string[] }>();
  /** Ends whose beginning was not met yet: of the writes that were under way at one time. */
  readonly #ends = new Map<string, string[]>();

  /** `deliver` is handed the newest entry first and returns true when it wants no more. */
  constructor(deliver: (lines: EntryLines) => boolean) {
    this.#deliver = deliver;
  }

  /** Takes the next line further back. Returns true when no more are wanted. */
  take(line: string): boolean {
    const [, event, entry] = HEAD.exec(line) ?? [];
    if (entry === undefined) return false;
    const begun = this.#begun.get(entry);
    if (event !== 'begin') {
      const others = begun?.newestFirst ?? this.#ends.get(entry);
      if (others === undefined) this.#ends.set(entry, [line]);
      else others.push(line);
      return false;
    }
    if (begun !== undefined) return false;
    this.#begun.set(entry, { begin: line, newestFirst: this.#ends.get(entry) ?? [] });
    this.#ends.delete(entry);
    return this.#begun.size > DISORDER && this.#deliverNext();
  }

  /** The beginning of the file is reached: what was kept back is delivered. */
  finish(): void {
    while (this.#begun.size > 0 && !this.#deliverNext());
  }

  #deliverNext(): boolean {
    for (const [entry, { begin, newestFirst }] of this.#begun) {
      this.#begun.delete(entry);
      return this.#deliver({ entry, begin, others: newestFirst.reverse() });
    }
    return true;
  }
}
