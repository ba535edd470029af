import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { failureLimit, parseMaxFailures, parseRate, rateText } from '../../../src/input/options/limits.ts';
import { Limiter } from '../../../src/runs/limiter.ts';
import { FakeClock } from './fakes.ts';

it.each([
  ['10', 10],
  ['10/s', 10],
  ['1', 1],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['30/m', 0.5],
  ['600/m', 10],
  ['0/m', undefined],
  ['10/h', undefined],
  ['', undefined],
  [' 10', undefined],
  ['1e3', undefined],
])('--rate: %j is %j', (text, rate) => {
  expect(parseRate(text)).toBe(rate);
});

it('--rate lets no second see more than it says, whatever the requests take to leave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 }),
      async (rate, delays) => {
        const clock = new FakeClock();
        const stopping = new AbortController().signal;
        setMaxListeners(0, stopping);
        const limiter = new Limiter({
          clock,
          rate,
          stopping,
          onTooLong: () => undefined,
        });
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
    const clock = new FakeClock();
    const rate = parseRate(`${most}/m`);
    const stopping = new AbortController().signal;
    const limiter = new Limiter({ clock, rate, stopping, onTooLong: () => undefined });
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
  const clock = new FakeClock();
  const limiter = new Limiter({ clock, rate: 1, stopping: new AbortController().signal, onTooLong: () => undefined });
  await limiter.admit();
  limiter.giveBack();
  await limiter.admit();
  expect(clock.monotonic()).toBe(0);
});

it.each([
  ['20', { rows: 20 }],
  ['5%', { percent: 5 }],
  ['0.5%', { percent: 0.5 }],
  ['100%', { percent: 100 }],
  ['0', undefined],
  ['0%', undefined],
  ['101%', undefined],
  ['-3', undefined],
  ['5 %', undefined],
  ['five', undefined],
])('--max-failures: %j is %j', (text, limit) => {
  expect(parseMaxFailures(text)).toEqual(limit);
});

it.each([
  [{ rows: 20 }, 1000, 20],
  [{ percent: 5 }, 1000, 50],
  [{ percent: 5 }, 30, 2],
  [{ percent: 1 }, 10, 1],
])('--max-failures: %j of %d rows is %d', (limit, rows, count) => {
  expect(failureLimit(limit, rows)).toBe(count);
});

function make() {
  const clock = new FakeClock();
  const tooLong: number[] = [];
  const stopping = new AbortController();
  const limiter = new Limiter({
    clock,
    rate: undefined,
    stopping: stopping.signal,
    onTooLong: (waitMs) => {
      tooLong.push(waitMs);
    },
  });
  return { clock, limiter, tooLong, stopping };
}

it('the shared pause after a 429 holds up all requests for as long as the service says', async () => {
  const { clock, limiter } = make();
  expect(limiter.refused(12_000)).toBe(true);
  expect(limiter.refused(3_000)).toBe(true);
  await Promise.all([limiter.admit(), limiter.admit()]);
  expect(clock.monotonic()).toBe(12_000);
});

it('the shared pause after a 429 is shown and judged by what the service asked for, without the jitter', async () => {
  const { clock, limiter, tooLong } = make();
  expect(limiter.refused(13_100, 12_000)).toBe(true);
  expect(limiter.askedUntilMs).toBe(12_000);
  await limiter.admit();
  expect(clock.monotonic()).toBe(13_100);
  limiter.answered();
  expect(limiter.refused(930_000, 890_000)).toBe(true);
  expect(limiter.refused(990_000, 900_001)).toBe(false);
  expect(tooLong).toEqual([900_001]);
});

it('the shared pause after a 429 ends the run beyond fifteen minutes', () => {
  const { limiter, tooLong } = make();
  expect(limiter.refused(900_000)).toBe(true);
  expect(limiter.refused(900_001)).toBe(false);
  expect(tooLong).toEqual([900_001]);
});

it('the shared pause after a 429 counts pauses together while nothing is answered between them', async () => {
  const { limiter, tooLong } = make();
  expect(limiter.refused(600_000)).toBe(true);
  await limiter.admit();
  expect(limiter.refused(600_000)).toBe(false);
  expect(tooLong).toEqual([600_000]);
});

it('the shared pause after a 429 counts anew after an answer', async () => {
  const { limiter } = make();
  limiter.refused(600_000);
  await limiter.admit();
  limiter.answered();
  expect(limiter.refused(600_000)).toBe(true);
});

it('the shared pause after a 429 ends at once when the run stops', async () => {
  const { clock, limiter, stopping } = make();
  limiter.refused(60_000);
  const admission = limiter.admit();
  stopping.abort();
  expect(await admission).toBe(false);
  expect(clock.monotonic()).toBe(0);
  expect(limiter.refused(1)).toBe(false);
});

it('the allowance for retries is ten retries at the start, and one more for five successes', () => {
  const limiter = new Limiter({
    clock: new FakeClock(),
    rate: undefined,
    stopping: new AbortController().signal,
    onTooLong: () => undefined,
  });
  const spend = () => Array.from({ length: 20 }, () => limiter.mayRetry()).filter(Boolean).length;
  expect(spend()).toBe(10);
  for (let success = 0; success < 5; success += 1) limiter.succeeded();
  expect(spend()).toBe(1);
  for (let success = 0; success < 1000; success += 1) limiter.succeeded();
  expect(spend()).toBe(10);
});
