import { Failure, type Notice, warning } from '../base/failure.ts';
import { type JsonValue, textAt } from '../base/json/value.ts';
import { lineOf, type SeenCard } from '../records/card-line.ts';
import type { KnownCardsPlace } from '../records/remember-cards.ts';
import { CARD_ID } from '../service/api/field.ts';

/** Longer texts are no order number, and no status. */
const MAX_TEXT = 1000;
/** A run appends so many bytes at a time, about 500 cards. */
const BATCH_BYTES = 96 * 1024;
/** Behind them is space for a line of the longest texts, all escaped. */
const SPACE_BYTES = BATCH_BYTES + 32 * 1024;

/** What is remembered of a card in a response; undefined for what is no card. `seenAt`: in ISO 8601. */
export function seenCard(
  resource: JsonValue,
  seenAt: string,
  mask: (text: string) => string = (text) => text,
): SeenCard | undefined {
  const cardId = textAt(resource, 'cardId') ?? '';
  if (!CARD_ID.test(cardId)) return undefined;
  const seen = (name: string) => {
    const text = textAt(resource, name);
    return text !== undefined && text.length <= MAX_TEXT ? mask(text) : undefined;
  };
  return { cardId, clientReference: seen('clientReference'), status: seen('status'), seenAt };
}

export type SeenCards = ReturnType<typeof openSeenCards>;

/**
 * Collects the cards in responses for `card find`. They are appended beside the work, and what goes wrong then never
 * changes how a call ends: only a folder that others can write to is warned about, once. `isLasting`: the process serves
 * call after call, so nothing waits for its end.
 */
export function openSeenCards(isLasting: boolean, notify: (notice: Notice) => Promise<void>) {
  // Bytes: texts would keep the responses whose parts they are, and that many that wait make the heap grow.
  let space: Buffer | undefined;
  let length = 0;
  let last: SeenCard | undefined;
  let since = '';
  let place: KnownCardsPlace | undefined;
  let writing = Promise.resolve();
  let isOver = false;
  const append = async (at: KnownCardsPlace, lines: Buffer, first: string): Promise<void> => {
    if (isOver) return;
    try {
      const { rememberCards, SLACK_BYTES } = await import('../records/remember-cards.ts');
      const size = await rememberCards(at, lines, first);
      if (lines.length < BATCH_BYTES || size <= SLACK_BYTES) return;
      const { compactCards } = await import('../records/known-cards.ts');
      await compactCards(at, size, first);
    } catch (error) {
      isOver = true;
      if (!(error instanceof Failure) || error.code !== 'AUTH') return;
      await notify(warning('CARDS_NOT_REMEMBERED', `cards are not remembered: ${error.ofRead().message}`));
    }
  };
  const appendAll = (): void => {
    if (place === undefined || space === undefined) return;
    const [at, lines, first] = [place, space.subarray(0, length), since];
    [space, length, last] = [undefined, 0, undefined];
    writing = writing.then(() => append(at, lines, first));
  };
  return {
    saw(at: KnownCardsPlace, card: SeenCard): void {
      const isSame = last?.cardId === card.cardId && last.status === card.status;
      if (isOver || isSame) return;
      if (space === undefined) [space, since] = [Buffer.allocUnsafe(SPACE_BYTES), card.seenAt];
      [place, last] = [at, card];
      length += space.write(lineOf(card), length);
      if (isLasting || length >= BATCH_BYTES) appendAll();
    },
    /** Resolves when all of them are appended, or cannot be. */
    close(): Promise<void> {
      appendAll();
      return writing;
    },
  };
}
