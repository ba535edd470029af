import { isResolution, isRowRecord, type JournalRecord } from '../../records/journal/record.ts';

/** A part of a run's working time, and how many rows ended in it. */
export interface PaceStep {
  readonly rows: number;
  readonly ms: number;
}

export type Durations = NonNullable<ReturnType<RunTimeline['durations']>>;

export const DURATION_BOUNDS_MS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000] as const;

const MAX_STEPS = 60;
/** Of less than a second no rate can be told. */
const FIRST_STEP_MS = 1000;
/** Neighboring classes differ by 5 %. */
const CLASS = Math.log(1.05);

/** When the rows of a run ended, from its journal. Its memory does not grow with the rows. */
export class RunTimeline {
  sessions = 0;
  /** Time of the last record of all runs, in milliseconds since 1970. */
  latestMs = 0;
  #sessionMs = 0;
  /** Working time of earlier sessions. */
  #earlierMs = 0;
  #steps: number[] = [];
  #stepMs = FIRST_STEP_MS;
  readonly #classes: number[] = [];
  readonly #counts: number[] = [...DURATION_BOUNDS_MS, 0].map(() => 0);
  #measured = 0;
  #maxMs = 0;

  /** Adds a run, whose records follow all others, and whose working time is added to theirs. */
  addRun(startedMs: number): void {
    this.latestMs = Math.max(this.latestMs, startedMs);
    this.#beginSession();
  }

  #beginSession(): void {
    this.#earlierMs = this.workMs;
    this.#sessionMs = 0;
    this.sessions += 1;
  }

  add(record: JournalRecord): void {
    if (record.s === 'resumed') this.#beginSession();
    this.latestMs = Math.max(this.latestMs, record.t);
    if ('m' in record) this.#sessionMs = Math.max(this.#sessionMs, record.m ?? 0);
    if (!isRowRecord(record) || record.s === 'intent' || isResolution(record.s)) return;
    this.#addStep();
    if (record.http !== undefined && record.ms !== undefined) this.#addDuration(record.ms);
  }

  /** Time in which a process worked on the run, without pauses between a stop and a resume. */
  get workMs(): number {
    return this.#earlierMs + this.#sessionMs;
  }

  /** Rows that ended over the working time, in at most 60 steps of one length. */
  pace(): readonly PaceStep[] {
    return Array.from(this.#steps, (rows = 0) => ({ rows, ms: this.#stepMs }));
  }

  /**
   * How long rows with a response took, waits and retries included: half took at most about `medianMs`, 95 of 100 at
   * most `p95Ms`. `counts`: rows up to each bound, then those above all.
   */
  durations() {
    if (this.#measured === 0) return undefined;
    const counts: readonly number[] = this.#counts;
    const [medianMs, p95Ms] = [this.#quantile(0.5), this.#quantile(0.95)];
    return { rows: this.#measured, counts, medianMs, p95Ms, maxMs: this.#maxMs };
  }

  #addStep(): void {
    let index = Math.floor(this.workMs / this.#stepMs);
    while (index >= MAX_STEPS) {
      const halves = this.#steps;
      this.#steps = Array.from(
        { length: Math.ceil(halves.length / 2) },
        (_, at) => (halves[2 * at] ?? 0) + (halves[2 * at + 1] ?? 0),
      );
      this.#stepMs *= 2;
      index = Math.floor(this.workMs / this.#stepMs);
    }
    while (this.#steps.length <= index) this.#steps.push(0);
    this.#steps[index] = (this.#steps[index] ?? 0) + 1;
  }

  #addDuration(ms: number): void {
    const bound = DURATION_BOUNDS_MS.findIndex((limit) => ms <= limit);
    const index = bound === -1 ? DURATION_BOUNDS_MS.length : bound;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    const near = Math.floor(Math.log1p(Math.max(0, ms)) / CLASS);
    while (this.#classes.length <= near) this.#classes.push(0);
    this.#classes[near] = (this.#classes[near] ?? 0) + 1;
    this.#measured += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  #quantile(part: number): number {
    let left = part * this.#measured;
    const index = this.#classes.findIndex((rows) => {
      left -= rows;
      return left <= 0;
    });
    return Math.min(this.#maxMs, Math.round(Math.expm1((index + 0.5) * CLASS)));
  }
}
