import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { isJsonObject } from '../../../src/base/json/value.ts';
import type { DeskWrite } from '../../../src/desk/desk-log.ts';
import { screenText, verdictLines } from '../../../src/desk/screen.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import { NO_OUTCOME } from '../../../src/service/call-outcome.ts';
import { CARD_ID, cardText } from '../../support/sample-card.ts';

const NEW_ID = '9999aaaa-2222-3333-4444-555566667777';
const card = parseJson(cardText('REISSUED'));
const SEEN = {
  cardId: CARD_ID,
  card: isJsonObject(card) ? card : undefined,
  reading: 'read',
  replacedBy: NEW_ID,
} as const;

function linesAt(width: number, seen: Parameters<typeof screenText>[0], rows = 20): readonly string[] {
  const style = { width, colour: false, unicode: true, now: 0 };
  const known = { cardId: CARD_ID, status: 'ACTIVE', reference: '山田'.repeat(80) };
  return screenText(seen, known, [], [], style, rows, ' (2 = All details)').trimEnd().split('\n');
}

it.each([80, 60, 50, 49, 40])('the head of a card on a narrow screen has both ids whole on %i columns', (width) => {
  for (const seen of [SEEN, { ...SEEN, card: undefined, reading: 'not read' } as const]) {
    const lines = linesAt(width, seen);
    for (const id of [CARD_ID, NEW_ID]) expect(lines.filter((line) => line.endsWith(id))).toHaveLength(1);
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  }
});

it('the head of a card on a narrow screen has label and id on one line where both have room', () => {
  expect([linesAt(50, SEEN)[0], linesAt(49, SEEN)[0]]).toEqual([`Card          ${CARD_ID}`, CARD_ID]);
});

it('the head of a card on 40 columns has the whole line of its expiry', () => {
  const lines = linesAt(40, SEEN);
  const at = lines.findIndex((line) => line.startsWith('Expires'));
  expect(lines.slice(at, at + 2)).toEqual(['Expires       1 Jan 2031, 00:00 UTC', '              (in 60 years)']);
});

it('what a narrow screen does not show of a card is counted on lines that are broken between words, and that have room', () => {
  const many = parseJson(cardText('ACTIVE').replace(/}$/, ',"transactions":[{"amount":1},{"amount":2}]}'));
  const lines = linesAt(50, { ...SEEN, card: isJsonObject(many) ? many : undefined }, 10);
  expect(lines.slice(-2)).toEqual(['Not shown: 2 transactions, 3 fields (2 = All', 'details)']);
  expect(lines.length).toBeLessThanOrEqual(10);
});

const CARD = '7c0e1111-2222-3333-4444-555566667777';
const SENT_MS = new Date(2026, 10, 25, 14, 2).getTime();
const STYLE = { width: 200, colour: false, unicode: true, now: SENT_MS };

type Ended = Partial<NonNullable<DeskWrite['callOutcome']>>;

function blockThat(callOutcome: Ended, known: Partial<DeskWrite> = {}): DeskWrite {
  const block = { entry: 'e1', operation: OPERATIONS.cardBlock, cardId: CARD, timeMs: SENT_MS };
  return { ...block, callOutcome: { ...NO_OUTCOME, ...callOutcome }, ...known };
}

const NOT_SENT = blockThat({ outcome: 'not_sent' });
const REFUSED = blockThat({ outcome: 'rejected', httpStatus: 409 });
const REFUSED_WITH = blockThat({ outcome: 'rejected', httpStatus: 409, errorCode: 'CARD_LOCKED' });
const CHECKED = '✔ BLOCKED at 14:02, as reading the card showed';
const UNKNOWN = blockThat({ outcome: 'unknown' });
const resolved = { as: 'not_applied', by: 'ann', time: new Date(SENT_MS).toISOString() } as const;
const FOUND_OUT = '✖ NOT BLOCKED: ann found it out, and recorded it at 14:02';
const UNTOLD = '▲ NOT KNOWN YET: the block was sent at 14:02, the card still reads ACTIVE. Look again in a minute';
const SUPERSEDED = '▲ The block of 14:02 does not matter any more: a later write was done';

it.each<[what: string, last: DeskWrite, status: string, line: string]>([
  ['done', blockThat({ outcome: 'applied' }), 'ACTIVE', '✔ BLOCKED at 14:02. The card reads ACTIVE: Look again'],
  ['done', blockThat({ outcome: 'applied' }), 'BLOCKED', '✔ BLOCKED at 14:02'],
  ['checked', blockThat({ outcome: 'confirmed_by_read' }), 'BLOCKED', CHECKED],
  ['refused', REFUSED_WITH, 'ACTIVE', `✖ NOT BLOCKED: refused at 14:02 (HTTP 409, CARD_LOCKED). Nothing was changed`],
  ['not sent', NOT_SENT, 'ACTIVE', '✖ NOT BLOCKED: the request was not sent (14:02). Nothing was changed'],
  ['refused', REFUSED, 'ACTIVE', '✖ NOT BLOCKED: refused at 14:02 (HTTP 409). Nothing was changed'],
  ['unknown, and the records name no open write because they cannot be read', UNKNOWN, 'ACTIVE', UNTOLD],
  ['unknown and superseded', { ...UNKNOWN, supersededBy: 'e2' }, 'ACTIVE', SUPERSEDED],
  ['not sent', NOT_SENT, 'BLOCKED', '✖ NOT BLOCKED: the request was not sent (14:02). But the card reads BLOCKED'],
  ['refused', REFUSED, 'BLOCKED', '✖ NOT BLOCKED: refused at 14:02 (HTTP 409). But the card reads BLOCKED'],
  ['found out', { ...UNKNOWN, resolved }, 'BLOCKED', `${FOUND_OUT}. But the card reads BLOCKED`],
])('the verdict on a block that was %s, and whose card reads %3$s', (_, last, status, line) => {
  expect(verdictLines({ cardId: CARD, status, open: [], last }, STYLE)).toEqual([line]);
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
