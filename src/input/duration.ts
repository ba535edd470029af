const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const DAY_MS = 86_400_000;

/** Longer than any wait that makes sense, and well below the 24.8 days at which a timer wraps round. */
const MAX_WAIT_MS = 7 * DAY_MS;

/** For messages: which forms a duration option takes. */
export const DURATION_FORMS = '500ms, 30s, 2m or 1h';

/** For messages: which forms an age option takes. */
export const AGE_FORMS = '30s, 2m, 24h, 90d or 2w';

function parse(text: string, units: ReadonlyMap<string, number>, maxMs: number): number | undefined {
  const match = /^([0-9]{1,12})([a-z]+)$/.exec(text);
  const unitMs = units.get(match?.[2] ?? '');
  if (match === null || unitMs === undefined) return undefined;
  const ms = Number(match[1]) * unitMs;
  return ms > maxMs ? undefined : ms;
}

/**
 * Milliseconds of a wait as typed (`500ms`, `30s`, `2m`, `1h`), or undefined for any other form. A plain
 * number is refused: nobody can tell whether it means seconds or milliseconds. At most seven days.
 */
export function parseDuration(text: string): number | undefined {
  return parse(text, UNIT_MS, MAX_WAIT_MS);
}

const AGE_UNIT_MS: ReadonlyMap<string, number> = new Map([...UNIT_MS, ['d', DAY_MS], ['w', 7 * DAY_MS]]);

/** The same for an age (`history --since 24h`, `prune --older-than 90d`), where days and weeks make sense: up to 100 years. */
export function parseAge(text: string): number | undefined {
  return parse(text, AGE_UNIT_MS, 36_525 * DAY_MS);
}
