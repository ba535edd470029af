import type { SeededRandom } from '../support/seeded-random.ts';

/** Who something happens to: a process that may stand still or be gone by then. */
export interface Owner {
  readonly pid: number;
  readonly isGone: boolean;
  readonly isPaused: boolean;
  /** Takes what has come due while it stands still. */
  keep(event: SimulatedEvent): void;
  /** Runs what has come due, in the name of the process. */
  enter(run: () => void): void;
  /** An error that nothing in it caught. */
  fail(error: unknown): void;
}

/** `check`: Node runs it after everything that has come due (`setImmediate`). */
type Phase = 'due' | 'check';

export interface SimulatedEvent {
  atMs: number;
  readonly phase: Phase;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly run: () => void;
  isCancelled: boolean;
  /** Its clock has stood still for so long since it was set. */
  laterMs: number;
}

function comesBefore(one: SimulatedEvent, other: SimulatedEvent): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  if (one.phase !== other.phase) return one.phase === 'due';
  return one.order < other.order;
}

/** A turn of Node: every promise that can go on has gone on. Nothing in the simulation waits for anything outside it. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What happens next, in the time of the world. Two things at the same moment come in an order by chance. */
export class Scheduler {
  nowMs = 0;
  /** How much has happened. */
  count = 0;
  /** To whom the last thing happened, and all that follows from it before the next. */
  current: Owner | undefined;
  readonly #heap: SimulatedEvent[] = [];
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  after(ms: number, run: () => void, owner?: Owner, phase: Phase = 'due'): SimulatedEvent {
    const atMs = this.nowMs + Math.max(0, ms);
    const event = { atMs, phase, order: this.#random.next(), owner, run, isCancelled: false, laterMs: 0 };
    this.add(event);
    return event;
  }

  /** A timer whose clock stood still comes later. */
  delay(event: SimulatedEvent, ms: number): void {
    event.laterMs += ms;
  }

  add(event: SimulatedEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || comesBefore(parent, event)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  /** Lets things happen until `isOver`, or nothing is left (false), or `limit` things have happened (false). */
  async run(isOver: () => boolean, limit: number): Promise<boolean> {
    await settled();
    while (!isOver()) {
      const event = this.#take();
      if (event === undefined || this.count > limit) return false;
      const { owner } = event;
      if (event.isCancelled || owner?.isGone === true) continue;
      if (event.laterMs > 0) {
        event.atMs += event.laterMs;
        event.laterMs = 0;
        this.add(event);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, event.atMs);
      if (owner?.isPaused === true) {
        owner.keep(event);
        continue;
      }
      this.count += 1;
      this.current = owner;
      if (owner === undefined) event.run();
      else owner.enter(event.run);
      await settled();
    }
    return true;
  }

  #take(): SimulatedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      if (right !== undefined && comesBefore(right, left)) below += 1;
      const child = heap[below] ?? left;
      if (!comesBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
