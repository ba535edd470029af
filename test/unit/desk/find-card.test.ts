import { expect, it } from 'vitest';
import { DeskLog } from '../../../src/desk/desk-log.ts';
import { findCards, recentText } from '../../../src/desk/find-card.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import { openBench } from '../../support/session-bench.ts';

const NOW_MS = new Date(2026, 10, 25, 14, 2).getTime();

/** Cards of which each was blocked, with an unknown outcome. */
const cards = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const cardId = `7c0e111${at}-2222-3333-4444-555566667777`;
    const callOutcome = { ...NO_OUTCOME, outcome: 'unknown' } as const;
    const write = { entry: `e${at}`, operation: OPERATIONS.cardBlock, cardId, timeMs: NOW_MS, callOutcome };
    return { cardId, reference: 'order-1042', status: 'ACTIVE', write };
  });

it('the recent cards on 40 columns say below the card what was done, and no reference is another column', () => {
  const posing = cards(2).map((card, at) => (at === 0 ? card : { ...card, reference: 'order-1  BLOCKED' }));
  expect(recentText(posing, 40, NOW_MS)).toBe(
    [
      'Recent cards',
      '  1 7c0e1110  order-1042          ACTIVE',
      '    block 14:02: UNKNOWN',
      '  2 7c0e1111  "order-1  BLOCKED"  ACTIVE',
      '    block 14:02: UNKNOWN',
      '',
    ].join('\n'),
  );
});

it('the recent cards that have no room are counted', () => {
  expect(recentText(cards(9), 40, NOW_MS, 6)).toBe(
    [
      'Recent cards',
      '  1 7c0e1110  order-1042  ACTIVE',
      '    block 14:02: UNKNOWN',
      '  2 7c0e1111  order-1042  ACTIVE',
      '    block 14:02: UNKNOWN',
      '  7 more cards',
      '',
    ].join('\n'),
  );
});

it.each([
  ['ORDER-1', ['order-1']],
  ['order', ['order-1', 'order-10']],
  ['or', []],
  ['7c0e1111', ['order-10']],
])('the text %j finds the card of a whole order number, else those that begin so: %j', (text, found) => {
  const known = cards(2).map((card, at) => ({ ...card, reference: at === 0 ? 'order-1' : 'order-10' }));
  const log = new DeskLog({ now: () => NOW_MS }, known);
  expect(findCards(openBench().session, log, text).cards.map(({ reference }) => reference)).toEqual(found);
});
