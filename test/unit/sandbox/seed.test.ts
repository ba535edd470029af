import { expect, it } from 'vitest';
import { printJson } from '../../../src/base/json/print.ts';
import { builtInSeed, parseSeed } from '../../../src/sandbox/seed.ts';
import { SEED_TEXT } from '../../../src/sandbox/seed-data.ts';

const CARD = {
  ...{ cardId: '0B7A6C1E-3f52-4d8a-9c41-5e2f7a90b101', clientReference: 'r', status: 'FROZEN', initialBalance: 1 },
  ...{ design: 'd', metadata: {}, expiryDate: '2031-01-01', createdAt: '2025-01-01', updatedAt: '2025-01-01' },
};

it('the built-in seed is in the shapes of the API', () => expect(() => parseSeed(SEED_TEXT, 'built-in')).not.toThrow());

it('the built-in seed has 26 subscribers in three calendars', () => {
  const state = builtInSeed();
  const own = (id: string) => [...state.subscribers.values()].filter((one) => one.get('calendar') === id);
  const counts = Object.fromEntries([...state.calendars.keys()].map((id) => [id, own(id).length]));
  expect(counts).toEqual({ cal_harbour_tours: 15, cal_tea_ceremony: 6, cal_winter_market: 5 });
});

it('reading a seed file keeps digits, unknown members and unknown status values', () => {
  const text = JSON.stringify({ cards: [CARD] }).replace('"initialBalance":1', '"initialBalance":1.10,"new":[null]');
  const [card] = parseSeed(text, 's').cards.values();
  expect(card && printJson(card)).toContain('"status":"FROZEN","initialBalance":1.10,"new":[null]');
});

it('reading a seed file takes a subscriber without a calendar as one of the first', () => {
  const text = '{"calendars":[{"id":"a"},{"id":"b"}],"subscribers":[{"id":"1"},{"id":"2","calendar":"b"}]}';
  const state = parseSeed(text, 's');
  expect(['1', '2'].map((id) => state.subscribers.get(id)?.get('calendar'))).toEqual(['a', 'b']);
});

it('reading a seed file takes an empty seed', () => expect(parseSeed('{}', 's').cards.size).toBe(0));

const LOWER = CARD.cardId.toLowerCase();
const ofCards = (...cards: object[]) => JSON.stringify({ cards });
const NO_ID = "'7' is not a card ID like 0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101";
const OF_B = '{"calendars":[{"id":"a"}],"subscribers":[{"id":"1","calendar":"b"}]}';
const BAD = { transactionId: 't', amount: '1', type: 'LOAD', createdAt: 'c' };

it.each([
  ['', 'is not JSON: line 1, column 1: there is no JSON here, the text is empty'],
  ['[]', 'is not a JSON object'],
  ['{"card":[]}', 'card: is none of cards, calendars, subscribers'],
  ['{"cards":{}}', 'cards: is not an array'],
  ['{"cards":[1]}', 'cards[0]: is not an object'],
  ['{"calendars":[{}]}', 'calendars[0].id: is missing or not a text'],
  ['{"calendars":[{"id":"a"},{"id":"a"}]}', "calendars[1].id: 'a' occurs twice"],
  ['{"calendars":[{"id":"a","active":"yes"}]}', 'calendars[0].active: is not of the type boolean'],
  ['{"subscribers":[{"id":"1"}]}', "subscribers '1'.calendar: there is no calendar"],
  [OF_B, "subscribers '1'.calendar: names no calendar"],
  [ofCards({ ...CARD, cardId: '7' }), `cards[0].cardId: ${NO_ID}`],
  [ofCards(CARD, { ...CARD, cardId: LOWER }), `cards[1].cardId: '${LOWER}' occurs twice`],
  [ofCards({ ...CARD, transactions: [BAD] }), 'cards[0].transactions.0.amount: is not of the type number'],
])('reading a seed file refuses seed %#', (text, problem) => {
  const message = `seed.json: ${problem}. Nothing was sent.`;
  expect(() => parseSeed(text, 'seed.json')).toThrow(expect.objectContaining({ code: 'USAGE', message }));
});

it('reading a seed file reports the first 20 faults', () => {
  const text = JSON.stringify({ cards: Array.from({ length: 25 }, () => 1) });
  expect(() => parseSeed(text, 's')).toThrow(/cards\[19\]: is not an object\. Nothing was sent\.$/);
});
