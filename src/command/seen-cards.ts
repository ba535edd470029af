import { Failure, type Notice, warning } from '../base/failure.ts';
import { detached } from '../base/json/shorten.ts';
import { type JsonValue, textAt } from '../base/json/value.ts';
import type { KnownCardsPlace, SeenCard } from '../records/remember-cards.ts';
import { CARD_ID } from '../service/api/field.ts';

/** Longer texts are no order number, and no status. */
const MAX_TEXT = 1000;
/** A run appends this many cards at a time. */
const BATCH = 500;

/** Detached, because a part of a response keeps all of it in memory while the card waits to be appended. */
function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= MAX_TEXT ? detached(text) : undefined;
}

/** What is remembered of a card in a response; undefined for what is no card. `seenAt`: in ISO 8601. */
export function seenCard(resource: JsonValue, seenAt: string): SeenCard | undefined {
  const cardId = textAt(resource, 'cardId') ?? '';
  if (!CARD_ID.test(cardId)) return undefined;
  const [clientReference, status] = [textAt(resource, 'clientReference'), textAt(resource, 'status')];
  return {
    cardId: detached(cardId),
    clientReference: short(clientReference),
    status: short(status),
    seenAt,
  };
}

export type SeenCards = ReturnType<typeof openSeenCards>;

/**
 * Collects the cards in responses for `card find`. They are appended beside the work, and what goes wrong then never
 * changes how a call ends: only a folder that others can write to is warned about, once. `isLasting`: the process serves
 * call after call, so nothing waits for its end.
 */
export function openSeenCards(isLasting: boolean, notify: (notice: Notice) => Promise<void>) {
  let waiting: SeenCard[] = [];
  let place: KnownCardsPlace | undefined;
  let writing = Promise.resolve();
  let isOver = false;
  const append = async (): Promise<void> => {
    if (place === undefined || waiting.length === 0 || isOver) return;
    const cards = waiting;
    waiting = [];
    try {
      const { rememberCards } = await import('../records/remember-cards.ts');
      await rememberCards(place, cards);
      if (cards.length < BATCH) return;
      const { compactCards } = await import('../records/known-cards.ts');
      await compactCards(place, cards[0]?.seenAt ?? '');
    } catch (error) {
      isOver = true;
      if (!(error instanceof Failure) || error.code !== 'AUTH') return;
      await notify(warning('CARDS_NOT_REMEMBERED', `cards are not remembered: ${error.ofRead().message}`));
    }
  };
  return {
    saw(at: KnownCardsPlace, card: SeenCard): void {
      const last = waiting.at(-1);
      const isSame = last?.cardId === card.cardId && last.status === card.status;
      if (isOver || isSame) return;
      place = at;
      waiting.push(card);
      if (waiting.length >= (isLasting ? 1 : BATCH)) writing = writing.then(append);
    },
    /** Resolves when all of them are appended, or cannot be. */
    async close(): Promise<void> {
      await writing;
      await append();
    },
  };
}
