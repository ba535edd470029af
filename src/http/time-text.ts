function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** The time of day on this machine's clock, in its own zone: `19:48:05`. */
export function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
}

/** A wait as a person says it, rounded up: `12 s`, `3 min`, `2 h`, `5 days`. */
export function waitText(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} days`;
}
