import { isHeldBack } from '../../call-outcome.ts';
import { OUTCOMES, type Outcome } from '../../failure.ts';
import { outcomeAfter } from './attempts.ts';
import {
  type IntentRecord,
  isResolution,
  isRowRecord,
  type JournalRecord,
  type Resolution,
  type ResultRecord,
} from './record.ts';

/** Where a row stands. `none`: no record at all. */
export type RowState = 'none' | 'intent' | Resolution | Outcome;

const STATES: readonly RowState[] = [
  ...(['none', 'intent', 'resolved_by_user', ...OUTCOMES] as const),
  'resolved_applied',
  'resolved_not_applied',
];
const CODES = new Map(STATES.map((state, code) => [state, code]));
const STATE_BITS = 0x0f;
/** The state says otherwise, but a resume does this row again (a 401) or leaves it (held by `--expect`). */
const EXCEPTION_BIT = 0x10;
/** An earlier attempt may have been applied, and nothing has settled that since. */
const DOUBT_BIT = 0x20;
/** Two processes wrote of this row at the same time, and neither said which it was. */
const CONTESTED_BIT = 0x40;

const DONE: ReadonlySet<RowState> = new Set(['applied', 'confirmed_by_read']);

/** What `history resolve` records; the last word counts. */
const FOUND_OUT: readonly RowState[] = ['resolved_applied', 'resolved_not_applied'];

/** Which states may follow which; anything else means that the journal does not tell the truth. */
const FOLLOWERS: Readonly<Record<RowState, readonly RowState[]>> = {
  none: ['intent', 'not_sent', 'rejected'],
  intent: ['intent', 'applied', 'confirmed_by_read', 'rejected', 'not_sent', 'unknown'],
  applied: [],
  confirmed_by_read: [],
  rejected: ['intent', 'not_sent', 'rejected'],
  not_sent: ['intent', 'not_sent', 'rejected'],
  unknown: ['confirmed_by_read', ...FOUND_OUT, 'resolved_by_user', 'unknown'],
  resolved_by_user: ['intent', 'not_sent', 'rejected', 'unknown', 'resolved_by_user', ...FOUND_OUT],
  resolved_applied: FOUND_OUT,
  resolved_not_applied: ['intent', 'not_sent', 'rejected', ...FOUND_OUT],
};

/**
 * The state of every row of a run in few bytes, so that a million rows cost some megabytes. Of records that were read
 * also where in the journal the row's last intent and last result begin: memory that is not written costs nothing.
 */
export class RowStates {
  readonly rows: number;
  readonly #states: Uint8Array;
  readonly #attempts: Uint16Array;
  /** Offsets plus one; 0: none. */
  readonly #intentAt: Float64Array;
  readonly #resultAt: Float64Array;
  /** Of rows that a person resolved as applied: the new card or event that they found. */
  readonly #foundIds = new Map<number, string>();
  #epoch = 0;

  /** `rows`: the highest row number. */
  constructor(rows: number) {
    this.rows = rows;
    this.#states = new Uint8Array(rows + 1);
    this.#attempts = new Uint16Array(rows + 1);
    this.#intentAt = new Float64Array(rows + 1);
    this.#resultAt = new Float64Array(rows + 1);
  }

  /** The newest holder of the run whose record was taken, 0 when there is none. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Takes the next record of a journal in, and believes only the newest holder of the run: one that was paused, lost
   * its run and woke may have written behind its successor, of whose rows it knows nothing. False: the record cannot
   * follow those before it, so the journal does not tell the truth.
   */
  take(record: JournalRecord, offset: number): boolean {
    const epoch = record.e ?? 1;
    if (epoch < this.#epoch) return true;
    this.#epoch = epoch;
    if (!isRowRecord(record)) return true;
    return record.e === undefined ? this.applyOfAny(record, offset) : this.apply(record, offset);
  }

  /** Takes a record of a row in; false when no record of that kind can follow what is known of the row. */
  apply(record: IntentRecord | ResultRecord, offset = -1): boolean {
    if (record.n < 1 || record.n > this.rows) return false;
    if (!FOLLOWERS[this.state(record.n)].includes(record.s)) return false;
    const exception = record.s !== 'intent' && (record.again === 1) !== isHeld(record);
    const wasDoubtful = this.isDoubtful(record.n);
    const isSettled = DONE.has(record.s) || FOUND_OUT.includes(record.s);
    const doubt = record.s === 'unknown' || (wasDoubtful && !isSettled);
    const state = outcomeAfter(wasDoubtful, record.s);
    this.#states[record.n] = (CODES.get(state) ?? 0) | (exception ? EXCEPTION_BIT : 0) | (doubt ? DOUBT_BIT : 0);
    this.#attempts[record.n] = Math.min(record.a, 0xffff);
    if (FOUND_OUT.includes(record.s)) this.#foundIds.delete(record.n);
    if (record.s === 'resolved_applied' && record.rid !== undefined) this.#foundIds.set(record.n, record.rid);
    const offsets = record.s === 'intent' ? this.#intentAt : this.#resultAt;
    // What is known of the first send stays when the user has it sent again.
    if (offset >= 0 && !isResolution(record.s)) offsets[record.n] = offset + 1;
    return true;
  }

  /**
   * The same for a record that does not say which holder of the run wrote it, as of old: two may have worked at once.
   * A row that both wrote of counts as done if either saw it done, which was its answer from the service; else it is
   * `unknown`, whatever else is recorded of it, because the other one's request may still have been applied.
   */
  applyOfAny(record: IntentRecord | ResultRecord, offset = -1): boolean {
    const { n, s, a } = record;
    if (n < 1 || n > this.rows) return false;
    const known = this.state(n);
    const isSecondIntent = known === 'intent' && s === 'intent' && a <= this.attempts(n);
    const isContested = ((this.#states[n] ?? 0) & CONTESTED_BIT) !== 0;
    if (!isContested && !isSecondIntent && FOLLOWERS[known].includes(s)) return this.apply(record, offset);
    const isNews = DONE.has(s) && !DONE.has(known);
    const state = DONE.has(known) ? known : DONE.has(s) ? s : 'unknown';
    this.#states[n] = (CODES.get(state) ?? 0) | CONTESTED_BIT | (state === 'unknown' ? DOUBT_BIT : 0);
    this.#attempts[n] = Math.min(Math.max(a, this.attempts(n)), 0xffff);
    if (s === 'intent') this.#intentAt[n] = offset + 1;
    if (isNews) this.#resultAt[n] = offset + 1;
    return true;
  }

  state(row: number): RowState {
    return STATES[(this.#states[row] ?? 0) & STATE_BITS] ?? 'none';
  }

  /** The id that a person found for a row that they resolved as applied. */
  foundId(row: number): string | undefined {
    return this.#foundIds.get(row);
  }

  attempts(row: number): number {
    return this.#attempts[row] ?? 0;
  }

  /** Would a resume do this row (again)? `unknown` rows never, until they are resolved. */
  isToDo(row: number): boolean {
    const exception = ((this.#states[row] ?? 0) & EXCEPTION_BIT) !== 0;
    const state = this.state(row);
    if (state === 'rejected') return exception;
    if (state === 'not_sent') return !exception;
    return state === 'none' || state === 'resolved_by_user' || state === 'resolved_not_applied';
  }

  /** How many rows a resume would do. */
  get toDo(): number {
    let count = 0;
    for (let row = 1; row <= this.rows; row++) if (this.isToDo(row)) count += 1;
    return count;
  }

  /** Was an earlier attempt `unknown` and then sent again at the user's word, so that it may have been applied? */
  isDoubtful(row: number): boolean {
    return ((this.#states[row] ?? 0) & DOUBT_BIT) !== 0;
  }

  /** Byte offset of the row's last intent line, -1 when there is none. */
  intentAt(row: number): number {
    return (this.#intentAt[row] ?? 0) - 1;
  }

  /** Byte offset of the row's last result line, -1 when there is none. */
  resultAt(row: number): number {
    return (this.#resultAt[row] ?? 0) - 1;
  }

  /** How many rows are in one of these states. */
  count(...states: readonly RowState[]): number {
    let count = 0;
    for (let row = 1; row <= this.rows; row++) if (states.includes(this.state(row))) count += 1;
    return count;
  }

  /** Rows in a state, lowest first. */
  *in(state: RowState): Generator<number> {
    const wanted = CODES.get(state) ?? 0;
    for (let row = 1; row <= this.rows; row++) {
      if (((this.#states[row] ?? 0) & STATE_BITS) === wanted) yield row;
    }
  }
}

function isHeld({ s, code }: ResultRecord): boolean {
  return !isResolution(s) && isHeldBack(s, code);
}
