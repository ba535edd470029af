import { isSettledAt, type Operation, settledBy, targetStatus } from '../api/operation.ts';
import { operationsOf } from '../api/operations.ts';
import { type CallOutcome, isDone, NO_OUTCOME } from '../call-outcome.ts';
import type { ClockPort } from '../context.ts';
import type { Closing, HistoryEntry } from '../history/history-event.ts';
import type { WriteRecorder } from '../history/record.ts';
import { type JsonObject, textAt } from '../json/value.ts';
import type { Session } from '../session.ts';

/** A card as last seen at the desk or in the history. */
export interface KnownCard {
  readonly cardId: string;
  readonly reference?: string | undefined;
  readonly status?: string | undefined;
  readonly write?: DeskWrite | undefined;
}

/** A change in the records, of this session or an earlier one. */
export interface DeskWrite extends Closing {
  /** Its name in the history; empty without a record. */
  readonly entry: string;
  readonly operation: Operation;
  readonly cardId: string;
  readonly timeMs: number;
  readonly reason?: string | undefined;
  /** How it ended, as far as known; undefined: it is in progress. */
  readonly callOutcome: CallOutcome | undefined;
  /** When a read resolved it, in milliseconds since 1970. */
  readonly lookedMs?: number | undefined;
}

/** How the last change of a card ended, until a read shows another status. */
interface Last {
  readonly write: DeskWrite;
  status: string | undefined;
}

const RECENT_LIMIT = 9;

export function keyOf(cardId: string): string {
  return cardId.toLowerCase();
}

/** Is its outcome unknown, and not resolved or superseded? */
export function isOpen({ callOutcome, supersededBy, resolved }: DeskWrite): boolean {
  return callOutcome?.outcome === 'unknown' && supersededBy === undefined && resolved === undefined;
}

/** An entry of the history as a change of a card; undefined if it is none. */
export function writeOf(entry: HistoryEntry): DeskWrite | undefined {
  const [operation] = operationsOf(entry.operation);
  if (entry.id === undefined || operation?.family !== 'cards') return undefined;
  const { id, time, read, ...known } = entry;
  const lookedMs = read !== undefined && entry.callOutcome.outcome !== 'unknown' ? Date.parse(read.time) : undefined;
  return { ...known, operation, cardId: id, timeMs: Date.parse(time), lookedMs };
}

/** The card of a history entry; undefined if it has none. */
export function cardOf(entry: HistoryEntry): KnownCard | undefined {
  const write = writeOf(entry);
  const { clientReference: reference, callOutcome } = entry;
  return write && { cardId: write.cardId, reference, status: callOutcome.observedStatus ?? entry.status, write };
}

/** Is an entry of this profile at this host? */
export function isOf({ profile }: Pick<Session, 'profile'>, host: string) {
  return (entry: Pick<HistoryEntry, 'profile' | 'host'>) => entry.profile === profile.name && entry.host === host;
}

/** What happened at the desk since it was opened: the cards seen, and the changes as recorded. */
export class DeskLog {
  readonly #clock: Pick<ClockPort, 'now'>;
  readonly #cards = new Map<string, KnownCard>();
  readonly #writes: DeskWrite[] = [];
  readonly #last = new Map<string, Last>();
  readonly #looked = new Set<string>();

  /** `known`: earlier cards, newest first. */
  constructor(clock: Pick<ClockPort, 'now'>, known: readonly KnownCard[] = []) {
    this.#clock = clock;
    for (const card of known.toReversed()) this.#remember(card);
  }

  /** The record of changes, through which this log learns of each, also of one that is refused at its beginning. */
  recording(recorder: WriteRecorder): WriteRecorder {
    return {
      ...recorder,
      begin: async (intent, callOutcome) => {
        const { id: cardId = '', reason } = intent;
        const [operation] = operationsOf(intent.operation);
        const timeMs = this.#clock.now();
        const began = (entry: string, callOutcome: CallOutcome | undefined): void => {
          if (operation === undefined) return;
          const write = { cardId, reason, timeMs, operation, entry, callOutcome };
          if (callOutcome === undefined) this.#writes.push(write);
          else this.#ended(write);
        };
        try {
          const entry = await recorder.begin(intent, callOutcome);
          began(entry, callOutcome);
          return entry;
        } catch (error) {
          began('', { ...NO_OUTCOME, outcome: 'not_sent' });
          throw error;
        }
      },
      end: async (entry, callOutcome) => {
        const write = this.#writes.find((each) => each.entry === entry && each.callOutcome === undefined);
        if (write !== undefined) this.#ended({ ...write, callOutcome }, write);
        await recorder.end(entry, callOutcome);
      },
    };
  }

  /** A card was read: it is the newest. `isOwn`: the read that follows a change, which ends no verdict. */
  saw(cardId: string, card: JsonObject, isOwn = false): void {
    const status = textAt(card, 'status');
    this.#looked.add(keyOf(cardId));
    this.#remember({ cardId, reference: textAt(card, 'clientReference'), status });
    const last = this.#last.get(keyOf(cardId));
    if (last === undefined) return;
    if (isOwn) last.status = status;
    else if (last.status !== status && !isOpen(last.write)) this.#last.delete(keyOf(cardId));
  }

  /** More is known of a change. `before`: the change as it was, if it has no name. */
  learned(write: DeskWrite, status: string | undefined, before?: DeskWrite): void {
    const at = this.#writes.findIndex((each) => (before === undefined ? each.entry === write.entry : each === before));
    if (at >= 0) this.#writes[at] = write;
    const key = keyOf(write.cardId);
    const last = this.#last.get(key)?.write;
    if (last === undefined || last.timeMs <= write.timeMs) this.#last.set(key, { write, status });
    this.#remember({ cardId: write.cardId, write });
  }

  /** What a read resolves without a record: of several changes the newest. */
  settles(cardId: string, status: string | undefined): void {
    const isSettled = (write: DeskWrite) =>
      keyOf(write.cardId) === keyOf(cardId) &&
      write.entry === '' &&
      isOpen(write) &&
      isSettledAt(write.operation, status);
    const write = this.#writes.findLast(isSettled);
    if (write?.callOutcome === undefined) return;
    const callOutcome = { ...write.callOutcome, outcome: 'confirmed_by_read' } as const;
    this.learned({ ...write, callOutcome, lookedMs: this.#clock.now() }, status, write);
  }

  /** How the last change of the card ended; undefined if there was none, or a read showed another status since. */
  lastOf(cardId: string): DeskWrite | undefined {
    return this.#last.get(keyOf(cardId))?.write;
  }

  /** The changes of this session, oldest first. */
  get writes(): readonly DeskWrite[] {
    return this.#writes;
  }

  get open(): readonly DeskWrite[] {
    return this.#writes.filter(isOpen);
  }

  get looks(): number {
    return this.#looked.size;
  }

  known(cardId: string): KnownCard | undefined {
    return this.#cards.get(keyOf(cardId));
  }

  /** All known cards, newest first, those with an open write before the others. */
  get cards(): readonly KnownCard[] {
    const hasOpen = ({ write }: KnownCard) => write !== undefined && isOpen(write);
    const cards = [...this.#cards.values()].reverse();
    return [...cards.filter(hasOpen), ...cards.filter((card) => !hasOpen(card))];
  }

  get recent(): readonly KnownCard[] {
    return this.cards.slice(0, RECENT_LIMIT);
  }

  #ended(write: DeskWrite, before?: DeskWrite): void {
    const { operation, cardId, callOutcome } = write;
    const at = before === undefined ? -1 : this.#writes.indexOf(before);
    if (at >= 0) this.#writes[at] = write;
    else this.#writes.push(write);
    const wasDone = isDone(callOutcome?.outcome);
    const aim = wasDone ? targetStatus(operation) : undefined;
    this.#last.set(keyOf(cardId), { write, status: aim ?? this.known(cardId)?.status });
    if (wasDone && settledBy(operation) !== undefined) this.#supersede(write);
    // A reissue says nothing of the old card's status.
    this.#remember({ cardId, write, status: wasDone ? settledBy(operation) : undefined });
    const { resultId } = callOutcome ?? {};
    if (resultId === undefined) return;
    this.#last.set(keyOf(resultId), { write, status: undefined });
    this.#remember({ cardId: resultId });
  }

  /** Without a record, a change that was done supersedes what was open before. */
  #supersede({ entry, cardId, timeMs }: DeskWrite): void {
    for (const [at, each] of this.#writes.entries()) {
      const isBefore = keyOf(each.cardId) === keyOf(cardId) && each.timeMs < timeMs;
      if (!isBefore || !isOpen(each) || settledBy(each.operation) === undefined) continue;
      this.#writes[at] = { ...each, supersededBy: entry };
    }
  }

  #remember(card: KnownCard): void {
    const key = keyOf(card.cardId);
    const known = Object.fromEntries(Object.entries(card).filter(([, value]) => value !== undefined));
    const before = this.#cards.get(key);
    this.#cards.delete(key);
    this.#cards.set(key, { ...before, ...known, cardId: card.cardId });
  }
}
