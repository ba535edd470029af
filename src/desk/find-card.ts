import type { Verdict } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { outside, quoted } from '../base/json/outside-text.ts';
import { hintText } from '../base/next-step.ts';
import type { Session } from '../command/session.ts';
import { judgeId, nearlyIdProblem, readCardId } from '../input/values.ts';
import { namedProfile } from '../profile/resolve.ts';
import { referenceKey } from '../records/card-line.ts';
import { findCards as findKnown, SHORTEST_REFERENCE } from '../records/known-cards.ts';
import { isPartOfCardId } from '../records/write-record.ts';
import { cutText, displayWidth, padText } from '../screen/cut-text.ts';
import { breakLine, plural, safeText } from '../screen/text.ts';
import { nounOf } from '../service/api/operation.ts';
import { type DeskLog, type KnownCard, keyOf } from './desk-log.ts';
import { clockTime, endedWords } from './screen.ts';

const LEAVE_WORDS = ['q', 'quit', 'exit', 'leave'];
const HELP_WORDS = ['?', 'help'];
/** On fewer columns, a card in the list has only the first 8 characters of its ID. */
const WHOLE_ID_COLUMNS = 110;

export const HELP = `Type or paste a card ID, such as 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101.
These find a card that this machine knows, too:
  its order number (the client reference), or its first 3 characters or more
  the first 8 characters of its ID or more
  its number in the list of recent cards
q leaves the desk. Esc and Ctrl-C empty the line. Ctrl-C goes one step back from an empty one.`;

const NOT_FOUND = 'no card with this order number or beginning of an ID is known here: paste the whole card ID';

/** What the question for a card takes: `Card ID, order number or 1-4`. */
export function wantedWords(recent: number): string {
  return recent === 0 ? 'Card ID or order number' : `Card ID, order number or ${recent === 1 ? '1' : `1-${recent}`}`;
}

/** The cards that a number chooses, one per line, or what to do without any. */
export function recentText(cards: readonly KnownCard[], width: number, now: number, room = Number.POSITIVE_INFINITY) {
  if (cards.length === 0) return 'Paste the ID of a card. ? explains, q leaves the desk.\n';
  const rows = cards.map(({ cardId, reference = '', status = '', write }) => {
    const id = width < WHOLE_ID_COLUMNS ? cardId.slice(0, 8) : cardId;
    const isNew = write !== undefined && keyOf(write.cardId) !== keyOf(cardId);
    const ended = isNew ? `replaces ${write.cardId.slice(0, 8)}` : write && endedWords(write);
    const did = write && `${nounOf(write.operation)} ${clockTime(write.timeMs, now)}: ${ended}`;
    const cells = [cutText(safeText(reference), 20), safeText(status)].map((cell) => cell && outside(cell));
    return [id, ...cells, did ?? ''];
  });
  const widths = [1, 2].map((column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))));
  const entries = rows.map(([id = '', reference = '', status = '', did = ''], index) => {
    const card = `  ${index + 1} ${id}  ${padText(reference, widths[0] ?? 0)}  ${padText(status, widths[1] ?? 0)}`;
    const line = `${card}  ${did}`.trimEnd();
    const lines = displayWidth(line) <= width ? [line] : [card.trimEnd(), ...breakLine(`    ${did}`, width)];
    return lines.map((each) => cutText(each, width));
  });
  return ['Recent cards', ...fitting(entries, room - 1)]
    .slice(0, Math.max(0, room))
    .map((line) => `${line}\n`)
    .join('');
}

/** The lines of as many entries as have room. The others are counted. */
function fitting(entries: readonly (readonly string[])[], room: number): readonly string[] {
  const all = entries.flat();
  if (all.length <= room) return all;
  const count = entries.findIndex((_, at) => entries.slice(0, at + 1).flat().length >= room);
  return [...entries.slice(0, count).flat(), `  ${plural(entries.length - count, 'more card')}`];
}

/** What a text at the question for a card means: to leave, help, a card, or a text to find one by. */
export function wantedBy(text: string, recent: readonly KnownCard[] = []) {
  const typed = text.trim();
  const word = typed.toLowerCase();
  if (LEAVE_WORDS.includes(word)) return { kind: 'leave' } as const;
  if (HELP_WORDS.includes(word)) return { kind: 'help' } as const;
  const chosen = /^[1-9]$/.test(typed) ? recent[Number(typed) - 1] : undefined;
  const cardId = chosen?.cardId ?? (readCardId(typed).kind === 'id' ? typed : undefined);
  return cardId === undefined ? ({ kind: 'text', text: typed } as const) : ({ kind: 'card', cardId } as const);
}

type Place = Pick<Session, 'places' | 'placeOf' | 'selectedProfile'>;

function findRemembered(session: Place, text: string) {
  const { stateDir } = session.places;
  const none = { cards: [], count: 0, failure: undefined };
  try {
    return stateDir === undefined ? none : findKnown({ stateDir, url: session.placeOf('cards') }, text);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...none, failure: error };
  }
}

/**
 * The cards that `card find` finds, and those of this session: by the whole order number, else by its beginning (3
 * characters or more) or the beginning of an ID (8 or more), in any case.
 */
export function findCards(session: Place, log: DeskLog, text: string) {
  const known = findRemembered(session, text);
  const begins = referenceKey(text);
  // A digit too few is a slip: the card that begins so may be another.
  const isPart = isPartOfCardId(text) && nearlyIdProblem(text) === undefined;
  const isWhole = ({ reference }: KnownCard) => reference !== undefined && referenceKey(reference) === begins;
  const fits = (card: KnownCard) =>
    isWhole(card) ||
    ([...text].length >= SHORTEST_REFERENCE && referenceKey(card.reference ?? '').startsWith(begins)) ||
    (isPart && keyOf(card.cardId).replaceAll('-', '').startsWith(begins.replaceAll('-', '')));
  const found = new Map<string, KnownCard>();
  for (const { cardId, clientReference: reference, status } of known.cards)
    found.set(keyOf(cardId), log.known(cardId) ?? { cardId, reference, status });
  for (const card of log.cards) found.set(keyOf(card.cardId), card);
  const all = [...found.values()].filter(fits);
  const whole = all.filter(isWhole);
  const cards = whole.length > 0 ? whole : all;
  return { cards, more: known.count - known.cards.length, failure: known.failure };
}

export type DeskFound = ReturnType<typeof findCards>;

/**
 * Judges a text, and says what it finds. An ID inside it must be confirmed, and a text that finds nothing stays in the
 * line. `recent`: undefined at a menu, where the next text means something else.
 */
export function judgeWanted(
  session: Place,
  log: DeskLog,
  text: string,
  recent?: readonly KnownCard[],
): { readonly verdict: Verdict; readonly found?: DeskFound | undefined } {
  const wanted = wantedBy(text, recent);
  if (wanted.kind !== 'text') return { verdict: true };
  const typed = wanted.text;
  if (typed === '') return { verdict: 'paste the card ID, or type the number of a recent one. ? explains' };
  const found = readCardId(typed).kind === 'none' ? findCards(session, log, typed) : undefined;
  if (found?.cards.length || found?.failure !== undefined) return { verdict: true, found };
  const step = { do: 'import an export of orders', profile: namedProfile(session.selectedProfile()) } as const;
  const why = `${NOT_FOUND}, or ${hintText(step)}`;
  const verdict = judgeId(typed, why);
  if (verdict !== why) return { verdict };
  return { verdict: recent === undefined ? `${quoted(typed)} names no entry, and ${why}` : { instead: typed, why } };
}
