import { type Operation, settledBy, targetStatus } from '../api/operation.ts';
import type { Outcome } from '../failure.ts';
import type { JsonObject } from '../json/value.ts';
import { cellText } from '../output/column.ts';

/** A card as it was last seen at the desk, or as the history knows it. */
export interface RecentCard {
  readonly cardId: string;
  readonly reference?: string | undefined;
  readonly status?: string | undefined;
  /** A write of it is unknown, by the history. */
  readonly isOpen?: boolean;
}

const RECENT_LIMIT = 9;

function keyOf(cardId: string): string {
  return cardId.toLowerCase();
}

/** Whether two ids are of one card: its case does not matter. */
export function isSame(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function doneWord({ command, effect }: Operation): string {
  return effect.kind === 'write' ? effect.done : command;
}

/** What happened at the desk since it was opened: the cards seen, the writes, and what is still unknown. */
export class DeskLog {
  readonly #recent = new Map<string, RecentCard>();
  readonly #doubts = new Map<string, { cardId: string; command: string; operation: Operation }>();
  readonly #done = new Map<string, number>();
  /** Cards of which a write is or was unknown, by the history or here. */
  readonly #open = new Set<string>();
  #looks = 0;

  /** Cards known before the desk was opened, newest first. */
  constructor(known: readonly RecentCard[] = []) {
    for (const card of [...known].reverse()) {
      this.#remember(card);
      if (card.isOpen === true) this.#open.add(keyOf(card.cardId));
    }
  }

  /** A card was read: it is the newest, and settles a write that aimed at its status. Returns the writes it settled. */
  saw(cardId: string, card: JsonObject): readonly string[] {
    this.#looks += 1;
    const status = cellText(card.get('status'));
    this.#remember({ cardId, reference: cellText(card.get('clientReference')), status });
    const settled = [...this.#doubts].filter(
      ([, doubt]) => doubt.cardId === keyOf(cardId) && settledBy(doubt.operation) === status,
    );
    for (const [key, { operation }] of settled) {
      this.#doubts.delete(key);
      this.#count(`${doneWord(operation)} (settled by a look)`);
    }
    return settled.map(([, doubt]) => doubt.command);
  }

  /** A look settled a write that was unknown before the desk was opened. */
  settledEarlier(operation: Operation, cardId: string): void {
    this.#count(`${doneWord(operation)} (settled by a look)`);
    this.#remember({ cardId, isOpen: false });
  }

  /** A write of the card ended. A repeat that was applied settles an unknown one, unless each makes a new card. */
  ended(operation: Operation, cardId: string, outcome: Outcome, made?: string): void {
    const key = `${operation.command} ${keyOf(cardId)}`;
    if (outcome === 'unknown') {
      this.#open.add(keyOf(cardId));
      this.#doubts.set(key, { cardId: keyOf(cardId), command: operation.command, operation });
      return;
    }
    if (outcome === 'rejected') this.#count(`rejected (${operation.command.split('.').at(-1)})`);
    if (outcome !== 'applied' && outcome !== 'confirmed_by_read') return;
    if (settledBy(operation) !== undefined && this.#doubts.delete(key)) {
      this.#count(`${doneWord(operation)} (settled by a repeat)`);
    }
    this.#count(doneWord(operation));
    this.#remember({ cardId, status: targetStatus(operation) });
    if (made !== undefined) this.#remember({ cardId: made });
  }

  /** Whether a write of the card is or was unknown: what a look shows of it belongs into the history. */
  wasOpen(cardId: string): boolean {
    return this.#open.has(keyOf(cardId));
  }

  /** Newest first, those of which a write is unknown before the others. */
  get offered(): readonly RecentCard[] {
    const isOpen = ({ cardId, isOpen }: RecentCard) =>
      isOpen === true || this.unknown.some((doubt) => isSame(doubt.cardId, cardId));
    const cards = [...this.#recent.values()].reverse();
    return [...cards.filter(isOpen), ...cards.filter((card) => !isOpen(card))];
  }

  get looks(): number {
    return this.#looks;
  }

  /** How many writes were done or rejected, by the word that says it: `Blocked`. */
  get done(): ReadonlyMap<string, number> {
    return this.#done;
  }

  /** Cards with a write whose outcome is still unknown. */
  get unknown(): readonly { readonly cardId: string; readonly command: string }[] {
    return [...this.#doubts.values()];
  }

  #count(done: string): void {
    this.#done.set(done, (this.#done.get(done) ?? 0) + 1);
  }

  #remember(card: RecentCard): void {
    const key = keyOf(card.cardId);
    const before = this.#recent.get(key);
    this.#recent.delete(key);
    this.#recent.set(key, { ...before, ...card });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > RECENT_LIMIT && oldest !== undefined) this.#recent.delete(oldest);
  }
}
