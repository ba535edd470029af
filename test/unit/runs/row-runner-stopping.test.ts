import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { sentResult } from '../../../src/records/row-outcome.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import { outage, StopRules } from '../../../src/runs/stop.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import {
  answered,
  FakeClock,
  FakeSignals,
  failed,
  heldBack,
  planOf,
  rejected,
  type TestRow,
  unknown,
  unreachable,
} from './fakes.ts';

/** A send that ends row n with the n-th of these, and admits each first. */
function script(ends: readonly (() => CallResult)[], sent: number[] = []) {
  return async (row: TestRow, slot: { pacer: { admit(purpose: 'send'): Promise<boolean> } }) => {
    if (!(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent', attempts: 0 });
    sent.push(row.row);
    return (ends[row.row - 1] ?? (() => answered()))();
  };
}

const ok = () => answered();
const unread = (code: FailureCode) => () => failed(code);
const times = (count: number, end: () => CallResult) => Array.from({ length: count }, () => end);

it.each<[string, readonly (() => CallResult)[], number[], number]>([
  ['K6 at the first 401', [() => rejected(401)], [1], 4],
  ['at a 401 after successes', [ok, ok, () => rejected(401)], [1, 2, 3], 4],
  ['K6 at a 403 when no row has succeeded', [() => rejected(404), () => rejected(403)], [1, 2], 5],
  ['at the fifth consecutive 403', [ok, ...times(5, () => rejected(403))], [1, 2, 3, 4, 5, 6], 5],
  ['K7 at the fifth consecutive row that could not be sent', [ok, ...times(5, unreachable)], [1, 2, 3, 4, 5, 6], 15],
  ['at the fifth row that could not be sent, when none could', times(5, unreachable), [1, 2, 3, 4, 5], 7],
  [
    'at five unsent rows with rows between them that --expect held back',
    [ok, unreachable, unreachable, heldBack, unreachable, unreachable, unreachable],
    [1, 2, 3, 4, 5, 6, 7],
    15,
  ],
  ['when the credential is bad', [() => failed('USAGE', { outcome: 'not_sent' })], [1], 2],
])('a run of many rows stops %s', async (_name, ends, sentRows, exitCode) => {
  const sent: number[] = [];
  const plan = planOf(9, script(ends, sent));
  const report = await runRows(plan);
  expect(sent).toEqual(sentRows);
  expect(report.exitCode).toBe(exitCode);
  expect(report.state).toBe('stopped');
  expect(plan.printed.map((result) => result.row.row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const last = plan.printed[8];
  expect(last).toMatchObject({ callOutcome: { outcome: 'not_sent', attempts: 0 }, source: 'not_reached' });
});

it.each<[string, readonly (() => CallResult)[], number]>([
  [
    'at 403s that are about their rows',
    [ok, ...times(4, () => rejected(403)), ok, ...times(3, () => rejected(403))],
    15,
  ],
  ['at rows held back', times(9, heldBack), 15],
  ['at rejected rows', times(9, () => rejected(404, 'CARD_NOT_FOUND')), 15],
  ['at unsent rows with an answer between them', [...times(4, unreachable), ok, ...times(4, unreachable)], 15],
  ['at four 404s and a 403, when a row has succeeded', [ok, ...times(4, () => rejected(404)), () => rejected(403)], 15],
  [
    'at 403s that other refusals come between',
    [ok, ...times(4, () => rejected(403)), () => rejected(404), ...times(3, () => rejected(403))],
    15,
  ],
  [
    'at unsent rows with a refusal between them',
    [...times(4, unreachable), () => rejected(404), ...times(4, unreachable)],
    15,
  ],
  ['when all succeed', [], 0],
  ['at unknown rows', [unknown, ok, unknown], 8],
  ['at nine unknown rows', times(9, unknown), 8],
  ['at nine rows that are unknown or were not sent', [...times(4, unreachable), ...times(5, unknown)], 8],
  ['at a few unsent rows that are all there is to tell', [...times(2, unreachable), ...times(7, heldBack)], 15],
])('a run of many rows stops not %s', async (_name, ends, exitCode) => {
  const sent: number[] = [];
  const report = await runRows(planOf(9, script(ends, sent)));
  expect(sent).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(report.exitCode).toBe(exitCode);
  expect(report.stop?.kind).toBeUndefined();
});

it.each<[string, readonly (() => CallResult)[], number, number, string]>([
  ['at the fifth read of a service that is not there', times(9, unread('UNREACHABLE')), 5, 7, 'unreachable'],
  [
    'at the fifth consecutive one, after reads that were answered',
    [ok, ...times(4, unread('UNREACHABLE')), ok, ...times(5, unread('UNREACHABLE'))],
    11,
    15,
    'unreachable',
  ],
  ['at a read with a bad credential', [unread('AUTH')], 1, 4, 'refused'],
  ['at a read that meets a bug', [ok, unread('INTERNAL')], 2, 1, 'broken'],
  ['at a read that cannot be kept', [ok, unread('LOCAL_IO')], 2, 16, 'broken'],
])('a run of many rows stops %s', async (_name, ends, reads, exitCode, kind) => {
  const sent: number[] = [];
  const report = await runRows(planOf(12, script(ends, sent), { isWrite: false, command: 'card.get' }));
  expect(sent).toHaveLength(reads);
  expect(report).toMatchObject({ exitCode, state: 'stopped', stop: { kind } });
});

it('a run of many rows stops at the fifth consecutive row that was not sent, whatever kept it back', () => {
  const rules = new StopRules(undefined, 0);
  const about = { command: 'card.block', isWrite: true, mayHaveLeft: false };
  const busy = () => rules.ended(sentResult({ row: 1, id: 'card-1' }, failed('BUSY', { outcome: 'not_sent' }), about));
  expect([busy(), busy(), busy(), busy()]).toEqual([undefined, undefined, undefined, undefined]);
  expect(busy()).toMatchObject({ kind: 'unreachable' });
});

it('a run of many rows stops not at a 403 when rows of an earlier process and of this one have succeeded', () => {
  const rules = new StopRules(undefined, 1);
  const about = { command: 'card.block', isWrite: true, mayHaveLeft: true };
  const row = { row: 1, id: 'card-1' };
  expect(rules.ended(sentResult(row, answered(), about))).toBeUndefined();
  expect(rules.ended(sentResult(row, rejected(403), about))).toBeUndefined();
});

it.each<[string, readonly (() => CallResult)[], number, string]>([
  ['K7 at the tenth consecutive unknown row', times(20, unknown), 10, 'lost'],
  ['at the tenth after an answer', [...times(9, unknown), () => rejected(404), ...times(12, unknown)], 20, 'lost'],
  ['at the tenth that is unknown or was not sent', [...times(4, unreachable), ...times(12, unknown)], 10, 'lost'],
  [
    'at the tenth that is unknown, with rows held back between them',
    [...times(5, unknown), heldBack, ...times(12, unknown)],
    11,
    'lost',
  ],
  [
    'at the fifth not sent, unknown ones between them',
    [...times(4, unreachable), unknown, unreachable],
    6,
    'unreachable',
  ],
])('K8 a run of many rows stops %s, with exit code 8 and the rest to do', async (_name, ends, rows, kind) => {
  const sent: number[] = [];
  const report = await runRows(planOf(40, script(ends, sent)));
  expect(sent).toHaveLength(rows);
  expect(report).toMatchObject({ exitCode: 8, state: 'stopped', stop: { kind } });
});

it('a run of many rows stops with the rest refused for what is missing, and not as a service that cannot be reached', () => {
  const failure = new Failure('OUTCOME_UNKNOWN', 'no answer came');
  const codes = (['lost', 'unreachable'] as const).map((kind) => outage(kind, 10, failure).failure.code);
  expect(codes).toEqual(['PARTIAL', 'UNREACHABLE']);
});

it('a run of many rows stops not at reads of cards that are not there', async () => {
  const sent: number[] = [];
  await runRows(planOf(12, script(times(12, unread('NOT_FOUND')), sent), { isWrite: false, command: 'card.get' }));
  expect(sent).toHaveLength(12);
});

it('a run of many rows stops at --max-failures, and not before', async () => {
  const sent: number[] = [];
  const ends = [() => rejected(404), ok, unknown, heldBack];
  const report = await runRows(planOf(9, script(ends, sent), { maxFailures: 3 }));
  expect(sent).toEqual([1, 2, 3, 4]);
  expect(report.stop).toMatchObject({ kind: 'max_failures', reason: '3 rows failed (--max-failures)' });
  expect(report.exitCode).toBe(8);
});

it('a run of many rows stops when the service asks for a pause of more than fifteen minutes, that row not sent', async () => {
  const sent: number[] = [];
  const plan = planOf(3, async (row, slot) => {
    await slot.pacer.admit('send');
    sent.push(row.row);
    return slot.pacer.refused(901_000, 901_000)
      ? answered()
      : failed('BUSY', { outcome: 'not_sent', http: { status: 429 } });
  });
  const report = await runRows(plan);
  expect(sent).toEqual([1]);
  expect(report.exitCode).toBe(15);
  expect(report.stop).toMatchObject({ kind: 'busy', reason: 'the service asked for a pause of 15 min 1 s' });
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['not_sent', 'not_sent', 'not_sent']);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a signal: %s lets the row in flight finish and ends with %d', async (signal, exitCode) => {
  const signals = new FakeSignals();
  const plan = planOf(
    3,
    async (row, slot) => {
      await slot.pacer.admit('send');
      if (row.row === 2) signals.send(signal);
      return answered();
    },
    { signals },
  );
  const report = await runRows(plan);
  expect(report.exitCode).toBe(exitCode);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['applied', 'applied', 'not_sent']);
});

it('a signal that comes when every row is done still ends the run, so that a loop of the shell stops', async () => {
  const signals = new FakeSignals();
  const plan = planOf(
    1,
    async (_row, slot) => {
      await slot.pacer.admit('send');
      signals.send('SIGINT');
      return answered();
    },
    { signals },
  );
  expect((await runRows(plan)).exitCode).toBe(130);
});

/** A request that is never answered; told to stop it obeys, or not. */
function hanging(signals: FakeSignals, obeys: boolean, clock: FakeClock) {
  return planOf(
    2,
    async (_row, slot) => {
      await slot.pacer.admit('send');
      return new Promise<CallResult>((resolve) => {
        if (obeys) slot.abort.addEventListener('abort', () => resolve(unknown()));
        signals.send('SIGINT');
      });
    },
    { signals, clock },
  );
}

it('a signal gives a request in flight five seconds, then its outcome is unknown', async () => {
  const clock = new FakeClock();
  const plan = hanging(new FakeSignals(), true, clock);
  const report = await runRows(plan);
  expect(report.exitCode).toBe(8);
  expect(clock.monotonic()).toBe(5_000);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['unknown', 'not_sent']);
});

it('a signal ends the run also when a request does not obey', async () => {
  const clock = new FakeClock();
  const report = await runRows(hanging(new FakeSignals(), false, clock));
  expect(report.exitCode).toBe(8);
  expect(clock.monotonic()).toBe(6_000);
});

it('K13 a signal ends the run at once when it comes twice', async () => {
  const clock = new FakeClock();
  const signals = new FakeSignals();
  const plan = planOf(
    1,
    async (_row, slot) => {
      await slot.pacer.admit('send');
      return new Promise<CallResult>((resolve) => {
        slot.abort.addEventListener('abort', () => resolve(unknown()));
        signals.send('SIGINT');
        signals.send('SIGINT');
      });
    },
    { signals, clock },
  );
  expect((await runRows(plan)).exitCode).toBe(8);
  expect(clock.monotonic()).toBe(0);
});

it('a signal ends a pause, and the rows that wait in it are not reached', async () => {
  const signals = new FakeSignals();
  const plan = planOf(
    2,
    async (_row, slot) => {
      await slot.pacer.admit('send');
      slot.pacer.refused(60_000, 60_000);
      const again = slot.pacer.admit('send');
      signals.send('SIGTERM');
      return (await again) ? answered() : failed('CANCELLED', { outcome: 'not_sent' });
    },
    { signals },
  );
  const report = await runRows(plan);
  expect(report.exitCode).toBe(143);
  expect(plan.printed.map((result) => [result.callOutcome.outcome, result.callOutcome.attempts])).toEqual([
    ['not_sent', 1],
    ['not_sent', 0],
  ]);
});

const gone = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));
const full = () => Promise.reject(new StreamFailure('ENOSPC', 'no space left on device'));

it('stdout that cannot be written does not end a write when its reader went away', async () => {
  const sent: number[] = [];
  const report = await runRows(planOf(5, script([], sent), { emit: gone }));
  expect(report).toMatchObject({ exitCode: 0, isOutputLost: true, state: 'finished' });
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

it('stdout that cannot be written does not keep rows from the file of failed ones', async () => {
  const kept: number[] = [];
  const persist = async (result: { row: TestRow }) => {
    kept.push(result.row.row);
  };
  await runRows(planOf(5, script([]), { emit: gone, persist }));
  expect(kept).toEqual([1, 2, 3, 4, 5]);
});

it('a stdout that cannot be written is distinguished from a file of failed rows that cannot be written', async () => {
  const plan = planOf(500, script([]), { persist: () => Promise.reject(new Failure('LOCAL_IO', 'no space left')) });
  const report = await runRows(plan);
  expect(report).toMatchObject({ exitCode: 16, state: 'stopped', isOutputLost: false });
  expect(plan.printed).toHaveLength(500);
});

it('stdout that cannot be written stops a write in order when the disk is full, with 16', async () => {
  const report = await runRows(planOf(500, script([]), { emit: full }));
  expect(report).toMatchObject({ exitCode: 16, state: 'stopped' });
  expect(report.stop).toMatchObject({ kind: 'broken' });
});

it('a bug in a row that was sent leaves it unknown and stops the run', async () => {
  const plan = planOf(3, async (_row, slot) => {
    await slot.pacer.admit('send');
    throw new TypeError('x is not a function');
  });
  const report = await runRows(plan);
  expect(report.exitCode).toBe(8);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['unknown', 'not_sent', 'not_sent']);
});

it('a bug before anything was sent ends with 1', async () => {
  const plan = planOf(3, () => {
    throw new TypeError('x is not a function');
  });
  expect((await runRows(plan)).exitCode).toBe(1);
});
