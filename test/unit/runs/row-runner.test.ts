import { expect, it, vi } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure } from '../../../src/base/failure.ts';
import { printJson } from '../../../src/base/json/print.ts';
import { JsonNumber, type JsonValue } from '../../../src/base/json/value.ts';
import type { RunJournal } from '../../../src/records/journal/journal.ts';
import { type ActiveRun, beginRun, resumeRun } from '../../../src/records/stored/run-store.ts';
import { Progress, type Waited } from '../../../src/runs/progress.ts';
import type { RowReply } from '../../../src/runs/row-reply.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import type { RunTask } from '../../../src/runs/run-task.ts';
import { OPERATIONS } from '../../../src/service/api/operations.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import type { Held } from '../../../src/writes/judge.ts';
import { temporaryFolder } from '../base/files/place.ts';
import {
  admitting,
  answered,
  ended,
  FakeClock,
  FakeSignals,
  failed,
  heldBack,
  planOf,
  rejected,
  rowsTo,
  runPlan,
  runPorts,
  type TestRow,
  unknown,
  unreachable,
} from './fakes.ts';

const COUNT = 4;
const aBit = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Sends every row, which ends as told. */
const sending = (ends: Readonly<Record<number, () => CallResult>> = {}) =>
  admitting(({ row }) => ends[row]?.() ?? answered());

/** A row that was not sent, as the records or its card held it back. */
function held(why: Held): RowReply {
  const call = { operation: OPERATIONS.cardBlock, params: { cardId: 'card-1' }, query: {}, body: undefined };
  return { kind: 'held', held: why, write: { call, id: 'card-1', expects: [] } };
}

function begin(stateDir: string): Promise<ActiveRun> {
  return beginRun(runPorts(stateDir), runPlan({ name: 'may', rows: COUNT, inputRows: COUNT }));
}

/** A run in which every second row is unknown, taken up again. */
async function withUnknownRow(more: Partial<RunTask<TestRow>>, count = COUNT) {
  const stateDir = temporaryFolder();
  const first = await beginRun(runPorts(stateDir), runPlan({ name: 'may', rows: count, inputRows: count }));
  const ends = Object.fromEntries(Array.from({ length: count / 2 }, (_, index) => [2 * index + 2, unknown]));
  await runRows(planOf(count, sending(ends), { journal: first.journal }));
  await first.close();
  const active = await resumeRun(runPorts(stateDir), 'may');
  const plan = planOf(count, sending(), { journal: active.journal, unknownRows: 'reconcile', ...more });
  const report = await runRows(plan);
  await active.close();
  return { stateDir, report, printed: plan.printed };
}

/** Reads each unknown row, which shows this. */
function reading(end: () => CallResult, read: number[] = []): Partial<RunTask<TestRow>> {
  return {
    reconcile: async (row, slot) => {
      await slot.pacer.admit('read');
      read.push(row.row);
      return end();
    },
  };
}

it('an unknown row that is read keeps what its card showed, now and in the record', async () => {
  const shown = () => failed('OUTCOME_UNKNOWN', { outcome: 'unknown', observed: new Map([['status', 'ACTIVE']]) });
  const { stateDir, printed } = await withUnknownRow(reading(shown), 2);
  expect(printed[1]).toMatchObject({
    callOutcome: { outcome: 'unknown', observedStatus: 'ACTIVE' },
    source: 'journal',
  });
  const again = await resumeRun(runPorts(stateDir), 'may');
  const plan = planOf(2, sending(), { journal: again.journal });
  const report = await runRows(plan);
  await again.close();
  expect(plan.printed[1]?.callOutcome).toMatchObject({ outcome: 'unknown', observedStatus: 'ACTIVE' });
  expect(report).toMatchObject({ exitCode: 8, state: 'finished' });
});

it.each([
  ['a card that is not there', () => rejected(404)],
  ['an answer that cannot be read', () => failed('BAD_REPLY', { http: { status: 500 } })],
])('an unknown row that is read stays unknown after %s, and others are read', async (_what, end) => {
  const read: number[] = [];
  const { printed, report } = await withUnknownRow(reading(end, read), 8);
  expect(read).toEqual([2, 4, 6, 8]);
  expect(printed[1]?.callOutcome).toMatchObject({ outcome: 'unknown', observedStatus: undefined });
  expect(report).toMatchObject({ exitCode: 8, state: 'finished' });
});

it.each([
  ['that could not be read', () => failed('UNREACHABLE', { outcome: 'not_sent' }), 5],
  ['whose answer cannot be', () => failed('BAD_REPLY'), 10],
  ['never, where they were read', unknown, 15],
])('an unknown row that is read stops the run after so many %s', async (_what, end, count) => {
  const read: number[] = [];
  await withUnknownRow(reading(end, read), 30);
  expect(read).toEqual(Array.from({ length: count }, (_, index) => 2 * index + 2));
});

it('an unknown row that is read is confirmed without the time at which it was read', async () => {
  const { printed } = await withUnknownRow(reading(answered), 2);
  const untimed = { sentAtMs: undefined, durationMs: undefined };
  expect(printed[1]?.callOutcome).toMatchObject({ outcome: 'confirmed_by_read', ...untimed });
});

it('an unknown row that is read is left where the operation has no reading', async () => {
  const { printed, report } = await withUnknownRow({}, 2);
  expect(printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['applied', 'unknown']);
  expect(report.exitCode).toBe(8);
});

/** A run of which a record is kept, how it ended, and what was recorded of that. */
async function recorded(send = sending(), more: Partial<RunTask<TestRow>> = {}, change = (_: RunJournal) => {}) {
  const { close, journal } = await begin(temporaryFolder());
  const end = vi.spyOn(journal, 'end');
  change(journal);
  const plan = planOf(COUNT, send, { journal, ...more });
  const report = await runRows(plan);
  await close();
  return { report, printed: plan.printed, ends: end.mock.calls };
}

it('a run that cannot read its input any more ends as stopped, with what went wrong', async () => {
  async function* broken() {
    yield* rowsTo(2);
    throw new TypeError('x is not a function');
  }
  const { printed, report } = await recorded(sending(), { rows: broken(), rowCount: COUNT });
  expect(report).toMatchObject({ exitCode: 1, state: 'stopped', stop: { kind: 'broken' } });
  expect(printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['applied', 'not_sent']);
});

it('a run writes down how it ended, and how many rows came to what', async () => {
  const heard: number[] = [];
  const ended = async ({ row }: { readonly row: TestRow }) => void heard.push(row.row);
  const { ends } = await recorded(sending({ 2: () => rejected(404) }), { ended });
  expect(heard).toEqual([1, 2, 3, 4]);
  expect(ends).toEqual([['finished', { applied: 3, rejected: 1 }, undefined]]);
});

it('a run that was stopped says so in its record, and by what', async () => {
  const signals = new FakeSignals();
  const send = admitting(({ row }) => {
    if (row === 2) signals.send('SIGTERM');
    return answered();
  });
  expect((await recorded(send, { signals })).ends).toEqual([['stopped', { applied: 2, not_sent: 2 }, 'SIGTERM']]);
});

it('a run whose last record cannot be written ends with 16', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
  const { report } = await recorded(sending(), {}, (journal) => vi.spyOn(journal, 'end').mockRejectedValue(full));
  expect(report).toMatchObject({ exitCode: 16, state: 'finished', stop: { kind: 'broken' } });
});

it('a run whose results cannot be recorded ends with 16 where what they take the place of is looked after', async () => {
  const heard = vi.fn(async () => undefined);
  // The first row ends last, so that nobody waits for the records of the others yet.
  const send = admitting(async ({ row }) => {
    if (row === 1) await aBit();
    return row === 3 ? unreachable() : answered();
  });
  const full = new Failure('LOCAL_IO', 'no space left');
  const unrecorded: number[] = [];
  const onUnrecorded = ({ row }: { readonly row: TestRow }) => unrecorded.push(row.row);
  const { report } = await recorded(send, { concurrency: COUNT, ended: heard, onUnrecorded }, (journal) => {
    vi.spyOn(journal, 'result').mockRejectedValue(full);
    const intend = journal.intent.bind(journal);
    // The run stops while the last row's intent is on its way: its request is withdrawn.
    vi.spyOn(journal, 'intent').mockImplementation((about) => intend(about).then(about.row === 4 ? aBit : undefined));
  });
  expect(unrecorded.sort()).toEqual([1, 2, 3, 4]);
  expect(report).toMatchObject({ exitCode: 16, stop: { kind: 'broken' }, tally: { toDo: 0, unrecorded: 4 } });
  expect(heard).not.toHaveBeenCalled();
});

it.each([
  [3, 'finished'],
  [undefined, 'stopped'],
] as const)('a run whose last result is not kept has ended where rows were counted: %s', async (rowCount, state) => {
  const persist = async ({ row }: { readonly row: TestRow }) => {
    if (row.row === 3) throw new Failure('LOCAL_IO', 'no space left');
  };
  const report = await runRows(planOf(3, sending(), { isWrite: false, persist, ...(rowCount && { rowCount }) }));
  expect(report).toMatchObject({ exitCode: 16, state, stop: { kind: 'broken' } });
});

it('a run that a 401 stopped does that row again, and not the one that was rejected beside it', async () => {
  const stateDir = temporaryFolder();
  const first = await begin(stateDir);
  let refuse = () => {};
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const send = admitting(async ({ row }) => {
    if (row === 1) {
      refuse();
      return rejected(401);
    }
    await refused;
    await aBit();
    return rejected(404);
  });
  await runRows(planOf(COUNT, send, { journal: first.journal, concurrency: 2 }));
  await first.close();
  const again = await resumeRun(runPorts(stateDir), 'may');
  const sent: number[] = [];
  const resend = admitting(({ row }) => {
    sent.push(row);
    return answered();
  });
  await runRows(planOf(COUNT, resend, { journal: again.journal }));
  await again.close();
  expect(sent).toEqual([1, 3, 4]);
});

it.each([
  ['its request', failed('CANCELLED', { outcome: 'not_sent' })],
  ['its card', held({ why: 'unread', failure: new Failure('CANCELLED', 'cancelled') })],
])('a row that another stopped on the way of %s says what stopped it', async (_, reply) => {
  const send: RunTask<TestRow>['send'] = async ({ row }, { stopping }) => {
    // The second one has begun when the first ends.
    const isOver = new Promise((resolve) =>
      row === 1 ? setImmediate(resolve) : stopping.addEventListener('abort', resolve),
    );
    await isOver;
    return row === 1 ? rejected(401) : reply;
  };
  const plan = planOf(2, send, { concurrency: 2 });
  expect((await runRows(plan)).exitCode).toBe(4);
  expect(plan.printed[1]).toMatchObject({ callOutcome: { outcome: 'not_sent' }, failure: { code: 'AUTH' } });
});

it('a run says how long it took', async () => {
  const clock = new FakeClock();
  clock.ms = 1000;
  const slow = () => clock.sleep(250).then(() => answered());
  expect(await runRows(planOf(2, slow, { clock, isWrite: false }))).toMatchObject({ elapsedMs: 500 });
});

it('a run no longer hears signals once it has ended', async () => {
  const signals = new FakeSignals();
  const heard: unknown[] = [];
  const off = vi.spyOn(signals, 'onSignal');
  await runRows(planOf(1, sending(), { signals, dropStalledReaders: () => heard.push('dropped') }));
  signals.send('SIGINT');
  signals.send('SIGINT');
  expect([off.mock.calls.length, heard]).toEqual([1, []]);
});

it('a run gives a reader that stands still up with what is in flight, and not before', async () => {
  const signals = new FakeSignals();
  const dropped: string[] = [];
  const send = admitting((_row, slot) => {
    return new Promise<CallResult>((resolve) => {
      slot.abort.addEventListener('abort', () => resolve(unknown()));
      signals.send('SIGINT');
      dropped.push('first');
      signals.send('SIGINT');
    });
  });
  await runRows(planOf(1, send, { signals, dropStalledReaders: () => dropped.push('readers') }));
  expect(dropped).toEqual(['first', 'readers']);
});

it('a run of a read whose reader went away counts the rows that are left as not reached', async () => {
  const emit = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));
  const report = await runRows(planOf(1000, sending(), { isWrite: false, rowCount: 1000, emit }));
  expect(report).toMatchObject({ exitCode: 141, state: 'stopped' });
  expect(report.tally.rows).toBe(1000);
});

it('a run goes through all rows for the file of failed ones although no reader is left', async () => {
  const kept: number[] = [];
  const emit = () => Promise.reject(new StreamFailure('EPIPE', 'write EPIPE'));
  const persist = async ({ row }: { readonly row: TestRow }) => void kept.push(row.row);
  await runRows(planOf(300, sending(), { isWrite: false, rowCount: 300, emit, persist }));
  expect(kept).toHaveLength(300);
});

it.each([
  ['unknown where its request may have left', true, true, [8, 'unknown', 1, 'OUTCOME_UNKNOWN']],
  ['not sent where it did not', true, false, [130, 'not_sent', 0, 'CANCELLED']],
  ['without an outcome where it is a read', false, true, [130, 'not_sent', 1, 'CANCELLED']],
])('a row that does not obey when the run is given up is %s', async (_what, isWrite, isAdmitted, expected) => {
  const signals = new FakeSignals();
  const send: RunTask<TestRow>['send'] = async (_row, slot) => {
    if (isAdmitted) await slot.pacer.admit('send');
    signals.send('SIGINT');
    return new Promise<CallResult>(() => undefined);
  };
  const plan = planOf(1, send, { signals, isWrite });
  const { exitCode } = await runRows(plan);
  const { callOutcome, failure } = plan.printed[0] ?? expect.fail('no row');
  expect([exitCode, callOutcome.outcome, callOutcome.attempts, failure?.code]).toEqual(expected);
});

it('progress names the row that has waited longest for an answer, after three seconds', async () => {
  const clock = new FakeClock();
  const seen: (Waited | undefined)[] = [];
  const progress = new Progress(2, 0);
  const look = async (ms: number) => {
    await clock.sleep(ms);
    seen.push(progress.run.waitedFor());
  };
  const send: RunTask<TestRow>['send'] = async ({ row }, { pacer }) => {
    if (row === 2) await clock.sleep(1);
    await pacer.admit('send');
    pacer.leaves?.();
    await clock.sleep(5000);
    return answered();
  };
  const plan = planOf(2, send, { clock, concurrency: 2, progress });
  await Promise.all([runRows(plan), look(2999), look(3000), look(4500)]);
  const waiting = { row: 1, inFlight: 2, isFull: false };
  expect(seen).toEqual([undefined, { ...waiting, ms: 3000 }, { ...waiting, ms: 4500 }]);
});

it('progress says until when the service asked for a pause', async () => {
  const clock = new FakeClock();
  const progress = new Progress(3, 0);
  const retryAt = (ms: number) => new Date(clock.now() + ms).toISOString();
  const refused = (ms: number) => () =>
    failed('BUSY', { outcome: 'rejected', http: { status: 429 }, retryAt: retryAt(ms) });
  await runRows(planOf(3, sending({ 1: refused(20_000), 2: refused(-1000) }), { clock, progress }));
  expect(progress.run.limiter.askedUntilMs).toBe(20_000);
  expect(clock.monotonic()).toBe(20_000);
});

const inOrder = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('many rows go on while one gets no answer, which keeps its place in the output', async () => {
  const clock = new FakeClock();
  let others = 0;
  const progress = new Progress(1, 0);
  const seen: unknown[] = [];
  const service = new Map<string, JsonValue>([['limit', new JsonNumber('1.10')]]);
  const refused = failed('REJECTED', { outcome: 'rejected', http: { status: 409, requestId: undefined }, service });
  const plan = planOf(
    5_000,
    admitting(async (row, slot) => {
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
    }),
    { clock, concurrency: 2, progress },
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
  const last = plan.printed.slice(4_997).map(({ resource }) => printJson(resource ?? null));
  expect(last).toEqual(['{"n":4998.10}', '{"n":4999.10}', '{"n":5000.10}']);
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
    { clock, concurrency: 4, progress, sizeOf: () => 56 << 20 },
  );
  await runRows(plan);
  expect(seen).toEqual([4, true]);
  expect(plan.printed.map((result) => result.row.row)).toEqual(inOrder(100));
});

it('many rows of none is a success', async () => {
  expect(await runRows(planOf(0, async () => answered()))).toMatchObject({ exitCode: 0, state: 'finished' });
});

it('many rows are counted by outcome and cause', async () => {
  const expired = rejected(422, 'CARD_EXPIRED');
  // The last one is tried twice in vain before a request leaves.
  const last = failed('OUTCOME_UNKNOWN', { outcome: 'unknown', http: { status: 502 }, attempts: 3 });
  const ends = [answered(), expired, rejected(404, 'CARD_NOT_FOUND'), expired, rejected(409), last];
  const plan = planOf(
    6,
    admitting((row, slot) => {
      slot.pacer.leaves?.();
      return ends[row.row - 1] ?? answered();
    }),
  );
  const { tally } = await runRows(plan);
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

it('many rows that change the same go one after the other, in their order', async () => {
  const order: string[] = [];
  const plan = planOf(6, async ({ row }) => {
    order.push(`begin ${row}`);
    await new Promise(setImmediate);
    order.push(`end ${row}`);
    return answered();
  });
  async function* rows() {
    for (let row = 1; row <= 6; row += 1) yield { row, id: 'card-1' };
  }
  await runRows({ ...plan, concurrency: 6, rows: rows() });
  expect(order).toEqual([1, 2, 3, 4, 5, 6].flatMap((row) => [`begin ${row}`, `end ${row}`]));
});

it('many rows share the rate, card checks and guards included', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const send: RunTask<TestRow>['send'] = async (_row, { pacer }) => {
    for (const purpose of ['read', 'send'] as const) {
      await pacer.admit(purpose);
      pacer.leaves?.();
      times.push(clock.monotonic());
    }
    return answered();
  };
  await runRows(planOf(4, send, { clock, concurrency: 4, rate: 2 }));
  times.sort((a, b) => a - b);
  expect(times).toHaveLength(8);
  for (const [index, time] of times.entries())
    if (index >= 2) expect(time - (times[index - 2] ?? 0)).toBeGreaterThan(1000);
});

it('many rows give a place of the rate back that was taken and not used', async () => {
  const clock = new FakeClock();
  // Admitted, and then the connection fails: nothing leaves.
  await runRows(
    planOf(
      4,
      admitting(() => failed('UNREACHABLE')),
      { clock, concurrency: 1, rate: 1 },
    ),
  );
  expect(clock.monotonic()).toBe(0);
});

it.each<[string, (retryAt: string) => CallResult, number, readonly number[]]>([
  ['answered', answered, 15, [0, 8, 8, 16]],
  [
    'answered, be it with an error that asks for a pause of its own',
    (retryAt) => failed('OUTCOME_UNKNOWN', { outcome: 'unknown', http: { status: 503 }, retryAt }),
    ...([8, [0, 8, 8, 16]] as const),
  ],
  ['out of reach', unreachable, 15, [0, 8, 8]],
])(
  'many rows pause for a quarter of an hour in all, counted anew once one is answered: one is %s',
  async (_, end, exitCode, sent) => {
    const clock = new FakeClock();
    const minutes: number[] = [];
    const send = admitting(({ row }) => {
      minutes.push(clock.monotonic() / 60_000);
      const retryAt = new Date(clock.now() + 8 * 60_000).toISOString();
      return row % 2 === 0 ? end(retryAt) : failed('BUSY', { outcome: 'rejected', http: { status: 429 }, retryAt });
    });
    const report = await runRows(planOf(4, send, { clock }));
    expect([report.exitCode, minutes, report.state]).toEqual([
      exitCode,
      sent,
      sent.length === 4 ? 'finished' : 'stopped',
    ]);
  },
);

const SIX = 6;

/** Runs rows whose n-th ends as told; answers what was sent, what was printed and the report. */
async function run(active: ActiveRun, ends: Record<number, RowReply>, more: Partial<RunTask<TestRow>> = {}) {
  const sent: number[] = [];
  const plan = planOf(
    SIX,
    async (row, slot) => {
      const end = ends[row.row] ?? answered();
      const isGuarded = end.kind === 'failed' && end.failure.code === 'PRECONDITION';
      if (!isGuarded && !(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent' });
      sent.push(row.row);
      return end;
    },
    { journal: active.journal, ...more },
  );
  const report = await runRows(plan);
  await active.close();
  return { sent, report, printed: plan.printed, outcomes: plan.printed.map((result) => result.callOutcome.outcome) };
}

async function beginSix(stateDir: string) {
  return beginRun(runPorts(stateDir), runPlan({ name: 'may', rows: SIX, inputRows: SIX }));
}

/** The same, resumed. */
async function again(stateDir: string, ends: Record<number, RowReply> = {}, more: Partial<RunTask<TestRow>> = {}) {
  return run(await resumeRun(runPorts(stateDir), 'may'), ends, more);
}

it('K10 a run that is resumed repeats no row that is done and prints every row in order', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await beginSix(stateDir), { 2: rejected(404, 'CARD_NOT_FOUND'), 3: unknown() });
  expect(first.report.exitCode).toBe(8);
  const second = await again(stateDir);
  expect(second.sent).toEqual([]);
  expect(second.outcomes).toEqual(['applied', 'rejected', 'unknown', 'applied', 'applied', 'applied']);
  expect(second.report).toMatchObject({ exitCode: 8, state: 'finished' });
  // In the words in which it was said then.
  expect(second.printed[1]?.failure?.message).toBe(first.printed[1]?.failure?.message);
  expect(second.report.tally.causes.of('rejected')).toMatchObject([{ name: 'CARD_NOT_FOUND', rows: 1 }]);
  expect(second.report.tally.fromJournal).toBe(5);
});

it.each([
  [401, 4],
  [403, 5],
])('a run that is resumed sends the row again at whose %i it stopped', async (status, exitCode) => {
  const stateDir = temporaryFolder();
  const first = await run(await beginSix(stateDir), { 1: rejected(status) });
  expect(first).toMatchObject({ sent: [1], report: { exitCode, state: 'stopped' } });
  expect(first.outcomes[0]).toBe('rejected');
  const second = await again(stateDir);
  expect([second.sent, second.report.exitCode]).toEqual([[1, 2, 3, 4, 5, 6], 0]);
});

it('a run that is resumed takes a 403 for its row once an earlier process had success', async () => {
  const stateDir = temporaryFolder();
  await run(await beginSix(stateDir), { 2: unreachable() });
  const second = await again(stateDir, { 2: rejected(403) });
  expect(second.sent).toEqual([2]);
  expect(second.report).toMatchObject({ exitCode: 15, state: 'finished' });
});

it('a run that is resumed sends rows again that could not be sent, but not those that --expect held back', async () => {
  const stateDir = temporaryFolder();
  const records = held({ why: 'records', failure: new Failure('LOCAL_IO', 'could not be read') });
  const first = await run(await beginSix(stateDir), { 2: unreachable(), 4: heldBack(), 5: records });
  expect(first.report).toMatchObject({ exitCode: 15, state: 'stopped' });
  const second = await again(stateDir);
  expect(second.sent).toEqual([2, 5]);
  expect(second.outcomes).toEqual(['applied', 'applied', 'applied', 'not_sent', 'applied', 'applied']);
  expect(second.report).toMatchObject({ exitCode: 15, state: 'finished' });
});

it('a run that is resumed does not count earlier failures towards --max-failures', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await beginSix(stateDir), { 1: rejected(404), 2: rejected(404) }, { maxFailures: 2 });
  expect(first.sent).toEqual([1, 2]);
  expect((await again(stateDir, { 3: rejected(404) }, { maxFailures: 2 })).sent).toEqual([3, 4, 5, 6]);
});

async function withTwoUnknown() {
  const stateDir = temporaryFolder();
  await run(await beginSix(stateDir), { 2: unknown(), 5: unknown() });
  return stateDir;
}

it('K12 unknown rows of an earlier process are checked with --reconcile, and resolved only by what the card shows', async () => {
  const stateDir = temporaryFolder();
  await run(await beginSix(stateDir), { 2: unknown(), 4: unreachable(), 5: unknown() });
  const read: number[] = [];
  const reconcile: RunTask<TestRow>['reconcile'] = async (row, slot) => {
    await slot.pacer.admit('read');
    read.push(row.row);
    return row.row === 2 ? answered(new Map([['status', 'BLOCKED']])) : unknown();
  };
  const second = await again(stateDir, {}, { unknownRows: 'reconcile', reconcile });
  expect(read).toEqual([2, 5]);
  expect(second.sent).toEqual([4]);
  expect(second.outcomes).toEqual(['applied', 'confirmed_by_read', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report).toMatchObject({ exitCode: 8, state: 'finished' });
  const third = await again(stateDir);
  expect(third.outcomes).toEqual(['applied', 'confirmed_by_read', 'applied', 'applied', 'unknown', 'applied']);
});

it('K12 unknown rows of an earlier process are sent again with --resend-unknown, and no others', async () => {
  const how = { unknownRows: 'resend' } as const;
  const second = await again(await withTwoUnknown(), {}, how);
  expect(second.sent).toEqual([2, 5]);
  expect(second.report).toMatchObject({ exitCode: 0, state: 'finished' });
  expect((await again(await withTwoUnknown(), {}, { ...how, superseded: new Set([2]) })).sent).toEqual([5]);
});

it.each([
  ['of a row that is done', 6, 16, ['applied', 'applied']],
  ['of a row to send again', 1, 8, ['unknown', 'applied']],
])('a run that is resumed stops where the record %s cannot be read', async (_, row, exitCode, outcomes) => {
  const stateDir = temporaryFolder();
  await run(await beginSix(stateDir), row === 1 ? { 1: unknown() } : {});
  const active = await resumeRun(runPorts(stateDir), 'may');
  vi.spyOn(active.journal, 'entry').mockImplementation(() => {
    throw new Failure('LOCAL_IO', 'cannot be read');
  });
  const second = await run(active, {}, { unknownRows: 'resend' });
  expect([second.sent, second.report.exitCode, second.outcomes.slice(0, 2)]).toEqual([[], exitCode, outcomes]);
});

it('unknown rows of an earlier process stay unknown when sending them again fails before anything leaves', async () => {
  const stateDir = await withTwoUnknown();
  const second = await again(stateDir, { 2: unreachable(), 5: unreachable() }, { unknownRows: 'resend' });
  expect(second.outcomes).toEqual(['applied', 'unknown', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report.exitCode).toBe(8);
  const third = await again(stateDir);
  expect(third.sent).toEqual([]);
  expect(third.outcomes).toEqual(second.outcomes);
});

it('unknown rows of an earlier process stay unknown when the run stops before they are sent again', async () => {
  const stateDir = await withTwoUnknown();
  const signals = new FakeSignals();
  const persist = async () => signals.send('SIGTERM');
  const second = await again(stateDir, {}, { unknownRows: 'resend', signals, persist });
  expect(second.sent).toEqual([]);
  expect(second.outcomes).toEqual(['applied', 'unknown', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report.exitCode).toBe(8);
});

it('K5 a journal on a full disk stops the run before the row is sent, with 16', async () => {
  const stateDir = temporaryFolder();
  const { openAppendFile } = await import('../../../src/records/journal/append-file.ts');
  let writes = 0;
  const ports = runPorts(stateDir, {
    openFile: async (path) => {
      const file = await openAppendFile(path);
      return {
        ...file,
        append(text) {
          writes += 1;
          if (writes > 3) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          file.append(text);
        },
      };
    },
  });
  const first = await run(await beginRun(ports, runPlan({ name: 'may', rows: SIX, inputRows: SIX })), {});
  expect(first.report).toMatchObject({ exitCode: 16, state: 'stopped' });
  expect(first.sent.length).toBeLessThan(SIX);
  const applied = first.outcomes.filter((outcome) => outcome === 'applied').length;
  expect(applied).toBe(first.sent.length);
  const doneTwice = (await again(stateDir)).sent.filter((row) => first.sent.includes(row));
  expect(doneTwice).toEqual([]);
});
