import { expect, it } from 'vitest';
import { idleTimer } from '../../../../src/writes/ask/idle-timer.ts';
import { FakeClock } from '../../runs/fakes.ts';

const WARNING = 'no key was pressed for a while. The desk closes in a minute. Press any key to stay';

function question(idleMs: number) {
  const clock = new FakeClock();
  const { now, monotonic } = clock;
  const timer = idleTimer({ now, monotonic, sleep: (ms, signal) => clock.sleep(ms, signal) }, idleMs);
  const warnings: string[] = [];
  const left = new Promise<number>((resolve) => timer.signal.addEventListener('abort', () => resolve(clock.ms)));
  return { clock, timer, warnings, left, warn: (text: string) => void warnings.push(`${clock.ms}: ${text}`) };
}

it('a desk at which no key is pressed is left after the time, which is announced a minute before', async () => {
  const { timer, warnings, left, warn } = question(600_000);
  void timer.during(() => left, warn);
  expect([await left, warnings]).toEqual([600_000, [`540000: ${WARNING}`]]);
});

it.each([60_000, 30_000])('a desk at which no key is pressed is left after %i ms without a word', async (idleMs) => {
  const { timer, warnings, left, warn } = question(idleMs);
  void timer.during(() => left, warn);
  expect([await left, warnings]).toEqual([idleMs, []]);
});

it('a desk at which no key is pressed counts from the last key', async () => {
  const { clock, timer, warnings, left, warn } = question(600_000);
  void timer.during(() => left, warn);
  await clock.sleep(500_000);
  timer.touched();
  expect([await left, warnings]).toEqual([1_100_000, [`1040000: ${WARNING}`]]);
});

it('a desk at which no key is pressed is not left while no question stands there', async () => {
  const { clock, timer, warnings, warn } = question(600_000);
  expect(await timer.during(async () => 'yes', warn)).toBe('yes');
  timer.touched();
  await clock.sleep(3_600_000);
  expect([timer.signal.aborted, warnings]).toEqual([false, []]);
});
