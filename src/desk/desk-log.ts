import type { ClockPort } from '../base/context.ts';
import { type JsonObject, textAt } from '../base/json/value.ts';
import type { Session } from '../command/session.ts';
import type { SeenCard } from '../records/card-line.ts';
import { SentElsewhere } from '../records/once.ts';
import { isForgotten } from '../records/open-files.ts';
import type { WriteRecorder } from '../records/record.ts';
import type { Closing, HistoryEntry } from '../records/write-record.ts';
import { isResolvedAt, type Operation, resolvedBy, targetStatus } from '../service/api/operation.ts';
import { operationNamed } from '../service/api/operations.ts';
import { type CallOutcome, isDone, NO_OUTCOME } from '../service/call-outcome.ts';

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
  readonly checkedMs?: number | undefined;
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

export function isOpen({ callOutcome, supersededBy, resolved }: DeskWrite): boolean {
  return callOutcome?.outcome === 'unknown' && supersededBy === undefined && resolved === undefined;
}

export function changedNothing(write: DeskWrite | undefined): boolean {
  return write?.callOutcome?.outcome === 'rejected' || write?.callOutcome?.outcome === 'not_sent';
}

/** An entry of the history as a change of a card; undefined if it is none. */
export function writeOf(entry: HistoryEntry): DeskWrite | undefined {
  const operation = operationNamed(entry.operation);
  if (entry.id === undefined || operation?.family !== 'cards') return undefined;
  const { id, time, read, ...known } = entry;
  const checkedMs = read !== undefined && entry.callOutcome.outcome !== 'unknown' ? Date.parse(read.time) : undefined;
  return { ...known, operation, cardId: id, timeMs: Date.parse(time), checkedMs };
}

/** The cards of a history entry: the new one of a reissue, and the one that it was about. */
export function cardsOf(entry: HistoryEntry): readonly KnownCard[] {
  const write = writeOf(entry);
  if (write === undefined) return [];
  const { clientReference: reference, callOutcome, resolved } = entry;
  const made = callOutcome.resultId ?? resolved?.resultId;
  const about = { cardId: write.cardId, reference, write };
  return made === undefined || keyOf(made) === keyOf(write.cardId) ? [about] : [{ cardId: made, write }, about];
}

/**
 * Changed and seen cards as one list, newest first. `changed`: of several of a card the first counts. The status is the
 * one that was read last: it is over after a change, unless that is known to have changed nothing.
 */
export function mergeKnown(changed: readonly KnownCard[], seen: readonly SeenCard[]): readonly KnownCard[] {
  const cards = new Map<string, { card: KnownCard; timeMs: number }>();
  const add = (card: KnownCard, timeMs: number) => cards.set(keyOf(card.cardId), { card, timeMs });
  for (const card of changed) if (!cards.has(keyOf(card.cardId))) add(card, card.write?.timeMs ?? 0);
  for (const { cardId, clientReference, status, seenAt } of seen) {
    const { card, timeMs = 0 } = cards.get(keyOf(cardId)) ?? {};
    const seenMs = Date.parse(seenAt);
    const isOver = seenMs < timeMs && !changedNothing(card?.write);
    const known = { reference: clientReference ?? card?.reference, ...(isOver ? {} : { status }) };
    add({ ...card, cardId, ...known }, Math.max(seenMs, timeMs));
  }
  return [...cards.values()].toSorted((one, other) => other.timeMs - one.timeMs).map(({ card }) => card);
}

/** Is an entry about this service? What is known of a card is known at a base URL, whatever the profile. */
export function isOf(session: Pick<Session, 'placeOf' | 'places'>) {
  const place = session.placeOf('cards');
  const { stateDir } = session.places;
  return (entry: Pick<HistoryEntry, 'url' | 'profile' | 'time'>) =>
    entry.url === place && (stateDir === undefined || !isForgotten(stateDir, entry));
}

/** What happened at the desk since it was opened: the cards seen, and the changes as recorded. */
export class DeskLog {
  readonly #clock: Pick<ClockPort, 'now'>;
  readonly openedMs: number;
  readonly #cards = new Map<string, KnownCard>();
  readonly #writes: DeskWrite[] = [];
  readonly #last = new Map<string, Last>();
  readonly #looked = new Set<string>();

  /** `known`: earlier cards, newest first. */
  constructor(clock: Pick<ClockPort, 'now'>, known: readonly KnownCard[] = []) {
    this.#clock = clock;
    this.openedMs = clock.now();
    for (const card of known.toReversed()) this.#remember(card);
  }

  /** The record of changes, through which this log learns of each, also of one that is refused at its beginning. */
  recording(recorder: WriteRecorder): WriteRecorder {
    return {
      ...recorder,
      begin: async (intent, callOutcome, once) => {
        const { id: cardId = '', reason } = intent;
        const operation = operationNamed(intent.operation);
        const timeMs = this.#clock.now();
        const began = (entry: string, callOutcome: CallOutcome | undefined): void => {
          if (operation === undefined) return;
          const write = { cardId, reason, timeMs, operation, entry, callOutcome };
          if (callOutcome === undefined) this.#writes.push(write);
          else this.#ended(write);
        };
        try {
          const entry = await recorder.begin(intent, callOutcome, once);
          began(entry, callOutcome);
          return entry;
        } catch (error) {
          // Of one that another sent, how it ended is recorded next.
          if (!(error instanceof SentElsewhere)) began('', { ...NO_OUTCOME, outcome: 'not_sent' });
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
    // What was sent says more than that a later one was not.
    const isLater = last === undefined || last.timeMs <= write.timeMs || last.callOutcome?.outcome === 'not_sent';
    if (isLater) this.#last.set(key, { write, status });
    this.#remember({ cardId: write.cardId, write });
  }

  /** What a read resolves without a record: of several changes the newest. */
  resolves(cardId: string, status: string | undefined): void {
    const isResolved = (write: DeskWrite) =>
      keyOf(write.cardId) === keyOf(cardId) &&
      write.entry === '' &&
      isOpen(write) &&
      isResolvedAt(write.operation, status);
    const write = this.#writes.findLast(isResolved);
    if (write?.callOutcome === undefined) return;
    const callOutcome = { ...write.callOutcome, outcome: 'confirmed_by_read' } as const;
    this.learned({ ...write, callOutcome, checkedMs: this.#clock.now() }, status, write);
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

  get checkedCards(): number {
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
    if (wasDone && resolvedBy(operation) !== undefined) this.#supersede(write);
    // After a reissue, the status of the old card is not known until it is read.
    this.#remember({ cardId, write, ...(wasDone ? { status: resolvedBy(operation) } : {}) });
    const { resultId } = callOutcome ?? {};
    if (resultId === undefined) return;
    this.#last.set(keyOf(resultId), { write, status: undefined });
    this.#remember({ cardId: resultId, write });
  }

  /** Without a record, a change that was done supersedes what was open before. */
  #supersede({ entry, cardId, timeMs }: DeskWrite): void {
    for (const [at, each] of this.#writes.entries()) {
      const isBefore = keyOf(each.cardId) === keyOf(cardId) && each.timeMs < timeMs;
      if (!isBefore || !isOpen(each) || resolvedBy(each.operation) === undefined) continue;
      this.#writes[at] = { ...each, supersededBy: entry };
    }
  }

  #remember(card: KnownCard): void {
    const key = keyOf(card.cardId);
    const before = this.#cards.get(key);
    this.#cards.delete(key);
    this.#cards.set(key, { ...before, ...card, reference: card.reference ?? before?.reference });
  }
}
