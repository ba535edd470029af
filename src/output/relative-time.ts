import { momentOf } from '../api/iso-date.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [string, number])[] = [
  ['year', 365.25 * DAY_MS],
  ['month', 30.4375 * DAY_MS],
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
];

/**
 * How far away a time is, for people: `in 3 months`, `2 days ago`, `now`. Undefined for a text that names no
 * exact moment: a day that does not exist, or a time without a zone (how zones are meant: not shown).
 */
export function awayFrom(text: string, nowMs: number): string | undefined {
  const timeMs = momentOf(text);
  if (timeMs === undefined) return undefined;
  const awayMs = timeMs - nowMs;
  const distanceMs = Math.abs(awayMs);
  for (const [name, lengthMs] of UNITS) {
    const count = Math.floor(distanceMs / lengthMs);
    // Below two months days say more, below two years months do.
    if (count < 1 || (count < 2 && (name === 'year' || name === 'month'))) continue;
    const words = `${count} ${name}${count === 1 ? '' : 's'}`;
    return awayMs > 0 ? `in ${words}` : `${words} ago`;
  }
  return 'now';
}
