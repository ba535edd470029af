import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../../src/base/files/lines.ts';
import { printJson } from '../../../../src/base/json/print.ts';
import {
  encodeHeader,
  hashFirstLine,
  type PlanDraft,
  type PlanRow,
  rowObject,
} from '../../../../src/runs/plan/plan-file.ts';
import { checkPlan, checkSeal, openSeal } from '../../../../src/runs/plan/read-plan.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { fileOf, rowsAt, rowsIn, verify as verifyPieces } from './plan-input.ts';

const UPDATE = 'calendar.subscribers.update';
const ORIGIN = { operation: UPDATE, url: 'https://calendar.example.com', profile: 'live', createdBy: 'ann' };
const TIMES = { createdAt: '2026-05-01T12:00:00.000Z', expiresAt: '2026-05-02T12:00:00.000Z' };
const DRAFT: PlanDraft = { ...ORIGIN, ...TIMES, rows: 3, unchanged: 0, skipped: 0 };

function planRow(row: number, body: Record<string, string> = { email: 'a@x' }): PlanRow {
  return { row, id: `sub_${row}`, body: new Map(Object.entries(body)), before: undefined, drift: 'unchecked' };
}

const CARD_ID = '0b7a6c1e-3f52-4d8a-9c41-000000000001';

function cardRow(row: number): PlanRow {
  const known = { before: new Map([['status', 'ACTIVE']]), about: new Map() };
  return { row, id: CARD_ID, body: undefined, ...known, drift: 'checked' };
}

const EVENT: PlanRow = { ...planRow(1, { calendar: 'c', name: 'n', start: '2026-05-01' }), id: undefined };

const TWO = planRow(2, { first_name: 'Ann', email: 'b@x' });
const ROWS = [planRow(1), TWO, planRow(5, { last_name: 'Bo', first_name: 'Cy' })];

/** The bytes of a plan with these lines and a hash that is right, whatever its header says. */
function planOf(rows: readonly PlanRow[], draft: Partial<PlanDraft> = {}, lineEnd = '\n'): Buffer {
  const facts = { ...DRAFT, rows: rows.length, ...draft };
  const lines = rows.map((row) => `${printJson(rowObject(row))}${lineEnd}`).join('');
  const sha256 = hashFirstLine(encodeHeader(facts, '0'.repeat(64)))
    .update(lines)
    .digest('hex');
  return Buffer.from(encodeHeader(facts, sha256) + lines);
}

const verify = (bytes: Uint8Array, onRow?: (row: { readonly row: number }) => void) => verifyPieces([bytes], onRow);

/** A plan of such rows in which a letter was changed. */
const changed = (rows: readonly PlanRow[]) => planOf(rows).toString('utf8').replace('b@x', 'b@y');

it('a plan that was verified says what it holds, and names its bytes as they are', async () => {
  const bytes = planOf(ROWS);
  const plan = await verify(bytes);
  expect(plan).toMatchObject({
    header: { operation: 'calendar.subscribers.update', rows: 3 },
    lastRow: 5,
    columns: ['id', 'email', 'first_name', 'last_name'],
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(plan.operation.command).toBe('calendar.subscribers.update');
});

it('a plan that was verified may have no rows, or no fields', async () => {
  expect(await verify(planOf([]))).toMatchObject({ lastRow: 0, columns: [] });
  const cards = planOf([cardRow(1)], { operation: 'card.activate' });
  expect(await verify(cards)).toMatchObject({ lastRow: 1, columns: ['cardId'] });
});

it('who verifies a plan hears each row in order', async () => {
  const heard: number[] = [];
  await verify(planOf(ROWS), ({ row }) => void heard.push(row));
  expect(heard).toEqual([1, 2, 5]);
});

it.each<[string, () => Buffer | string, string]>([
  ['the first fault', () => planOf([TWO, TWO, planRow(1)]), 'line 3: its row does not follow the one before'],
  ['a changed file before of a fault in it', () => changed([TWO, planRow(1)]), 'line 1: its hash does not match'],
  ['a wrong number of rows', () => planOf(ROWS, { rows: 4 }), 'line 1: it says 4 rows, not 3. Nothing was sent.'],
])('who verifies a plan hears of %s', async (_what, bytes, problem) => {
  await expect(verify(Buffer.from(bytes()))).rejects.toThrow(problem);
});

it('who verifies a plan hears of a bug as it is', async () => {
  const bug = new TypeError('x is not a function');
  const verifying = verify(planOf(ROWS), () => {
    throw bug;
  });
  await expect(verifying).rejects.toBe(bug);
});

it.each([
  ['an empty one', () => Buffer.alloc(0), 'line 1: the file is empty'],
  ['one that begins as none', () => Buffer.from('x\n'), 'line 1: it cannot be read as JSON'],
  ['one that begins with no object', () => Buffer.from('[1]\n'), 'line 1: it is not an object'],
  [
    'a line that cannot be read',
    () => Buffer.from(planOf(ROWS).toString('utf8').replace('{"row":2', '["row":2')),
    'line 3: it cannot be read as JSON',
  ],
  ['one whose last newline is missing', () => planOf(ROWS).subarray(0, -1), 'line 1: only its line ends were changed'],
])('a file that is no plan: %s is refused', async (_what, make, problem) => {
  await expect(verify(make())).rejects.toThrow(`could not use "x.plan" as a plan: ${problem}`);
});

it('the rows of a plan with blank lines, which its hash covers, are the same in the copy of its run', async () => {
  expect((await rowsIn([planOf(ROWS, {}, '\n\n')])).map(({ row }) => row)).toEqual([1, 2, 5]);
});

it('the rows of a plan that was read before end with what reading them ended with', async () => {
  const error = new Error('EIO');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield planOf(ROWS);
    throw error;
  }
  await expect(rowsIn(broken())).rejects.toBe(error);
});

const NO_START = new Map(Object.entries({ calendar: 'c', name: 'n' }));
const TWICE = `cardId the same id as in line 2 (${CARD_ID}). A plan holds a card once`;

it.each<[string, string, readonly PlanRow[], string | undefined]>([
  ['a card twice', 'card.activate', [cardRow(1), cardRow(2)], TWICE],
  ['a subscriber twice', UPDATE, [planRow(1), { ...planRow(1), row: 2 }], undefined],
  ['an update of nothing', UPDATE, [planRow(1), planRow(2, {})], 'nothing to change: give at least one field'],
  ['another kind of field', UPDATE, [planRow(1), planRow(2, { active: 'x' })], 'active must be true or false, not "x"'],
  ['a rounded ID', UPDATE, [planRow(1), { ...planRow(2), id: '1.23457E+15' }], 'id '],
  ['events, which have no ID', 'calendar.event.create', [EVENT, { ...EVENT, row: 2 }], undefined],
  ['no start', 'calendar.event.create', [EVENT, { ...EVENT, row: 2, body: NO_START }], 'start is required'],
])('rows of a plan are judged like any input, although the hash is right: %s', async (_, operation, rows, fault) => {
  const heard: number[] = [];
  const verifying = verify(planOf(rows, { operation }), ({ row }) => void heard.push(row));
  if (fault === undefined) expect(await verifying).toMatchObject({ lastRow: 2 });
  else await expect(verifying).rejects.toThrow(`could not use "x.plan" as a plan: line 3: ${fault}`);
  expect(heard).toEqual(fault === undefined ? [1, 2] : [1]);
});

it('the seal of a plan is that of its bytes, whatever its rows are', async () => {
  const bytes = planOf([planRow(1, {})]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await checkSeal(fileOf([bytes]))).toMatchObject({ header: { rows: 1 }, sha256 });
  const changed = Buffer.from(bytes.toString('utf8').replace('sub_1', 'sub_2'));
  await expect(checkSeal(fileOf([changed]))).rejects.toThrow('line 1: its hash does not match');
});

it.each([
  ['line 1', /^\{/, '[', 'the plan is damaged at line 1 (PATH): it cannot be read as JSON'],
  ['a later line', '{"row":2', '["row":2', 'the plan is damaged at line 3 (PATH): it cannot be read as JSON'],
  ['its order', '{"row":5', '{"row":2', 'the plan is damaged at line 4 (PATH): its row does not follow the one before'],
])('the copy of a plan in which %s was changed is LOCAL_IO', async (_, was, is, message) => {
  const path = join(temporaryFolder(), 'plan');
  writeFileSync(path, planOf(ROWS).toString('utf8').replace(was, is));
  const reading = rowsAt(path);
  const problem = message.replace('PATH', path);
  await expect(reading).rejects.toMatchObject({ code: 'LOCAL_IO', problem, after: 'unsent' });
});

it('a copy that is not there, or cannot be made, is LOCAL_IO and says where', async () => {
  const path = join(temporaryFolder(), 'plan');
  await expect(rowsAt(path)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: expect.stringContaining(`could not read the rows of the plan (${path}): no such file`),
  });
  writeFileSync(path, '');
  await expect(checkPlan(fileOf([planOf(ROWS)]), { copyTo: path })).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: expect.stringMatching(/^cannot copy the plan to .*: .*EEXIST.* Nothing was sent\.$/),
  });
});

// The header is what was read of line 1; the seal looks at the bytes.
const LINE = '{"plan":"","sha256":"","note":"ü"}\n';
const SEALED = ['{"row":1,"a":"ü"}\n', '{"row":2}\n'];
const WHOLE = LINE + SEALED.join('');
const sha256 = hashFirstLine(LINE).update(SEALED.join('')).digest('hex');

async function judged(text: string, pieceLength: number, name = '"p.plan"') {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength);
    yield new Uint8Array();
  }
  let seal: ReturnType<typeof openSeal> | undefined;
  for await (const lines of linesOf(pieces())) {
    for (const line of lines) {
      seal?.take(line);
      seal ??= openSeal(name, { sha256, rows: 2 }, line);
    }
  }
  return seal?.judge();
}

const CHANGED = 'could not use "p.plan" as a plan: line 1: its hash does not match: the file was edited or cut off';
const LINE_ENDS =
  'could not use "p.plan" as a plan: line 1: only its line ends were changed, as git and some editors do';

// Pieces end in the middle of a line, of a character and of a line end.
describe.each([1, 2, 3, 5, 7, 1000])('pieces of %i bytes', (pieceLength) => {
  it('a plan that is read in pieces is what was written', async () => {
    expect(await judged(WHOLE, pieceLength)).toBeUndefined();
  });

  it.each([
    ['each line', WHOLE.replaceAll('\n', '\r\n')],
    ['each line, but no last one', WHOLE.replaceAll('\n', '\r\n').slice(0, -2)],
    ['no last line', WHOLE.slice(0, -1)],
    ['the first line', LINE.replace('\n', '\r\n') + SEALED.join('')],
  ])('a plan that has other line ends at %s is refused, and how to keep git from it is said', async (_, text) => {
    expect(await judged(text, pieceLength)).toMatchObject({
      code: 'USAGE',
      message: `${LINE_ENDS}. Nothing was sent.`,
      hints: ['add the line `*.plan -text` to .gitattributes, commit it, and get the original file'],
    });
  });

  it.each([
    ['a letter', WHOLE.replace('"row":2', '"row":3')],
    ['a letter, with other line ends', WHOLE.replace('"row":2', '"row":3').replaceAll('\n', '\r\n')],
    ['a line too many', `${WHOLE}\n`],
    ['a carriage return within a line', WHOLE.replace('"row":2', '"row":\r2')],
    ['the same, with other line ends', WHOLE.replace('"row":2', '"row":\r2').replaceAll('\n', '\r\n')],
    ['a cut', WHOLE.slice(0, -4)],
    ['a cut in line 1', LINE.slice(0, 10)],
  ])('a plan that has %s was changed', async (_, text) => {
    expect(await judged(text, pieceLength)).toMatchObject({
      code: 'USAGE',
      message: `${CHANGED}. Nothing was sent.`,
      hints: ['make the plan again, or get the original file'],
    });
  });
});

it.each([
  ['"a.b/june.jsonl"', '*.jsonl'],
  ['june.plan2', '*.plan2'],
  ['"june"', '*.plan'],
  ['"a.b/june"', '*.plan'],
])('names for git the files like %s by %s', async (name, pattern) => {
  expect((await judged(WHOLE.slice(0, -1), 1000, name))?.hints).toEqual([
    `add the line \`${pattern} -text\` to .gitattributes, commit it, and get the original file`,
  ]);
});
