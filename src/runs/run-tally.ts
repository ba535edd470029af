import { OUTCOMES, type Outcome } from '../base/failure.ts';
import { outside } from '../base/json/outside-text.ts';
import type { Hint } from '../base/next-step.ts';
import type { OutcomeCounts } from '../records/journal/record.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { type CallOutcome, isGood, isHeldBack } from '../service/call-outcome.ts';

/** What a row counts as: its outcome, or for a read whether it succeeded. */
export type TallyKey = Outcome | 'read' | 'failed';

const KEYS: readonly TallyKey[] = [...OUTCOMES, 'read', 'failed'];

/** Ways to succeed. */
export const GOOD: readonly TallyKey[] = ['applied', 'confirmed_by_read', 'skipped', 'read'];

/** Further causes are counted together: their names come from the service. */
const MAX_CAUSES = 50;
const OTHER_CAUSES = 'other causes';
const NOT_REACHED = 'not reached';

/** What the service returned: the status, and the words of its error body. */
interface Reported {
  readonly httpStatus: number;
  readonly message: string;
}

/** Why rows ended in one way. The name may come from the service. */
export interface Cause<Key = unknown> {
  readonly outcome: Key;
  readonly name: string;
  rows: number;
  /** From the first row with a response. */
  reported?: Reported | undefined;
  /** Did another row get other words? */
  isVaried?: boolean;
}

/** Counts the causes of rows that did not succeed. */
export class CauseCounter<Key> {
  readonly #causes = new Map<Key, Map<string, Cause<Key>>>();

  add(outcome: Key, name: string, rows = 1, reported?: Reported): void {
    const causes = this.#causes.get(outcome) ?? new Map<string, Cause<Key>>();
    this.#causes.set(outcome, causes);
    const kept = causes.has(name) || causes.size < MAX_CAUSES ? name : OTHER_CAUSES;
    const cause = causes.get(kept) ?? { outcome, name: kept, rows: 0 };
    causes.set(kept, cause);
    cause.rows += rows;
    cause.reported ??= reported;
    cause.isVaried ||= reported !== undefined && reported.message !== cause.reported?.message;
  }

  /** All causes, or those of one outcome, most frequent first. */
  of(outcome?: Key): readonly Cause<Key>[] {
    const all = [...this.#causes.values()].flatMap((causes) => [...causes.values()]);
    return all
      .filter((cause) => outcome === undefined || cause.outcome === outcome)
      .sort((one, other) => other.rows - one.rows);
  }
}

/** Counts the rows of a run, those from the journal included. Its size does not grow with the rows. */
export class RunTally {
  rows = 0;
  /** Rows that this process sent, or tried to. */
  sent = 0;
  /** Requests that left in this process, and how many of their attempts were retries. */
  requests = 0;
  retries = 0;
  /** Rows that ended in earlier processes, without unknown ones. */
  fromJournal = 0;
  notReached = 0;
  toDo = 0;
  /** Rows that a resume holds back again until something else has ended, and what to do about the first. */
  heldBack = 0;
  closing: Hint | undefined;
  /** Rows with a response, or whose request left. */
  reachedService = 0;
  /** Rows that could not be sent because the service could not be reached. */
  unreachable = 0;
  /** Rows that were sent, and whose end could not be recorded: a resume finds them unknown. */
  unrecorded = 0;
  /** Planned rows that were sent without a comparison. */
  uncompared = 0;
  readonly #counts = new Map<TallyKey, number>();
  readonly causes = new CauseCounter<TallyKey>();

  /** `again`: a resume sends this row again. */
  add(result: RowResult, again: boolean): void {
    const key = keyOf(result);
    this.rows += 1;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (again) this.toDo += 1;
    if (result.isForNow === true && result.callOutcome.code === 'PRECONDITION') {
      this.heldBack += 1;
      this.closing ??= result.failure?.hints[0];
    }
    if (result.source === 'sent') {
      this.sent += 1;
      if (result.row.drift === 'unchecked') this.uncompared += 1;
      const attempts = result.callOutcome.attempts - (result.earlierAttempts ?? 0);
      this.retries += Math.max(0, attempts - 1);
    }
    if (result.source === 'journal' && key !== 'unknown') this.fromJournal += 1;
    if (result.source === 'not_reached') this.notReached += 1;
    const cause = result.source === 'not_reached' ? NOT_REACHED : causeOf(result.callOutcome);
    if (cause !== undefined) this.causes.add(key, cause, 1, reportedBy(result));
    this.#addReach(result);
  }

  /** The end of a row that was counted could not be recorded. */
  unrecord<R extends RowResult>(result: R, again: boolean, report?: (result: R) => void): void {
    const key = keyOf(result);
    report?.(result);
    if (again) this.toDo -= 1;
    // What nobody knows is so with a record and without.
    if (key !== 'unknown') this.unrecorded += 1;
    this.#counts.set(key, this.of(key) - 1);
    this.#counts.set('unknown', this.of('unknown') + 1);
  }

  /** Counts rows that were not reached and are not printed. */
  addUnreached(rows: number): void {
    if (rows === 0) return;
    this.rows += rows;
    this.notReached += rows;
    this.#counts.set('not_sent', this.of('not_sent') + rows);
    this.causes.add('not_sent', NOT_REACHED, rows);
  }

  /** Rows that did not succeed, those not reached included. */
  get failed(): number {
    return this.rows - GOOD.reduce((rows, key) => rows + this.of(key), 0);
  }

  of(key: TallyKey): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Rows by outcome; a read that succeeded is `read`. Outcomes without rows are left out. */
  counts(): Readonly<Partial<Record<TallyKey, number>>> {
    return Object.fromEntries(KEYS.filter((key) => this.of(key) > 0).map((key) => [key, this.of(key)]));
  }

  /** The same with outcomes only, for a journal. */
  outcomes(): OutcomeCounts {
    const { read: _read, failed: _failed, ...outcomes } = this.counts();
    return outcomes;
  }

  #addReach(result: RowResult): void {
    const { code, outcome } = result.callOutcome;
    if (result.source === 'not_reached') return;
    if (code === 'UNREACHABLE') this.unreachable += 1;
    else if (outcome !== 'not_sent' || isHeldBack(outcome, code)) this.reachedService += 1;
  }
}

function reportedBy({ callOutcome: { httpStatus, message } }: RowResult): Reported | undefined {
  return httpStatus === undefined || message === undefined ? undefined : { httpStatus, message };
}

function keyOf(result: RowResult): TallyKey {
  if (result.callOutcome.outcome !== null) return result.callOutcome.outcome;
  return result.failure === undefined ? 'read' : 'failed';
}

/** Why a row did not succeed, in a word: the service's code, else the status, else frontdesk's own code. */
export function causeOf({ outcome, code, errorCode, httpStatus }: CallOutcome): string | undefined {
  if (isGood(outcome)) return undefined;
  if (code === undefined) return outcome === null ? undefined : NOT_REACHED;
  const isPlain = code === 'REJECTED' || code === 'OUTCOME_UNKNOWN';
  const status = httpStatus === undefined ? undefined : `HTTP ${httpStatus}`;
  return (errorCode === undefined ? undefined : outside(errorCode)) ?? (isPlain ? status : undefined) ?? code;
}
