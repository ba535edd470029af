import { expect, it, vi } from 'vitest';
import { StreamFailure } from '../../../src/base/context.ts';
import { Failure } from '../../../src/base/failure.ts';
import { type ActiveRun, beginRun, resumeRun } from '../../../src/records/stored/run-store.ts';
import { Progress, type Waited } from '../../../src/runs/progress.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import type { RunTask } from '../../../src/runs/run-task.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';
import {
  answered,
  FakeClock,
  FakeSignals,
  failed,
  planOf,
  rejected,
  rowsTo,
  runPlan,
  runPorts,
  type TestRow,
  unknown,
} from './fakes.ts';

const COUNT = 4;

/** Sends every row, which ends as told. */
function sending(ends: Readonly<Record<number, () => CallResult>> = {}): RunTask<TestRow>['send'] {
  return async (row, slot) => {
    await slot.pacer.admit('send');
    return ends[row.row]?.() ?? answered();
  };
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
  ['a card that is not there', () => rejected(404), undefined],
  ['an answer that cannot be read', () => failed('BAD_REPLY', { http: { status: 500 } }), undefined],
])(
  'an unknown row that is read stays unknown after %s, and the other rows are read',
  async (_what, end, observedStatus) => {
    const read: number[] = [];
    const { printed, report } = await withUnknownRow(reading(end, read), 8);
    expect(read).toEqual([2, 4, 6, 8]);
    expect(printed[1]?.callOutcome).toMatchObject({ outcome: 'unknown' });
    expect(printed[1]?.callOutcome.observedStatus).toBe(observedStatus);
    expect(report).toMatchObject({ exitCode: 8, state: 'finished' });
  },
);

it('an unknown row that is read stops the run after five that could not be read, and after ten whose answer cannot be', async () => {
  const unreachable: number[] = [];
  await withUnknownRow(
    reading(() => failed('UNREACHABLE', { outcome: 'not_sent' }), unreachable),
    30,
  );
  expect(unreachable).toEqual([2, 4, 6, 8, 10]);
  const unreadable: number[] = [];
  await withUnknownRow(
    reading(() => failed('BAD_REPLY'), unreadable),
    30,
  );
  expect(unreadable).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
  const unsettled: number[] = [];
  await withUnknownRow(reading(unknown, unsettled), 30);
  expect(unsettled).toHaveLength(15);
});

it('an unknown row that is read is confirmed without the time at which it was read', async () => {
  const { printed } = await withUnknownRow(reading(answered), 2);
  expect(printed[1]?.callOutcome).toMatchObject({ outcome: 'confirmed_by_read' });
  expect([printed[1]?.callOutcome.sentAtMs, printed[1]?.callOutcome.durationMs]).toEqual([undefined, undefined]);
});

it('an unknown row that is read is left where the operation has no reading', async () => {
  const { printed, report } = await withUnknownRow({}, 2);
  expect(printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['applied', 'unknown']);
  expect(report.exitCode).toBe(8);
});

it('a run that cannot read its input any more ends as stopped, with what went wrong', async () => {
  async function* broken() {
    yield* rowsTo(2);
    throw new TypeError('x is not a function');
  }
  const active = await begin(temporaryFolder());
  const plan = planOf(COUNT, sending(), { rows: broken(), rowCount: COUNT, journal: active.journal });
  const report = await runRows(plan);
  await active.close();
  expect(report).toMatchObject({ exitCode: 1, state: 'stopped', stop: { kind: 'broken' } });
  expect(plan.printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual(['applied', 'not_sent']);
});

it('a run writes down how it ended, and how many rows came to what', async () => {
  const active = await begin(temporaryFolder());
  const end = vi.spyOn(active.journal, 'end');
  await runRows(planOf(COUNT, sending({ 2: () => rejected(404) }), { journal: active.journal }));
  await active.close();
  expect(end.mock.calls).toEqual([['finished', { applied: 3, rejected: 1 }, undefined]]);
});

it('a run that was stopped says so in its record, and by what', async () => {
  const active = await begin(temporaryFolder());
  const end = vi.spyOn(active.journal, 'end');
  const signals = new FakeSignals();
  const ends = {
    2: () => {
      signals.send('SIGTERM');
      return answered();
    },
  };
  await runRows(planOf(COUNT, sending(ends), { journal: active.journal, signals }));
  await active.close();
  expect(end.mock.calls).toEqual([['stopped', { applied: 2, not_sent: 2 }, 'SIGTERM']]);
});

it('a run whose last record cannot be written ends with 16', async () => {
  const active = await begin(temporaryFolder());
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
  vi.spyOn(active.journal, 'end').mockRejectedValue(full);
  const report = await runRows(planOf(COUNT, sending(), { journal: active.journal }));
  await active.close();
  expect(report).toMatchObject({ exitCode: 16, state: 'finished', stop: { kind: 'broken' } });
});

it('a run whose results cannot be recorded ends with 16 where what they take the place of is looked after', async () => {
  const active = await begin(temporaryFolder());
  vi.spyOn(active.journal, 'result').mockImplementation(async () => {
    throw new Failure('LOCAL_IO', 'no space left');
  });
  const heard = vi.fn(async () => undefined);
  // The first row ends last, so that nobody waits for the records of the others yet.
  const send: RunTask<TestRow>['send'] = async (row, slot) => {
    await slot.pacer.admit('send');
    if (row.row === 1) await new Promise((resolve) => setImmediate(resolve));
    return answered();
  };
  const report = await runRows(planOf(COUNT, send, { journal: active.journal, concurrency: COUNT, ended: heard }));
  await active.close();
  expect(report).toMatchObject({ exitCode: 16, stop: { kind: 'broken' } });
  expect(heard).not.toHaveBeenCalled();
});

it.each([
  [3, 'finished'],
  [undefined, 'stopped'],
] as const)(
  'a run whose last result cannot be kept has come to its end where its rows were counted: %s',
  async (rowCount, state) => {
    const persist = async ({ row }: { readonly row: TestRow }) => {
      if (row.row === 3) throw new Failure('LOCAL_IO', 'no space left');
    };
    const report = await runRows(planOf(3, sending(), { isWrite: false, persist, ...(rowCount && { rowCount }) }));
    expect(report).toMatchObject({ exitCode: 16, state, stop: { kind: 'broken' } });
  },
);

it('a run that a 401 stopped does that row again, and not the one that was rejected beside it', async () => {
  const stateDir = temporaryFolder();
  const first = await begin(stateDir);
  let refuse: (() => void) | undefined;
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const send: RunTask<TestRow>['send'] = async (row, slot) => {
    await slot.pacer.admit('send');
    if (row.row === 1) {
      refuse?.();
      return rejected(401);
    }
    await refused;
    await new Promise((resolve) => setImmediate(resolve));
    return rejected(404);
  };
  await runRows(planOf(COUNT, send, { journal: first.journal, concurrency: 2 }));
  await first.close();
  const again = await resumeRun(runPorts(stateDir), 'may');
  const sent: number[] = [];
  const resend: RunTask<TestRow>['send'] = async (row, slot) => {
    await slot.pacer.admit('send');
    sent.push(row.row);
    return answered();
  };
  await runRows(planOf(COUNT, resend, { journal: again.journal }));
  await again.close();
  expect(sent).toEqual([1, 3, 4]);
});

it('a run says how long it took', async () => {
  const clock = new FakeClock();
  clock.ms = 1000;
  const slow: RunTask<TestRow>['send'] = async () => {
    await clock.sleep(250);
    return answered();
  };
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
  const plan = planOf(
    1,
    async (_row, slot) => {
      await slot.pacer.admit('send');
      return new Promise<CallResult>((resolve) => {
        slot.abort.addEventListener('abort', () => resolve(unknown()));
        signals.send('SIGINT');
        dropped.push('first');
        signals.send('SIGINT');
      });
    },
    { signals, dropStalledReaders: () => dropped.push('readers') },
  );
  await runRows(plan);
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

async function overdue(isWrite: boolean, isAdmitted: boolean) {
  const signals = new FakeSignals();
  const plan = planOf(
    1,
    async (_row, slot) => {
      if (isAdmitted) await slot.pacer.admit('send');
      signals.send('SIGINT');
      return new Promise<CallResult>(() => undefined);
    },
    { signals, isWrite },
  );
  const report = await runRows(plan);
  const [result] = plan.printed;
  return [report.exitCode, result?.callOutcome.outcome, result?.callOutcome.attempts, result?.failure?.code];
}

it('a row that does not obey when the run is given up is unknown where its request may have left, and was not sent where it did not', async () => {
  expect(await overdue(true, true)).toEqual([8, 'unknown', 1, 'OUTCOME_UNKNOWN']);
  expect(await overdue(true, false)).toEqual([130, 'not_sent', 0, 'CANCELLED']);
});

it('a row that does not obey when the run is given up has no outcome where it is a read', async () => {
  const [code, outcome] = await overdue(false, true);
  expect([code, outcome]).toEqual([130, 'not_sent']);
});

it('progress names the row that has waited longest for an answer, after three seconds', async () => {
  const clock = new FakeClock();
  const seen: (Waited | undefined)[] = [];
  const progress = new Progress(2, 0);
  const look = async (ms: number) => {
    await clock.sleep(ms);
    seen.push(progress.run.waitedFor());
  };
  const plan = planOf(
    2,
    async (row, slot) => {
      if (row.row === 2) await clock.sleep(1);
      await slot.pacer.admit('send');
      slot.pacer.leaves?.();
      await clock.sleep(5000);
      return answered();
    },
    { clock, concurrency: 2, progress },
  );
  await Promise.all([runRows(plan), look(2999), look(3000), look(4500)]);
  expect(seen).toEqual([
    undefined,
    { row: 1, ms: 3000, inFlight: 2, isFull: false },
    { row: 1, ms: 4500, inFlight: 2, isFull: false },
  ]);
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
