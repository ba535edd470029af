import { setMaxListeners } from 'node:events';
import { type ClockPort, GRACE_MS, type SignalPort } from '../context.ts';
import { Failure } from '../failure.ts';
import { ioFailure, messageOf } from '../files/io-failure.ts';
import { failureStop, type Stop, signalStop } from './stop.ts';

/** How long a request may take to stop. */
const OVERDUE_MS = 1_000;

/** Knows whether and why a run has to stop. The first reason is reported. Later ones count for the exit code. */
export class RunControl {
  readonly #clock: ClockPort;
  readonly #onStop: () => void;
  readonly #onOverdue: () => void;
  readonly #stopping = new AbortController();
  readonly #abort = new AbortController();
  /** Aborted: begin nothing new, let requests in flight finish. */
  readonly stopping = this.#stopping.signal;
  /** Aborted: abandon requests in flight. */
  readonly abort = this.#abort.signal;
  readonly #ended = new AbortController();
  readonly #stops: Stop[] = [];
  readonly #unsubscribe: () => void;

  /** Listens to signals until `end`. `onStop`: the run has to stop. `onOverdue`: a request did not stop in time. */
  constructor(
    { clock, signals }: { readonly clock: ClockPort; readonly signals: SignalPort },
    onStop: () => void,
    onOverdue: () => void,
  ) {
    this.#clock = clock;
    this.#onStop = onStop;
    this.#onOverdue = onOverdue;
    // Every row in flight listens. Node warns of more than ten listeners.
    setMaxListeners(0, this.stopping, this.abort);
    this.#unsubscribe = signals.onSignal((signal) => {
      // Signals of an earlier question or command do not count.
      const isFirst = !this.has('signal');
      this.stopFor(signalStop(signal));
      if (isFirst) void this.#later(GRACE_MS, () => this.#abortNow());
      else this.#abortNow();
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
    this.#unsubscribe();
    this.#ended.abort();
  }

  async #later(ms: number, work: () => void): Promise<void> {
    await this.#clock.sleep(ms, this.#ended.signal);
    if (!this.#ended.signal.aborted) work();
  }

  #abortNow(): void {
    if (this.abort.aborted) return;
    this.#abort.abort();
    void this.#later(OVERDUE_MS, this.#onOverdue);
  }
}

/** A Failure as it is. Anything else is a bug. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  // A failed call of the file system is no bug.
  if (error instanceof Error && 'syscall' in error) {
    return ioFailure('a file of the run could not be used', error, 'what was sent stands in its record');
  }
  return new Failure('INTERNAL', `a bug in frontdesk: ${messageOf(error)}`, { cause: error });
}
