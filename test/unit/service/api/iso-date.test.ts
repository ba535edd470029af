import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import * as z from 'zod/mini';
import { isoDate } from '../../../../src/service/api/calendar.ts';
import {
  eventOrderProblem,
  isBefore,
  isPast,
  momentOf,
  parseIsoDate,
  peopleDate,
} from '../../../../src/service/api/iso-date.ts';

function problemOf(text: string): string | undefined {
  const date = parseIsoDate(text);
  return 'problem' in date ? date.problem : undefined;
}

function endsBefore(end: string, start: string): boolean {
  const [until, from] = [parseIsoDate(end), parseIsoDate(start)];
  if ('problem' in until || 'problem' in from) throw new Error(`${end} or ${start} is no date`);
  return isBefore(until, from);
}

test.each(
  [
    ['2026-05-01', '20260501', '0000-01-01', '9999-12-31', '2024-02-29', '2000-02-29'],
    ['2026-05-01T18:30', '20260501T1830', '2026-05-01T18:30:15', '20260501T183015', '2026-05-01T18:30:15.123456789'],
    ['2026-05-01T18:30:15,5', '2026-05-01T24:00', '2026-05-01T24:00:00.000'],
    ['2026-05-01T18:30Z', '2026-05-01T18:30+02', '2026-05-01T18:30+0200', '20260501T1830+02:00', '20260501T1830+0200'],
    ['2026-05-01T18:30-05:30', '20260501T183000Z', '2026-05-01T00:00+14:00', '2026-05-01T18:30+23:00'],
  ].flat(),
)('parseIsoDate reads %s', (text) => expect(problemOf(text)).toBeUndefined());

const EXAMPLES = 'write an ISO 8601 date, such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00';

test.each<[problem: string, ...texts: string[]]>([
  ['names a year, not a day', '2026'],
  ['names a month, not a day', '2026-05'],
  ['names a day that does not exist: month 2 of 2026 has 28 days', '2026-02-30'],
  ['names a day that does not exist: month 2 of 2025 has 28 days', '2025-02-29'],
  ['names a day that does not exist: month 2 of 1900 has 28 days', '1900-02-29'],
  ['names a day that does not exist: month 4 of 2026 has 30 days', '20260431'],
  ['names a day that does not exist: month 5 of 2026 has 31 days', '2026-05-00'],
  ['names a month that does not exist: 00', '2026-00-10'],
  ['names a month that does not exist: 13', '2026-13-01'],
  ['names an hour that does not exist: 25', '2026-05-01T25:00'],
  ['names a minute that does not exist: 60', '2026-05-01T10:60'],
  ['names a second that does not exist: 60', '2016-12-31T23:59:60Z'],
  ['names a time past 24:00, the end of a day', '2026-05-01T24:01', '2026-05-01T24:00:01', '2026-05-01T24:00:00.001'],
  ['names a zone offset that does not exist: +24:00', '2026-05-01T10:00+24:00'],
  ['names a zone offset that does not exist: +02:60', '2026-05-01T10:00+02:60'],
])('parseIsoDate refuses what %s', (problem, ...texts) => {
  for (const text of texts) expect(problemOf(text)).toBe(`${problem}: ${EXAMPLES}`);
});

test.each([
  ['2026-05-01 18:30', 'needs a T in place of the blank (2026-05-01T18:30)'],
  ['2026-05-01T9:00', 'needs two digits for the hour (2026-05-01T09:00)'],
  ['2026-05-01 9:00Z', 'needs a T in place of the blank and two digits for the hour (2026-05-01T09:00Z)'],
  ['2026-05-01  18:30:00Z', 'needs a T in place of the blank (2026-05-01T18:30:00Z)'],
])('parseIsoDate refuses %s: it %s', (text, problem) => expect(problemOf(text)).toBe(problem));

test.each(
  [
    ['', ' 2026-05-01', '2026-05-01 ', '2026-05-01\n', '2026-05-01 18:30x', 'tomorrow', '1777588200', 'P1D'],
    ['2026-05-01T', '2026-05-01T18:30 +02:00', '2026-05-01T18:3', '2026-05-01T18:30:', '2026-05-01T18:30.'],
    ['2026-05-01T1830:15', '2026-05-01Z', '2026-5-1', '26-05-01', '--05-01', '2026/05/01', '01.05.2026', '05/01/2026'],
    ['2026-0501', '202605-01', '+2026-05-01', '+0120260501', '２０２６-05-01', '+012026-05-01', '-00044-03-15'],
    ['2026-05-01T18:30:00+02:00[Europe/Berlin]', '20260501T18:30', '2026-05-01T1830', '2026-05-01T18'],
    ['2026-W18-5', '2026W185', '2026-121', '2026121', '2026-W18', '2026-05-01T18.5', '2026-05-01T18:30.5'],
    ['2026-05-01T24', '2026-05-01T18:30:15.1234567890', '2026-05-01t18:30', '2026-05-01T18:30z'],
  ].flat(),
)('parseIsoDate refuses %j, which is another form', (text) => expect(problemOf(text)).toBeDefined());

test.each(
  [
    ['x2026-W18', '2026-W18x', 'x2026-05', '2026-05x', 'x2026', '2026x'],
    ['2026-05-01Tx18:30', '2026-05-01Tx', '2026-05-01T18:30Zx'],
  ].flat(),
)('parseIsoDate refuses %s with an example of what it reads', (text) => {
  expect(problemOf(text)).toBe(
    'is not an ISO 8601 date, such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00 (with a T between day and time)',
  );
});

test.each<[string, bigint, number | undefined]>([
  ['2026-05-01T18:30', 66_600_000_000n, undefined],
  ['2026-05-01T18:30:15.25Z', 66_615_250_000n, 0],
  ['2026-05-01T18:30:15,000001+02', 66_615_000_001n, 120],
  ['2026-05-01T18:30:15-05:30', 66_615_000_000n, -330],
  ['20260501T183015+0200', 66_615_000_000n, 120],
])('parseIsoDate reads the clock and the zone of %s', (text, microseconds, offsetMinutes) => {
  expect(parseIsoDate(text)).toEqual({ dayMs: 20_574 * 86_400_000, clock: microseconds * 1000n, offsetMinutes });
});

test.each([
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2000-03-01', 11_017],
  ['20260501', 20_574],
  ['0000-01-01', -719_528],
])('parseIsoDate knows that %s is day %d', (text, day) => {
  expect(parseIsoDate(text)).toMatchObject({ dayMs: day * 86_400_000 });
});

it('parseIsoDate reads everything that JavaScript writes as ISO 8601 with a year of four digits, as the same day', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const read = parseIsoDate(date.toISOString());
      expect(read).toMatchObject({ dayMs: Math.floor(date.getTime() / 86_400_000) * 86_400_000, offsetMinutes: 0 });
    }),
  );
});

it('parseIsoDate answers for any text without throwing', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseIsoDate(text) === 'object'));
});

test.each([
  ['2026-05-01T09:00', '2026-05-01T10:00', true],
  ['2026-05-01T10:00', '2026-05-01T10:00', false],
  ['2026-05-01T10:00', '2026-05-01T10:00:00.0001', true],
  ['2026-05-01T24:00', '2026-05-02', false],
  ['2026-05-01T24:00', '2026-05-02T00:00:01', true],
  // A day lasts until its midnight.
  ['2026-05-01', '2026-05-01T23:59', false],
  ['2026-05-01', '2026-05-01', false],
  ['2026-05-01', '2026-05-02', true],
  // Both zones are known.
  ['2026-05-01T09:00Z', '2026-05-01T10:00+02:00', false],
  ['2026-05-01T09:59+02:00', '2026-05-01T08:00Z', true],
  ['2026-05-01T10:00-05:00', '2026-05-01T12:00Z', false],
  // One is not: more than 26 hours is before in any zone.
  ['2026-05-01T09:00', '2026-05-02T11:00Z', false],
  ['2026-05-01T09:00', '2026-05-02T11:00:00.000000001Z', true],
  ['2026-05-01T09:00Z', '2026-05-02T11:00', false],
  ['2026-05-01T09:00Z', '2026-05-02T11:01', true],
  ['2026-05-01', '2026-05-03T02:00Z', true],
  ['2026-05-01', '2026-05-03T01:59Z', false],
  ['2026-05-01T09:00Z', '2026-05-03', true],
])('I17 isBefore end %s, start %s: %s', (end, start, expected) => expect(endsBefore(end, start)).toBe(expected));

it('isBefore never calls an end before a start when a later moment is written in any zones', () => {
  const offset = fc.integer({ min: -12 * 60, max: 14 * 60 });
  const moment = fc.date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true });
  const write = (date: Date, minutes: number, isZoned: boolean) => {
    const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
    const size = Math.abs(minutes);
    const [hours, rest] = [String(Math.floor(size / 60)).padStart(2, '0'), String(size % 60).padStart(2, '0')];
    return isZoned ? `${local}${minutes < 0 ? '-' : '+'}${hours}:${rest}` : local;
  };
  fc.assert(
    fc.property(moment, fc.nat(100_000_000), offset, offset, fc.boolean(), (start, laterMs, one, other, zoned) => {
      const end = new Date(start.getTime() + laterMs);
      expect(endsBefore(write(end, one, zoned), write(start, other, true))).toBe(false);
      expect(endsBefore(write(end, one, true), write(start, other, zoned))).toBe(false);
    }),
  );
});

test.each([
  [{ start: '2026-05-02', end: '2026-05-01' }, 'is before the start (2026-05-02)'],
  [{ start: '2026-05-02', end: '2026-05-03' }, undefined],
  [{ start: '2026-05-02' }, undefined],
  [{ start: 'tomorrow', end: '2026-05-03' }, undefined],
  [null, undefined],
  ['text', undefined],
])('I17 eventOrderProblem of %j is %j', (body, expected) => expect(eventOrderProblem(body)).toBe(expected));

it('isoDate is a schema that says what is wrong and keeps the text as typed', () => {
  const schema = isoDate('start');
  expect(schema.parse('20260501T183000,5')).toBe('20260501T183000,5');
  expect(schema.safeParse('2026-02-30').error?.issues[0]?.message).toBe(
    `names a day that does not exist: month 2 of 2026 has 28 days: ${EXAMPLES}`,
  );
  expect(z.globalRegistry.get(schema)).toMatchObject({ description: 'start', 'x-kind': 'date' });
});

it.each([
  ['2031-03-31T23:59:59.000Z', '31 Mar 2031, 23:59 UTC'],
  ['2031-03-31T23:59:59+00:00', '31 Mar 2031, 23:59 UTC'],
  ['2031-03-31T23:59:59+02:00', '31 Mar 2031, 23:59 +02:00'],
  ['2031-03-31T23:59:59+0200', '31 Mar 2031, 23:59 +02:00'],
  ['20310331T2359-0930', '31 Mar 2031, 23:59 -09:30'],
  ['2031-03-31T23:59:59', '31 Mar 2031, 23:59'],
  ['2031-03-31T00:00:00', '31 Mar 2031, 00:00'],
  ['2031-03-31T24:00', '31 Mar 2031, 24:00'],
  ['2031-03-31', '31 Mar 2031'],
  ['2028-02-29', '29 Feb 2028'],
  ['1969-12-31', '31 Dec 1969'],
])('peopleDate: %s is %s', (text, shown) => expect(peopleDate(text)).toBe(shown));

it.each(['2031-W14-1', '2031-02-30', '31/03/2031', '2031-03', 'soon', ''])('peopleDate knows no day in %j', (text) => {
  expect(peopleDate(text)).toBeUndefined();
});

it('peopleDate names the day that the calendar has, for every day of years of each kind', () => {
  const days = [1900, 2000, 2024, 2025, 2100].flatMap((year) =>
    Array.from({ length: 366 }, (_, day) => Date.UTC(year, 0, 1 + day)),
  );
  for (const ms of days) {
    const date = new Date(ms);
    const [, day, month, year] = date.toUTCString().split(' ');
    const named = peopleDate(date.toISOString().slice(0, 10));
    if (named !== `${Number(day)} ${month} ${Number(year)}`) expect(named).toBe(date.toUTCString());
  }
});

it.each([
  ['2031-03-31T23:59:59.125Z', Date.UTC(2031, 2, 31, 23, 59, 59, 125)],
  ['2031-03-31T23:59:59+02:00', Date.UTC(2031, 2, 31, 21, 59, 59)],
  ['2031-03-31', Date.UTC(2031, 2, 31)],
  ['2031-03-31T23:59:59', undefined],
  ['soon', undefined],
])('momentOf: %s is %s', (text, moment) => expect(momentOf(text)).toBe(moment));

const PAST = ['2026-05-01T11:59:59Z', '2026-05-01T13:59+02:00', '2026-04-30T23:59', '2026-04-30', '2026-04-29'];
const NOT_PAST = ['2026-05-01T12:00:00Z', '2026-05-01T00:00', '2026-05-01', 'no date'];

it('a time is in the past only where it is over in every zone that it may have', () => {
  expect([...PAST, ...NOT_PAST].filter((text) => isPast(text, Date.UTC(2026, 4, 1, 12)))).toEqual(PAST);
});
