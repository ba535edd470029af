import { OUTCOMES } from '../../base/failure.ts';
import { isStillToDo, outcomeAfter } from '../../service/call-outcome.ts';
import { type IntentRecord, isResolution, isRowRecord, type JournalRecord, type ResultRecord } from './record.ts';

const STATES = ['none', 'intent', ...OUTCOMES, 'resolved_applied', 'resolved_not_applied'] as const;
/** The state of a row. `none`: it has no record. */
export type RowState = (typeof STATES)[number];
const CODES = new Map<RowState, number>(STATES.map((state, code) => [state, code]));
const STATE_BITS = 0x0f;
/** A resume leaves this row. Unset in memory that was never written: a row without a record is sent. */
const LEFT_BIT = 0x10;
/** An earlier attempt may have been applied, and nothing has resolved that since. */
const DOUBT_BIT = 0x20;
/** What `history resolve` records. The last one counts. */
const FOUND_OUT: readonly RowState[] = ['resolved_applied', 'resolved_not_applied'];
/** After these it is known whether an earlier attempt was applied. */
const RESOLVES: ReadonlySet<RowState> = new Set(['applied', 'confirmed_by_read', ...FOUND_OUT]);

/** A row that a resume leaves in one of these has ended: the user can find out nothing else of it. */
const ENDED: ReadonlySet<RowState> = new Set(['applied', 'confirmed_by_read', 'skipped', 'rejected', 'not_sent']);

/** Which states may follow which. Any other order means that the journal is damaged. */
const FOLLOWERS: Readonly<Record<RowState, readonly RowState[]>> = {
  none: ['intent', 'skipped', 'not_sent', 'rejected'],
  intent: ['intent', 'applied', 'confirmed_by_read', 'rejected', 'not_sent', 'unknown'],
  applied: [],
  confirmed_by_read: [],
  skipped: [],
  rejected: ['intent', 'skipped', 'not_sent', 'rejected'],
  not_sent: ['intent', 'skipped', 'not_sent', 'rejected'],
  // The user has it sent again: until it is, no resume does so without being told.
  unknown: ['intent', 'skipped', 'not_sent', 'rejected', 'confirmed_by_read', 'unknown', ...FOUND_OUT],
  resolved_applied: FOUND_OUT,
  resolved_not_applied: ['intent', 'skipped', 'not_sent', 'rejected', ...FOUND_OUT],
};

/** How many rows have a record, and how many an outcome that no resume changes: neither number ever falls. */
export interface Progress {
  readonly rows: number;
  readonly ended: number;
}

/** The state of each row in few bytes, and where its last intent and result are. Unwritten memory costs nothing. */
export class RowStates {
  readonly rows: number;
  readonly #states: Uint8Array;
  readonly #attempts: Uint16Array;
  /** Offsets plus one; 0: none. */
  readonly #intentAt: Float64Array;
  readonly #resultAt: Float64Array;
  /** Of rows that were resolved as applied: the ID of the new card or event. */
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

  /** The newest epoch in the journal, 0 if there is none. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Adds the next record of a journal. Only the newest holder is believed: one that was paused and lost its run may
   * have written behind its successor. Returns false if the record cannot follow those before it, so that the journal
   * is damaged.
   */
  applyRecord(record: JournalRecord, offset: number): boolean {
    const epoch = record.e ?? 1;
    if (epoch < this.#epoch) return true;
    this.#epoch = epoch;
    if (!isRowRecord(record)) return true;
    return this.apply(record, offset);
  }

  /** Adds a record of a row. Returns false if it cannot follow what is known of the row. */
  apply(record: IntentRecord | ResultRecord, offset = -1): boolean {
    const { n: row, s: what } = record;
    if (row < 1 || row > this.rows || !this.mayBecome(row, what)) return false;
    const wasDoubtful = this.isDoubtful(row);
    const isDoubtful = what === 'unknown' || (wasDoubtful && !RESOLVES.has(what));
    const state = outcomeAfter(wasDoubtful, what);
    const left = isToDoAfter(state, record) ? 0 : LEFT_BIT;
    this.#states[row] = (CODES.get(state) ?? 0) | left | (isDoubtful ? DOUBT_BIT : 0);
    this.#attempts[row] = Math.min(record.a, 0xffff);
    if (FOUND_OUT.includes(what)) this.#foundIds.delete(row);
    if (what === 'resolved_applied' && record.rid !== undefined) this.#foundIds.set(row, record.rid);
    // A resolution keeps what is known of the first request, for the time when the user sends the row again.
    if (offset >= 0 && !isResolution(what)) (what === 'intent' ? this.#intentAt : this.#resultAt)[row] = offset + 1;
    return true;
  }

  /** Can a row be recorded so, after what is recorded of it? */
  mayBecome(row: number, what: RowState): boolean {
    return FOLLOWERS[this.state(row)].includes(what);
  }

  state(row: number): RowState {
    return STATES[(this.#states[row] ?? 0) & STATE_BITS] ?? 'none';
  }

  /** The ID that the user recorded for a row that they resolved as applied. */
  foundId(row: number): string | undefined {
    return this.#foundIds.get(row);
  }

  attempts(row: number): number {
    return this.#attempts[row] ?? 0;
  }

  /** Would a resume send this row? Never an `unknown` one, until it is resolved. */
  isToDo(row: number): boolean {
    return ((this.#states[row] ?? 0) & LEFT_BIT) === 0;
  }

  /** How many rows a resume would send. */
  get toDo(): number {
    let count = 0;
    for (let row = 1; row <= this.rows; row++) if (this.isToDo(row)) count += 1;
    return count;
  }

  get progress(): Progress {
    let ended = 0;
    for (let row = 1; row <= this.rows; row++) if (ENDED.has(this.state(row)) && !this.isToDo(row)) ended += 1;
    return { rows: this.rows - this.count('none'), ended };
  }

  /** May an earlier attempt have been applied? It was `unknown`, and nothing has resolved that since. */
  isDoubtful(row: number): boolean {
    return ((this.#states[row] ?? 0) & DOUBT_BIT) !== 0;
  }

  /** Byte offset of the row's last intent line; -1 if there is none. */
  intentAt(row: number): number {
    return (this.#intentAt[row] ?? 0) - 1;
  }

  /** Byte offset of the row's last result line; -1 if there is none. */
  resultAt(row: number): number {
    return (this.#resultAt[row] ?? 0) - 1;
  }

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

/** Is a row still to do whose last record put it into this state? */
function isToDoAfter(state: RowState, record: IntentRecord | ResultRecord): boolean {
  if (state === 'resolved_not_applied') return true;
  if (record.s === 'intent' || (state !== 'rejected' && state !== 'not_sent')) return false;
  return isStillToDo(state, record.code, record.again === 1);
}
