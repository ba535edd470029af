import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Operation } from '../../../../src/service/api/operation.ts';
import { OPERATIONS } from '../../../../src/service/api/operations.ts';
import {
  askedWait,
  decideNext,
  isAmbiguous,
  type Situation,
  waitBeforeRetry,
} from '../../../../src/service/http/retry.ts';
import { parseHttpDate, parseRetryAfter } from '../../../../src/service/http/retry-after.ts';

const NOW = Date.UTC(2026, 0, 2, 12, 0, 0);

const on = (time: string, day = 'Fri, 02 Jan 2026') => `${day} ${time} GMT`;

it.each<[title: string, values: string[], date: string | undefined, expected: number | undefined]>([
  ['H10 seconds', ['3'], undefined, 3000],
  ['zero', ['0'], undefined, 0],
  ['with spaces', [' 7 '], undefined, 7000],
  ['a fraction is rounded up', ['1.0005'], undefined, 1001],
  ['a year', ['31536000'], undefined, 31_536_000_000],
  ['more than a year', ['31536001'], undefined, undefined],
  ['too huge for a date', ['9'.repeat(400)], undefined, undefined],
  ['a date against the local clock', [on('12:00:30')], undefined, 30_000],
  ['H11 a date against the service’s clock, an hour ahead', [on('13:00:30')], on('13:00:00'), 30_000],
  ['H11 a date against the service’s clock, an hour behind', [on('11:00:30')], on('11:00:00'), 30_000],
  ['an unreadable Date is not used', [on('12:00:30')], 'now', 30_000],
  ['RFC 850', [on('12:00:10', 'Friday, 02-Jan-26')], on('12:00:00'), 10_000],
  ['asctime', ['Fri Jan  2 12:00:10 2026'], on('12:00:00'), 10_000],
  ['H12 past', [on('11:00:00')], undefined, 0],
  ['H12 negative', ['-5'], undefined, undefined],
  ['H12 a word', ['soon'], undefined, undefined],
  ['NaN', ['NaN'], undefined, undefined],
  ['exponent', ['1e9'], undefined, undefined],
  ['empty', [''], undefined, undefined],
  ['a day that does not exist', [on('12:00:00', 'Fri, 99 Jan 2026')], undefined, undefined],
  ['ISO date is none of HTTP', ['2026-01-02T12:00:30Z'], undefined, undefined],
  ['none', [], undefined, undefined],
  ['H12 two headers: the longer', ['2', '5'], undefined, 5000],
  ['two in one header: the longer', ['9, 5'], undefined, 9000],
  ['one of two is invalid', ['soon', '5'], undefined, 5000],
])('Retry-After: %s', (_, values, date, expected) => expect(parseRetryAfter(values, date, NOW)).toBe(expected));

it('G15 Retry-After is never undercut by the wait: 1,000 random values', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.nat(10),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (ms, retries, random) => {
        const wait = waitBeforeRetry(retries, ms, random);
        expect(wait).toBeGreaterThanOrEqual(ms);
        expect(wait).toBeLessThanOrEqual(Math.ceil(ms * 1.1));
      },
    ),
    { numRuns: 1000 },
  );
});

it('Retry-After reads the three forms of an HTTP date and nothing else', () => {
  expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(784_111_777_000);
  expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(784_111_777_000);
  expect(parseHttpDate('Sun Nov  6 08:49:37 1994')).toBe(784_111_777_000);
  expect(parseHttpDate('6 November 1994')).toBeUndefined();
});

it.each([
  [0, 0, 0],
  [0, 0.5, 250],
  [1, 0.5, 500],
  [3, 0.5, 2000],
  [4, 0.5, 4000],
  [9, 0.5, 4000],
  [60, 0.25, 2000],
])('H13 a wait without Retry-After: retry %d with random %d waits %d ms', (retriesDone, random, expected) => {
  expect(waitBeforeRetry(retriesDone, undefined, random)).toBe(expected);
  expect(waitBeforeRetry(retriesDone, 0, random)).toBe(expected);
});

it.each([
  [undefined, 250],
  [0, 250],
  [3000, 3000],
])('a wait of 250 ms after a Retry-After of %s ms is named as %d ms', (retryAfterMs, named) => {
  expect(askedWait(retryAfterMs, 250)).toBe(named);
});

const base: Situation = {
  effect: { kind: 'read' },
  event: 'server_error',
  retriesDone: 0,
  retriesAllowed: 2,
  onceSpent: false,
  retryAfterMs: undefined,
  remainingMs: 60_000,
  random: 0.5,
};
const again = (waitMs: number, once = false) => ({ kind: 'retry', waitMs, checkFirst: false, once });
const end = (waitTooLong = false) => ({ kind: 'end', waitTooLong });
const TOO_LONG = { retryAfterMs: 60_000 };

it.each<[title: string, change: Partial<Situation>, expected: unknown]>([
  ['retries', {}, again(250)],
  ['no retries left', { retriesDone: 2 }, end()],
  ['no retries allowed', { retriesAllowed: 0 }, end()],
  ['no retries allowed, and the service asks for more than is left', { retriesAllowed: 0, ...TOO_LONG }, end(true)],
  ['a wait as long as the rest', { retryAfterMs: 5000, remainingMs: 5000, random: 0 }, end(true)],
  ['a wait shorter than the rest', { retryAfterMs: 4999, remainingMs: 5000, random: 0 }, again(4999)],
  ['the resolver: once', { event: 'not_sent_once' }, again(250, true)],
  ['the resolver: not twice', { event: 'not_sent_once', onceSpent: true }, end()],
  ['another trouble after the one retry for the resolver', { onceSpent: true }, again(250)],
  ['refused', { event: 'refused' }, end()],
  ['refused, and the service asks for more than is left', { event: 'refused', ...TOO_LONG }, end()],
  ['no retries left, and less time than a wait that nobody asks for', { retriesDone: 2, remainingMs: 1 }, end()],
])('decideNext: %s', (_, change, expected) => expect(decideNext({ ...base, ...change })).toEqual(expected));

const { cardGet, cardActivate, cardReissue, calendarUpdate, eventCreate } = OPERATIONS;
const EVENTS = [
  ...(['not_sent', 'not_sent_once', 'not_sent_final', 'busy', 'unavailable'] as const),
  ...(['server_error', 'broken', 'unreadable', 'refused'] as const),
];
/** What follows after each of EVENTS: `r`etry, `1` retry, `b` retry after a card check, `.` the end. */
const table: readonly (readonly [operation: Pick<Operation, 'command' | 'effect'>, steps: string])[] = [
  [cardGet, 'r1.rrrrr.'],
  [cardActivate, 'r1.rb....'],
  [cardReissue, 'r1.r.....'],
  [calendarUpdate, 'r1.r1....'],
  [eventCreate, 'r1.r.....'],
  [{ command: 'api', effect: { ...eventCreate.effect, unavailable: 'once' } }, 'r1.......'],
];
const cells = table.flatMap(([{ command, effect }, steps]) =>
  EVENTS.map((event, column) => [command, event, steps[column], effect] as const),
);

it.each(cells)('decideNext: %s after %s: %s', (_command, event, step, effect) => {
  const retry = { ...again(250, step === '1'), checkFirst: step === 'b' };
  expect(decideNext({ ...base, effect, event })).toEqual(step === '.' ? end() : retry);
});

it.each(cells)('%s after %s may have been applied only where something may have left', (name, event, _, effect) => {
  const mayHaveLeft = ['unavailable', 'server_error', 'broken', 'unreadable'].includes(event);
  expect(isAmbiguous(effect, event)).toBe(name !== 'card.get' && mayHaveLeft);
});
