import { nounOf } from '../api/operation.ts';
import type { Verdict } from '../context.ts';
import { isPartOfCardId } from '../history/history-event.ts';
import { readHistory } from '../history/read.ts';
import { readCardId } from '../input/values.ts';
import { cutText, displayWidth, padText } from '../output/cut-text.ts';
import { breakLine, plural, safeText } from '../output/text.ts';
import type { Session } from '../session.ts';
import { cardOf, type DeskLog, isOf, type KnownCard, keyOf } from './desk-log.ts';
import { judgeId } from './desk-session.ts';
import { clockTime, endedWords } from './screen.ts';

const LEAVE_WORDS = ['q', 'quit', 'exit', 'leave'];
const HELP_WORDS = ['?', 'help'];
/** On fewer columns, a card in the list has only the first 8 characters of its ID. */
const WHOLE_ID_COLUMNS = 110;
const MOST_FOUND = 20;

export const HELP = `Type or paste the card ID. These find a card that this machine knows, too:
  its order number (the client reference), the first 8 characters of its ID or more, or its number in the list.
  q leaves the desk, Esc empties the line, Ctrl-C leaves.`;

/** The cards that a number chooses, one per line, or what to do without any. */
export function recentText(cards: readonly KnownCard[], width: number, now: number, room = Number.POSITIVE_INFINITY) {
  if (cards.length === 0) return 'Paste the ID of a card. ? explains, q leaves the desk.\n';
  const rows = cards.map(({ cardId, reference = '', status = '', write }) => {
    const id = width < WHOLE_ID_COLUMNS ? cardId.slice(0, 8) : cardId;
    const did = write && `${nounOf(write.operation)} ${clockTime(write.timeMs, now)}: ${endedWords(write)}`;
    return [id, cutText(safeText(reference), 20), safeText(status), did ?? ''];
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
  let [count, rows] = [0, 1];
  for (const { length } of entries) {
    rows += length;
    if (rows > room) break;
    count += 1;
  }
  return [...entries.slice(0, count).flat(), `  ${plural(entries.length - count, 'more card')}`];
}

/** What a text at the question for a card means: to leave, help, a card, or a text to find one by. */
export function wantedBy(text: string, recent: readonly KnownCard[]) {
  const typed = text.trim();
  const word = typed.toLowerCase();
  if (LEAVE_WORDS.includes(word)) return { kind: 'leave' } as const;
  if (HELP_WORDS.includes(word)) return { kind: 'help' } as const;
  const chosen = /^[1-9]$/.test(typed) ? recent[Number(typed) - 1] : undefined;
  const cardId = chosen?.cardId ?? (readCardId(typed).kind === 'id' ? typed : undefined);
  return cardId === undefined ? ({ kind: 'text', text: typed } as const) : ({ kind: 'card', cardId } as const);
}

/** Judges a text at the question. An ID inside it must be confirmed. */
export function judgeWanted(text: string, recent: readonly KnownCard[]): Verdict {
  const wanted = wantedBy(text, recent);
  if (wanted.kind !== 'text') return true;
  if (wanted.text === '') return 'paste the card ID, or type the number of a recent one. ? explains';
  return readCardId(wanted.text).kind === 'none' ? true : judgeId(wanted.text, undefined);
}

/** The cards with this order number or beginning of an ID, in this session and in the records. */
export async function findCards(session: Session, log: DeskLog, host: string, text: string) {
  const isPart = isPartOfCardId(text);
  const begins = text.toLowerCase().replaceAll('-', '');
  const fits = ({ cardId, reference }: KnownCard) =>
    reference === text || (isPart && keyOf(cardId).replaceAll('-', '').startsWith(begins));
  const found = new Map(log.cards.filter(fits).map((card) => [keyOf(card.cardId), card]));
  const { stateDir } = session.places;
  if (stateDir === undefined) return [...found.values()];
  const isHere = isOf(session, host);
  const { entries } = await readHistory(stateDir, {
    ...(isPart ? { id: text } : { holds: JSON.stringify(text) }),
    isWanted: (entry) => isHere(entry) && (isPart || entry.clientReference === text),
    limit: MOST_FOUND,
  });
  for (const entry of entries) {
    const card = cardOf(entry);
    if (card === undefined) continue;
    const { resultId } = entry.callOutcome;
    for (const each of resultId === undefined ? [card] : [card, { cardId: resultId }])
      if (fits(each) && !found.has(keyOf(each.cardId))) found.set(keyOf(each.cardId), each);
  }
  return [...found.values()];
}
