/** A day, or a moment of one, as written. How the service reads zones is not documented, so none is converted. */
export interface IsoDate {
  /** Start of the day on the written clock, in milliseconds since 1970. */
  readonly dayMs: number;
  /** Nanoseconds since 00:00 of that day on the written clock; undefined for a day without a time. */
  readonly clock: bigint | undefined;
  readonly offsetMinutes: number | undefined;
}

const EXAMPLES = 'such as 2026-05-01, 2026-05-01T18:30 or 2026-05-01T18:30:00+02:00';
const NO_DATE = `is not an ISO 8601 date, ${EXAMPLES} (with a T between day and time)`;
const LESS_THAN_A_DAY: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d{2}$/, 'a month, not a day'],
  [/^\d{4}$/, 'a year, not a day'],
];

const ZONE = '(Z|[+-]\\d{2}(?::?\\d{2})?)?';
const EXTENDED = new RegExp(
  `^(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?${ZONE})?$`,
);
const BASIC = new RegExp(`^(\\d{4})(\\d{2})(\\d{2})(?:T(\\d{2})(\\d{2})(?:(\\d{2})(?:[.,](\\d{1,9}))?)?${ZONE})?$`);

const NANOSECONDS = 1_000_000_000n;
const DAY = 86_400n * NANOSECONDS;

/** `Date.UTC` reads the years 0 to 99 as 1900s. */
function startOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function missing(what: string): string {
  return `names ${what}: write an ISO 8601 date, ${EXAMPLES}`;
}

/** What of a day or a time does not exist; undefined: it all does. */
function nonexistent([year, month, day, hour, minute, second, fraction]: readonly string[]): string | undefined {
  const start = startOf(Number(year), Number(month), 1);
  if (Number(month) < 1 || Number(month) > 12) return `a month that does not exist: ${month}`;
  const days = (startOf(Number(year), Number(month) + 1, 1) - start) / 86_400_000;
  if (Number(day) < 1 || Number(day) > days) {
    return `a day that does not exist: month ${Number(month)} of ${year} has ${days} days`;
  }
  if (Number(hour ?? 0) > 24) return `an hour that does not exist: ${hour}`;
  if (Number(minute ?? 0) > 59) return `a minute that does not exist: ${minute}`;
  if (Number(second ?? 0) > 59) return `a second that does not exist: ${second}`;
  const isLater = [minute, second, fraction].some((part) => Number(part ?? 0) > 0);
  return hour === '24' && isLater ? 'a time past 24:00, the end of a day' : undefined;
}

/** `+02`, `+0200`, `+02:00` or `Z` as minutes; undefined: it does not exist. */
function offsetOf(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Reads a calendar date or date-time of ISO 8601, extended or basic: `2027-04-02`, `2027-04-02T18:00`,
 * `20270402T180000Z`; with seconds, a fraction of 1 to 9 digits and a zone, or `24:00`. Otherwise returns what is wrong.
 */
export function parseIsoDate(text: string): IsoDate | { readonly problem: string } {
  const found = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (found === null) return { problem: problemOf(text) };
  const parts = found.slice(1);
  const [year, month, day, hour, minute = '0', second = '0', fraction = '', zone] = parts;
  const problem = nonexistent(parts);
  if (problem !== undefined) return { problem: missing(problem) };
  const offsetMinutes = zone === undefined ? undefined : offsetOf(zone);
  if (zone !== undefined && offsetMinutes === undefined) {
    return { problem: missing(`a zone offset that does not exist: ${zone}`) };
  }
  const dayMs = startOf(Number(year), Number(month), Number(day));
  if (hour === undefined) return { dayMs, clock: undefined, offsetMinutes };
  const seconds = BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second));
  return { dayMs, clock: seconds * NANOSECONDS + BigInt(fraction.padEnd(9, '0')), offsetMinutes };
}

function problemOf(text: string): string {
  const joined = text.replace(/(?<=\d) +(?=\d)/, 'T');
  const meant = joined.replace(/T(?=\d:)/, 'T0');
  if (meant !== text && !('problem' in parseIsoDate(meant))) {
    const needs = [
      ...(joined === text ? [] : ['a T in place of the blank']),
      ...(meant === joined ? [] : ['two digits for the hour']),
    ];
    return `needs ${needs.join(' and ')} (${meant})`;
  }
  const part = LESS_THAN_A_DAY.find(([form]) => form.test(text))?.[1];
  return part === undefined ? NO_DATE : missing(part);
}

/** What is wrong with a string that must be a date; undefined if nothing. */
export function dateProblem(text: string): string | undefined {
  const date = parseIsoDate(text);
  return 'problem' in date ? date.problem : undefined;
}

function instant({ dayMs, clock, offsetMinutes = 0 }: IsoDate, otherwise = 0n): bigint {
  return BigInt(dayMs) * 1_000_000n + (clock ?? otherwise) - BigInt(offsetMinutes * 60) * NANOSECONDS;
}

/** From the clock furthest ahead of UTC to the one furthest behind it. */
const ANY_ZONE = 26n * 3600n * NANOSECONDS;

/** Is `end` before `start` in every zone? If only one has a zone, it must be by more than 26 h. A day alone is all of it. */
export function isBefore(end: IsoDate, start: IsoDate): boolean {
  const isUnsure = (end.offsetMinutes === undefined) !== (start.offsetMinutes === undefined);
  const latest = instant(end, DAY) + (isUnsure ? ANY_ZONE : 0n);
  return end.clock === undefined ? latest <= instant(start) : latest < instant(start);
}

/** Is everything that a string names before that moment, in every zone? False if it is no date. */
export function isPast(text: string, nowMs: number): boolean {
  const date = parseIsoDate(text);
  if ('problem' in date) return false;
  // The clock furthest behind.
  const { offsetMinutes = -12 * 60 } = date;
  return isBefore({ ...date, offsetMinutes }, { dayMs: nowMs, clock: 0n, offsetMinutes: 0 });
}

/** What is wrong with the order of an event's dates; undefined if nothing. Other checks find what is no date. */
export function eventOrderProblem(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { start, end }: { start?: unknown; end?: unknown } = body;
  if (typeof start !== 'string' || typeof end !== 'string') return undefined;
  const [from, until] = [parseIsoDate(start), parseIsoDate(end)];
  if ('problem' in from || 'problem' in until || !isBefore(until, from)) return undefined;
  return `is before the start (${start})`;
}

/** Milliseconds since 1970 of an exact moment; of a day its start in UTC; undefined for a time without a zone. */
export function momentOf(text: string): number | undefined {
  const date = parseIsoDate(text);
  if ('problem' in date || (date.clock !== undefined && date.offsetMinutes === undefined)) return undefined;
  return Number(instant(date) / 1_000_000n);
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
export function peopleDate(text: string, hasSeconds = false): string | undefined {
  const date = parseIsoDate(text);
  if ('problem' in date) return undefined;
  const start = new Date(date.dayMs);
  const day = `${start.getUTCDate()} ${MONTHS[start.getUTCMonth()]} ${start.getUTCFullYear()}`;
  if (date.clock === undefined) return day;
  const seconds = Number(date.clock / NANOSECONDS);
  const clock = [seconds / 3600, (seconds / 60) % 60, seconds % 60].slice(0, hasSeconds ? 3 : 2);
  return `${day}, ${clock.map((part) => twoDigits(Math.floor(part))).join(':')}${zoneName(date.offsetMinutes)}`;
}
