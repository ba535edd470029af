import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printJson } from '../../../src/base/json/print.ts';
import { JsonNumber, type JsonValue } from '../../../src/base/json/value.ts';
import { Progress } from '../../../src/runs/progress.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { answered, ended, FakeClock, failed, planOf, rejected, rowsTo } from './fakes.ts';

const inOrder = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('many rows are printed in input order although they end in another', async () => {
  const clock = new FakeClock();
  const ended: number[] = [];
  const plan = planOf(
    50,
    async (row, slot) => {
      await slot.pacer.admit('send');
      await clock.sleep(((row.row * 7) % 13) * 10);
      ended.push(row.row);
      return answered();
    },
    { clock, concurrency: 8 },
  );
  const report = await runRows(plan);
  expect(report.exitCode).toBe(0);
  expect(ended).not.toEqual(inOrder(50));
  expect(plan.printed.map((result) => result.row.row)).toEqual(inOrder(50));
});

it('many rows never exceed the concurrency, and reach it', async () => {
  const clock = new FakeClock();
  let inFlight = 0;
  let most = 0;
  const plan = planOf(
    40,
    async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await clock.sleep(10);
      inFlight -= 1;
      return answered();
    },
    { clock, concurrency: 6 },
  );
  await runRows(plan);
  expect(most).toBe(6);
});

it('many rows wait for a slow reader of stdout instead of piling up', async () => {
  const clock = new FakeClock();
  let taken = 0;
  let printed = 0;
  let mostWaiting = 0;
  const plan = planOf(2_000, async () => answered(), {
    clock,
    concurrency: 4,
    rows: (async function* () {
      for await (const row of rowsTo(2_000)) {
        taken += 1;
        mostWaiting = Math.max(mostWaiting, taken - printed);
        yield row;
      }
    })(),
    emit: async () => {
      await clock.sleep(1);
      printed += 1;
    },
  });
  await runRows(plan);
  expect(printed).toBe(2_000);
  expect(mostWaiting).toBeLessThanOrEqual(260);
});

it('many rows go on while one gets no answer, which keeps its place in the output', async () => {
  const clock = new FakeClock();
  let others = 0;
  const progress = new Progress(1, 0);
  const seen: unknown[] = [];
  const service = new Map<string, JsonValue>([['limit', new JsonNumber('1.10')]]);
  const refused = failed('REJECTED', { outcome: 'rejected', http: { status: 409, requestId: undefined }, service });
  const plan = planOf(
    5_000,
    async (row, slot) => {
      await slot.pacer.admit('send');
      slot.pacer.leaves?.();
      if (row.row !== 1) {
        others += 1;
        if (row.row === 4_000) return refused;
        return answered(new Map<string, JsonValue>([['n', new JsonNumber(`${row.row}.10`)]]));
      }
      await clock.sleep(2_000);
      seen.push(progress.run.waitedFor());
      await clock.sleep(10_000);
      seen.push(others, progress.run.waitedFor());
      return answered(null);
    },
    {
      clock,
      concurrency: 2,
      progress,
    },
  );
  await runRows(plan);
  expect(seen).toEqual([undefined, 4_999, { row: 1, ms: 12_000, inFlight: 1, isFull: false }]);
  expect(plan.printed.map((result) => result.row.row)).toEqual(inOrder(5_000));
  expect(plan.printed[3_999]?.failure).toMatchObject({
    code: 'REJECTED',
    exitCode: 6,
    problem: 'it ended as REJECTED',
    details: { row: 4_000, id: 'card-4000', outcome: 'rejected', attempts: 1, http: { status: 409 }, service },
  });
  expect(plan.printed.slice(4_997).map(({ resource }) => printJson(resource ?? null))).toEqual([
    '{"n":4998.10}',
    '{"n":4999.10}',
    '{"n":5000.10}',
  ]);
});

it('many rows in any order of answers are printed in input order, each exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 400 }),
      fc.integer({ min: 1, max: 70 }),
      async (delays, concurrency) => {
        const clock = new FakeClock();
        const plan = planOf(
          delays.length,
          async (row) => {
            await clock.sleep(delays[row.row - 1] ?? 0);
            return row.row % 7 === 0 ? rejected(404) : answered(new Map([['id', row.id]]));
          },
          { clock, concurrency },
        );
        await runRows(plan);
        expect(plan.printed.map(({ row, resource }) => [row.row, printJson(resource ?? null)])).toEqual(
          delays.map((_, index) => [index + 1, (index + 1) % 7 === 0 ? 'null' : `{"id":"card-${index + 1}"}`]),
        );
      },
    ),
    { numRuns: 30 },
  );
});

it('many rows wait when the results behind one without an answer fill their memory', async () => {
  const clock = new FakeClock();
  let others = 0;
  const seen: unknown[] = [];
  const progress = new Progress(1, 0);
  const plan = planOf(
    100,
    async (row, slot) => {
      slot.pacer.leaves?.();
      if (row.row !== 1) {
        others += 1;
        return answered(new Map());
      }
      await clock.sleep(5_000);
      seen.push(others, progress.run.waitedFor()?.isFull);
      return answered();
    },
    {
      clock,
      concurrency: 4,
      progress,
      sizeOf: () => 56 << 20,
    },
  );
  await runRows(plan);
  expect(seen).toEqual([4, true]);
  expect(plan.printed.map((result) => result.row.row)).toEqual(inOrder(100));
});

it('many rows of none is a success', async () => {
  expect(await runRows(planOf(0, async () => answered()))).toMatchObject({ exitCode: 0, state: 'finished' });
});

it('many rows are counted by outcome and cause', async () => {
  const ends = [
    answered(),
    rejected(422, 'CARD_EXPIRED'),
    rejected(404, 'CARD_NOT_FOUND'),
    rejected(422, 'CARD_EXPIRED'),
    rejected(409),
    failed('OUTCOME_UNKNOWN', { outcome: 'unknown', http: { status: 502 }, attempts: 3 }),
  ];
  const { tally } = await runRows(
    planOf(6, async (row, slot) => {
      // The last one is tried twice in vain before a request leaves.
      await slot.pacer.admit('send');
      slot.pacer.leaves?.();
      return ends[row.row - 1] ?? answered();
    }),
  );
  expect(tally.counts()).toEqual({ applied: 1, rejected: 4, unknown: 1 });
  expect(tally.causes.of('rejected')).toMatchObject([
    { name: 'CARD_EXPIRED', rows: 2 },
    { name: 'CARD_NOT_FOUND', rows: 1 },
    { name: 'HTTP 409', rows: 1 },
  ]);
  expect(tally.causes.of('unknown')).toMatchObject([{ name: 'HTTP 502', rows: 1 }]);
  expect([tally.requests, tally.retries]).toEqual([6, 2]);
});

it('many rows of a read have no outcome, and one that fails makes the run partial', async () => {
  const read = (): CallResult => ({ ...answered(), callOutcome: ended({ httpStatus: 200, attempts: 1 }) });
  const plan = planOf(3, async (row) => (row.row === 2 ? failed('NOT_FOUND', { http: { status: 404 } }) : read()), {
    isWrite: false,
    command: 'card.get',
  });
  const report = await runRows(plan);
  expect(report.exitCode).toBe(15);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual([null, null, null]);
  expect(plan.printed[1]?.failure?.details).toMatchObject({ row: 2, id: 'card-2', operation: 'card.get' });
  expect(report.tally.counts()).toEqual({ read: 2, failed: 1 });
});

it('many rows share the rate, card checks and guards included', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const plan = planOf(
    4,
    async (_row, slot) => {
      await slot.pacer.admit('read');
      slot.pacer.leaves?.();
      times.push(clock.monotonic());
      await slot.pacer.admit('send');
      slot.pacer.leaves?.();
      times.push(clock.monotonic());
      return answered();
    },
    { clock, concurrency: 4, rate: 2 },
  );
  await runRows(plan);
  times.sort((a, b) => a - b);
  expect(times).toHaveLength(8);
  for (let index = 2; index < 8; index += 1)
    expect((times[index] ?? 0) - (times[index - 2] ?? 0)).toBeGreaterThan(1000);
});

it('many rows give a place of the rate back that was taken and not used', async () => {
  const clock = new FakeClock();
  const plan = planOf(
    4,
    async (_row, slot) => {
      // Admitted, and then the connection fails: nothing leaves.
      await slot.pacer.admit('send');
      return failed('UNREACHABLE');
    },
    { clock, concurrency: 1, rate: 1 },
  );
  await runRows(plan);
  expect(clock.monotonic()).toBe(0);
});

it('many rows pause together when the last retry of a row was refused', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const plan = planOf(
    2,
    async (row, slot) => {
      await slot.pacer.admit('send');
      times.push(clock.monotonic());
      if (row.row === 2) return answered();
      return failed('BUSY', { outcome: 'rejected', http: { status: 429 }, retryAt: '2026-05-01T12:00:30.000Z' });
    },
    { clock },
  );
  const report = await runRows(plan);
  expect(times).toEqual([0, 30_000]);
  expect(report.exitCode).toBe(15);
});

it('many rows pause for a quarter of an hour in all, but begin to count anew once a row is answered', async () => {
  const clock = new FakeClock();
  const minutes: number[] = [];
  const plan = planOf(
    4,
    async (row, slot) => {
      await slot.pacer.admit('send');
      minutes.push(clock.monotonic() / 60_000);
      if (row.row % 2 === 0) return answered();
      const retryAt = new Date(clock.now() + 8 * 60_000).toISOString();
      return failed('BUSY', { outcome: 'rejected', http: { status: 429 }, retryAt });
    },
    { clock },
  );
  expect(await runRows(plan)).toMatchObject({ exitCode: 15, state: 'finished' });
  expect(minutes).toEqual([0, 8, 8, 16]);
});
