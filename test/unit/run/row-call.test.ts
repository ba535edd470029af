import { expect, it } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import type { RunJournal } from '../../../src/run/journal/journal.ts';
import { Limiter } from '../../../src/run/limiter.ts';
import { RowCall } from '../../../src/run/row-call.ts';
import { RunControl } from '../../../src/run/run-control.ts';
import { signalStop } from '../../../src/run/stop.ts';
import { FakeClock } from './fakes.ts';

it('a journal that fails while the run ends denies the row, which says why, and leaves no rejection unhandled', async () => {
  const clock = new FakeClock();
  const nothing = () => undefined;
  const control = new RunControl({ clock, signals: { received: [], onSignal: () => nothing } }, nothing, nothing);
  const limiter = new Limiter({ clock, rate: undefined, stopping: control.stopping, onTooLong: nothing });
  const recorded: unknown[] = [];
  const journal: Partial<RunJournal> = {
    intent: async () => control.stopFor(signalStop('SIGINT')),
    result: (row, callOutcome, how) => {
      recorded.push([row.id, callOutcome.outcome, callOutcome.code, callOutcome.attempts, how?.said]);
      return Promise.reject(new Failure('LOCAL_IO', 'the disk is full', {}));
    },
    states: { isDoubtful: () => false } as unknown as RunJournal['states'],
  };
  // A row under way asks its journal for nothing else.
  const task = {
    command: 'card block',
    journal: journal as RunJournal,
    clock,
    isWrite: true,
    concurrency: 1,
    rate: undefined,
  } as const;
  const call = new RowCall({ row: 1, id: 'a' }, 0, 'send', { task, control, limiter, sink: { next: 0 } });
  expect(await call.admit('send')).toBe(false);
  expect(call).toMatchObject({ isDenied: true, admitted: 0, leftMs: undefined });
  const said = 'row 1 was not reached: Ctrl-C stopped the run. Nothing was sent.';
  expect(recorded).toEqual([['a', 'not_sent', 'CANCELLED', 0, said]]);
  control.end();
});
