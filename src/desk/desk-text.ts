import type { JsonObject } from '../json/value.ts';
import { cellText } from '../output/column.ts';
import { cutText, padText } from '../output/cut-text.ts';
import { plural, safeText } from '../output/safe-text.ts';
import type { RecentCard, Sitting } from './sitting.ts';

/** `1 outcome unknown`, or nothing: stands in every question until it is settled. */
export function unknownText(sitting: Sitting): string {
  const { length } = sitting.unknown;
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

/** What a write changed of what the card shows, in one line. */
export function changeText(before: JsonObject | undefined, after: JsonObject): string {
  if (before === undefined) return '';
  const changes = SHOWN_MEMBERS.flatMap((name) => {
    const [old, now] = [cellText(before.get(name)), cellText(after.get(name))];
    return old === now ? [] : [`${name} ${old === '' ? 'none' : old} -> ${now === '' ? 'none' : now}`];
  });
  return changes.length === 0 ? 'The card looks as it did before.\n' : `Changed: ${safeText(changes.join(', '))}\n`;
}

/** What the sitting came to, in one or two lines. */
export function summaryText(sitting: Sitting, profileFlag: string): string {
  const parts = [
    plural(sitting.looks, 'look'),
    ...[...sitting.done].map(([word, times]) => `${times} ${word.toLowerCase()}`),
    ...(unknownText(sitting) === '' ? [] : [unknownText(sitting)]),
  ];
  const open = sitting.unknown.map(
    ({ cardId, command }) =>
      `  ${command.replaceAll('.', ' ')} ${cardId} is unknown; check it with \`frontdesk card get ${cardId}${profileFlag}\`\n`,
  );
  return `This sitting: ${parts.join(', ')}.\n${open.join('')}`;
}
