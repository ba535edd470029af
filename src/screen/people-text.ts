import { peopleDate, twoDigits } from '../service/api/iso-date.ts';
import { groupThousands } from './text.ts';

/** A command as typed: `card block` for `card.block`. */
export function commandWords(operation: string): string {
  return operation.replaceAll('.', ' ');
}

/** THE words of an outcome for people, on every screen and in every report. One that needs its reader is in capitals. */
export function outcomeWords(outcome: string): string {
  return outcome === 'unknown' ? 'UNKNOWN' : outcome.replaceAll('_', ' ');
}

/** `2 applied, 1 not sent`, of the outcomes that any row has. */
export function outcomeCounts(outcomes: Readonly<Record<string, number | undefined>>): string {
  const some = Object.entries(outcomes).filter(([, rows = 0]) => rows > 0);
  return some.map(([outcome, rows = 0]) => `${groupThousands(rows)} ${outcomeWords(outcome)}`).join(', ');
}

/** An arrow between old and new, in ASCII if the locale is not UTF-8. */
export function arrow({ unicode }: { readonly unicode: boolean }): string {
  return unicode ? '→' : '->';
}

/** `14:02` on this machine's clock. */
export function localClock(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes()].map(twoDigits).join(':');
}

/** `2026-11-21 23:04:05+01` for `2026-11-21T22:04:05.123Z` in that zone, with `Z` for UTC. Another text stays. */
export function localTime(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text)) return text;
  const time = new Date(text);
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
  const minutes = -time.getTimezoneOffset();
  const rest = Math.abs(minutes) % 60;
  const hours = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(Math.abs(minutes) / 60))}`;
  return `${day} ${clock}${minutes === 0 ? 'Z' : rest === 0 ? hours : `${hours}:${twoDigits(rest)}`}`;
}

/** THE form of a time for people: `21 Nov 2026, 23:04 +01:00` in that zone, or `UTC`. Another text stays. */
export function peopleTime(text: string, hasSeconds = false): string {
  return peopleDate(localTime(text).replace(' ', 'T'), hasSeconds) ?? text;
}

/** The unique part of an entry's name: `9f3a1c` of `20260501T120431250-4d2-9f3a1c`, `7f3a2b:12` of a row. */
export function shortEntry(entry: string): string {
  const [, single] = /^\d{8}T\d{9}-[0-9a-f]+-([0-9a-f]{6})$/.exec(entry) ?? [];
  const [, row] = /^(?:\d{8}-\d{4}-|plan-[0-9a-f]{6})([0-9a-f]{6}:\d+)$/.exec(entry) ?? [];
  return single ?? row ?? entry;
}
