import { outside } from '../base/json/outside-text.ts';
import type { JsonObject } from '../base/json/value.ts';
import { cardBody, cardHead, labelledId } from '../screen/card-view.ts';
import { cutText } from '../screen/cut-text.ts';
import type { ViewStyle } from '../screen/options.ts';
import { makePaint } from '../screen/paint.ts';
import { localClock, outcomeWords } from '../screen/people-text.ts';
import { breakLine, outcomeSign, plural, safeText, shortenText } from '../screen/text.ts';
import { nounOf, resolvedBy, targetStatus } from '../service/api/operation.ts';
import { type DeskWrite, isOpen, type KnownCard, keyOf } from './desk-log.ts';

/** A text in lines, none wider than the screen. */
export type DeskMessage = () => string;

const LONGEST_STATUS = 32;

/** `14:02`, and of another day `24 Nov 14:02`. */
export function clockTime(timeMs: number, nowMs: number): string {
  const [time, now] = [new Date(timeMs), new Date(nowMs)];
  const clock = localClock(timeMs);
  if (time.toDateString() === now.toDateString()) return clock;
  return `${time.getDate()} ${time.toLocaleString('en', { month: 'short' })} ${clock}`;
}

/** `HTTP 409, CARD_BLOCKED`, or why there is no response. */
function causeOf({ callOutcome }: DeskWrite): string {
  const { httpStatus, errorCode, code } = callOutcome ?? {};
  const known = [
    httpStatus === undefined ? undefined : `HTTP ${httpStatus}`,
    errorCode && outside(safeText(errorCode)),
  ];
  return known.filter((each) => each !== undefined).join(', ') || (code ?? 'no answer');
}

/** What to do about a change with an unknown outcome. */
function adviceOf({ operation }: DeskWrite, status: string | undefined): string {
  if (resolvedBy(operation) !== undefined) return 'Look again in a minute';
  const noun = nounOf(operation);
  return status === undefined ? `Send no second ${noun}. Look again` : 'Send no second one. Find out, then Resolve';
}

/** A status is a word. Another text could take the whole line. */
function statusText(status: string): string {
  return outside(shortenText(safeText(status), LONGEST_STATUS));
}

/** `status`: of the card now, if it was read. */
function openText(write: DeskWrite, status: string | undefined, now: number): string {
  const still = resolvedBy(write.operation) === undefined ? '' : 'still ';
  const shown = status === undefined ? 'the card could not be read' : `the card ${still}reads ${statusText(status)}`;
  const sent = `the ${nounOf(write.operation)} was sent at ${clockTime(write.callOutcome?.sentAtMs ?? write.timeMs, now)}`;
  return `NOT KNOWN YET: ${sent}, ${shown}. ${adviceOf(write, status)}`;
}

function endedText(write: DeskWrite, cardId: string, status: string | undefined, now: number): string {
  const { callOutcome, resolved, supersededBy, timeMs, checkedMs, operation } = write;
  const { effect, command } = operation;
  const done = (effect.kind === 'write' ? effect.done : command).toUpperCase();
  const at = clockTime(timeMs, now);
  // The card may have that status anyway, from another change.
  const but = status !== undefined && status === targetStatus(operation) && `But the card reads ${statusText(status)}`;
  if (resolved !== undefined) {
    const found = `${outside(safeText(resolved.by))} found it out, and recorded it at ${clockTime(Date.parse(resolved.time), now)}`;
    return resolved.as === 'applied' ? `${done}: ${found}` : `NOT ${done}: ${found}${but ? `. ${but}` : ''}`;
  }
  if (supersededBy !== undefined)
    return `The ${nounOf(operation)} of ${at} does not matter any more: a later write was done`;
  const after = but || 'Nothing was changed';
  if (callOutcome?.outcome === 'not_sent') return `NOT ${done}: the request was not sent (${at}). ${after}`;
  if (callOutcome?.outcome === 'rejected') return `NOT ${done}: refused at ${at} (${causeOf(write)}). ${after}`;
  const { resultId } = callOutcome ?? {};
  const isNew = resultId !== undefined && keyOf(resultId) === keyOf(cardId);
  const showed = checkedMs === undefined ? 'reading the card' : `a look at ${clockTime(checkedMs, now)}`;
  const isSeen = checkedMs !== undefined || callOutcome?.outcome === 'confirmed_by_read';
  const how = isSeen ? `, as ${showed} showed` : '';
  const aim = resolvedBy(operation);
  const still =
    aim === undefined || status === undefined || status === aim
      ? ''
      : `. The card reads ${statusText(status)}: Look again`;
  return `${done} at ${at}${how}${isNew ? ': this is the new card' : ''}${still}`;
}

/** On fewer columns the screen scrolls, so that nothing needs to be cut. */
const FITTING_COLUMNS = 60;

function twoLines(text: string, behind: string, width: number, unicode: boolean): readonly string[] {
  const lines = breakLine(text + behind, width);
  if (lines.length <= 2 || width + 2 < FITTING_COLUMNS) return lines;
  const [first = '', second = ''] = breakLine(text, width);
  const mark = second.startsWith('| ') ? '| ' : '';
  return [first, cutText(mark + text.slice(first.length).trimStart(), width - behind.length, unicode) + behind];
}

/** How the last change of the card ended, and what to do; empty: none did, and none of `open` (oldest first) is. */
export function verdictLines(
  about: {
    readonly cardId: string;
    /** The card's status now; undefined: it could not be read. */
    readonly status: string | undefined;
    readonly open: readonly DeskWrite[];
    readonly last: DeskWrite | undefined;
  },
  { width, colour, unicode, now }: ViewStyle,
): readonly string[] {
  const { cardId, status, open, last } = about;
  // If the records cannot be read, what this session knows of the last change still counts.
  const newest = open.at(-1) ?? (last !== undefined && isOpen(last) ? last : undefined);
  const write = newest ?? last;
  if (write?.callOutcome === undefined) return [];
  const others = open.length < 2 ? '' : ` (${plural(open.length - 1, 'more open write', 'more open writes')}: History)`;
  const text = newest === undefined ? endedText(write, cardId, status, now) : openText(newest, status, now);
  const resolved = newest === undefined ? write.resolved?.as : undefined;
  const outcome = resolved === 'not_applied' ? 'not_sent' : (resolved ?? write.callOutcome.outcome ?? 'unknown');
  const mark = outcomeSign(outcome, { unicode });
  const paint = makePaint(colour);
  return twoLines(text, others, width - 2, unicode).map((line, at) =>
    paint.bold(paint.toned('outcome', outcome, `${at === 0 ? mark : ' '} ${line}`)),
  );
}

export function endedWords(write: DeskWrite): string {
  const { callOutcome, resolved, supersededBy } = write;
  if (resolved !== undefined) return `${outcomeWords(resolved.as)}, as found out`;
  const words = outcomeWords(callOutcome?.outcome ?? 'unknown');
  if (supersededBy !== undefined) return `${words}, superseded by a later one`;
  return callOutcome?.outcome === 'rejected' ? `${words} (${causeOf(write)})` : words;
}

export interface Seen {
  readonly cardId: string;
  /** The card as last read; undefined: it was not. */
  readonly card: JsonObject | undefined;
  /** How the last read ended. A card that was not read is not changed. */
  readonly reading: 'read' | 'not found' | 'not read';
  readonly replaces?: string | undefined;
  readonly replacedBy?: string | undefined;
}

function headOf(seen: Seen, known: KnownCard | undefined, style: ViewStyle): readonly string[] {
  const { cardId, card, reading, replaces, replacedBy } = seen;
  const paint = makePaint(style.colour);
  const before = [
    ...(replaces === undefined ? [] : [`  replaces ${outside(safeText(replaces))}`]),
    ...(replacedBy === undefined ? [] : [`  replaced by ${outside(safeText(replacedBy))}`]),
  ].flatMap((line) => breakLine(line, style.width));
  if (card !== undefined) return [...cardHead(card, style, reading === 'read' ? '' : ', as last read'), ...before];
  const status = reading === 'not found' ? 'not found' : 'could not be read';
  const last = known?.status === undefined ? '' : `, last seen ${statusText(known.status)}`;
  const reference = known?.reference === undefined ? [] : [`Reference     ${safeText(known.reference)}`];
  const facts = [`Status        ${status}${last}`, ...reference].map((line) =>
    cutText(line, style.width, style.unicode),
  );
  return [labelledId('Card', safeText(cardId), style.width, paint), ...facts, ...before];
}

/** A text with long lines broken between words. */
export function linesOf(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => breakLine(line, width));
}

/** Lines of a card that are printed without redrawing. */
const ROOM_OF_LINES = 5;

/**
 * The screen above the menu: the head of the card first, the verdict last, and between them messages and as much of the
 * card as fits. `rows`: what the menu leaves; undefined: it does not scroll away. `more`: how what has no room can be seen.
 */
export function screenText(
  seen: Seen,
  known: KnownCard | undefined,
  messages: readonly DeskMessage[],
  verdict: readonly string[],
  style: ViewStyle,
  rows: number | undefined,
  more: string,
): string {
  const head = headOf(seen, known, style);
  const around = head.length + verdict.length + 1;
  // What scrolls away anyway is shown whole.
  const room = rows === undefined || rows <= around ? Number.POSITIVE_INFINITY : Math.max(1, rows - around - 1);
  const lines = messages.flatMap((text) => text().trimEnd().split('\n'));
  const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`];
  const left = rows === undefined ? ROOM_OF_LINES : rows - around - shown.length;
  // A blank line before the messages, if there is room.
  const gap = left > 2 && shown.length > 0 ? [''] : [];
  const body = seen.card === undefined || left < 1 ? [] : cardBody(seen.card, style, left - gap.length, more);
  const parts = [head, body, body.length === 0 ? [] : gap, shown, verdict.length === 0 ? [] : ['', ...verdict]];
  return `${parts.flat().join('\n')}\n`;
}
