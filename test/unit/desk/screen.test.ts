import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { isJsonObject } from '../../../src/base/json/value.ts';
import { screenText } from '../../../src/desk/screen.ts';
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
  expect(linesAt(50, SEEN)[0]).toBe(`Card          ${CARD_ID}`);
  expect(linesAt(49, SEEN)[0]).toBe(CARD_ID);
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
