/** `card block`, of `card.block`: a command as it is typed. */
export function commandWords(operation: string): string {
  return operation.replaceAll('.', ' ');
}

/** `2026-11-21 22:04:05Z`, of `2026-11-21T22:04:05.123Z`; any other text as it is. */
export function shortTime(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2Z');
}

/**
 * The part of a history entry's name that tells it from others and can be typed: `9f3a1c` of
 * `20260501T120431250-4d2-9f3a1c`, `7f3a2b:12` of row 12 of a run.
 */
export function shortEntry(entry: string): string {
  const [, single] = /^\d{8}T\d{9}-[0-9a-f]+-([0-9a-f]{6})$/.exec(entry) ?? [];
  const [, row] = /^(?:\d{8}-\d{4}-|plan-[0-9a-f]{6})([0-9a-f]{6}:\d+)$/.exec(entry) ?? [];
  return single ?? row ?? entry;
}
