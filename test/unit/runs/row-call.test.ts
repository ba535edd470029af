import { expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../../src/base/failure.ts';
import type { RunJournal } from '../../../src/records/journal/journal.ts';
import { Limiter } from '../../../src/runs/limiter.ts';
import { RowCall } from '../../../src/runs/row-call.ts';
import { RunControl } from '../../../src/runs/run-control.ts';
import { signalStop } from '../../../src/runs/stop.ts';
import { FakeClock } from './fakes.ts';

const nothing = () => undefined;

/** A row under way whose journal records intents and results as told. */
function beginCall(intent: (control: RunControl) => void, result: RunJournal['result']) {
  const clock = new FakeClock();
  const control = new RunControl({ clock, signals: { received: [], onSignal: () => nothing } }, nothing, nothing);
  onTestFinished(() => control.end());
  const limiter = new Limiter({ clock, rate: undefined, stopping: control.stopping, onTooLong: nothing });
  const journal: Partial<RunJournal> = {
    intent: async () => intent(control),
    result,
    lost: () => undefined,
    isOfAudit: () => false,
    states: { isDoubtful: () => false } as unknown as RunJournal['states'],
  };
  // A row under way asks its journal for nothing else.
  const pace = { clock, isWrite: true, concurrency: 1, rate: undefined };
  const task = { command: 'card block', journal: journal as RunJournal, ...pace };
  return new RowCall({ row: 1, id: 'a' }, 0, 'send', { task, control, limiter, sink: { next: 0 } });
}

it('a journal that fails while the run ends denies the row, which says why, and leaves no rejection unhandled', async () => {
  const recorded: unknown[] = [];
  const call = beginCall(
    (its) => its.stopFor(signalStop('SIGINT')),
    (row, callOutcome, how) => {
      recorded.push([row.id, callOutcome.outcome, callOutcome.code, callOutcome.attempts, how?.message]);
      return Promise.reject(new Failure('LOCAL_IO', 'the disk is full', {}));
    },
  );
  expect(await call.admit('send')).toBe(false);
  expect(call).toMatchObject({ isDenied: true, admitted: 0, leftMs: undefined });
  expect(recorded).toEqual([['a', 'not_sent', 'CANCELLED', 0, 'Ctrl-C stopped the run']]);
});

it('a row whose intent cannot be recorded is not sent', async () => {
  const call = beginCall(
    () => {
      throw new Failure('LOCAL_IO', 'the disk is full');
    },
    async () => undefined,
  );
  expect(await call.admit('send')).toBe(false);
  expect(call).toMatchObject({ isDenied: true, admitted: 0, leftMs: undefined });
});

it('a second request that a stop holds back records nothing: the first one may have been applied', async () => {
  const recorded: unknown[] = [];
  let intents = 0;
  const call = beginCall(
    (its) => {
      intents += 1;
      if (intents === 2) its.stopFor(signalStop('SIGINT'));
    },
    async (row) => {
      recorded.push(row.id);
    },
  );
  expect(await call.admit('send')).toBe(true);
  call.leaves();
  expect(await call.admit('send')).toBe(false);
  expect(call).toMatchObject({ isDenied: true, admitted: 1, requests: 1 });
  expect(recorded).toEqual([]);
});
