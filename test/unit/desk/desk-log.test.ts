import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { DeskLog, isSame } from '../../../src/desk/desk-log.ts';
import { outcomeText, recentText, summaryText, unknownText } from '../../../src/desk/desk-text.ts';
import type { Outcome } from '../../../src/failure.ts';
import { parseJson } from '../../../src/json/parse.ts';
import { isJsonObject, type JsonObject } from '../../../src/json/value.ts';

const ID = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b101';
const OTHER = '0b7a6c1e-3f52-4d8a-9c41-5e2f7a90b102';

function card(status: string, reference = 'order-1'): JsonObject {
  const value = parseJson(`{"status":"${status}","clientReference":"${reference}","currentBalance":10.10}`);
  if (!isJsonObject(value)) throw new Error('a card is an object');
  return value;
}

describe('an outcome that is unknown', () => {
  it.each([
    ['block', OPERATIONS.cardBlock, 'BLOCKED'],
    ['activate', OPERATIONS.cardActivate, 'ACTIVE'],
  ])('of %s is settled by a look that shows the status it aims at, and by no other', (_verb, operation, aim) => {
    const log = new DeskLog();
    log.ended(operation, ID, 'unknown');
    expect(log.saw(ID, card('EXPIRED'))).toEqual([]);
    expect(log.saw(OTHER, card(aim))).toEqual([]);
    expect(unknownText(log)).toBe('1 outcome unknown');
    expect(log.saw(ID.toUpperCase(), card(aim))).toEqual([operation.command]);
    expect(unknownText(log)).toBe('');
    expect(summaryText(log, '')).toContain(` (settled by a look).\n`);
  });

  it('of a reissue is settled by no look and no repeat: each makes a card of its own', () => {
    const log = new DeskLog();
    log.ended(OPERATIONS.cardReissue, ID, 'unknown');
    expect(log.saw(ID, card('REISSUED'))).toEqual([]);
    log.ended(OPERATIONS.cardReissue, ID, 'applied', OTHER);
    expect(unknownText(log)).toBe('1 outcome unknown');
  });

  it('is settled by a repeat that was applied, and not by one that was rejected or not sent', () => {
    const log = new DeskLog();
    log.ended(OPERATIONS.cardBlock, ID, 'unknown');
    log.ended(OPERATIONS.cardBlock, ID, 'rejected');
    log.ended(OPERATIONS.cardBlock, ID, 'not_sent');
    log.ended(OPERATIONS.cardActivate, ID, 'applied');
    expect(log.unknown).toMatchObject([{ cardId: ID, command: 'card.block' }]);
    log.ended(OPERATIONS.cardBlock, ID, 'applied');
    expect(log.unknown).toEqual([]);
  });

  it('is counted once for a card and a write, and apart for another', () => {
    const log = new DeskLog();
    log.ended(OPERATIONS.cardBlock, ID, 'unknown');
    log.ended(OPERATIONS.cardBlock, ID.toUpperCase(), 'unknown');
    log.ended(OPERATIONS.cardReissue, ID, 'unknown');
    expect(unknownText(log)).toBe('2 outcomes unknown');
    expect(summaryText(log, ' -p live')).toBe(
      'This sitting: 0 looks, 2 outcomes unknown.\n' +
        `  card block ${ID} is unknown; check it with \`frontdesk card get ${ID} -p live\`\n` +
        `  card reissue ${ID} is unknown; check it with \`frontdesk card get ${ID} -p live\`\n`,
    );
  });
});

describe('recent cards', () => {
  it('stand newest first, each once, nine at the most', () => {
    const log = new DeskLog([{ cardId: 'b' }, { cardId: 'a' }]);
    log.saw('c', card('ACTIVE', 'order-3'));
    log.saw('a', card('BLOCKED', 'order-1'));
    expect(log.offered.map(({ cardId }) => cardId)).toEqual(['a', 'c', 'b']);
    for (let n = 0; n < 20; n += 1) log.saw(`new-${n}`, card('ACTIVE'));
    expect(log.offered.map(({ cardId }) => cardId)).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12, 11].map((n) => `new-${n}`),
    );
  });

  it('show id, status and reference on a line of the terminal, escapes made visible', () => {
    const cards = [{ cardId: ID, status: 'ACTIVE', reference: 'a\u001b[31m' }, { cardId: OTHER }];
    expect(recentText(cards, 80)).toBe(`Recent cards\n  1  ${ID}  ACTIVE  a\\x1b[31m\n  2  ${OTHER}\n`);
    expect(recentText([], 80)).toBe('');
  });

  it('begin with one of which a write is unknown, and show the status that a write gave', () => {
    const log = new DeskLog([{ cardId: 'b' }, { cardId: 'a', isOpen: true }]);
    log.ended(OPERATIONS.cardBlock, 'c', 'applied');
    expect(log.offered).toMatchObject([{ cardId: 'a' }, { cardId: 'c', status: 'BLOCKED' }, { cardId: 'b' }]);
  });
});

describe('what became of a write', () => {
  const said = (outcome: Outcome, seen: { before?: JsonObject; after?: JsonObject }, made?: string) => {
    const log = new DeskLog();
    const operation = made === undefined ? OPERATIONS.cardBlock : OPERATIONS.cardReissue;
    log.ended(operation, ID, outcome, made);
    const { before, after } = seen;
    return outcomeText(log, operation, { cardId: ID, outcome, made }, { before, after }, { unicode: true });
  };

  it('is said in the last lines', () => {
    const before = card('ACTIVE');
    expect(said('applied', { before, after: card('BLOCKED') })).toBe(
      `Changed: status ACTIVE → BLOCKED\nBlocked ${ID}\n`,
    );
    expect(said('applied', { before, after: before })).toBe(`The card looks as it did before.\nBlocked ${ID}\n`);
    expect(said('applied', { before })).toBe(`Blocked ${ID}\n`);
    expect(said('applied', { before }, OTHER)).toBe(`Reissued ${ID}\nNew card: ${OTHER}\n`);
    expect(said('rejected', { before, after: before })).toBe('');
    expect(said('unknown', { before, after: before })).toBe(
      `The card block of ${ID} is unknown: it may have been done, and it may still come.\n`,
    );
  });

  it('is counted at the end', () => {
    const log = new DeskLog();
    log.saw(ID, card('ACTIVE'));
    for (const operation of [OPERATIONS.cardBlock, OPERATIONS.cardReissue, OPERATIONS.cardActivate]) {
      log.ended(operation, ID, 'applied');
    }
    expect(summaryText(log, '')).toBe('This sitting: 1 look, 1 blocked, 1 reissued, 1 activated.\n');
  });

  it('is counted at the end too when it was rejected, settled by a repeat, or settled from before', () => {
    const log = new DeskLog([{ cardId: OTHER, isOpen: true }]);
    for (const outcome of ['rejected', 'unknown', 'applied', 'rejected'] as const) {
      log.ended(OPERATIONS.cardBlock, ID, outcome);
    }
    expect(log.offered[0]?.cardId).toBe(OTHER);
    log.settledEarlier(OPERATIONS.cardBlock, OTHER);
    expect(log.offered).toMatchObject([{ cardId: OTHER, isOpen: false }, { cardId: ID }]);
    expect(summaryText(log, '')).toBe(
      'This sitting: 0 looks, 2 rejected (block), 1 blocked (settled by a repeat), 1 blocked, 1 blocked (settled by a look).\n',
    );
  });
});

describe('the cards that a desk offers', () => {
  const ids = (log: DeskLog) => log.offered.map(({ cardId }) => cardId);

  it('are the newest first, as the history has them, those in doubt before the others', () => {
    const log = new DeskLog([{ cardId: 'a' }, { cardId: 'b', isOpen: true }, { cardId: 'c', isOpen: false }]);
    expect(ids(log)).toEqual(['b', 'a', 'c']);
    expect(['a', 'b', 'B', 'c'].map((id) => log.wasOpen(id))).toEqual([false, true, true, false]);
    log.ended(OPERATIONS.cardBlock, 'C', 'unknown');
    expect(ids(log)).toEqual(['b', 'c', 'a']);
    expect(log.wasOpen('c')).toBe(true);
    log.settledEarlier(OPERATIONS.cardBlock, 'b');
    expect([ids(log), log.wasOpen('b')]).toEqual([['c', 'b', 'a'], true]);
  });

  it('have what was seen of them last, and what a write made of them', () => {
    const log = new DeskLog();
    log.saw(ID, card('ACTIVE', 'order-7'));
    expect(log.offered).toEqual([{ cardId: ID, reference: 'order-7', status: 'ACTIVE' }]);
    log.ended(OPERATIONS.cardBlock, ID, 'confirmed_by_read');
    expect(log.offered).toMatchObject([{ cardId: ID, reference: 'order-7', status: 'BLOCKED' }]);
    expect([...log.done]).toEqual([['Blocked', 1]]);
    log.ended(OPERATIONS.cardBlock, OTHER, 'rejected');
    expect([ids(log), [...log.done]]).toEqual([
      [ID],
      [
        ['Blocked', 1],
        ['rejected (block)', 1],
      ],
    ]);
    log.ended(OPERATIONS.cardActivate, OTHER, 'applied');
    expect(ids(log)).toEqual([OTHER, ID]);
    log.ended(OPERATIONS.cardReissue, ID, 'applied', 'new');
    expect(ids(log)).toEqual(['new', ID, OTHER]);
  });

  it('are the same whatever the case', () => {
    expect([isSame(ID, ID.toUpperCase()), isSame(ID, OTHER)]).toEqual([true, false]);
  });
});
