import { expect, it } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure, type FailureCode } from '../../../src/base/failure.ts';
import { sentResult } from '../../../src/records/row-outcome.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import { outage, StopRules } from '../../../src/runs/stop.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import {
  admitting,
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
const denied = () => rejected(401);
const forbidden = () => rejected(403);
const missing = () => rejected(404);
const unread = (code: FailureCode) => () => failed(code);
const times = (count: number, end: () => CallResult) => Array.from({ length: count }, () => end);

it.each<[string, readonly (() => CallResult)[], number[], number]>([
  ['K6 at the first 401', [denied], [1], 4],
  ['at a 401 after successes', [ok, ok, denied], [1, 2, 3], 4],
  ['K6 at a 403 when no row has succeeded', [missing, forbidden], [1, 2], 5],
  ['at the fifth consecutive 403', [ok, ...times(5, forbidden)], [1, 2, 3, 4, 5, 6], 5],
  ['K7 at the fifth consecutive unsent row', [ok, ...times(5, unreachable)], [1, 2, 3, 4, 5, 6], 15],
  ['at the fifth row that could not be sent, when none could', times(5, unreachable), [1, 2, 3, 4, 5], 7],
  [
    'at five unsent rows, others held back between',
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
  ['at 403s about rows', [ok, ...times(4, forbidden), ok, ...times(3, forbidden)], 15],
  ['at rows held back', times(9, heldBack), 15],
  ['at rejected rows', times(9, () => rejected(404, 'CARD_NOT_FOUND')), 15],
  ['at unsent rows with an answer between them', [...times(4, unreachable), ok, ...times(4, unreachable)], 15],
  ['at 404s and a 403 after a success', [ok, ...times(4, missing), forbidden], 15],
  ['at 403s with a 404 between', [ok, ...times(4, forbidden), missing, ...times(3, forbidden)], 15],
  ['at unsent rows with a 404 between', [...times(4, unreachable), missing, ...times(4, unreachable)], 15],
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

it.each<[string, readonly (() => CallResult)[], number, number, string | undefined]>([
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
  ['not at reads of cards that are not there', times(12, unread('NOT_FOUND')), 12, 15, undefined],
])('a run of many rows stops %s', async (_name, ends, reads, exitCode, kind) => {
  const sent: number[] = [];
  const report = await runRows(planOf(12, script(ends, sent), { isWrite: false, command: 'card.get' }));
  expect(sent).toHaveLength(reads);
  expect(report).toMatchObject({ exitCode, state: kind === undefined ? 'finished' : 'stopped' });
  expect(report.stop?.kind).toBe(kind);
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
  ['at the tenth after an answer', [...times(9, unknown), missing, ...times(12, unknown)], 20, 'lost'],
  ['at the tenth that is unknown or was not sent', [...times(4, unreachable), ...times(12, unknown)], 10, 'lost'],
  ['at the tenth unknown, one held back', [...times(5, unknown), heldBack, ...times(12, unknown)], 11, 'lost'],
  ['at the fifth not sent, unknown between', [...times(4, unreachable), unknown, unreachable], 6, 'unreachable'],
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

it('a run of many rows stops at --max-failures, and not before', async () => {
  const sent: number[] = [];
  const ends = [missing, ok, unknown, heldBack];
  const { exitCode, stop } = await runRows(planOf(9, script(ends, sent), { maxFailures: 3 }));
  expect([sent, exitCode]).toEqual([[1, 2, 3, 4], 8]);
  expect(stop).toMatchObject({ kind: 'max_failures', reason: '3 rows failed (--max-failures)' });
});

it('a run of many rows stops when the service asks for a pause of more than fifteen minutes, that row not sent', async () => {
  const sent: number[] = [];
  const send = admitting(({ row }, { pacer }) => {
    sent.push(row);
    return pacer.refused(901_000, 901_000)
      ? answered()
      : failed('BUSY', { outcome: 'not_sent', http: { status: 429 } });
  });
  const plan = planOf(3, send);
  const { exitCode, stop } = await runRows(plan);
  expect([sent, exitCode]).toEqual([[1], 15]);
  expect(stop).toMatchObject({ kind: 'busy', reason: 'the service asked for a pause of 15 min 1 s' });
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['not_sent', 'not_sent', 'not_sent']);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a signal: %s lets the row in flight finish and ends with %d', async (signal, exitCode) => {
  const signals = new FakeSignals();
  const send = admitting(({ row }) => {
    if (row === 2) signals.send(signal);
    return answered();
  });
  const plan = planOf(3, send, { signals });
  expect((await runRows(plan)).exitCode).toBe(exitCode);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['applied', 'applied', 'not_sent']);
});

it('a signal that comes when every row is done still ends the run, so that a loop of the shell stops', async () => {
  const signals = new FakeSignals();
  const send = async () => {
    signals.send('SIGINT');
    return answered();
  };
  expect(await runRows(planOf(1, send, { signals }))).toMatchObject({ exitCode: 130, stop: undefined });
});

it('a signal gives a request in flight five seconds, then its outcome is unknown', async () => {
  const [clock, signals] = [new FakeClock(), new FakeSignals()];
  const send = admitting((_row, { abort }) => {
    const end = new Promise<CallResult>((resolve) => abort.addEventListener('abort', () => resolve(unknown())));
    signals.send('SIGINT');
    return end;
  });
  const plan = planOf(2, send, { signals, clock });
  expect([(await runRows(plan)).exitCode, clock.monotonic()]).toEqual([8, 5_000]);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual(['unknown', 'not_sent']);
});

it('a signal ends a pause, and the rows that wait in it are not reached', async () => {
  const signals = new FakeSignals();
  const send = admitting(async (_row, { pacer }) => {
    pacer.refused(60_000, 60_000);
    const again = pacer.admit('send');
    signals.send('SIGTERM');
    return (await again) ? answered() : failed('CANCELLED', { outcome: 'not_sent' });
  });
  const plan = planOf(2, send, { signals });
  expect((await runRows(plan)).exitCode).toBe(143);
  const ends = plan.printed.map(({ callOutcome: { outcome, attempts } }) => `${outcome} ${attempts}`);
  expect(ends).toEqual(['not_sent 1', 'not_sent 0']);
});

const gone = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));

it('K11 stdout that cannot be written does not end a write when its reader went away', async () => {
  const sent: number[] = [];
  const report = await runRows(planOf(5, script([], sent), { emit: gone }));
  expect(report).toMatchObject({ exitCode: 0, isOutputLost: true, state: 'finished' });
  expect(sent).toEqual([1, 2, 3, 4, 5]);
});

it('a stdout that cannot be written is distinguished from a file of failed rows that cannot be written', async () => {
  const plan = planOf(500, script([]), { persist: () => Promise.reject(new Failure('LOCAL_IO', 'no space left')) });
  const report = await runRows(plan);
  expect(report).toMatchObject({ exitCode: 16, state: 'stopped', isOutputLost: false });
  expect(plan.printed).toHaveLength(500);
});

it.each([
  ['in a row that was sent leaves it unknown and stops the run', true, 8, 'unknown'],
  ['before anything was sent ends with 1', false, 1, 'not_sent'],
] as const)('a bug %s', async (_what, isSent, exitCode, outcome) => {
  const bug = () => {
    throw new TypeError('x is not a function');
  };
  const plan = planOf(3, isSent ? admitting(bug) : bug);
  expect((await runRows(plan)).exitCode).toBe(exitCode);
  expect(plan.printed.map((result) => result.callOutcome.outcome)).toEqual([outcome, 'not_sent', 'not_sent']);
});
