import { expect, it } from 'vitest';
import { type ActiveRun, beginRun, resumeRun } from '../../../src/records/stored/run-store.ts';
import { runRows } from '../../../src/runs/row-runner.ts';
import type { RunTask } from '../../../src/runs/run-task.ts';
import type { CallResult } from '../../../src/service/http/call.ts';
import { temporaryFolder } from '../base/files/place.ts';
import {
  answered,
  FakeSignals,
  failed,
  heldBack,
  planOf,
  rejected,
  runPlan,
  runPorts,
  type TestRow,
  unknown,
  unreachable,
} from './fakes.ts';

const COUNT = 6;

/** Runs rows whose n-th ends as told; answers what was sent, what was printed and the report. */
async function run(active: ActiveRun, ends: Record<number, CallResult>, more: Partial<RunTask<TestRow>> = {}) {
  const sent: number[] = [];
  const plan = planOf(
    COUNT,
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

async function begin(stateDir: string, name = 'may') {
  return beginRun(runPorts(stateDir), runPlan({ name, rows: COUNT, inputRows: COUNT }));
}

it('K10 a run that is resumed repeats no row that is done and prints every row in order', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 2: rejected(404, 'CARD_NOT_FOUND'), 3: unknown() });
  expect(first.report.exitCode).toBe(8);
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(second.sent).toEqual([]);
  expect(second.outcomes).toEqual(['applied', 'rejected', 'unknown', 'applied', 'applied', 'applied']);
  expect(second.report).toMatchObject({ exitCode: 8, state: 'finished' });
  // In the words in which it was said then.
  expect(second.printed[1]?.failure?.message).toBe(first.printed[1]?.failure?.message);
  expect(second.report.tally.causes.of('rejected')).toMatchObject([{ name: 'CARD_NOT_FOUND', rows: 1 }]);
  expect(second.report.tally.fromJournal).toBe(5);
});

it('a run that is resumed continues where a signal stopped it', async () => {
  const stateDir = temporaryFolder();
  const signals = new FakeSignals();
  const first = await run(
    await begin(stateDir),
    {},
    {
      signals,
      persist: async ({ row }) => {
        if (row.row === 2) signals.send('SIGINT');
      },
    },
  );
  expect(first.report).toMatchObject({ exitCode: 130, state: 'stopped' });
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect([...first.sent, ...second.sent]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(second.report).toMatchObject({ exitCode: 0, state: 'finished' });
});

it('a run that is resumed sends the rows again that a bad credential held up', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 1: rejected(401) });
  expect(first.report).toMatchObject({ exitCode: 4, state: 'stopped' });
  expect(first.outcomes[0]).toBe('rejected');
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(second.sent).toEqual([1, 2, 3, 4, 5, 6]);
  expect(second.report.exitCode).toBe(0);
});

it('a run that is resumed sends the row again at whose 403 it stopped', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 1: rejected(403) });
  expect(first).toMatchObject({ sent: [1], report: { exitCode: 5, state: 'stopped' } });
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(second.sent).toEqual([1, 2, 3, 4, 5, 6]);
  expect(second.report.exitCode).toBe(0);
});

it('a run that is resumed takes a 403 for its row once an earlier process had success', async () => {
  const stateDir = temporaryFolder();
  await run(await begin(stateDir), { 2: unreachable() });
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), { 2: rejected(403) });
  expect(second.sent).toEqual([2]);
  expect(second.report).toMatchObject({ exitCode: 15, state: 'finished' });
});

it('a run that is resumed sends rows again that could not be sent, but not those that --expect held back', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 2: unreachable(), 4: heldBack() });
  expect(first.report).toMatchObject({ exitCode: 15, state: 'stopped' });
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(second.sent).toEqual([2]);
  expect(second.outcomes).toEqual(['applied', 'applied', 'applied', 'not_sent', 'applied', 'applied']);
  expect(second.report).toMatchObject({ exitCode: 15, state: 'finished' });
});

it('a run that is resumed does not count earlier failures towards --max-failures', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 1: rejected(404), 2: rejected(404) }, { maxFailures: 2 });
  expect(first.sent).toEqual([1, 2]);
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), { 3: rejected(404) }, { maxFailures: 2 });
  expect(second.sent).toEqual([3, 4, 5, 6]);
});

it('a run that is resumed keeps the ID that only a response had', async () => {
  const stateDir = temporaryFolder();
  const first = await run(await begin(stateDir), { 1: answered(new Map(), 'new-1') });
  expect(first.printed[0]?.callOutcome.resultId).toBe('new-1');
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(second.printed[0]).toMatchObject({
    callOutcome: { resultId: 'new-1', outcome: 'applied' },
    source: 'journal',
  });
});

async function withUnknown() {
  const stateDir = temporaryFolder();
  await run(await begin(stateDir), { 2: unknown(), 5: unknown() });
  return stateDir;
}

it('K12 unknown rows of an earlier process are checked with --reconcile, and resolved only by what the card shows', async () => {
  const stateDir = await withUnknown();
  const read: number[] = [];
  const second = await run(
    await resumeRun(runPorts(stateDir), 'may'),
    {},
    {
      unknownRows: 'reconcile',
      reconcile: async (row, slot) => {
        await slot.pacer.admit('read');
        read.push(row.row);
        return row.row === 2 ? answered(new Map([['status', 'BLOCKED']])) : unknown();
      },
    },
  );
  expect(read).toEqual([2, 5]);
  expect(second.sent).toEqual([]);
  expect(second.outcomes).toEqual(['applied', 'confirmed_by_read', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report.exitCode).toBe(8);
  const third = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(third.outcomes).toEqual(['applied', 'confirmed_by_read', 'applied', 'applied', 'unknown', 'applied']);
});

it('K12 unknown rows of an earlier process are sent again with --resend-unknown, and no others', async () => {
  const stateDir = await withUnknown();
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {}, { unknownRows: 'resend' });
  expect(second.sent).toEqual([2, 5]);
  expect(second.report).toMatchObject({ exitCode: 0, state: 'finished' });
});

it('unknown rows of an earlier process stay unknown when sending them again fails before anything leaves', async () => {
  const stateDir = await withUnknown();
  const second = await run(
    await resumeRun(runPorts(stateDir), 'may'),
    { 2: unreachable(), 5: unreachable() },
    {
      unknownRows: 'resend',
    },
  );
  expect(second.outcomes).toEqual(['applied', 'unknown', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report.exitCode).toBe(8);
  const third = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  expect(third.sent).toEqual([]);
  expect(third.outcomes).toEqual(second.outcomes);
});

it('unknown rows of an earlier process stay unknown when the run stops before they are sent again', async () => {
  const stateDir = await withUnknown();
  const signals = new FakeSignals();
  const second = await run(
    await resumeRun(runPorts(stateDir), 'may'),
    {},
    {
      unknownRows: 'resend',
      signals,
      persist: async () => signals.send('SIGTERM'),
    },
  );
  expect(second.sent).toEqual([]);
  expect(second.outcomes).toEqual(['applied', 'unknown', 'applied', 'applied', 'unknown', 'applied']);
  expect(second.report.exitCode).toBe(8);
});

it('a journal on a full disk stops the run before the row is sent, with 16 (K5)', async () => {
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
  const active = await beginRun(ports, runPlan({ name: 'may', rows: COUNT, inputRows: COUNT }));
  const first = await run(active, {});
  expect(first.report).toMatchObject({ exitCode: 16, state: 'stopped' });
  expect(first.sent.length).toBeLessThan(COUNT);
  const applied = first.outcomes.filter((outcome) => outcome === 'applied').length;
  expect(applied).toBe(first.sent.length);
  const second = await run(await resumeRun(runPorts(stateDir), 'may'), {});
  const doneTwice = second.sent.filter((row) => first.sent.includes(row));
  expect(doneTwice).toEqual([]);
});
