import { setMaxListeners } from 'node:events';
import type { Context } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { ioFailure, messageOf } from '../base/files/io-failure.ts';
import { openInterrupt } from '../writes/interrupt.ts';
import { failureStop, type Stop, signalStop } from './stop.ts';

/** How long a request may take to stop. */
const OVERDUE_MS = 1_000;

/** Knows whether and why a run has to stop. The first reason is reported. Later ones count for the exit code. */
export class RunControl {
  readonly #onStop: () => void;
  readonly #stopping = new AbortController();
  readonly #ended = new AbortController();
  readonly #stops: Stop[] = [];
  readonly #release: () => void;
  /** Aborted: begin nothing new, let requests in flight finish. */
  readonly stopping = this.#stopping.signal;
  /** Aborted: abandon requests in flight. */
  readonly abort: AbortSignal;

  /** Listens to signals until `end`. `onStop`: the run has to stop. `onOverdue`: a request did not stop in time. */
  constructor(context: Pick<Context, 'clock' | 'signals'>, onStop: () => void, onOverdue: () => void) {
    this.#onStop = onStop;
    // Signals of an earlier question or command do not count.
    const { abort, release } = openInterrupt(context, (signal) => this.stopFor(signalStop(signal)));
    this.abort = abort;
    this.#release = release;
    // Every row in flight listens. Node warns of more than ten listeners.
    setMaxListeners(0, this.stopping, this.abort);
    abort.addEventListener('abort', async () => {
      await context.clock.sleep(OVERDUE_MS, this.#ended.signal);
      if (!this.#ended.signal.aborted) onOverdue();
    });
  }

  get isStopping(): boolean {
    return this.#stops.length > 0;
  }

  get stops(): readonly Stop[] {
    return this.#stops;
  }

  /** The failure of rows that were not reached: the first reason. */
  get failure(): Failure {
    const [first] = this.#stops;
    if (first === undefined) throw new Error('the run has not stopped');
    return first.failure;
  }

  has(kind: Stop['kind']): boolean {
    return this.#stops.some((stop) => stop.kind === kind);
  }

  stopFor(stop: Stop): void {
    this.#stops.push(stop);
    this.#stopping.abort();
    this.#onStop();
  }

  /** Stops the run because something of frontdesk failed. Only the first failure counts. */
  break(error: unknown): void {
    if (!this.has('broken')) this.stopFor(failureStop('broken', asFailure(error)));
  }

  end(): void {
    this.#release();
    this.#ended.abort();
  }
}

/** A Failure as it is. Anything else is a bug. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // A failed call of the file system is no bug.
  if (error instanceof Error && 'syscall' in error) {
    return ioFailure('a file of the run could not be used', error, 'recorded');
  }
  return new Failure('INTERNAL', `a bug in frontdesk: ${messageOf(error)}`, { cause: error });
}
