import { parseIsoDate } from '../api/iso-date.ts';
import { parseAge } from './duration.ts';

/** For messages: which forms an option for a moment of the past takes. */
export const MOMENT_FORMS = '24h, 7d, 2w, yesterday or 2026-11-01';

const PICOSECONDS_OF_MS = 1_000_000_000n;

/** Milliseconds since 1970: from when, and before when. Those of an age or a date-time are the same. */
export interface Moment {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A day of this machine's zone: it may have 23 or 25 hours. */
function dayOf(year: number, month: number, day: number): Moment {
  return { fromMs: new Date(year, month, day).getTime(), toMs: new Date(year, month, day + 1).getTime() };
}

/**
 * A moment of the past as typed: how long ago it was, `today`, `yesterday`, or an ISO 8601 date or date-time, which
 * is local where it names no zone. Undefined for any other form, and for a day that does not exist.
 */
export function parseMoment(text: string, nowMs: number): Moment | undefined {
  const age = parseAge(text);
  if (age !== undefined) return { fromMs: nowMs - age, toMs: nowMs - age };
  const now = new Date(nowMs);
  if (text === 'today' || text === 'yesterday') {
    return dayOf(now.getFullYear(), now.getMonth(), now.getDate() - (text === 'today' ? 0 : 1));
  }
  const date = parseIsoDate(text);
  if ('problem' in date) return undefined;
  const day = new Date(date.day * 86_400_000);
  const [year, month, dayOfMonth] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  if (date.clock === undefined) return dayOf(year, month, dayOfMonth);
  const clockMs = Number(date.clock / PICOSECONDS_OF_MS);
  const { offsetMinutes } = date;
  const timeMs =
    offsetMinutes === undefined
      ? new Date(year, month, dayOfMonth, 0, 0, 0, clockMs).getTime()
      : day.getTime() + clockMs - offsetMinutes * 60_000;
  return { fromMs: timeMs, toMs: timeMs };
}
