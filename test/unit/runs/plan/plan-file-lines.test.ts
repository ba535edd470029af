import { expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { isJsonObject, JsonNumber } from '../../../../src/base/json/value.ts';
import { headerOf, PlanRows } from '../../../../src/runs/plan/plan-file.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';

const SHA256 = '0123456789abcdef'.repeat(4);
const CARD = '0b7a6c1e-3f52-4d8a-9c41-000000000001';

const ORIGIN = { operation: 'card.block', url: 'https://cards.example.com', profile: 'live', createdBy: 'ann' };
const TIMES = { createdAt: '2026-05-01T12:00:00.000Z', expiresAt: '2026-05-02T12:00:00.000Z' };
const COUNTS = { rows: 2, unchanged: 0, skipped: 0 };
const HEADER = { frontdeskPlan: 1, plan: '0123456789ab', ...ORIGIN, ...TIMES, ...COUNTS, sha256: SHA256 };

/** What is said of line 1. */
function head(value: unknown): ReturnType<typeof headerOf> {
  const object = parseJson(JSON.stringify(value));
  if (!isJsonObject(object)) throw new Error('line 1 is no object');
  return headerOf(object);
}

/** What line 1 is refused with; `taken` when it is not. */
function refusal(value: unknown): string {
  const found = head(value);
  return 'problem' in found ? found.problem : 'taken';
}

it('the first line of a plan is what it says', () => {
  const { frontdeskPlan: _, ...said } = HEADER;
  expect(head(HEADER)).toEqual({ header: said, operation: OPERATIONS.cardBlock });
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
  ['a sample of the input', { shape: { where: ['x=1'], map: ['ID=cardId'], rows: '1-9', leftOut: 3 } }, 'taken'],
  ['a sample that counts nothing', { shape: { where: ['x=1'] } }, 'shape is not what frontdesk writes there'],
  ['fields of --expect that are no texts', { expect: [1] }, 'expect is not a list of texts'],
  ['unchanged rows that are no number', { unchanged: true }, 'unchanged is not a count'],
  ['no hash', { sha256: undefined }, 'sha256 is not a text'],
  ['a name of another hash', { plan: 'ffffffffffff' }, 'the name of the plan is not its hash'],
  ['a short hash', { sha256: SHA256.slice(1), plan: '123456789abc' }, 'the name of the plan is not its hash'],
  ['a hash that is too long', { sha256: `${SHA256}0` }, 'the name of the plan is not its hash'],
  ['something before the hash', { sha256: `x${SHA256}`, plan: 'x0123456789a' }, 'the name of the plan is not its hash'],
  ['an operation that is none', { operation: 'card.eat' }, 'its operation cannot be planned'],
  ['a read', { operation: 'card.get' }, 'its operation cannot be planned'],
  ['an operation whose answer is a secret', { operation: 'card.provision' }, 'its operation cannot be planned'],
])('the first line of a plan with %s', (_what, change, problem) => {
  expect(refusal({ ...HEADER, ...change })).toBe(problem);
});

it.each(Object.keys(HEADER).filter((name) => name !== 'frontdeskPlan'))('no first line lacks %s', (name) => {
  expect(refusal({ ...HEADER, [name]: undefined })).toMatch(`${name} is not a`);
});

const KNOWN = { before: { status: 'ACTIVE' }, about: {}, drift: 'checked' };
const CARD_ROW = { row: 3, id: CARD, body: { reason: 'lost' }, ...KNOWN };
const EVENT_ROW = { row: 1, id: null, body: { calendar: 'c', name: 'n', start: '2026-05-01' }, drift: 'unchecked' };
const { cardBlock, cardActivate, eventCreate } = OPERATIONS;

const read = (rows: PlanRows, value: unknown) => {
  const object = parseJson(JSON.stringify(value));
  if (!isJsonObject(object)) throw new Error('the row is no object');
  return rows.read(object);
};
const problemOf = (operation: (typeof OPERATIONS)[keyof typeof OPERATIONS], value: unknown) => {
  const row = read(new PlanRows(operation, []), value);
  return 'problem' in row ? row.problem : 'taken';
};

it('the line of a row is what will be sent, in the order in which it was planned, with what was known', () => {
  const row = { ...CARD_ROW, about: { currentBalance: 10.1 }, expect: { status: 'ACTIVE' } };
  expect(read(new PlanRows(cardBlock, ['status']), row)).toEqual({
    row: 3,
    id: CARD,
    params: { cardId: CARD },
    body: new Map([['reason', 'lost']]),
    expects: [{ field: 'status', value: 'ACTIVE' }],
    input: new Map(Object.entries({ cardId: CARD, reason: 'lost' })),
    before: new Map([['status', 'ACTIVE']]),
    about: new Map([['currentBalance', new JsonNumber('10.1')]]),
    drift: 'checked',
  });
});

it('the line of a row of an event has no id', () => {
  expect(read(new PlanRows(eventCreate), EVENT_ROW)).toMatchObject({
    id: undefined,
    params: {},
    body: new Map(Object.entries(EVENT_ROW.body)),
    before: undefined,
    drift: 'unchecked',
  });
});

it('the line of a row without a body has none', () => {
  const { body: _, ...row } = CARD_ROW;
  expect(read(new PlanRows(cardActivate), row)).toMatchObject({ id: CARD, body: undefined });
});

it.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['a member that it does not know', { more: 1 }, 'it has an unknown member'],
  ['an id that is no text', { id: 1 }, 'id is not a text'],
  ['no id', { id: null }, 'id does not belong to its operation'],
  ['no body', { body: undefined }, 'body does not belong to its operation'],
  ['a body that is no object', { body: 'x' }, 'body is not an object'],
  ['a card that is not compared', { drift: 'unchecked' }, 'drift is not checked'],
  ['nothing to compare with', { before: undefined }, 'before is missing'],
  ['nothing that tells which card it is', { about: undefined }, 'about is missing'],
  ['an expectation that is no text', { expect: { status: 1 } }, 'expect is not an object of texts'],
  ['an expectation of its own', { expect: { status: 'ACTIVE' } }, 'expect is not of the fields that line 1 names'],
  ['something to compare with that is no object', { before: [1] }, 'before is not an object'],
  ['no number', { row: undefined }, 'row is not a count'],
  ['a number that is none', { row: '3' }, 'row is not a count'],
  ['a row before the first', { row: 0 }, 'its row does not follow the one before'],
  ['a field of another operation', { body: { name: 'x' } }, 'body has a field that its operation does not have'],
  ['__proto__', { body: JSON.parse('{"__proto__":"x"}') }, 'body has a field that its operation does not have'],
])('the line of a row with %s', (_what, change, problem) => {
  expect(problemOf(cardBlock, { ...CARD_ROW, ...change })).toBe(problem);
});

it.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['an id', { id: 'e' }, 'id does not belong to its operation'],
  ['a comparison', { drift: 'checked' }, 'drift is not unchecked'],
  ['nothing else', {}, 'taken'],
  ['no mention of an id', { id: undefined }, 'taken'],
])('the line of a row of an event with %s', (_what, change, problem) => {
  expect(problemOf(eventCreate, { ...EVENT_ROW, ...change })).toBe(problem);
});

it('the line of a row with a body that its operation does not have', () => {
  expect(problemOf(cardActivate, CARD_ROW)).toBe('body does not belong to its operation');
});
