/** A day, or a moment of one, as written. How the service reads zones is not documented, so none is converted. */
export interface IsoDate {
  /** Days since 1970-01-01, proleptic Gregorian. */
  readonly day: number;
  /** Picoseconds since 00:00 of that day on the written clock; undefined for a day without a time. */
  readonly clock: bigint | undefined;
  readonly offsetMinutes: number | undefined;
}

/** A value, and which of the two formats it is in; null if both are written alike (`18`, `Z`, `+02`). */
interface Part<T> {
  readonly value: T;
  readonly extended: boolean | null;
}

const NO_DATE =
  'is not an ISO 8601 date, such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00 (with a T between day and time)';
const MIXED = 'mixes the basic and the extended format of ISO 8601: write 2026-05-01T18:30+02:00 or 20260501T1830+0200';

// A year of more than four digits needs a sign and hyphens, or its length is unknown.
const YEAR = '(\\d{4}|[+-]\\d{5,6}(?=-))';
const LESS_THAN_A_DAY: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-?[Ww]\d{2}$/, 'names a week, not a day'],
  [/^\d{4}-\d{2}$/, 'names a month, not a day'],
  [/^\d{4}$/, 'names a year, not a day'],
];
const TIME = /^(\d{2})(?:(:?)(\d{2})(?:\2(\d{2}))?)?(?:[.,](\d+))?$/;
const LEAP_SECOND = /[Tt]\d{2}:?\d{2}:?60(?![\d:])/;
const ZONE = /([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

const PICOSECONDS = 1_000_000_000_000n;
const DAY_PICOSECONDS = 86_400n * PICOSECONDS;
/** Further digits of a fraction make no difference. */
const FRACTION_DIGITS = 24;

/** In 400 years, after which the calendar repeats. */
const CYCLE_DAYS = 146_097;
const DAY_MS = 86_400_000;

/** Days from 1970-01-01. `Date.UTC` ends at the year 275760 and reads 0 to 99 as 1900s. */
function dayOf(year: number, month: number, dayOfMonth: number): number {
  const cycles = Math.floor((year - 2000) / 400);
  return Date.UTC(year - cycles * 400, month - 1, dayOfMonth) / DAY_MS + cycles * CYCLE_DAYS;
}

/** Monday is 1, Sunday 7. */
function weekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

// The readers of parts return a text if something is wrong.

function calendarDay(year: number, month: number, dayOfMonth: number): number | string {
  if (month < 1 || month > 12) return `names a month that does not exist: ${month}`;
  const days = dayOf(year, month + 1, 1) - dayOf(year, month, 1);
  if (dayOfMonth < 1 || dayOfMonth > days)
    return `names a day that does not exist: month ${month} of ${year} has ${days} days`;
  return dayOf(year, month, dayOfMonth);
}

function weekDay(year: number, week: number, dayOfWeek: number): number | string {
  // A year that begins or ends on a Thursday has one more.
  const weeks = [dayOf(year, 1, 1), dayOf(year, 12, 31)].some((day) => weekday(day) === 4) ? 53 : 52;
  if (week < 1 || week > weeks) return `names a week that does not exist: ${year} has ${weeks} weeks`;
  if (dayOfWeek < 1 || dayOfWeek > 7) return 'names a day that does not exist: a week has days 1 to 7';
  // The week with the fourth of January is the first one.
  const fourth = dayOf(year, 1, 4);
  return fourth - weekday(fourth) + (week - 1) * 7 + dayOfWeek;
}

function ordinalDay(year: number, dayOfYear: number): number | string {
  const days = dayOf(year + 1, 1, 1) - dayOf(year, 1, 1);
  if (dayOfYear < 1 || dayOfYear > days) return `names a day that does not exist: ${year} has ${days} days`;
  return dayOf(year, 1, dayOfYear);
}

const FORMS: readonly (readonly [RegExp, (year: number, second: number, third: number) => number | string])[] = [
  [new RegExp(`^${YEAR}(-?)(\\d{2})\\2(\\d{2})$`), calendarDay],
  [new RegExp(`^${YEAR}(-?)[Ww](\\d{2})\\2(\\d)$`), weekDay],
  [new RegExp(`^${YEAR}(-?)(\\d{3})$`), ordinalDay],
];

function parseDay(text: string): Part<number> | string {
  for (const [form, read] of FORMS) {
    const found = form.exec(text);
    if (found === null) continue;
    const day = read(Number(found[1]), Number(found[3]), Number(found[4]));
    return typeof day === 'number' ? { value: day, extended: found[2] === '-' } : day;
  }
  return LESS_THAN_A_DAY.find(([form]) => form.test(text))?.[1] ?? NO_DATE;
}

function parseClock(text: string): Part<bigint> | string {
  const found = TIME.exec(text);
  if (found === null) return NO_DATE;
  const [, hours = '', colon, minutes, seconds, fraction = ''] = found;
  const [hour, minute, second] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)];
  if (hour > 24) return `names an hour that does not exist: ${hours}`;
  if (minute > 59) return `names a minute that does not exist: ${minutes}`;
  // 60 is a leap second, which any minute may have.
  if (second > 60) return `names a second that does not exist: ${seconds}`;
  if (hour === 24 && (minute > 0 || second > 0 || /[1-9]/.test(fraction))) return 'is past 24:00, the end of a day';
  const digits = fraction.slice(0, FRACTION_DIGITS);
  const unit = minutes === undefined ? 3600n : seconds === undefined ? 60n : 1n;
  const part = (BigInt(`0${digits}`) * unit * PICOSECONDS) / 10n ** BigInt(digits.length);
  const value = BigInt(hour * 3600 + minute * 60 + second) * PICOSECONDS + part;
  return { value, extended: minutes === undefined ? null : colon === ':' };
}

/** `Z` is zero hours and minutes. */
function parseZone(zone: string): Part<number> | string {
  const hours = Number(zone.slice(1, 3));
  const rest = zone.slice(3);
  const minutes = Number(rest.replace(':', ''));
  if (hours > 23 || minutes > 59) return `has a zone offset that does not exist: ${zone}`;
  const size = hours * 60 + minutes;
  return { value: zone.startsWith('-') ? -size : size, extended: rest === '' ? null : rest.startsWith(':') };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `07`, for a part of a date or a time. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** `UTC`, `+05:30`, or empty without a zone. */
function zoneName(offsetMinutes: number | undefined): string {
  if (offsetMinutes === undefined) return '';
  if (offsetMinutes === 0) return ' UTC';
  const size = Math.abs(offsetMinutes);
  return ` ${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

/** `31 Mar 2031, 23:59 UTC`: for people, on the clock and in the zone that were sent; undefined if it is no date. */
export function peopleDate(text: string): string | undefined {
  const date = readDate(text);
  if (typeof date === 'string') return undefined;
  const cycles = Math.floor(date.day / CYCLE_DAYS);
  const inCycle = new Date((date.day - cycles * CYCLE_DAYS) * DAY_MS);
  const year = inCycle.getUTCFullYear() + cycles * 400;
  // People write the years before 1 in several ways.
  if (year < 1) return undefined;
  const day = `${inCycle.getUTCDate()} ${MONTHS[inCycle.getUTCMonth()]} ${year}`;
  if (date.clock === undefined) return day;
  const minutes = Number(date.clock / (60n * PICOSECONDS));
  // A leap second belongs to the minute before it, and 24:00 to the day that it ends.
  const shown = LEAP_SECOND.test(text) ? minutes - 1 : minutes;
  return `${day}, ${twoDigits(Math.floor(shown / 60))}:${twoDigits(shown % 60)}${zoneName(date.offsetMinutes)}`;
}

/** Milliseconds since 1970 of an exact moment; of a day its start in UTC; undefined for a time without a zone. */
export function momentOf(text: string): number | undefined {
  const date = readDate(text);
  if (typeof date === 'string' || (date.clock !== undefined && date.offsetMinutes === undefined)) return undefined;
  return Number(instant(date, date.clock ?? 0n, date.offsetMinutes ?? 0) / (PICOSECONDS / 1000n));
}

/**
 * Reads any ISO 8601 date or date-time that names a day: basic or extended; calendar, week or ordinal; a signed year of
 * more than four digits (extended only); hour, minute or second with a decimal fraction (`.` or `,`) of the last part;
 * `24:00`, a leap second; zone `Z`, `±hh`, `±hhmm`, `±hh:mm` or none. Lower-case `t`, `z` and `w` too, like RFC 3339.
 * Otherwise returns what is wrong.
 */
export function parseIsoDate(text: string): IsoDate | { readonly problem: string } {
  const read = readDate(text);
  if (typeof read === 'string') return { problem: read };
  const { isMixed, ...date } = read;
  return isMixed ? { problem: MIXED } : date;
}

/** The date, and whether it mixes the two formats (`2026-05-01T18:30+0200`), or what is wrong. */
function readDate(text: string): (IsoDate & { readonly isMixed: boolean }) | string {
  const mark = text.search(/[Tt]/);
  if (mark === -1 && /\d +\d\d/.test(text)) {
    const meant = text.replace(/ +/, 'T');
    if (typeof readDate(meant) !== 'string') return `needs a T in place of the blank (${meant})`;
  }
  const date = parseDay(mark === -1 ? text : text.slice(0, mark));
  if (typeof date === 'string') return date;
  if (mark === -1) return { day: date.value, clock: undefined, offsetMinutes: undefined, isMixed: false };

  const time = text.slice(mark + 1);
  const zoneText = ZONE.exec(time)?.[1];
  const clock = parseClock(zoneText === undefined ? time : time.slice(0, -zoneText.length));
  if (typeof clock === 'string') return clock;
  const zone = zoneText === undefined ? undefined : parseZone(zoneText);
  if (typeof zone === 'string') return zone;

  const formats = [clock.extended, zone?.extended ?? null].filter((format) => format !== null);
  const isMixed = formats.some((extended) => extended !== date.extended);
  return { day: date.value, clock: clock.value, offsetMinutes: zone?.value, isMixed };
}

/** The clocks furthest ahead of and behind UTC: Kiritimati, and UTC-12, where nobody lives. */
const FURTHEST_AHEAD_MINUTES = 14 * 60;
const FURTHEST_BEHIND_MINUTES = -12 * 60;

function instant(date: IsoDate, clock: bigint, offsetMinutes: number): bigint {
  return BigInt(date.day) * DAY_PICOSECONDS + clock - BigInt(offsetMinutes * 60) * PICOSECONDS;
}

/**
 * Is `end` before `start` in every zone? Two times without a zone share a clock. If only one has a zone, the other may
 * be anywhere from UTC-12 to UTC+14, and must be before in all of them. A day without a time lasts until midnight.
 */
export function isBefore(end: IsoDate, start: IsoDate): boolean {
  const sameClock = end.offsetMinutes === undefined && start.offsetMinutes === undefined;
  const endOffset = end.offsetMinutes ?? (sameClock ? 0 : FURTHEST_BEHIND_MINUTES);
  const startOffset = start.offsetMinutes ?? (sameClock ? 0 : FURTHEST_AHEAD_MINUTES);
  const earliestStart = instant(start, start.clock ?? 0n, startOffset);
  if (end.clock === undefined) return instant(end, DAY_PICOSECONDS, endOffset) <= earliestStart;
  return instant(end, end.clock, endOffset) < earliestStart;
}

/** Is everything that a string names before that moment, in every zone? False if it is no date. */
export function isPast(text: string, nowMs: number): boolean {
  const date = readDate(text);
  const now = { day: 0, clock: (BigInt(nowMs) * PICOSECONDS) / 1000n, offsetMinutes: 0 };
  return typeof date !== 'string' && isBefore(date, now);
}

/** What is wrong with a string that must be a date; undefined if nothing. */
export function dateProblem(text: string): string | undefined {
  const date = parseIsoDate(text);
  return 'problem' in date ? date.problem : undefined;
}

/** What is wrong with the order of an event's dates; undefined if nothing. Other checks find what is no date. */
export function eventOrderProblem(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { start, end }: { start?: unknown; end?: unknown } = body;
  if (typeof start !== 'string' || typeof end !== 'string') return undefined;
  const [from, until] = [parseIsoDate(start), parseIsoDate(end)];
  if ('problem' in from || 'problem' in until || !isBefore(until, from)) return undefined;
  return `is before the start (${start}) whatever the zones were`;
}
