import type { Operation } from '../api/operation.ts';
import type { Outcome } from '../failure.ts';
import type { JsonObject } from '../json/value.ts';
import { cellText } from '../output/column.ts';
import { cutText, padText } from '../output/cut-text.ts';
import type { ViewStyle } from '../output/options.ts';
import { arrow } from '../output/people-text.ts';
import { plural, safeText } from '../output/safe-text.ts';
import { type DeskLog, isSame, type RecentCard } from './desk-log.ts';

/** `1 outcome unknown`, or nothing: stands in every question until it is settled. */
export function unknownText(log: DeskLog): string {
  const { length } = log.unknown;
  return length === 0 ? '' : plural(length, 'outcome unknown', 'outcomes unknown');
}

/** The cards that a number chooses, one on a line, cut to the width of the terminal. */
export function recentText(cards: readonly RecentCard[], width: number): string {
  if (cards.length === 0) return '';
  const lines = cards.map(({ cardId, reference, status }, index) => {
    const known = [status, reference].filter((text) => text !== undefined && text !== '').join('  ');
    return cutText(`  ${padText(String(index + 1), 2)} ${cardId}  ${safeText(known)}`.trimEnd(), width);
  });
  return `Recent cards\n${lines.join('\n')}\n`;
}

const SHOWN_MEMBERS = ['status', 'currentBalance', 'expiryDate', 'cancelledAt', 'activatedAt'] as const;

/** The card before a write and after it; undefined: it was not seen. */
interface Changes {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

function changeText({ before, after }: Changes, style: Pick<ViewStyle, 'unicode'>): string {
  if (before === undefined || after === undefined) return '';
  const changes = SHOWN_MEMBERS.flatMap((name) => {
    const [old, now] = [cellText(before.get(name)), cellText(after.get(name))];
    return old === now ? [] : [`${name} ${old === '' ? 'none' : old} ${arrow(style)} ${now === '' ? 'none' : now}`];
  });
  return changes.length === 0 ? 'The card looks as it did before.\n' : `Changed: ${safeText(changes.join(', '))}\n`;
}

/** The last lines above the menu after a write: what was done, or what is unknown and may still come. */
export function outcomeText(
  log: DeskLog,
  operation: Operation,
  { cardId, outcome, made }: { readonly cardId: string; readonly outcome: Outcome; readonly made?: string | undefined },
  seen: Changes,
  style: Pick<ViewStyle, 'unicode'>,
): string {
  const { effect, command } = operation;
  if (effect.kind !== 'write' || outcome === 'rejected') return '';
  if (outcome === 'unknown') {
    if (!log.unknown.some((doubt) => doubt.command === command && isSame(doubt.cardId, cardId))) return '';
    const lost = effect.resultId === undefined ? '' : ' The id of the new card cannot be seen here.';
    return `The ${command.replaceAll('.', ' ')} of ${cardId} is unknown: it may have been done, and it may still come.${lost}\n`;
  }
  const isRead = outcome === 'confirmed_by_read' ? ', as reading it back shows' : '';
  const done = `${effect.done} ${cardId}${isRead}\n`;
  return made === undefined ? `${changeText(seen, style)}${done}` : `${done}New card: ${safeText(made)}\n`;
}

/** What was done at the desk, in one or two lines. */
export function summaryText(log: DeskLog, profileFlag: string): string {
  const parts = [
    plural(log.looks, 'look'),
    ...[...log.done].map(([word, times]) => `${times} ${word.toLowerCase()}`),
    ...(unknownText(log) === '' ? [] : [unknownText(log)]),
  ];
  const open = log.unknown.map(
    ({ cardId, command }) =>
      `  ${command.replaceAll('.', ' ')} ${cardId} is unknown; check it with \`frontdesk card get ${cardId}${profileFlag}\`\n`,
  );
  return `This sitting: ${parts.join(', ')}.\n${open.join('')}`;
}
