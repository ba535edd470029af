/**
 * The rows of the fault table: what can go wrong, by kind. Each has a test under test/e2e whose title begins with
 * its number; `build/list-untested-faults.ts` prints those that have none.
 */
export const FAULT_ROWS: readonly { readonly letter: string; readonly kind: string; readonly rows: number }[] = [
  { letter: 'N', kind: 'network', rows: 27 },
  { letter: 'H', kind: 'HTTP', rows: 30 },
  { letter: 'B', kind: 'body and JSON', rows: 34 },
  { letter: 'I', kind: 'ids, arguments, input files', rows: 27 },
  { letter: 'C', kind: 'credentials and configuration', rows: 25 },
  { letter: 'T', kind: 'terminal and output', rows: 13 },
  { letter: 'P', kind: 'process, signals, disk', rows: 16 },
  { letter: 'K', kind: 'many rows', rows: 15 },
];

/** Every row number, `N1` to `K15`. */
export function faultNumbers(): readonly string[] {
  return FAULT_ROWS.flatMap(({ letter, rows }) => Array.from({ length: rows }, (_, index) => `${letter}${index + 1}`));
}
