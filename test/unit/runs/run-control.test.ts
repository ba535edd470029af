import { once } from 'node:events';
import { expect, it } from 'vitest';
import { RunControl } from '../../../src/runs/run-control.ts';
import { FakeClock, FakeSignals } from './fakes.ts';

function control() {
  const [clock, signals] = [new FakeClock(), new FakeSignals()];
  const told: string[] = [];
  const tell = (what: string) => () => void told.push(`${what} at ${clock.ms}`);
  return { clock, signals, run: new RunControl({ clock, signals }, tell('stop'), tell('overdue')), told };
}

it('a signal during a run gives what is in flight five seconds, and one more to say so', async () => {
  const { clock, signals, run, told } = control();
  signals.send('SIGINT');
  expect([run.stopping.aborted, run.abort.aborted]).toEqual([true, false]);
  await once(run.abort, 'abort');
  expect(clock.ms).toBe(5000);
  await clock.sleep(1001);
  expect(told).toEqual(['stop at 0', 'overdue at 6000']);
});

it('K13 a signal during a run abandons what is in flight at once when it comes a second time', () => {
  const { clock, signals, run } = control();
  signals.send('SIGINT');
  signals.send('SIGINT');
  expect([run.abort.aborted, clock.ms]).toEqual([true, 0]);
});

it('a signal during a run leaves time to what is in flight when the run was stopping for another reason', () => {
  const { signals, run } = control();
  run.break(new Error('the disk is full'));
  signals.send('SIGINT');
  expect([run.abort.aborted, run.stops.map(({ kind }) => kind)]).toEqual([false, ['broken', 'signal']]);
});
