import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/http/call.ts';
import { runRows } from '../../../src/run/engine.ts';
import { answered, ended, FakeClock, failed, planOf, rejected, rowsTo } from './fakes.ts';

const inOrder = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('many rows', () => {
  it('are printed in input order although they end in another', async () => {
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

  it('never exceed the concurrency, and reach it', async () => {
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

  it('wait for a slow reader of stdout instead of piling up', async () => {
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

  it('of none is a success', async () => {
    expect(await runRows(planOf(0, async () => answered()))).toMatchObject({ exitCode: 0, state: 'finished' });
  });

  it('are counted by outcome and cause', async () => {
    const ends = [
      answered(),
      rejected(422, 'CARD_EXPIRED'),
      rejected(404, 'CARD_NOT_FOUND'),
      rejected(422, 'CARD_EXPIRED'),
      rejected(409),
      failed('OUTCOME_UNKNOWN', { outcome: 'unknown', http: { status: 502 }, attempts: 3 }),
    ];
    const { tally } = await runRows(planOf(6, async (row) => ends[row.row - 1] ?? answered()));
    expect(tally.counts()).toEqual({ applied: 1, rejected: 4, unknown: 1 });
    expect(tally.causes.of('rejected')).toEqual([
      ['CARD_EXPIRED', 2],
      ['CARD_NOT_FOUND', 1],
      ['HTTP 409', 1],
    ]);
    expect(tally.causes.of('unknown')).toEqual([['HTTP 502', 1]]);
    expect([tally.attempts, tally.retries]).toEqual([8, 2]);
  });

  it('of a read have no outcome, and one that fails makes the run partial', async () => {
    const read = (): CallResult => ({ ...answered(), ending: ended({ httpStatus: 200, attempts: 1 }) });
    const plan = planOf(3, async (row) => (row.row === 2 ? failed('NOT_FOUND', { http: { status: 404 } }) : read()), {
      isWrite: false,
      command: 'card.get',
    });
    const report = await runRows(plan);
    expect(report.exitCode).toBe(15);
    expect(plan.printed.map((result) => result.ending.outcome)).toEqual([null, null, null]);
    expect(plan.printed[1]?.failure?.details).toMatchObject({ row: 2, id: 'card-2', operation: 'card.get' });
    expect(report.tally.counts()).toEqual({ read: 2, failed: 1 });
  });

  it('share the rate, read-backs and guards included', async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const plan = planOf(
      4,
      async (_row, slot) => {
        await slot.readPacer.admit('send');
        slot.readPacer.leaves?.();
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

  it('give a place of the rate back that was taken and not used', async () => {
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

  it('pause together when the last retry of a row was refused', async () => {
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
});
