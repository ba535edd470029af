import { type CallOutcome, isDone, isHeldBack } from '../call-outcome.ts';
import { OUTCOMES, type Outcome } from '../failure.ts';
import type { OutcomeCounts } from './journal/record.ts';
import type { RowResult } from './row-outcome.ts';

/** What a row is counted as: its outcome, or for a read whether it succeeded. */
export type TallyKey = Outcome | 'read' | 'failed';

const KEYS: readonly TallyKey[] = [...OUTCOMES, 'read', 'failed'];

/** How a row is said to have ended. */
export const OUTCOME_NAMES: Readonly<Record<TallyKey, string>> = {
  applied: 'applied',
  confirmed_by_read: 'confirmed by read',
  rejected: 'rejected',
  not_sent: 'not sent',
  unknown: 'unknown',
  read: 'read',
  failed: 'failed',
};

/** More different causes than this are counted together: their names come from outside. */
const MAX_CAUSES = 50;
const OTHER_CAUSES = 'other causes';
const NOT_REACHED = 'not reached';

/** What the service said of a row: the status, and the words of its error body. */
interface Said {
  readonly row: number;
  readonly httpStatus: number;
  readonly message: string;
}

/** Why rows ended in one way, under a name that may come from outside. */
export interface Cause<Key = unknown> {
  readonly outcome: Key;
  readonly name: string;
  rows: number;
  /** Of the first row that the service said something of. */
  said?: Said | undefined;
  /** Did the service say something else of another? */
  isVaried?: boolean;
}

/** Counts why rows did not succeed, by how they ended. */
export class CauseCounter<Key> {
  readonly #causes = new Map<Key, Map<string, Cause<Key>>>();

  add(outcome: Key, name: string, rows = 1, said?: Said): void {
    const causes = this.#causes.get(outcome) ?? new Map<string, Cause<Key>>();
    this.#causes.set(outcome, causes);
    const kept = causes.has(name) || causes.size < MAX_CAUSES ? name : OTHER_CAUSES;
    const cause = causes.get(kept) ?? { outcome, name: kept, rows: 0 };
    causes.set(kept, cause);
    cause.rows += rows;
    cause.said ??= said;
    cause.isVaried ||= said !== undefined && said.message !== cause.said?.message;
  }

  /** The causes of all, or of the rows that ended as `outcome`, most frequent first. */
  of(outcome?: Key): readonly Cause<Key>[] {
    const all = [...this.#causes.values()].flatMap((causes) => [...causes.values()]);
    return all
      .filter((cause) => outcome === undefined || cause.outcome === outcome)
      .sort((one, other) => other.rows - one.rows);
  }
}

/** Counts the rows of a run as they end, earlier ones from the journal included. Its size does not grow with the rows. */
export class RunTally {
  /** Rows counted so far. */
  rows = 0;
  /** Rows that this process sent, or tried to. */
  sent = 0;
  /** Requests of the rows that left in this process, and how many attempts were further ones. */
  requests = 0;
  retries = 0;
  /** Rows that ended in earlier processes: those that are unknown have not. */
  fromJournal = 0;
  /** Rows that the run did not come to. */
  notReached = 0;
  /** Rows that a resume would do. */
  toDo = 0;
  /** Rows that the service answered, or whose request left. */
  reachedService = 0;
  /** Rows that could not be sent because there was no way to the service. */
  unreachable = 0;
  /** Planned rows that were sent although nothing shows whether they changed since. */
  uncompared = 0;
  readonly #counts = new Map<TallyKey, number>();
  readonly causes = new CauseCounter<TallyKey>();

  /** `again`: a resume does this row (again). */
  add(result: RowResult, again: boolean): void {
    const key = keyOf(result);
    this.rows += 1;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (again) this.toDo += 1;
    if (result.source === 'sent') {
      this.sent += 1;
      if (result.row.drift === 'unchecked') this.uncompared += 1;
      const attempts = result.ending.attempts - (result.earlierAttempts ?? 0);
      this.requests += result.requests ?? 0;
      this.retries += Math.max(0, attempts - 1);
    }
    if (result.source === 'journal' && key !== 'unknown') this.fromJournal += 1;
    if (result.source === 'not_reached') this.notReached += 1;
    const cause = result.source === 'not_reached' ? NOT_REACHED : causeOf(result.ending);
    if (cause !== undefined) this.causes.add(key, cause, 1, saidOf(result));
    this.#addReach(result);
  }

  /** Counts rows that the run did not come to, and of which nothing is printed. */
  addUnreached(rows: number): void {
    if (rows === 0) return;
    this.rows += rows;
    this.notReached += rows;
    this.#counts.set('not_sent', this.of('not_sent') + rows);
    this.causes.add('not_sent', NOT_REACHED, rows);
  }

  /** Rows that did not succeed, those not reached included. */
  get failed(): number {
    return this.rows - this.of('applied') - this.of('confirmed_by_read') - this.of('read');
  }

  of(key: TallyKey): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Rows by outcome, without the outcomes that no row has. A read that succeeded counts as `read`. */
  counts(): Readonly<Partial<Record<TallyKey, number>>> {
    return Object.fromEntries(KEYS.filter((key) => this.of(key) > 0).map((key) => [key, this.of(key)]));
  }

  /** The same for a write's journal: only outcomes. */
  outcomes(): OutcomeCounts {
    const { read: _read, failed: _failed, ...outcomes } = this.counts();
    return outcomes;
  }

  #addReach(result: RowResult): void {
    const { code, outcome } = result.ending;
    if (result.source === 'not_reached') return;
    if (code === 'UNREACHABLE') this.unreachable += 1;
    else if (outcome !== 'not_sent' || isHeldBack(outcome, code)) this.reachedService += 1;
  }
}

function saidOf({ row: { row }, ending: { httpStatus, message } }: RowResult): Said | undefined {
  return httpStatus === undefined || message === undefined ? undefined : { row, httpStatus, message };
}

/** What a row is counted as. */
function keyOf(result: RowResult): TallyKey {
  if (result.ending.outcome !== null) return result.ending.outcome;
  return result.failure === undefined ? 'read' : 'failed';
}

/** Why a row did not succeed, in a word: the service's code, else the status, else frontdesk's own code. Undefined where it did. */
export function causeOf({ outcome, code, errorCode, httpStatus }: CallOutcome): string | undefined {
  if (isDone(outcome)) return undefined;
  if (code === undefined) return outcome === null ? undefined : NOT_REACHED;
  const isPlain = code === 'REJECTED' || code === 'OUTCOME_UNKNOWN';
  const status = httpStatus === undefined ? undefined : `HTTP ${httpStatus}`;
  return errorCode ?? (isPlain ? status : undefined) ?? code;
}
