import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import * as z from 'zod/mini';
import { isoDate } from '../../../src/api/calendar.ts';
import { eventOrderProblem, isBefore, isPast, momentOf, parseIsoDate, peopleDate } from '../../../src/api/iso-date.ts';

function problemOf(text: string): string | undefined {
  const date = parseIsoDate(text);
  return 'problem' in date ? date.problem : undefined;
}

function endsBefore(end: string, start: string): boolean {
  const [until, from] = [parseIsoDate(end), parseIsoDate(start)];
  if ('problem' in until || 'problem' in from) throw new Error(`${end} or ${start} is no date`);
  return isBefore(until, from);
}

test.each([
  '2026-05-01',
  '20260501',
  '2026-W18-5',
  '2026W185',
  '2026-121',
  '2026121',
  '0000-01-01',
  '9999-12-31',
  '+012026-05-01',
  '-00044-03-15',
  '+12026-W01-1',
  '2024-02-29',
  '2000-02-29',
  '2020-W53-7',
  '2024-366',
  '2026-05-01T18',
  '2026-05-01T18:30',
  '20260501T1830',
  '20260501T18',
  '2026-05-01T18:30:15',
  '20260501T183015',
  '2026-W18-5T18:30',
  '2026W185T1830',
  '2026-121T18:30:00',
  '2026121T183000',
  '2026-05-01T18:30:15.123456789',
  '2026-05-01T18:30:15,5',
  '2026-05-01T18:30.5',
  '2026-05-01T18,25',
  '2026-05-01T24:00',
  '2026-05-01T24:00:00.000',
  '2026-05-01T24',
  '2016-12-31T23:59:60Z',
  '2016-12-31T23:59:60.5Z',
  '2026-05-01T18:30Z',
  '2026-05-01T18:30+02',
  '2026-05-01T18:30-05:30',
  '20260501T1830+0200',
  '20260501T183000Z',
  '2026-05-01T00:00+14:00',
  '2026-05-01t18:30z',
  '2026-w18-5',
  '2026-001',
  '2026-05-01T18:30+23:00',
])('parseIsoDate reads %s', (text) => {
  expect(problemOf(text)).toBeUndefined();
});

test.each([
  ['2026', 'names a year, not a day'],
  ['2026-05', 'names a month, not a day'],
  ['2026-W18', 'names a week, not a day'],
  ['2026W18', 'names a week, not a day'],
  ['2026-05T10:00', 'names a month, not a day'],
  ['2026-02-30', 'names a day that does not exist: month 2 of 2026 has 28 days'],
  ['2025-02-29', 'names a day that does not exist: month 2 of 2025 has 28 days'],
  ['1900-02-29', 'names a day that does not exist: month 2 of 1900 has 28 days'],
  ['20260431', 'names a day that does not exist: month 4 of 2026 has 30 days'],
  ['2026-00-10', 'names a month that does not exist: 0'],
  ['2026-13-01', 'names a month that does not exist: 13'],
  ['2026-05-00', 'names a day that does not exist: month 5 of 2026 has 31 days'],
  ['2025-W53-1', 'names a week that does not exist: 2025 has 52 weeks'],
  ['2024-W53-1', 'names a week that does not exist: 2024 has 52 weeks'],
  ['2026-W00-1', 'names a week that does not exist: 2026 has 53 weeks'],
  ['2026-W18-8', 'names a day that does not exist: a week has days 1 to 7'],
  ['2026-W18-0', 'names a day that does not exist: a week has days 1 to 7'],
  ['2026-366', 'names a day that does not exist: 2026 has 365 days'],
  ['2026-000', 'names a day that does not exist: 2026 has 365 days'],
  ['2026-05-01T25:00', 'names an hour that does not exist: 25'],
  ['2026-05-01T10:60', 'names a minute that does not exist: 60'],
  ['2026-05-01T10:00:61', 'names a second that does not exist: 61'],
  ['2026-05-01T24:01', 'is past 24:00, the end of a day'],
  ['2026-05-01T24:00:01', 'is past 24:00, the end of a day'],
  ['2026-05-01T24:00:00.001', 'is past 24:00, the end of a day'],
  ['2026-05-01T10:00+24:00', 'has a zone offset that does not exist: +24:00'],
  ['2026-05-01T10:00+02:60', 'has a zone offset that does not exist: +02:60'],
  ['2026-05-01 18:30', 'needs a T in place of the blank (2026-05-01T18:30)'],
  ['2026-05-01  18:30:00Z', 'needs a T in place of the blank (2026-05-01T18:30:00Z)'],
])('parseIsoDate refuses %s: %s', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

test.each(['20260501T18:30', '2026-05-01T1830', '2026-05-01T18:30+0200', '20260501T1830+02:00'])(
  'parseIsoDate refuses %s, which mixes basic and extended',
  (text) => {
    expect(problemOf(text)).toMatch(/^mixes the basic and the extended format/);
  },
);

test.each([
  '',
  ' 2026-05-01',
  '2026-05-01 ',
  '2026-05-01\n',
  '2026-05-01 18:30x',
  '2026-05-01T',
  '2026-05-01T18:30 +02:00',
  '2026-05-01T18:3',
  '2026-05-01T18:30:',
  '2026-05-01T18:30.',
  '2026-05-01T1830:15',
  '2026-05-01Z',
  '2026-5-1',
  '26-05-01',
  '--05-01',
  '2026/05/01',
  '01.05.2026',
  '05/01/2026',
  'tomorrow',
  '1777588200',
  '2026-0501',
  '202605-01',
  '+2026-05-01',
  '+0120260501',
  '２０２６-05-01',
  '2026-05-01T18:30:00+02:00[Europe/Berlin]',
  'P1D',
])('parseIsoDate refuses %j, which is another form', (text) => {
  expect(problemOf(text)).toBeDefined();
});

test.each([
  'x2026-W18',
  '2026-W18x',
  'x2026-05',
  '2026-05x',
  'x2026',
  '2026x',
  '2026-05-01Tx18:30',
  '2026-05-01Tx',
  '2026-05-01T18:30Zx',
])('parseIsoDate refuses %s with an example of what it reads', (text) => {
  expect(problemOf(text)).toBe(
    'is not an ISO 8601 date, such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00 (with a T between day and time)',
  );
});

test.each<[string, bigint, number | undefined]>([
  ['2026-05-01T18', 64_800_000n, undefined],
  ['2026-05-01T18,5', 66_600_000n, undefined],
  ['2026-05-01T18:30', 66_600_000n, undefined],
  ['2026-05-01T18:30.5Z', 66_630_000n, 0],
  ['2026-05-01T18:30:15.25z', 66_615_250n, 0],
  ['2026-05-01T18:30:15+02', 66_615_000n, 120],
  ['2026-05-01T18:30:15-05:30', 66_615_000n, -330],
  ['20260501T183015+0200', 66_615_000n, 120],
])('parseIsoDate reads the clock and the zone of %s', (text, milliseconds, offsetMinutes) => {
  expect(parseIsoDate(text)).toEqual({ day: 20_574, clock: milliseconds * 1_000_000_000n, offsetMinutes });
});

test.each([
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2000-03-01', 11_017],
  ['2026-W01-1', 20_451],
  ['2025-12-29', 20_451],
  ['2020-W53-7', 18_630],
  ['2026-121', 20_574],
  ['20260501', 20_574],
  ['0000-01-01', -719_528],
  ['-00001-12-31', -719_529],
])('parseIsoDate knows that %s is day %d', (text, day) => {
  expect(parseIsoDate(text)).toMatchObject({ day });
});

it('parseIsoDate reads everything that JavaScript writes as ISO 8601, as the same day', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      const read = parseIsoDate(date.toISOString());
      expect(read).toMatchObject({ day: Math.floor(date.getTime() / 86_400_000), offsetMinutes: 0 });
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
  ['2026-05-01T10:30', '2026-05-01T10.5', false],
  ['2026-05-01T10.7', '2026-05-01T10:42', false],
  ['2026-05-01T24:00', '2026-05-02', false],
  ['2026-05-01T24:00', '2026-05-02T00:00:01', true],
  // A day lasts until its midnight.
  ['2026-05-01', '2026-05-01T23:59', false],
  ['2026-05-01', '2026-05-01', false],
  ['2026-05-01', '2026-05-02', true],
  ['2026-W18-5', '2026-121T10:00', false],
  // Both zones are known.
  ['2026-05-01T09:00Z', '2026-05-01T10:00+02:00', false],
  ['2026-05-01T09:59+02:00', '2026-05-01T08:00Z', true],
  ['2026-05-01T10:00-05:00', '2026-05-01T12:00Z', false],
  // One is not: it may be 12 hours behind or 14 ahead of UTC.
  ['2026-05-01T09:00', '2026-05-01T10:00Z', false],
  ['2026-05-01T09:00', '2026-05-01T21:00Z', false],
  ['2026-05-01T09:00', '2026-05-01T21:01Z', true],
  ['2026-05-01T09:00Z', '2026-05-01T23:00', false],
  ['2026-05-01T09:00Z', '2026-05-01T23:01', true],
  ['2026-05-01', '2026-05-02T12:00Z', true],
  ['2026-05-01', '2026-05-02T11:59Z', false],
])('isBefore end %s, start %s: %s', (end, start, expected) => {
  expect(endsBefore(end, start)).toBe(expected);
});

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
  [{ start: '2026-05-02', end: '2026-05-01' }, 'is before the start (2026-05-02) whatever the zones were'],
  [{ start: '2026-05-02', end: '2026-05-03' }, undefined],
  [{ start: '2026-05-02' }, undefined],
  [{ start: 'tomorrow', end: '2026-05-03' }, undefined],
  [null, undefined],
  ['text', undefined],
])('eventOrderProblem of %j is %j', (body, expected) => {
  expect(eventOrderProblem(body)).toBe(expected);
});

it('isoDate is a schema that says what is wrong and keeps the text as typed', () => {
  const schema = isoDate('start');
  expect(schema.parse('20260501T18,5')).toBe('20260501T18,5');
  expect(schema.safeParse('2026-02-30').error?.issues[0]?.message).toBe(
    'names a day that does not exist: month 2 of 2026 has 28 days',
  );
  expect(z.globalRegistry.get(schema)).toMatchObject({ description: 'start', 'x-kind': 'date' });
});

it.each([
  ['2031-03-31T23:59:59.000Z', '31 Mar 2031, 23:59 UTC'],
  ['2031-03-31t23:59z', '31 Mar 2031, 23:59 UTC'],
  ['2031-03-31T23:59:59+00:00', '31 Mar 2031, 23:59 UTC'],
  ['2031-03-31T23:59:59+02:00', '31 Mar 2031, 23:59 +02:00'],
  ['2031-03-31T23:59:59+0200', '31 Mar 2031, 23:59 +02:00'],
  ['20310331T2359-0930', '31 Mar 2031, 23:59 -09:30'],
  ['2031-03-31T23+05', '31 Mar 2031, 23:00 +05:00'],
  ['2031-03-31T10,5', '31 Mar 2031, 10:30'],
  ['2031-03-31T23:59:59', '31 Mar 2031, 23:59'],
  ['2031-03-31T00:00:00', '31 Mar 2031, 00:00'],
  ['2031-03-31T24:00', '31 Mar 2031, 24:00'],
  ['2016-12-31T23:59:60Z', '31 Dec 2016, 23:59 UTC'],
  ['20161231T235960.5Z', '31 Dec 2016, 23:59 UTC'],
  ['2031-03-31', '31 Mar 2031'],
  ['2031-W14-1', '31 Mar 2031'],
  ['2031-090', '31 Mar 2031'],
  ['2028-02-29', '29 Feb 2028'],
  ['+012345-01-02', '2 Jan 12345'],
  ['1969-12-31', '31 Dec 1969'],
  ['0000-01-01', undefined],
  ['2031-02-30', undefined],
  ['31/03/2031', undefined],
  ['2031-03', undefined],
  ['soon', undefined],
  ['', undefined],
])('peopleDate: %s is %s', (text, shown) => {
  expect(peopleDate(text)).toBe(shown);
});

it('peopleDate names the day that the calendar has, for every day of 800 years', () => {
  for (let ms = Date.UTC(1700, 0, 1); ms < Date.UTC(2500, 0, 1); ms += 86_400_000) {
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
])('momentOf: %s is %s', (text, moment) => {
  expect(momentOf(text)).toBe(moment);
});

const noon = Date.UTC(2026, 4, 1, 12);

test.each([
  ['2026-05-01T11:59:59Z', true],
  ['2026-05-01T12:00:00Z', false],
  ['2026-05-01T13:59+02:00', true],
  ['2026-05-01T00:00', false],
  ['2026-04-30T23:59', true],
  ['2026-05-01', false],
  ['2026-04-30', true],
  ['2026-04-29', true],
  ['no date', false],
])('a time in the past is %s only where it is over in every zone it may have: %s', (text, expected) => {
  expect(isPast(text, noon)).toBe(expected);
});
