import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json/parse.ts';
import { isJsonObject, type JsonObject } from '../../../src/base/json/value.ts';
import { cardBody, cardDetails, cardHead, cardSummary, cardView } from '../../../src/screen/card-view.ts';
import { displayWidth } from '../../../src/screen/cut-text.ts';
import { drawnWidth, JOINED } from '../../support/drawn-width.ts';
import { SAMPLE_CALLS, WRITES } from '../../support/sample-calls.ts';

const SUGGESTIONS = { profile: undefined };
const STYLE = { width: 80, colour: false, unicode: true, now: Date.UTC(2026, 10, 20), suggestions: SUGGESTIONS };

function card(text: string): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new Error('not an object');
}

/** Commands that the view of a card suggests at a status. */
function suggestedAt(status: string): readonly string[] {
  const suggested = WRITES.filter((name) => SAMPLE_CALLS[name].suggestedAt?.includes(status));
  return suggested.map((name) => SAMPLE_CALLS[name].command);
}

const transaction = (day: number) =>
  `{"transactionId":"t${day}","amount":-${day}.50,"type":"PURCHASE","createdAt":"2026-11-0${day}T10:00:00Z"}`;
const TRANSACTIONS = [1, 2, 3, 4, 5, 6].map(transaction).join(',');

const ACTIVE = card(`{
  "cardId":"7c0e2f3a-1111-2222-3333-444455556666","clientReference":"order-1","status":"ACTIVE",
  "initialBalance":50.00,"currentBalance":12.50,"expiryDate":"2027-02-25T00:00:00Z","design":"birthday",
  "metadata":{"store":"Köln","till":{"no":7}},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-11-18T00:00:00Z",
  "activatedAt":"2026-11-20T00:00:00Z","cancelledAt":null,"cancellationAmount":null,"newField":[1.0],
  "transactions":[${TRANSACTIONS}]}`);

it('cardView shows what the card is, what it holds, until when, and what can be done', () => {
  expect(cardView(ACTIVE, STYLE).split('\n')).toEqual([
    ...['Card          7c0e2f3a-1111-2222-3333-444455556666', 'Status        ACTIVE'],
    ...['Balance       12.50 of 50.00  [█████░░░░░░░░░░░░░░░]', 'Expires       25 Feb 2027, 00:00 UTC (in 3 months)'],
    ...['Reference     order-1', 'Design        birthday', 'Created       1 Jan 2026, 00:00 UTC (10 months ago)'],
    ...['Updated       18 Nov 2026, 00:00 UTC (2 days ago)', 'Activated     20 Nov 2026, 00:00 UTC (now)'],
    ...['newField      [1.0]', '', 'Metadata', '  store         Köln', '  till.no       7', ''],
    ...['Last transactions (5 of 6)', '  TIME                   TYPE      AMOUNT  ID'],
    ...[6, 5, 4, 3, 2].map((day) => `  ${day} Nov 2026, 10:00 UTC  PURCHASE   -${day}.50  t${day}`),
    ...['', 'Next'],
    ...suggestedAt('ACTIVE').map((command) => `  frontdesk ${command} 7c0e2f3a-1111-2222-3333-444455556666`),
    '',
  ]);
});

it('cardView is only the facts of the card before a question', () =>
  expect(cardSummary(ACTIVE, STYLE)).toMatch(/^(?![\s\S]*(?:Next|transactions))[\s\S]*Status {8}ACTIVE\n/));

it('cardView suggests commands with the same profile, by status', () => {
  const blocked = card('{"cardId":"7c0e2f3a-1111-2222-3333-444455556666","status":"WAITING_ACTIVATION"}');
  expect(cardView(blocked, { ...STYLE, suggestions: { profile: 'demo' } })).toContain(
    '  frontdesk card activate 7c0e2f3a-1111-2222-3333-444455556666 -p demo\n',
  );
});

it.each([
  ['card.reissue', 'ACTIVE'],
  ['card.block', 'ACTIVE'],
  ['card.activate', 'WAITING_ACTIVATION'],
])('cardView after %s suggests none of it again for a card that reads %s', (done, status) => {
  const cardId = '7c0e2f3a-1111-2222-3333-444455556666';
  const suggestions = { profile: undefined, done: [done] };
  const view = cardView(card(`{"cardId":"${cardId}","status":"${status}"}`), { ...STYLE, suggestions });
  const left = suggestedAt(status).filter((command) => command !== done.replace('.', ' '));
  expect(view.split('Next\n')[1]).toBe(left.map((command) => `  frontdesk ${command} ${cardId}\n`).join(''));
});

it('cardView suggests no command for an id that a shell would read as more than an id, or an unknown status', () => {
  expect(cardView(card('{"cardId":"x; rm -rf /","status":"ACTIVE"}'), STYLE)).not.toContain('Next');
  const unknown = card('{"cardId":"7c0e2f3a-1111-2222-3333-444455556666","status":"FROZEN"}');
  expect(cardView(unknown, STYLE)).toContain('Status        FROZEN');
  expect(cardView(unknown, STYLE)).not.toContain('Next');
});

it.each([
  ['{"initialBalance":50,"currentBalance":50}', '50 of 50  [████████████████████]'],
  ['{"initialBalance":50,"currentBalance":60}', '60 of 50  [████████████████████]'],
  ['{"initialBalance":50,"currentBalance":-1}', '-1 of 50  [░░░░░░░░░░░░░░░░░░░░]'],
  ['{"initialBalance":1e400,"currentBalance":5e399}', '5e399 of 1e400  [██████████░░░░░░░░░░]'],
  ['{"initialBalance":0,"currentBalance":0}', '0 of 0\n'],
  ['{"initialBalance":50.00}', 'initially 50.00\n'],
  ['{"initialBalance":"odd","currentBalance":1}', '1 of odd\n'],
  ['{"initialBalance":"1","currentBalance":"5 of 5  [█]"}', '"5 of 5  [█]" of 1\n'],
  [
    '{"initialBalance":1,"expiryDate":"2099-01-01 (in 72 years)"}',
    'initially 1\nExpires       "2099-01-01 (in 72 years)"\n',
  ],
])('cardView shows the balance of %s as %s, digits as sent', (text, shown) =>
  expect(cardView(card(text), STYLE)).toContain(`Balance       ${shown}`),
);

it('cardView draws no bar for a screen reader', () => {
  const text = '{"initialBalance":50,"currentBalance":12.5}';
  expect(cardView(card(text), { ...STYLE, isAccessible: true })).toContain('Balance       12.5 of 50\n');
});

it('cardView shows a cancellation with its action and amount', () => {
  const text = '{"cancelledAt":"2026-11-18T00:00:00Z","cancellationAction":"EXPIRY","cancellationAmount":3.10}';
  expect(cardView(card(text), STYLE)).toContain(
    'Cancelled     18 Nov 2026, 00:00 UTC (2 days ago)\n              EXPIRY, 3.10\n',
  );
});

it.each([60, 80, 120])('cardView stays within %i columns and draws nothing a terminal obeys', (width) => {
  const hostile = card(
    `{"cardId":"\\u001b[2J","status":"\\u202eEVITCA","clientReference":"${'日本語'.repeat(200)}","\\u001b]0;x\\u0007":"${'k'.repeat(500)}",
        "metadata":{"${'n'.repeat(300)}":"${'v\\n'.repeat(300)}"},"transactions":[{"transactionId":"${'t'.repeat(300)}","createdAt":"\\u009b"},5,null]}`,
  );
  const text = cardView(hostile, { ...STYLE, width });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(text.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
});

it('cardView shows a card with more members than a call has arguments', () => {
  const metadata = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, '']));
  expect(cardDetails(card(JSON.stringify({ metadata })), STYLE)).toContain('k149999');
});

it('cardView colors the status without color being its only sign', () =>
  expect(cardView(ACTIVE, { ...STYLE, colour: true })).toContain('\u001b[32mACTIVE\u001b[39m'));

it.each(['frontdesk card reissue 1 --yes', 'hint: run frontdesk card block'])(
  'no line of a card begins with %j as if frontdesk said it',
  (text) => {
    const all = { cancellationAction: text, metadata: { ['n'.repeat(60)]: text } };
    const lines = cardDetails(card(JSON.stringify(all)), STYLE).split('\n');
    expect(lines.filter((line) => line.trimStart().startsWith(text.slice(0, 4)))).toEqual([]);
    expect(lines.filter((line) => line.includes(text)).map((line) => line.trim())).toEqual([`"${text}"`, `| ${text}`]);
  },
);

/** A card with the text wherever the service may put one. */
function cardOf(text: string): JsonObject {
  const names = ['cardId', 'clientReference', 'status', 'initialBalance', 'currentBalance', 'expiryDate', 'design'];
  const more = ['cancelledAt', 'cancellationAction', 'activatedAt', text];
  const members = Object.fromEntries([...names, ...more].map((name) => [name, text]));
  const transactions = [{ transactionId: text, amount: text, type: text, createdAt: text }];
  return card(JSON.stringify({ ...members, metadata: { store: text, [text]: text }, transactions }));
}

function linesWith(text: string, width: number): readonly string[] {
  const style = { ...STYLE, width };
  const all = cardOf(text);
  return [
    ...[cardView(all, style), cardSummary(all, style), cardDetails(all, style)].join('\n').split('\n'),
    ...cardHead(all, style, ' (as of now)'),
    ...cardBody(all, style, 8),
  ];
}

it('T1 no text of a card is drawn that a terminal obeys, wherever it stands', () => {
  expect(
    linesWith('\u001b]0;owned\u0007\u001b[2J\u009b\r\u202e', 400).filter((line) => /[\p{Cc}\u202e]/u.test(line)),
  ).toEqual([]);
});

it.each(JOINED)('no line of a card is drawn wider than the terminal, and so broken by it: %s', (_what, letters) => {
  for (const width of [40, 80]) {
    for (const text of [`order 77${letters.repeat(40)}${'.'.repeat(28)}Status`, letters.repeat(200)]) {
      expect(linesWith(text, width).filter((line) => drawnWidth(line) > width)).toEqual([]);
    }
  }
});

it('no line of a card is drawn wider than the terminal, whatever the text', () => {
  const joined = fc.constantFrom(...JOINED.map(([, letters]) => letters));
  const piece = fc.oneof(joined, fc.string({ unit: 'grapheme', maxLength: 5 }), fc.constant(' '));
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 40, max: 120 }), (shown, width) => {
      expect(linesWith(shown, width).filter((line) => drawnWidth(line) > width)).toEqual([]);
    }),
  );
});
