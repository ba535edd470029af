/** Every response may use this much. Most need no more. */
export const SHARE_BYTES = 256 * 1024;
/** For longer responses and unprinted results. The rest of 512 MiB is for the process and the response being parsed. */
const BUDGET_BYTES = 224 * 1024 * 1024;
/** A long response counts several times: its memory returns to the system late. */
const WEIGHT = 4;
/** Garbage is collected after this much long text: V8 alone lets it grow to several times what is used. */
const COLLECT_BYTES = 8 * 1024 * 1024;

function weightOf(bytes: number): number {
  return bytes <= SHARE_BYTES ? bytes : WEIGHT * bytes;
}

/** A response that is being read. */
export interface ReadAnswer {
  readonly isWrite: boolean;
  /** Held results wait for it, so it is read in any case. */
  readonly isAwaited: boolean;
  goOn(): void;
}

/** The memory that responses share until they are printed. One without a place waits, and none is refused. */
export class AnswerMemory {
  /** Collects garbage. Missing in the library, which must not stop its host. */
  collect: (() => void) | undefined;
  #used = 0;
  #held = 0;
  #printing = 0;
  #sinceCollected = 0;
  /** Weight of responses being read. */
  readonly #places = new Map<ReadAnswer, number>();
  /** Weight of responses that wait. */
  readonly #waiting = new Map<ReadAnswer, number>();
  readonly #unparsed: (() => void)[] = [];

  /** Should no further request be sent for now? */
  get isFull(): boolean {
    return this.#used >= BUDGET_BYTES || this.#waiting.size > 0;
  }

  /** May a response of this length be read on? Otherwise it waits for `goOn`. */
  take(answer: ReadAnswer, bytes: number): boolean {
    if (bytes <= SHARE_BYTES || this.#give(answer, weightOf(bytes))) return true;
    this.#waiting.set(answer, weightOf(bytes));
    return false;
  }

  release(answer: ReadAnswer): void {
    this.#used -= this.#places.get(answer) ?? 0;
    this.#places.delete(answer);
    this.#waiting.delete(answer);
    this.#goOn();
  }

  /** Parses a complete response: at once, or when no other long one is being printed. */
  parse(bytes: number, work: () => void): void {
    if (bytes <= SHARE_BYTES || this.#printing === 0) work();
    else this.#unparsed.push(work);
  }

  /** A result of this many bytes is printed until `endPrint`. */
  beginPrint(bytes: number): void {
    if (bytes > SHARE_BYTES) this.#printing += 1;
  }

  endPrint(bytes: number): void {
    if (bytes <= SHARE_BYTES) return;
    this.#printing -= 1;
    // Once what was printed is garbage.
    setImmediate(() => this.#parseNext());
  }

  /** A result waits to be printed, until `free` releases its bytes. */
  hold(bytes: number): void {
    this.#used += weightOf(bytes);
    this.#held += weightOf(bytes);
  }

  free(bytes: number): void {
    this.#used -= weightOf(bytes);
    this.#held -= weightOf(bytes);
    this.#goOn();
  }

  /** Collects earlier texts before one of this many bytes is parsed or printed. */
  makeRoom(bytes: number): void {
    if (this.#sinceCollected >= COLLECT_BYTES) {
      this.#sinceCollected = 0;
      this.collect?.();
    }
    if (bytes > SHARE_BYTES) this.#sinceCollected += bytes;
  }

  #give(answer: ReadAnswer, weight: number): boolean {
    const more = weight - (this.#places.get(answer) ?? 0);
    const isIdle = () => [...this.#places.keys()].every((each) => this.#waiting.has(each));
    const mayExceed = answer.isAwaited || (this.#held === 0 && isIdle());
    if (this.#used + more > BUDGET_BYTES && !mayExceed) return false;
    this.#used += more;
    this.#places.set(answer, weight);
    return true;
  }

  /** One per turn: its result may be printed at once. */
  #parseNext(): void {
    if (this.#printing > 0 || this.#unparsed.length === 0) return;
    this.#unparsed.shift()?.();
    setImmediate(() => this.#parseNext());
  }

  #goOn(): void {
    while (this.#waiting.size > 0) {
      const all = [...this.#waiting.keys()];
      const next = all.find(({ isAwaited }) => isAwaited) ?? all.find(({ isWrite }) => isWrite) ?? all[0];
      if (next === undefined || !this.#give(next, this.#waiting.get(next) ?? 0)) return;
      this.#waiting.delete(next);
      next.goOn();
    }
  }
}

/** The one of this process. */
export const answerMemory = new AnswerMemory();
