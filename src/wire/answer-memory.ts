/** So much of each answer may be in memory in any case; nearly every answer ends within it. */
export const SHARE_BYTES = 256 * 1024;
/**
 * All that may be in memory of answers that are longer, while they come: as text and as JSON each takes several times
 * its length once it is whole, and the process may hold 512 MiB in all.
 */
const BUDGET_BYTES = 24 * 1024 * 1024;

/** An answer that is being read. */
export interface ReadAnswer {
  /** Of a write: it goes before those of reads. */
  readonly isWrite: boolean;
  /** It has its place, and is read on. */
  goOn(): void;
}

/**
 * The memory that the answers of all calls of this process share. One that finds no place waits, and is read on later;
 * none is refused. The first of those that wait is read on when no other is, so that one can always be finished.
 */
export class AnswerMemory {
  readonly #taken = new Map<ReadAnswer, number>();
  #used = 0;
  #waiting: ReadAnswer[] = [];

  /** Whether an answer may be read on now that this many bytes of it are there; else it waits for `goOn`. */
  take(answer: ReadAnswer, bytes: number): boolean {
    if (bytes <= SHARE_BYTES) return true;
    this.#used += bytes - (this.#taken.get(answer) ?? 0);
    this.#taken.set(answer, bytes);
    if (this.#used <= BUDGET_BYTES || this.#taken.size === this.#waiting.length + 1) return true;
    this.#waiting.push(answer);
    return false;
  }

  /** An answer was read to its end, or is given up. */
  release(answer: ReadAnswer): void {
    const bytes = this.#taken.get(answer);
    if (bytes === undefined) return;
    this.#taken.delete(answer);
    this.#used -= bytes;
    this.#waiting = this.#waiting.filter((other) => other !== answer);
    const next = this.#waiting.find(({ isWrite }) => isWrite) ?? this.#waiting[0];
    const isAlone = this.#taken.size === this.#waiting.length;
    if (next === undefined || (this.#used > BUDGET_BYTES && !isAlone)) return;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    next.goOn();
  }
}

/** The one of this process. */
export const answerMemory = new AnswerMemory();
