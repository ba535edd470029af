/** A connection remembers no whole run. */
const MAX_CARRIED = 1000;

/** What the requests of a connection were about: a late or repeated response to one could be taken for that of a change. */
export class Carried {
  /**
   * It carried more than it remembers, and serves reads alone. They need not open another: when the first connection of
   * a run ends, V8 throws away most of what it compiled for all of them.
   */
  isFull = false;
  readonly #earlier = new Set<string>();
  /** A run of reads sorts none of these. */
  readonly #latest: string[] = [];

  add(about: string): void {
    if (this.isFull || this.#latest.push(about) + this.#earlier.size < MAX_CARRIED) return;
    this.isFull = true;
    this.#latest.length = 0;
    this.#earlier.clear();
  }

  mayHave(about: string): boolean {
    for (const one of this.#latest.splice(0)) this.#earlier.add(one);
    return this.isFull || this.#earlier.has(about);
  }
}
