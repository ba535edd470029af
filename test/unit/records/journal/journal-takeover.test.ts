import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ClockPort } from '../../../../src/base/context.ts';
import { Failure } from '../../../../src/base/failure.ts';
import { type JournalPorts, RunJournal } from '../../../../src/records/journal/journal.ts';
import { readLastRecord, scanJournal, successorIn } from '../../../../src/records/journal/reader.ts';
import { encodeRecord, type JournalRecord } from '../../../../src/records/journal/record.ts';
import { RowStates } from '../../../../src/records/journal/row-states.ts';
import { beginRun, resumeRun } from '../../../../src/records/stored/run-store.ts';
import { runRows } from '../../../../src/runs/row-runner.ts';
import { putLock } from '../../base/files/locks.ts';
import { temporaryFolder } from '../../base/files/place.ts';
import { answered, ended, FakeClock, failed, planOf, runPlan, runPorts } from '../../runs/fakes.ts';

const ROWS = 6;

/** The lock of one machine, which counts up as the journal tells it to. */
function runLockOf(machine: string, mayHaveRival = false): JournalPorts['lock'] {
  let epoch = 1;
  return {
    get epoch() {
      return epoch;
    },
    mayHaveRival,
    by: `${machine} (process 1)`,
    raiseEpoch: (least) => {
      epoch = Math.max(epoch, least);
    },
  };
}

function ports(machine: string, mayHaveRival = false) {
  return {
    clock: new FakeClock(),
    pid: process.pid,
    lock: runLockOf(machine, mayHaveRival),
    assertStillHeld: () => undefined,
  };
}

/** A journal that pod-a has begun: row 1 applied, row 2 under way. */
async function begun() {
  const path = join(temporaryFolder(), 'journal.jsonl');
  const journal = await RunJournal.create(path, ROWS, ports('pod-a'));
  await journal.intent({ row: 1, id: 'card-1' });
  await journal.result({ row: 1, id: 'card-1' }, ended({ outcome: 'applied' }));
  await journal.intent({ row: 2, id: 'card-2' });
  return { path, journal };
}

async function statesOf(path: string): Promise<string[]> {
  const states = new RowStates(ROWS);
  await scanJournal(path, (record, offset) => states.applyRecord(record, offset));
  return Array.from({ length: ROWS }, (_, index) => states.state(index + 1));
}

it('M3 a journal that was taken over from a process that may only be paused is not written by that process any more', async () => {
  const { path, journal } = await begun();
  const successor = await RunJournal.resume(path, ROWS, ports('pod-b', true));
  await journal.result({ row: 2, id: 'card-2' }, ended({ outcome: 'not_sent' }));
  await journal.intent({ row: 3, id: 'card-3' });
  await successor.intent({ row: 3, id: 'card-3' });
  await successor.result({ row: 3, id: 'card-3' }, ended({ outcome: 'rejected' }));
  await journal.close();
  await successor.close();
  expect(await statesOf(path)).toEqual(['applied', 'unknown', 'rejected', 'none', 'none', 'none']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['journal.jsonl']);
});

it('a journal that was taken over from a process that may only be paused keeps a row whose intent was on the disk by then as one that may have been sent', async () => {
  const { path, journal } = await begun();
  const successor = await RunJournal.resume(path, ROWS, ports('pod-b', true));
  expect(successor.states.isToDo(2)).toBe(false);
  expect(successor.states.state(2)).toBe('unknown');
  await journal.close();
  await successor.close();
});

it('a journal that was taken over from a process that may only be paused loses half a record at its end, and nothing else', async () => {
  const { path, journal } = await begun();
  await journal.close();
  appendFileSync(path, '{"n":3,"t":1777636800000,"s":"int');
  await (await RunJournal.resume(path, ROWS, ports('pod-b', true))).close();
  expect(readFileSync(path, 'utf8')).not.toContain('"n":3');
  expect(await statesOf(path)).toEqual(['applied', 'unknown', 'none', 'none', 'none', 'none']);
});

it('a journal that was taken over from a process that may only be paused is set apart too when the one who took it over died before he wrote of it', async () => {
  const { path, journal } = await begun();
  const lock = runLockOf('pod-c');
  lock.raiseEpoch(3);
  const { ino } = statSync(path);
  await (await RunJournal.resume(path, ROWS, { ...ports('pod-c'), lock })).close();
  expect(statSync(path).ino).not.toBe(ino);
  expect(lock.epoch).toBe(3);
  await journal.close();
});

it('a journal that was taken over from a process that may only be paused stays the same file if no other process can have it open', async () => {
  const { path, journal } = await begun();
  await journal.close();
  const { ino } = statSync(path);
  await (await RunJournal.resume(path, ROWS, ports('pod-a'))).close();
  expect(statSync(path).ino).toBe(ino);
});

it('a journal that was taken over from a process that may only be paused names the one who took it over to the one who lost it', async () => {
  const { path, journal } = await begun();
  await journal.close();
  expect(successorIn(path, 1)).toBeUndefined();
  await (await RunJournal.resume(path, ROWS, ports('pod-b', true))).close();
  expect(successorIn(path, 1)).toBe('another frontdesk on pod-b (process 1)');
  expect(successorIn(path, 2)).toBeUndefined();
  expect(successorIn(join(path, 'none'), 1)).toBeUndefined();
});

it.each([
  ['the process was stopped', 75_000, 0],
  ['its machine was asleep, which stops the monotonic clock', 0, 75_000],
  ['its machine stood still, and both clocks with it', 0, 0],
])(
  'M2 a run that was lost keeps back a request that was about to leave when %s',
  async (_what, stoppedMs, asleepMs) => {
    let isLost = false;
    let wallMs = 0;
    const fake = new FakeClock();
    const clock: ClockPort = {
      now: () => fake.now() + wallMs,
      monotonic: () => fake.monotonic(),
      sleep: (ms, signal) => fake.sleep(ms, signal),
    };
    const assertStillHeld = () => {
      if (isLost) throw new Failure('LOCAL_IO', 'run may is no longer held by this process');
    };
    const path = join(temporaryFolder(), 'journal.jsonl');
    const journal = await RunJournal.create(path, ROWS, { ...ports('pod-a'), clock, assertStillHeld });
    const sent: number[] = [];
    const plan = planOf(
      4,
      async (row, slot) => {
        if (!(await slot.pacer.admit('send'))) return failed('CANCELLED', { outcome: 'not_sent', attempts: 0 });
        if (row.row === 2) {
          fake.ms += stoppedMs;
          wallMs = asleepMs;
          // As a request that waits for its connection.
          if (stoppedMs + asleepMs === 0) await new Promise(setImmediate);
          isLost = true;
        }
        slot.pacer.leaves?.();
        if (slot.stopping.aborted) return failed('CANCELLED', { outcome: 'not_sent' });
        sent.push(row.row);
        return answered();
      },
      { journal, clock },
    );
    const report = await runRows(plan);
    await journal.close();
    expect(report.exitCode).toBe(16);
    expect(sent).toEqual([1]);
    expect(plan.printed.map(({ callOutcome }) => callOutcome.outcome)).toEqual([
      'applied',
      'not_sent',
      'not_sent',
      'not_sent',
    ]);
  },
);

const late: readonly JournalRecord[] = [
  { n: 3, t: 2, s: 'intent', a: 1, id: 'card-3' },
  { n: 3, t: 3, s: 'applied', a: 1 },
  { n: 4, t: 3, s: 'not_sent', a: 0 },
  { n: 1, t: 3, s: 'unknown', a: 1 },
  { t: 4, s: 'resumed', by: 'pod-a (process 1)' },
  { t: 5, s: 'end', state: 'finished', outcomes: { applied: 6 } },
];

it('records that an earlier holder writes behind its successor are not believed, whatever they say', async () => {
  const { path, journal } = await begun();
  await journal.close();
  const successor = await RunJournal.resume(path, ROWS, ports('pod-b'));
  await successor.intent({ row: 4, id: 'card-4' });
  appendFileSync(path, late.map((record) => encodeRecord(record, 1)).join(''));
  await successor.result({ row: 4, id: 'card-4' }, ended({ outcome: 'applied' }));
  await successor.close();
  appendFileSync(path, late.map((record) => encodeRecord(record, 1)).join(''));
  expect(await statesOf(path)).toEqual(['applied', 'unknown', 'none', 'applied', 'none', 'none']);
  expect(readLastRecord(path)).toMatchObject({ n: 4, s: 'applied', e: 2 });
  const third = await RunJournal.resume(path, ROWS, ports('pod-c'));
  expect(third.states.isToDo(3)).toBe(true);
  await third.close();
  expect(readFileSync(path, 'utf8')).toContain('"s":"resumed","by":"pod-c (process 1)","e":3');
});

it('M3 a run that is being begun writes nothing into its folder once another has taken it over', async () => {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'runs', 'may');
  const openAudit = async () => {
    putLock(join(folder, 'lock'), { machine: 'pod-b', epoch: 2 });
    writeFileSync(join(folder, 'input'), 'of the other');
    writeFileSync(join(folder, 'journal.jsonl'), 'of the other');
    return { failure: undefined, begin: async () => undefined, end: async () => undefined };
  };
  const begun = beginRun(runPorts(stateDir, { openAudit }), runPlan({ name: 'may' }));
  await expect(begun).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message:
      'run may is no longer held by this process, which gave no sign of life for too long: another frontdesk on pod-b (process 1) took it over. Nothing more of it is sent from here.',
  });
  expect(readdirSync(folder).sort()).toEqual(['input', 'journal.jsonl', 'lock']);
  expect(readFileSync(join(folder, 'input'), 'utf8')).toBe('of the other');
  expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8')).toBe('of the other');
});

it('a run that is being begun takes over no row from a process that died before it had a header', async () => {
  const stateDir = temporaryFolder();
  const folder = join(stateDir, 'runs', 'may');
  mkdirSync(folder, { recursive: true });
  const early = await RunJournal.create(join(folder, 'journal.jsonl'), 3, ports('pod-a'));
  await early.intent({ row: 1, id: 'card-1' });
  await early.close();
  await (await beginRun(runPorts(stateDir), runPlan({ name: 'may' }))).close();
  const run = await resumeRun(runPorts(stateDir), 'may');
  expect([1, 2, 3].map((row) => run.journal.states.state(row))).toEqual(['none', 'none', 'none']);
  await run.close();
});
