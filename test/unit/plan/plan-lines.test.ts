import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { LineProblem, linesOf, parseHeader, parseLine, RowReader } from '../../../src/plan/plan-lines.ts';

const SHA256 = '0123456789abcdef'.repeat(4);
const CARD = '0b7a6c1e-3f52-4d8a-9c41-000000000001';

const HEADER = {
  frontdeskPlan: 1,
  plan: '0123456789ab',
  operation: 'card.block',
  url: 'https://cards.example.com',
  profile: 'live',
  createdBy: 'ann',
  createdAt: '2026-05-01T12:00:00.000Z',
  expiresAt: '2026-05-02T12:00:00.000Z',
  rows: 2,
  unchanged: 0,
  sha256: SHA256,
};

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** What a line is refused with; `taken` when it is not. */
function refusal(read: () => unknown): string {
  try {
    read();
    return 'taken';
  } catch (error) {
    if (error instanceof LineProblem) return error.message;
    throw error;
  }
}

describe('the first line of a plan', () => {
  it('is what it says', () => {
    const { header, operation } = parseHeader(bytesOf(HEADER));
    const { frontdeskPlan: _, ...said } = HEADER;
    expect(header).toEqual(said);
    expect(operation).toBe(OPERATIONS.cardBlock);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no layout', { frontdeskPlan: undefined }, 'this is not a plan of frontdesk'],
    ['no number of its layout', { frontdeskPlan: '1' }, 'this is not a plan of frontdesk'],
    ['an older layout than there is', { frontdeskPlan: 0 }, 'this is not a plan of frontdesk'],
    ['a newer layout', { frontdeskPlan: 2 }, 'a newer frontdesk wrote this plan'],
    ['a member that it does not know', { more: 1 }, 'it has an unknown member'],
    ['a name that is no text', { plan: 1 }, 'plan is not a text'],
    ['an operation that is no text', { operation: null }, 'operation is not a text'],
    ['an address that is no text', { url: 1 }, 'url is not a text'],
    ['a profile that is no text', { profile: 1 }, 'profile is not a text'],
    ['a user that is no text', { createdBy: 1 }, 'createdBy is not a text'],
    ['a beginning that is no text', { createdAt: 1 }, 'createdAt is not a text'],
    ['a beginning that is no time', { createdAt: 'soon' }, 'createdAt is not a time'],
    ['an end that is no time', { expiresAt: 'later' }, 'expiresAt is not a time'],
    ['rows that are no number', { rows: '2' }, 'rows is not a count'],
    ['rows below zero', { rows: -1 }, 'rows is not a count'],
    ['a part of a row', { rows: 1.5 }, 'rows is not a count'],
    ['more rows than there can be', { rows: 1_000_000_000 }, 'rows is not a count'],
    ['the most rows that there can be', { rows: 999_999_999 }, 'taken'],
    ['no rows', { rows: 0 }, 'taken'],
    ['unchanged rows that are no number', { unchanged: true }, 'unchanged is not a count'],
    ['no hash', { sha256: undefined }, 'sha256 is not a text'],
    ['a name of another hash', { plan: 'ffffffffffff' }, 'it does not name the plan by its hash'],
    [
      'a hash that is too short',
      { sha256: SHA256.slice(1), plan: '123456789abc' },
      'it does not name the plan by its hash',
    ],
    ['a hash that is too long', { sha256: `${SHA256}0` }, 'it does not name the plan by its hash'],
    [
      'something before the hash',
      { sha256: `x${SHA256}`, plan: 'x0123456789a' },
      'it does not name the plan by its hash',
    ],
    ['an operation that is none', { operation: 'card.eat' }, 'its operation cannot be planned'],
    ['a read', { operation: 'card.get' }, 'its operation cannot be planned'],
    ['an operation whose answer is a secret', { operation: 'card.provision' }, 'its operation cannot be planned'],
  ])('with %s', (_what, change, problem) => {
    expect(refusal(() => parseHeader(bytesOf({ ...HEADER, ...change })))).toBe(problem);
  });

  it.each(Object.keys(HEADER).filter((name) => name !== 'frontdeskPlan'))('without %s is none', (name) => {
    expect(refusal(() => parseHeader(bytesOf({ ...HEADER, [name]: undefined })))).toMatch(`${name} is not a`);
  });

  it.each<[string, Uint8Array, string]>([
    ['no JSON', Buffer.from('{'), 'it cannot be read as JSON'],
    ['no text', Buffer.from([0x7b, 0xff]), 'it is not UTF-8 text'],
    ['no object', Buffer.from('[1]'), 'it is not an object'],
  ])('that is %s', (_what, bytes, problem) => {
    expect(refusal(() => parseLine(bytes))).toBe(problem);
  });
});

describe('the line of a row', () => {
  const CARD_ROW = { row: 3, id: CARD, body: { reason: 'lost' }, before: { status: 'ACTIVE' }, drift: 'checked' };
  const EVENT_ROW = {
    row: 1,
    id: null,
    body: { calendar: 'c', name: 'n', start: '2026-05-01' },
    drift: 'unchecked',
  };
  const { cardBlock, cardActivate, eventCreate, subscriberUpdate } = OPERATIONS;

  it('is the row as an input has it', () => {
    expect(new RowReader(cardBlock).read(parseLine(bytesOf(CARD_ROW)), 5)).toEqual({
      row: 3,
      line: 5,
      id: CARD,
      params: { cardId: CARD },
      body: new Map([['reason', 'lost']]),
      before: new Map([['status', 'ACTIVE']]),
      drift: 'checked',
      expects: [],
      record: { row: 3, line: 5, names: ['cardId', 'reason'], values: [CARD, 'lost'] },
    });
  });

  it('of an event has no id', () => {
    expect(new RowReader(eventCreate).read(parseLine(bytesOf(EVENT_ROW)), 2)).toMatchObject({
      id: undefined,
      params: {},
      before: undefined,
      drift: 'unchecked',
      record: { names: ['calendar', 'name', 'start'], values: ['c', 'n', '2026-05-01'] },
    });
  });

  it('without a body has none', () => {
    const { body: _, ...row } = CARD_ROW;
    expect(new RowReader(cardActivate).read(parseLine(bytesOf(row)), 2)).toMatchObject({
      body: undefined,
      record: { names: ['cardId'], values: [CARD] },
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a member that it does not know', { more: 1 }, 'it has an unknown member'],
    ['an id that is no text', { id: 1 }, 'id is not a text'],
    ['no id', { id: null }, 'id does not belong to its operation'],
    ['no body', { body: undefined }, 'body does not belong to its operation'],
    ['a body that is no object', { body: 'x' }, 'body is not an object'],
    ['a card that is not compared', { drift: 'unchecked' }, 'drift is not checked'],
    ['nothing to compare with', { before: undefined }, 'before is missing'],
    ['something to compare with that is no object', { before: [1] }, 'before is not an object'],
    ['no number', { row: undefined }, 'row is not a count'],
    ['a number that is none', { row: '3' }, 'row is not a count'],
  ])('with %s', (_what, change, problem) => {
    expect(refusal(() => new RowReader(cardBlock).read(parseLine(bytesOf({ ...CARD_ROW, ...change })), 2))).toBe(
      problem,
    );
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['an id', { id: 'e' }, 'id does not belong to its operation'],
    ['a comparison', { drift: 'checked' }, 'drift is not unchecked'],
    ['nothing else', {}, 'taken'],
    ['no mention of an id', { id: undefined }, 'taken'],
  ])('of an event with %s', (_what, change, problem) => {
    expect(refusal(() => new RowReader(eventCreate).read(parseLine(bytesOf({ ...EVENT_ROW, ...change })), 2))).toBe(
      problem,
    );
  });

  it('with a body that its operation does not have', () => {
    expect(refusal(() => new RowReader(cardActivate).read(parseLine(bytesOf(CARD_ROW)), 2))).toBe(
      'body does not belong to its operation',
    );
  });

  it('shares the names of its record with the row before, if they are the same', () => {
    const reader = new RowReader(subscriberUpdate);
    const namesOf = (body: object) =>
      reader.read(parseLine(bytesOf({ row: 1, id: 's', body, drift: 'unchecked' })), 2).record.names;
    const first = namesOf({ email: 'a', first_name: 'b' });
    expect(first).toEqual(['id', 'email', 'first_name']);
    expect(namesOf({ email: 'c', first_name: 'd' })).toBe(first);
    const other = namesOf({ first_name: 'b', email: 'a' });
    expect(other).toEqual(['id', 'first_name', 'email']);
    expect(namesOf({ first_name: 'b' })).toEqual(['id', 'first_name']);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
    ['what its command takes', {}, undefined],
    ['an id that is none', { id: '../1' }, 'cardId "../1" is not a card id'],
    [
      'a field that its operation does not have',
      { body: { name: 'x' } },
      'body has a field that its operation has not',
    ],
    ['a field that is no text', { body: { reason: 5 } }, 'reason '],
  ])('is held against the command: %s', (_what, change, problem) => {
    const reader = new RowReader(cardBlock);
    const found = reader.problem(reader.read(parseLine(bytesOf({ ...CARD_ROW, ...change })), 2));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });

  it('with one of the fields of its operation is what its command takes', () => {
    const reader = new RowReader(subscriberUpdate);
    const row = { row: 1, id: 's', body: { email: 'a@x' }, drift: 'unchecked' };
    expect(reader.problem(reader.read(parseLine(bytesOf(row)), 2))).toBeUndefined();
  });

  it('without a body is held against the command by its id', () => {
    const reader = new RowReader(cardActivate);
    const { body: _, ...row } = CARD_ROW;
    expect(reader.problem(reader.read(parseLine(bytesOf(row)), 2))).toBeUndefined();
    expect(reader.problem(reader.read(parseLine(bytesOf({ ...row, id: 'x' })), 2))).toMatch('cardId "x" is not');
  });
});

describe('the lines of a file', () => {
  async function linesIn(...pieces: readonly (string | Uint8Array)[]) {
    async function* bytes() {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    const lines: [string, boolean][] = [];
    for await (const { bytes: line, isWhole } of linesOf(bytes())) lines.push([line.toString(), isWhole]);
    return lines;
  }

  it.each<[string, readonly string[], readonly [string, boolean][]]>([
    ['nothing', [], []],
    ['one line', ['a\n'], [['a', true]]],
    [
      'one that was cut',
      ['a\nb'],
      [
        ['a', true],
        ['b', false],
      ],
    ],
    [
      'an empty one',
      ['\n\n'],
      [
        ['', true],
        ['', true],
      ],
    ],
    [
      'one in three pieces',
      ['a', 'b', 'c\nd\n'],
      [
        ['abc', true],
        ['d', true],
      ],
    ],
  ])('%s', async (_what, pieces, lines) => {
    expect(await linesIn(...pieces)).toEqual(lines);
  });

  it('are refused by their number when one is longer than 8 MiB', async () => {
    const most = Buffer.alloc(8 * 1024 * 1024, 'x');
    expect(await linesIn('a\n', most)).toHaveLength(2);
    expect(await linesIn(most, '\n', most)).toHaveLength(2);
    await expect(linesIn('a\n', most, 'x')).rejects.toThrow(
      expect.objectContaining({ line: 2, message: 'it is longer than any line of a plan' }),
    );
    await expect(linesIn('a\n', most, 'x')).rejects.toThrow(LineProblem);
  });
});
