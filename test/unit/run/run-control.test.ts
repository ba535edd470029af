import { describe, expect, it } from 'vitest';
import { RunControl } from '../../../src/run/run-control.ts';
import { FakeClock, FakeSignals } from './fakes.ts';

function control() {
  const [clock, signals] = [new FakeClock(), new FakeSignals()];
  const told: string[] = [];
  const stopping = new RunControl(
    { clock, signals },
    () => void told.push(`stop at ${clock.ms}`),
    () => void told.push(`overdue at ${clock.ms}`),
  );
  return { clock, signals, stopping, told };
}

const stopped = (stopping: RunControl) => new Promise((resolve) => stopping.stop.addEventListener('abort', resolve));

describe('a signal during a run', () => {
  it('gives what is in flight five seconds, and one more to say so', async () => {
    const { clock, signals, stopping, told } = control();
    signals.send('SIGINT');
    expect([stopping.wrapUp.aborted, stopping.stop.aborted]).toEqual([true, false]);
    await stopped(stopping);
    expect(clock.ms).toBe(5000);
    await clock.sleep(1001);
    expect(told).toEqual(['stop at 0', 'overdue at 6000']);
  });

  it('abandons what is in flight at once when it comes a second time', () => {
    const { clock, signals, stopping } = control();
    signals.send('SIGINT');
    signals.send('SIGINT');
    expect([stopping.stop.aborted, clock.ms]).toEqual([true, 0]);
  });

  it('leaves time to what is in flight when the run was stopping for another reason', () => {
    const { signals, stopping } = control();
    stopping.break(new Error('the disk is full'));
    signals.send('SIGINT');
    expect([stopping.stop.aborted, stopping.stops.map(({ kind }) => kind)]).toEqual([false, ['broken', 'signal']]);
  });

  it('is not heard any more when the run is over', () => {
    const { signals, stopping, told } = control();
    stopping.end();
    signals.send('SIGINT');
    expect([stopping.wrapUp.aborted, told]).toEqual([false, []]);
  });
});
