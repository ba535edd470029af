import type { JsonObject } from '../json/value.ts';
import { cardBody, cardHead, labelledId } from '../output/card-view.ts';
import { cutText } from '../output/cut-text.ts';
import { breakLine } from '../output/line-break.ts';
import type { ViewStyle } from '../output/options.ts';
import { makePaint } from '../output/paint.ts';
import { safeText } from '../output/safe-text.ts';
import type { KnownCard } from './desk-log.ts';
import type { Said } from './desk-ports.ts';

/** The card at hand, as it was last seen. */
export interface Seen {
  readonly cardId: string;
  /** As it was read last; undefined: it was not. */
  readonly card: JsonObject | undefined;
  /** How the last look ended: only a card that was read then is written to. */
  readonly look: 'read' | 'not found' | 'not read';
  /** The card that this one replaces, and the one that replaces it. */
  readonly replaces?: string | undefined;
  readonly replacedBy?: string | undefined;
}

/** What identifies the card, and what state it is in. */
function headOf(
  { cardId, card, look, replaces, replacedBy }: Seen,
  known: KnownCard | undefined,
  style: ViewStyle,
): readonly string[] {
  const paint = makePaint(style.colour);
  const before = [
    ...(replaces === undefined ? [] : [`  replaces ${safeText(replaces)}`]),
    ...(replacedBy === undefined ? [] : [`  replaced by ${safeText(replacedBy)}`]),
  ].flatMap((line) => breakLine(line, style.width));
  if (card !== undefined) return [...cardHead(card, style), ...before];
  const status = look === 'not found' ? 'not found' : 'could not be read';
  const last = known?.status === undefined ? '' : `, last seen ${safeText(known.status)}`;
  const reference = known?.reference === undefined ? [] : [`Reference     ${safeText(known.reference)}`];
  const facts = [`Status        ${status}${last}`, ...reference].map((line) =>
    cutText(line, style.width, style.unicode),
  );
  return [labelledId('Card', safeText(cardId), style.width, paint), ...facts, ...before];
}

/** A text whose long lines are broken between words. */
export function linesOf(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => breakLine(line, width));
}

/** Lines of a card that are printed where nothing is drawn over. */
const ROOM_OF_LINES = 5;

/**
 * The screen above the menu: the head of the card first, the verdict last, and between them what was said and as much of the
 * card as there is room for. `rows`: what the menu leaves; undefined: the screen does not scroll what is above away.
 */
export function screenText(
  seen: Seen,
  known: KnownCard | undefined,
  said: readonly Said[],
  verdict: readonly string[],
  style: ViewStyle,
  rows: number | undefined,
): string {
  const head = headOf(seen, known, style);
  const around = head.length + verdict.length + 1;
  const room = rows === undefined ? Number.POSITIVE_INFINITY : Math.max(1, rows - around - 1);
  const lines = said.flatMap((text) => text().trimEnd().split('\n'));
  const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`];
  const left = rows === undefined ? ROOM_OF_LINES : rows - around - shown.length;
  // What was said stands apart where there is room for that.
  const gap = left > 2 && shown.length > 0 ? [''] : [];
  const body = seen.card === undefined || left < 1 ? [] : cardBody(seen.card, style, left - gap.length);
  const parts = [head, body, body.length === 0 ? [] : gap, shown, verdict.length === 0 ? [] : ['', ...verdict]];
  return `${parts.flat().join('\n')}\n`;
}
