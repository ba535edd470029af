/** RFC 9110 section 5.6.7: the one form that may be sent, and two old ones that must be understood. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** 31 years: enough to say "not today", and small enough for a date to be made of it. */
const MAX_SECONDS = 1_000_000_000;

/** An HTTP date as milliseconds since 1970, or undefined for anything else (`Date.parse` accepts far too much). */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim();
  const isOld = ASCTIME.test(trimmed);
  if (!isOld && !IMF_FIXDATE.test(trimmed) && !RFC_850.test(trimmed)) return undefined;
  const time = Date.parse(isOld ? `${trimmed} GMT` : trimmed);
  return Number.isFinite(time) ? time : undefined;
}

/**
 * How long the service asks to wait, in milliseconds; undefined when it says nothing that can be read
 * (`soon`, `-5`, `1e9`), and 0 for a moment that has passed. A date is read against the service's own `Date`,
 * so that a wrong clock on either side does not shorten the wait. Of several headers the longest counts:
 * the wait must never be undercut.
 */
export function parseRetryAfter(
  values: readonly string[],
  serviceDate: string | undefined,
  nowMs: number,
): number | undefined {
  const waits = values
    .flatMap((value) => (/^[\d\s.,]+$/.test(value) ? value.split(',') : [value]))
    .map((value) => oneWait(value.trim(), serviceDate, nowMs))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function oneWait(value: string, serviceDate: string | undefined, nowMs: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Math.min(Number(value), MAX_SECONDS) * 1000);
  const until = parseHttpDate(value);
  if (until === undefined) return undefined;
  const reference = serviceDate === undefined ? undefined : parseHttpDate(serviceDate);
  return Math.max(0, until - (reference ?? nowMs));
}
