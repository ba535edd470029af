import { aimOf, type Operation } from '../api/operation.ts';
import type { Outcome } from '../failure.ts';
import type { JsonObject } from '../json/value.ts';
import { cellText } from '../output/column.ts';

/** A card as it was last seen at the desk, or as the history knows it. */
export interface RecentCard {
  readonly cardId: string;
  readonly reference?: string | undefined;
  readonly status?: string | undefined;
}

const RECENT_LIMIT = 9;

function keyOf(cardId: string): string {
  return cardId.toLowerCase();
}

function isOnlyObserved({ effect }: Operation): boolean {
  return effect.kind === 'write' && effect.readBack !== 'none' && 'observes' in effect.readBack;
}

/** What happened at the desk since it was opened: the cards seen, the writes, and what is still unknown. */
export class Sitting {
  readonly #recent = new Map<string, RecentCard>();
  /** Writes whose outcome is not known yet. */
  readonly #doubts = new Map<string, { cardId: string; command: string; aim: string | undefined }>();
  readonly #done = new Map<string, number>();
  #looks = 0;

  /** Cards known before the desk was opened, newest first. */
  constructor(known: readonly RecentCard[] = []) {
    for (const card of [...known].reverse()) this.#remember(card);
  }

  /** A card was read: it is the newest, and settles a write that aimed at its status. Answers the writes it settled. */
  saw(cardId: string, card: JsonObject): readonly string[] {
    this.#looks += 1;
    const status = cellText(card.get('status'));
    this.#remember({ cardId, reference: cellText(card.get('clientReference')), status });
    const settled = [...this.#doubts].filter(([, doubt]) => doubt.cardId === keyOf(cardId) && doubt.aim === status);
    for (const [key] of settled) this.#doubts.delete(key);
    return settled.map(([, doubt]) => doubt.command);
  }

  /** A write of this card ended. A repeat that was applied settles one that was unknown. */
  ended(operation: Operation, cardId: string, outcome: Outcome | undefined): void {
    const key = `${operation.command} ${keyOf(cardId)}`;
    if (outcome === 'unknown') {
      const aim = aimOf(operation);
      // A card that was reissued before says nothing of a second time; a card that was blocked before is blocked.
      const wasThere = this.#recent.get(keyOf(cardId))?.status === aim && isOnlyObserved(operation);
      this.#doubts.set(key, {
        cardId: keyOf(cardId),
        command: operation.command,
        aim: wasThere ? undefined : aim,
      });
    }
    if (outcome !== 'applied' && outcome !== 'confirmed_by_read') return;
    this.#doubts.delete(key);
    const done = operation.effect.kind === 'write' ? operation.effect.done : operation.command;
    this.#done.set(done, (this.#done.get(done) ?? 0) + 1);
  }

  /** A card that a write made: it can be chosen at the next question. */
  made(cardId: string): void {
    this.#remember({ cardId });
  }

  /** Newest first. */
  get recent(): readonly RecentCard[] {
    return [...this.#recent.values()].reverse();
  }

  get looks(): number {
    return this.#looks;
  }

  /** How many writes were done, by the word that says it: `Blocked`. */
  get done(): ReadonlyMap<string, number> {
    return this.#done;
  }

  /** Cards with a write whose outcome is still unknown. */
  get unknown(): readonly { readonly cardId: string; readonly command: string }[] {
    return [...this.#doubts.values()];
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
