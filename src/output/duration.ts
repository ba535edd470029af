import { momentOf } from '../api/iso-date.ts';

const STEPS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/**
 * A span for people, rounded down, in its two largest units: `450 ms`, `12 s`, `2 h 5 min`, `3 d 4 h`.
 * A negative span is shown as `0 ms`.
 */
export function formatDuration(ms: number): string {
  const first = STEPS.findIndex(([, stepMs]) => ms >= stepMs);
  const largest = STEPS[first];
  if (largest === undefined) return `${Math.max(0, Math.floor(ms))} ms`;
  const [unit, stepMs] = largest;
  const head = `${Math.floor(ms / stepMs)} ${unit}`;
  const next = STEPS[first + 1];
  if (next === undefined) return head;
  const rest = Math.floor((ms % stepMs) / next[1]);
  return rest === 0 ? head : `${head} ${rest} ${next[0]}`;
}

/** What is left or was needed, in whole seconds and rounded up: `7 s`, `3 min 20 s`, `2 h 5 min`; `0 s` for nothing. */
export function formatSeconds(ms: number): string {
  return ms <= 0 ? '0 s' : formatDuration(Math.ceil(ms / 1000) * 1000);
}

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
 * How far away a time is, for people: `in 3 months`, `2 days ago`, `now`. Undefined for a string that names no
 * exact moment: a day that does not exist, or a time without a zone (how zones are meant: not shown).
 */
export function awayFrom(text: string, nowMs: number): string | undefined {
  const timeMs = momentOf(text);
  if (timeMs === undefined) return undefined;
  const awayMs = timeMs - nowMs;
  // To the nearest minute: a plan that was just made expires in 1 day, not in 23 hours.
  const distanceMs = Math.ceil(Math.abs(awayMs) / MINUTE_MS - 0.5) * MINUTE_MS;
  for (const [name, lengthMs] of UNITS) {
    const count = Math.floor(distanceMs / lengthMs);
    // Below two months days say more, below two years months do.
    if (count < 1 || (count < 2 && (name === 'year' || name === 'month'))) continue;
    const words = `${count} ${name}${count === 1 ? '' : 's'}`;
    return awayMs > 0 ? `in ${words}` : `${words} ago`;
  }
  return 'now';
}
