import { expect, it } from 'vitest';
import type { DeskWrite } from '../../../src/desk/desk-log.ts';
import { verdictLines } from '../../../src/desk/screen.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { NO_OUTCOME } from '../../../src/service/call-outcome.ts';

const CARD = '7c0e1111-2222-3333-4444-555566667777';
const SENT_MS = new Date(2026, 10, 25, 14, 2).getTime();
const STYLE = { width: 200, colour: false, unicode: true, now: SENT_MS };

function blockThat(
  callOutcome: Partial<NonNullable<DeskWrite['callOutcome']>>,
  known: Partial<DeskWrite> = {},
): DeskWrite {
  return {
    entry: 'e1',
    operation: OPERATIONS.cardBlock,
    cardId: CARD,
    timeMs: SENT_MS,
    callOutcome: { ...NO_OUTCOME, ...callOutcome },
    ...known,
  };
}

it.each<[string, DeskWrite, string]>([
  ['applied', blockThat({ outcome: 'applied' }), '✔ BLOCKED at 14:02. The card reads ACTIVE: Look again'],
  [
    'not sent',
    blockThat({ outcome: 'not_sent' }),
    '✖ NOT BLOCKED: the request was not sent (14:02). Nothing was changed',
  ],
  [
    'refused',
    blockThat({ outcome: 'rejected', httpStatus: 409 }),
    '✖ NOT BLOCKED: refused at 14:02 (HTTP 409). Nothing was changed',
  ],
  [
    'unknown, and the records name no open write because they cannot be read',
    blockThat({ outcome: 'unknown' }),
    '▲ NOT KNOWN YET: the block was sent at 14:02, the card still reads ACTIVE. Look again in a minute',
  ],
  [
    'unknown and superseded',
    blockThat({ outcome: 'unknown' }, { supersededBy: 'e2' }),
    '▲ The block of 14:02 does not matter any more: a later write was done',
  ],
])('the verdict on the last write to a card that ended %s', (_, last, line) => {
  expect(verdictLines({ cardId: CARD, status: 'ACTIVE', open: [], last }, STYLE)).toEqual([line]);
});

it.each<[string, DeskWrite, string]>([
  [
    'not sent',
    blockThat({ outcome: 'not_sent' }),
    '✖ NOT BLOCKED: the request was not sent (14:02). But the card reads BLOCKED',
  ],
  [
    'refused',
    blockThat({ outcome: 'rejected', httpStatus: 409 }),
    '✖ NOT BLOCKED: refused at 14:02 (HTTP 409). But the card reads BLOCKED',
  ],
  [
    'found out as not applied',
    blockThat(
      { outcome: 'unknown' },
      { resolved: { as: 'not_applied', by: 'ann', time: new Date(SENT_MS).toISOString() } },
    ),
    '✖ NOT BLOCKED: ann found it out, and recorded it at 14:02. But the card reads BLOCKED',
  ],
])('the verdict on a block that was %s says that the card reads BLOCKED', (_, last, line) => {
  expect(verdictLines({ cardId: CARD, status: 'BLOCKED', open: [], last }, STYLE)).toEqual([line]);
});

it('the verdict on an open write is not cut on 40 columns', () => {
  const last = blockThat({ outcome: 'unknown' });
  expect(verdictLines({ cardId: CARD, status: 'ACTIVE', open: [last], last }, { ...STYLE, width: 40 })).toEqual([
    '▲ NOT KNOWN YET: the block was sent at',
    '  14:02, the card still reads ACTIVE.',
    '  Look again in a minute',
  ]);
});

it('the verdict on the last write to a card takes two lines of a narrow screen, none of them wider, whatever the service says', () => {
  const unknown = { ...blockThat({ outcome: 'unknown' }), operation: OPERATIONS.cardReissue };
  const verdict = (open: readonly DeskWrite[], status: string) =>
    verdictLines({ cardId: CARD, status, open, last: undefined }, { ...STYLE, width: 60 });
  expect(verdict([unknown], 'REISSUED')).toEqual([
    '▲ NOT KNOWN YET: the reissue was sent at 14:02, the card',
    '  reads REISSUED. Send no second one. Find out, then Resolve',
  ]);
  expect(verdict([unknown, unknown, unknown], 'S'.repeat(300))).toEqual([
    '▲ NOT KNOWN YET: the reissue was sent at 14:02, the card',
    '  reads "SSSSSSSSSSSSSSSSSSSS… (2 more open writes: History)',
  ]);
});
