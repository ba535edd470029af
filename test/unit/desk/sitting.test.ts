import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { outcomeText, recentText, summaryText, unknownText } from '../../../src/desk/desk-text.ts';
import { Sitting } from '../../../src/desk/sitting.ts';
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
    const sitting = new Sitting();
    sitting.ended(operation, ID, 'unknown');
    expect(sitting.saw(ID, card('EXPIRED'))).toEqual([]);
    expect(sitting.saw(OTHER, card(aim))).toEqual([]);
    expect(unknownText(sitting)).toBe('1 outcome unknown');
    expect(sitting.saw(ID.toUpperCase(), card(aim))).toEqual([operation.command]);
    expect(unknownText(sitting)).toBe('');
    expect(summaryText(sitting, '')).toContain(` (settled by a look).\n`);
  });

  it('of a reissue is settled by no look and no repeat: each makes a card of its own', () => {
    const sitting = new Sitting();
    sitting.ended(OPERATIONS.cardReissue, ID, 'unknown');
    expect(sitting.saw(ID, card('REISSUED'))).toEqual([]);
    sitting.ended(OPERATIONS.cardReissue, ID, 'applied', OTHER);
    expect(unknownText(sitting)).toBe('1 outcome unknown');
  });

  it('is settled by a repeat that was applied, and not by one that was rejected or not sent', () => {
    const sitting = new Sitting();
    sitting.ended(OPERATIONS.cardBlock, ID, 'unknown');
    sitting.ended(OPERATIONS.cardBlock, ID, 'rejected');
    sitting.ended(OPERATIONS.cardBlock, ID, 'not_sent');
    sitting.ended(OPERATIONS.cardActivate, ID, 'applied');
    expect(sitting.unknown).toMatchObject([{ cardId: ID, command: 'card.block' }]);
    sitting.ended(OPERATIONS.cardBlock, ID, 'applied');
    expect(sitting.unknown).toEqual([]);
  });

  it('is counted once for a card and a write, and apart for another', () => {
    const sitting = new Sitting();
    sitting.ended(OPERATIONS.cardBlock, ID, 'unknown');
    sitting.ended(OPERATIONS.cardBlock, ID.toUpperCase(), 'unknown');
    sitting.ended(OPERATIONS.cardReissue, ID, 'unknown');
    expect(unknownText(sitting)).toBe('2 outcomes unknown');
    expect(summaryText(sitting, ' -p live')).toBe(
      'This sitting: 0 looks, 2 outcomes unknown.\n' +
        `  card block ${ID} is unknown; check it with \`frontdesk card get ${ID} -p live\`\n` +
        `  card reissue ${ID} is unknown; check it with \`frontdesk card get ${ID} -p live\`\n`,
    );
  });
});

describe('recent cards', () => {
  it('stand newest first, each once, nine at the most', () => {
    const sitting = new Sitting([{ cardId: 'b' }, { cardId: 'a' }]);
    sitting.saw('c', card('ACTIVE', 'order-3'));
    sitting.saw('a', card('BLOCKED', 'order-1'));
    expect(sitting.offered.map(({ cardId }) => cardId)).toEqual(['a', 'c', 'b']);
    for (let n = 0; n < 20; n += 1) sitting.saw(`new-${n}`, card('ACTIVE'));
    expect(sitting.offered.map(({ cardId }) => cardId)).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12, 11].map((n) => `new-${n}`),
    );
  });

  it('show id, status and reference on a line of the terminal, escapes made visible', () => {
    const cards = [{ cardId: ID, status: 'ACTIVE', reference: 'a\u001b[31m' }, { cardId: OTHER }];
    expect(recentText(cards, 80)).toBe(`Recent cards\n  1  ${ID}  ACTIVE  a\\x1b[31m\n  2  ${OTHER}\n`);
    expect(recentText([], 80)).toBe('');
  });

  it('begin with one of which a write is unknown, and show the status that a write gave', () => {
    const sitting = new Sitting([{ cardId: 'b' }, { cardId: 'a', isOpen: true }]);
    sitting.ended(OPERATIONS.cardBlock, 'c', 'applied');
    expect(sitting.offered).toMatchObject([{ cardId: 'a' }, { cardId: 'c', status: 'BLOCKED' }, { cardId: 'b' }]);
  });
});

describe('what became of a write', () => {
  const said = (outcome: Outcome, seen: { before?: JsonObject; after?: JsonObject }, made?: string) => {
    const sitting = new Sitting();
    const operation = made === undefined ? OPERATIONS.cardBlock : OPERATIONS.cardReissue;
    sitting.ended(operation, ID, outcome, made);
    const { before, after } = seen;
    return outcomeText(sitting, operation, { cardId: ID, outcome, made }, { before, after }, { unicode: true });
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
    const sitting = new Sitting();
    sitting.saw(ID, card('ACTIVE'));
    for (const operation of [OPERATIONS.cardBlock, OPERATIONS.cardReissue, OPERATIONS.cardActivate]) {
      sitting.ended(operation, ID, 'applied');
    }
    expect(summaryText(sitting, '')).toBe('This sitting: 1 look, 1 blocked, 1 reissued, 1 activated.\n');
  });

  it('is counted at the end too when it was rejected, settled by a repeat, or settled from before', () => {
    const sitting = new Sitting([{ cardId: OTHER, isOpen: true }]);
    for (const outcome of ['rejected', 'unknown', 'applied', 'rejected'] as const) {
      sitting.ended(OPERATIONS.cardBlock, ID, outcome);
    }
    expect(sitting.offered[0]?.cardId).toBe(OTHER);
    sitting.settledEarlier(OPERATIONS.cardBlock, OTHER);
    expect(sitting.offered).toMatchObject([{ cardId: OTHER, isOpen: false }, { cardId: ID }]);
    expect(summaryText(sitting, '')).toBe(
      'This sitting: 0 looks, 2 rejected (block), 1 blocked (settled by a repeat), 1 blocked, 1 blocked (settled by a look).\n',
    );
  });
});
