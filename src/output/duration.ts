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
