import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { PlanDraft, PlanRow } from '../../../../src/runs/plan/plan-file.ts';
import { openPlanWriter } from '../../../../src/runs/plan/write-plan.ts';
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
