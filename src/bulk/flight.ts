import { NO_ENDING } from '../ending.ts';
import type { Failure } from '../failure.ts';
import type { Pacer } from '../http/call.ts';
import type { RunJournal } from './journal.ts';
import type { Limiter } from './limiter.ts';
import type { RunRow } from './row-outcome.ts';

/** What is done with a row: sent, sent again at the user's word, or only read and compared. */
export type FlightKind = 'send' | 'resend' | 'reconcile';

/** What the sender of one row is given. */
export interface RowSlot {
  /** For the request of the row itself: asks before each attempt, and has a write's intent on the disk by then. */
  readonly pacer: Pacer;
  /** For reads around a write (`--expect`): shares rate and pauses, and leaves no mark in the journal. */
  readonly readPacer: Pacer;
  /** Aborted: begin nothing new, let what is in flight finish. */
  readonly wrapUp: AbortSignal;
  /** Aborted: abandon what is in flight. */
  readonly stop: AbortSignal;
}

/** What all rows of a run have in common. */
export interface FlightPorts<R extends RunRow> {
  readonly limiter: Limiter;
  readonly journal: RunJournal | undefined;
  readonly wrapUp: AbortSignal;
  readonly stop: AbortSignal;
  /** The run is another process's now: ends it, and keeps back whatever has not left. */
  onLost(failure: Failure): void;
  /** What the journal keeps of a row besides its id. */
  reasonOf(row: R): string | undefined;
}

/** The place in the rate that the request of a row has: taken when it is admitted, used when it leaves. */
class RatePlace {
  readonly #limiter: Limiter;
  #isHeld = false;

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /** Waits for a place; an earlier one whose request never left is given back. False: the run is stopping. */
  async take(): Promise<boolean> {
    const isHeld = this.takeNow();
    if (isHeld !== undefined) return isHeld;
    this.#isHeld = await this.#limiter.admit();
    return this.#isHeld;
  }

  /** The same without waiting; undefined: there is something to wait for. */
  takeNow(): boolean | undefined {
    this.release();
    const isHeld = this.#limiter.admitNow();
    this.#isHeld = isHeld === true;
    return isHeld;
  }

  leave(): void {
    if (this.#isHeld) this.#limiter.leave();
    this.#isHeld = false;
  }

  release(): void {
    if (this.#isHeld) this.#limiter.giveBack();
    this.#isHeld = false;
  }
}

/** One row on its way: admits its attempts and remembers whether any of them may have left. */
export class Flight<R extends RunRow> implements RowSlot, Pacer {
  readonly row: R;
  /** Place of the row in the run, 0 for the first. */
  readonly position: number;
  readonly kind: FlightKind;
  /** Attempts whose first byte may have left. */
  admitted = 0;
  /** Was an attempt refused because the run is stopping? */
  isDenied = false;
  isDone = false;
  readonly #ports: FlightPorts<R>;
  readonly #place: RatePlace;
  #readPacer: Pacer | undefined;

  constructor(row: R, position: number, kind: FlightKind, ports: FlightPorts<R>) {
    this.row = row;
    this.position = position;
    this.kind = kind;
    this.#ports = ports;
    this.#place = new RatePlace(ports.limiter);
  }

  get pacer(): Pacer {
    return this;
  }

  /** Made when it is asked for: most rows are not read. */
  get readPacer(): Pacer {
    this.#readPacer ??= {
      admit: async () => (await this.#place.take()) || this.#deny(),
      leaves: () => this.#place.leave(),
      refused: (waitMs, askedMs) => this.refused(waitMs, askedMs),
      mayRetry: () => this.mayRetry(),
      succeeded: () => this.succeeded(),
    };
    return this.#readPacer;
  }

  get wrapUp(): AbortSignal {
    return this.#ports.wrapUp;
  }

  get stop(): AbortSignal {
    return this.#ports.stop;
  }

  async admit(purpose: 'send' | 'read_back'): Promise<boolean> {
    if (purpose === 'read_back') return this.readPacer.admit(purpose);
    const { journal, wrapUp } = this.#ports;
    if (!(this.#place.takeNow() ?? (await this.#place.take()))) return this.#deny();
    // A reconciliation only reads: it leaves no intent behind.
    if (journal !== undefined && this.kind !== 'reconcile') {
      const { row, id } = this.row;
      try {
        await journal.intent({ row, id, reason: this.#ports.reasonOf(this.row) });
      } catch {
        // The writer keeps the failure, and the run stops by it: without its intent the row must not be sent.
        this.#place.release();
        return this.#deny();
      }
      if (wrapUp.aborted) {
        this.#place.release();
        const outcome = journal.states.isDoubtful(row) ? 'unknown' : 'not_sent';
        void journal.result(this.row, { ...NO_ENDING, outcome, code: 'CANCELLED', attempts: this.admitted });
        return this.#deny();
      }
    }
    this.admitted += 1;
    return true;
  }

  leaves(): void {
    this.#place.leave();
    // Between its intent and its first byte a request may have waited for a connection, or the process been stopped.
    const lost = this.#ports.journal?.lost();
    if (lost !== undefined) this.#ports.onLost(lost);
  }

  /** The row has ended: a place of a request that never left is free for another. */
  land(): void {
    this.isDone = true;
    this.#place.release();
  }

  refused(waitMs: number, askedMs: number): boolean {
    return this.#ports.limiter.refused(waitMs, askedMs);
  }

  mayRetry(): boolean {
    return this.#ports.limiter.mayRetry();
  }

  succeeded(): void {
    this.#ports.limiter.succeeded();
  }

  #deny(): false {
    this.isDenied = true;
    return false;
  }
}
