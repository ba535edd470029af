import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { failureLimit, parseMaxFailures, parseRate, rateText } from '../../../src/input/options/limits.ts';
import { Limiter } from '../../../src/runs/limiter.ts';
import { FakeClock } from './fakes.ts';

function make(rate?: number) {
  const clock = new FakeClock();
  const tooLong: number[] = [];
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const onTooLong = (waitMs: number) => void tooLong.push(waitMs);
  return { clock, limiter: new Limiter({ clock, rate, stopping: stopping.signal, onTooLong }), tooLong, stopping };
}

it('--rate: a whole number above 0 of a second or a minute', () => {
  expect(['10', '10/s', '1', '30/m', '600/m'].map(parseRate)).toEqual([10, 10, 1, 0.5, 10]);
  const wrong = ['0', '-1', '1.5', '0/m', '10/h', '', ' 10', '1e3'];
  expect(wrong.filter((text) => parseRate(text) !== undefined)).toEqual([]);
});

it('--rate lets no second see more than it says, whatever the requests take to leave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 }),
      async (rate, delays) => {
        const { clock, limiter } = make(rate);
        const times: number[] = [];
        await Promise.all(
          delays.map(async (delayMs) => {
            await limiter.admit();
            await clock.sleep(delayMs);
            limiter.leave();
            times.push(clock.monotonic());
          }),
        );
        times.sort((a, b) => a - b);
        expect(times).toHaveLength(delays.length);
        for (let index = rate; index < times.length; index += 1) {
          expect((times[index] ?? 0) - (times[index - rate] ?? 0)).toBeGreaterThan(1000);
        }
      },
    ),
    { numRuns: 30 },
  );
});

it('--rate of a minute lets no minute see more, and is shown as it can be typed', async () => {
  for (const most of [1, 30, 90, 200]) {
    const rate = parseRate(`${most}/m`);
    const { clock, limiter } = make(rate);
    const times: number[] = [];
    for (let index = 0; index < 2 * most + 1; index += 1) {
      await limiter.admit();
      limiter.leave();
      times.push(clock.monotonic());
    }
    for (let index = most; index < times.length; index += 1) {
      expect((times[index] ?? 0) - (times[index - most] ?? 0)).toBeGreaterThan(60_000);
    }
    expect(rateText(rate ?? 0)).toBe(`${most}/m`);
  }
  expect([rateText(5), rateText(parseRate('300/m') ?? 0)]).toEqual(['5', '5']);
});

it('--rate gives the place of a request that did not leave to the next one', async () => {
  const { clock, limiter } = make(1);
  await limiter.admit();
  limiter.giveBack();
  await limiter.admit();
  expect(clock.monotonic()).toBe(0);
});

it('--max-failures: a number of rows above 0, or a share of them, at least one', () => {
  const limits = [{ rows: 20 }, { percent: 5 }, { percent: 0.5 }, { percent: 100 }];
  expect(['20', '5%', '0.5%', '100%'].map(parseMaxFailures)).toEqual(limits);
  expect(['0', '0%', '101%', '-3', '5 %', 'five'].filter((text) => parseMaxFailures(text) !== undefined)).toEqual([]);
  expect(failureLimit({ rows: 20 }, 1000)).toBe(20);
  expect([1000, 30].map((rows) => failureLimit({ percent: 5 }, rows))).toEqual([50, 2]);
  expect(failureLimit({ percent: 1 }, 10)).toBe(1);
});

it('the shared pause after a 429 holds up all requests for as long as the service says', async () => {
  const { clock, limiter } = make();
  expect([limiter.refused(12_000), limiter.refused(3_000)]).toEqual([true, true]);
  await Promise.all([limiter.admit(), limiter.admit()]);
  expect(clock.monotonic()).toBe(12_000);
});

it('the shared pause after a 429 is shown and judged by what the service asked for, without the jitter', async () => {
  const { clock, limiter, tooLong } = make();
  expect([limiter.refused(13_100, 12_000), limiter.askedUntilMs]).toEqual([true, 12_000]);
  await limiter.admit();
  expect(clock.monotonic()).toBe(13_100);
  limiter.answered();
  expect([limiter.refused(930_000, 900_000), limiter.refused(990_000, 900_001)]).toEqual([true, false]);
  expect(tooLong).toEqual([900_001]);
});

it('the shared pause after a 429 counts pauses together while nothing is answered between them', async () => {
  const { limiter, tooLong } = make();
  expect(limiter.refused(600_000)).toBe(true);
  await limiter.admit();
  expect([limiter.refused(600_000), tooLong]).toEqual([false, [600_000]]);
  limiter.answered();
  expect(limiter.refused(600_000)).toBe(true);
});

it('the shared pause after a 429 ends at once when the run stops', async () => {
  const { clock, limiter, stopping } = make();
  limiter.refused(60_000);
  const admission = limiter.admit();
  stopping.abort();
  expect(await admission).toBe(false);
  expect([clock.monotonic(), limiter.refused(1)]).toEqual([0, false]);
});

it('the allowance for retries is ten retries at the start, and one more for five successes', () => {
  const { limiter } = make();
  const spend = () => Array.from({ length: 20 }, () => limiter.mayRetry()).filter(Boolean).length;
  expect(spend()).toBe(10);
  for (let success = 0; success < 5; success += 1) limiter.succeeded();
  expect(spend()).toBe(1);
  for (let success = 0; success < 1000; success += 1) limiter.succeeded();
  expect(spend()).toBe(10);
});
