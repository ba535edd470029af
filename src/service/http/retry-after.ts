/** RFC 9110 section 5.6.7: the form that may be sent, and two old ones that must be understood. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** A year: more is no wait. */
const MAX_SECONDS = 31_536_000;

/** An HTTP date as milliseconds since 1970; undefined for anything else. `Date.parse` accepts too much. */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim();
  const isOld = ASCTIME.test(trimmed);
  if (!isOld && !IMF_FIXDATE.test(trimmed) && !RFC_850.test(trimmed)) return undefined;
  const time = Date.parse(isOld ? `${trimmed} GMT` : trimmed);
  return Number.isFinite(time) ? time : undefined;
}

/**
 * How long the service asks to wait, in milliseconds; undefined if it cannot be read (`soon`, `-5`, `1e9`), 0 for a
 * moment in the past. A date is compared with the service's own `Date`, so that a wrong clock does not shorten the
 * wait. The longest of several headers counts.
 */
export function parseRetryAfter(values: readonly string[], serviceDate: string | undefined, nowMs: number) {
  const waits = values
    .flatMap((value) => (/^[\d\s.,]+$/.test(value) ? value.split(',') : [value]))
    .map((value) => oneWait(value.trim(), serviceDate, nowMs))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function oneWait(value: string, serviceDate: string | undefined, nowMs: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) > MAX_SECONDS ? undefined : Math.ceil(Number(value) * 1000);
  const until = parseHttpDate(value);
  if (until === undefined) return undefined;
  const reference = serviceDate === undefined ? undefined : parseHttpDate(serviceDate);
  return Math.max(0, until - (reference ?? nowMs));
}
