import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { parseJson } from '../../../../src/base/json/parse.ts';
import { ANY_OBJECT, INTEGER, list, nullable, object, oneOf, TEXT } from '../../../../src/base/json/shape.ts';
import { isJsonObject, JsonNumber, type JsonObject } from '../../../../src/base/json/value.ts';
import {
  headerOf,
  PLAN_HEADER_OUTPUT,
  PLAN_OUTPUT,
  type PlanDraft,
  type PlanRow,
  PlanRows,
} from '../../../../src/runs/plan/plan-file.ts';
import { openPlanWriter } from '../../../../src/runs/plan/write-plan.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import { rowsIn, verify as verifyPieces } from './plan-input.ts';

const folder = mkdtempSync(join(tmpdir(), 'frontdesk-plan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ORIGIN = { operation: 'card.block', url: 'https://cards.example.com', profile: 'live', createdBy: 'ann' };
const TIMES = { createdAt: '2026-05-01T12:00:00.000123Z', expiresAt: '2026-05-02T12:00:00.000Z' };
const FACTS: PlanDraft = { ...ORIGIN, ...TIMES, rows: 3, unchanged: 0, skipped: 0 };

function cardRow(row: number): PlanRow {
  return {
    row,
    id: `0b7a6c1e-3f52-4d8a-9c41-${String(row).padStart(12, '0')}`,
    body: new Map([['reason', `stolen, "ticket" ${row}`]]),
    before: new Map(Object.entries({ status: 'ACTIVE', updatedAt: '2025-01-02T00:00:00Z' })),
    about: new Map([['clientReference', 'r']]),
    drift: 'checked',
  };
}

let made = 0;
async function makePlan(rows: readonly PlanRow[], facts: Partial<PlanDraft> = {}): Promise<Buffer> {
  made += 1;
  const path = join(folder, `${made}.plan`);
  const writer = await openPlanWriter(path, { ...FACTS, ...facts, rows: rows.length }, process.pid);
  for (const row of rows) await writer.add(row);
  await writer.keep();
  return readFileSync(path);
}

async function* inPieces(bytes: Uint8Array, size = 100): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const verify = (bytes: Uint8Array, size?: number) => verifyPieces(inPieces(bytes, size));

/** What is said of a file that is no plan. */
async function problemOf(bytes: Uint8Array): Promise<string> {
  return verify(bytes, bytes.length > 65_536 ? 65_536 : 100).then(
    () => 'it is taken for a plan',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
}

it('a plan has in line 1 what it is, and then a line for each row, and names itself by its hash', async () => {
  expect((await makePlan([cardRow(1), cardRow(3)], { unchanged: 1 })).toString('utf8').split('\n')).toEqual([
    '{"frontdeskPlan":1,"plan":"7f2dd3577167","operation":"card.block","url":"https://cards.example.com","profile":"live","createdBy":"ann","createdAt":"2026-05-01T12:00:00.000123Z","expiresAt":"2026-05-02T12:00:00.000Z","rows":2,"unchanged":1,"skipped":0,"sha256":"7f2dd357716726a1434c15f2038b4ba1dd21e34f640cd230050a55e567da0d4c"}',
    '{"row":1,"id":"0b7a6c1e-3f52-4d8a-9c41-000000000001","body":{"reason":"stolen, \\"ticket\\" 1"},"before":{"status":"ACTIVE","updatedAt":"2025-01-02T00:00:00Z"},"about":{"clientReference":"r"},"drift":"checked"}',
    '{"row":3,"id":"0b7a6c1e-3f52-4d8a-9c41-000000000003","body":{"reason":"stolen, \\"ticket\\" 3"},"before":{"status":"ACTIVE","updatedAt":"2025-01-02T00:00:00Z"},"about":{"clientReference":"r"},"drift":"checked"}',
    '',
  ]);
});

it('a plan is read as it was written, whatever the pieces it comes in', async () => {
  const bytes = await makePlan([cardRow(2), cardRow(7)]);
  for (const size of [1, 7, 4096]) {
    const plan = await verify(bytes, size);
    expect(plan).toMatchObject({ header: { rows: 2, profile: 'live' }, lastRow: 7, columns: ['cardId', 'reason'] });
    const rows = await rowsIn(inPieces(bytes, size));
    expect(rows.map(({ row, id, body, before }) => ({ row, id, body, before }))).toEqual(
      [cardRow(2), cardRow(7)].map(({ row, id, body, before }) => ({ row, id, body, before })),
    );
  }
});

const ROWS = [cardRow(1), cardRow(2), cardRow(5)];

it('G18 L1 L2 a file that is no plan is refused with the line whatever byte of it is another', async () => {
  const bytes = await makePlan(ROWS);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ flip;
      expect(await problemOf(changed)).toMatch(/^USAGE: could not use "x\.plan" as a plan: line [1-9]: /);
    }),
    { numRuns: Number(process.env['FRONTDESK_FUZZ_COUNT'] ?? 1000) },
  );
});

it('L1 L2 a file that is no plan is refused with the line whatever is cut from it, put into it, doubled or swapped', async () => {
  const text = (await makePlan(ROWS)).toString('utf8');
  const lines = text.split(/(?<=\n)/);
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length - 1), fc.nat(30), fc.string({ minLength: 1 }), async (at, length, put) => {
      expect(await problemOf(Buffer.from(text.slice(0, at)))).toMatch(/line [1-9]: /);
      expect(await problemOf(Buffer.from(text.slice(0, at) + put + text.slice(at)))).toMatch(/line [1-9]\d?: /);
      expect(await problemOf(Buffer.from(text.slice(0, at) + text.slice(at + 1 + length)))).toMatch(/line [1-9]: /);
    }),
    { numRuns: 300 },
  );
  const [head = '', one = '', two = '', three = ''] = lines;
  for (const other of [head + two + one + three, head + one + one + two + three, head + one + three, one + two, head]) {
    expect(await problemOf(Buffer.from(other))).toMatch(/^USAGE: could not use "x\.plan" as a plan: line 1: /);
  }
});

it('L1 L2 a file that is no plan is refused with the line bytes that are no text, and a line without end', async () => {
  expect(await problemOf(Buffer.from([0xff, 0x00, 0x0a]))).toContain('line 1: it is not UTF-8 text');
  expect(await problemOf(Buffer.alloc(9 * 1024 * 1024, 0x20))).toContain('line 1: it is longer than any line');
  const plan = await makePlan(ROWS);
  expect(await problemOf(Buffer.concat([plan, Buffer.alloc(9 * 1024 * 1024, 0x20)]))).toContain('line 5: ');
});

const SHA256 = '0123456789abcdef'.repeat(4);
const CARD = '0b7a6c1e-3f52-4d8a-9c41-000000000001';
const COUNTS = { rows: 2, unchanged: 0, skipped: 0 };
const HEADER = { frontdeskPlan: 1, plan: '0123456789ab', ...ORIGIN, ...TIMES, ...COUNTS, sha256: SHA256 };

function lineOf(value: unknown): JsonObject {
  const line = parseJson(JSON.stringify(value));
  if (!isJsonObject(line)) throw new Error('the line is no object');
  return line;
}

/** What line 1 is refused with; `taken` when it is not. */
function refusal(value: unknown): string {
  const found = headerOf(lineOf(value));
  return 'problem' in found ? found.problem : 'taken';
}

it('the first line of a plan is what it says', () => {
  const { frontdeskPlan: _, ...said } = HEADER;
  expect(headerOf(lineOf(HEADER))).toEqual({ header: said, operation: OPERATIONS.cardBlock });
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

const rowProblem = (operation: (typeof OPERATIONS)[keyof typeof OPERATIONS], value: unknown) => {
  const row = new PlanRows(operation, []).read(lineOf(value));
  return 'problem' in row ? row.problem : 'taken';
};

it('the line of a row is what will be sent, in the order in which it was planned, with what was known', () => {
  const row = { ...CARD_ROW, about: { currentBalance: 10.1 }, expect: { status: 'ACTIVE' } };
  expect(new PlanRows(cardBlock, ['status']).read(lineOf(row))).toEqual({
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
  expect(new PlanRows(eventCreate).read(lineOf(EVENT_ROW))).toMatchObject({
    id: undefined,
    params: {},
    body: new Map(Object.entries(EVENT_ROW.body)),
    before: undefined,
    drift: 'unchecked',
  });
});

it('the line of a row without a body has none', () => {
  const { body: _, ...row } = CARD_ROW;
  expect(new PlanRows(cardActivate).read(lineOf(row))).toMatchObject({ id: CARD, body: undefined });
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
  expect(rowProblem(cardBlock, { ...CARD_ROW, ...change })).toBe(problem);
});

it.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['an id', { id: 'e' }, 'id does not belong to its operation'],
  ['a comparison', { drift: 'checked' }, 'drift is not unchecked'],
  ['nothing else', {}, 'taken'],
  ['no mention of an id', { id: undefined }, 'taken'],
])('the line of a row of an event with %s', (_what, change, problem) => {
  expect(rowProblem(eventCreate, { ...EVENT_ROW, ...change })).toBe(problem);
});

it('the line of a row with a body that its operation does not have', () => {
  expect(rowProblem(cardActivate, CARD_ROW)).toBe('body does not belong to its operation');
});

const LINE_1 = {
  frontdeskPlan: INTEGER,
  plan: TEXT,
  operation: TEXT,
  url: TEXT,
  profile: TEXT,
  createdBy: TEXT,
  createdAt: { ...TEXT, format: 'date-time' },
  expiresAt: { ...TEXT, format: 'date-time' },
  rows: INTEGER,
  unchanged: INTEGER,
  skipped: INTEGER,
  sha256: TEXT,
};

const SHAPE = object({ leftOut: INTEGER }, { map: list(TEXT), where: list(TEXT), rows: TEXT });
const MAYBE = { source: TEXT, expect: list(TEXT), shape: SHAPE, missing: INTEGER, emptied: INTEGER, nonce: TEXT };

it('the header of a plan is printed as line 1 of its file', () => {
  expect(PLAN_HEADER_OUTPUT).toEqual(object(LINE_1, MAYBE));
});

it('a whole plan is printed with its state and its rows', () => {
  expect(PLAN_OUTPUT).toEqual(
    object({
      plan: object(
        { ...LINE_1, state: oneOf(['new', 'expired', 'running', 'unsettled', 'stopped', 'finished']) },
        MAYBE,
      ),
      rows: list(
        object(
          { row: INTEGER, id: nullable(TEXT), drift: oneOf(['checked', 'unchecked']) },
          { body: ANY_OBJECT, before: ANY_OBJECT, expect: ANY_OBJECT, about: ANY_OBJECT },
        ),
      ),
    }),
  );
});
