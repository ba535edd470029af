import type { RunOptions } from '../run/run-header.ts';

/** Names of the fields to which one value was given for all rows. The values are a customer's. */
function fieldNames(defaults: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(defaults);
    return typeof value === 'object' && value !== null ? Object.keys(value) : [];
  } catch {
    // An option that cannot be read is left out like one that is not known.
    return [];
  }
}

/** A duration as it is typed: `30s`, `1m`. */
function durationWord(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Options with their values, which are numbers or short words of our own. */
const SHOWN = {
  shard: '--shard',
  concurrency: '--concurrency',
  rate: '--rate',
  maxFailures: '--max-failures',
  timeoutMs: '--timeout',
  retries: '--retries',
  retryMaxTimeMs: '--retry-max-time',
} as const;

/** The options of a run in words. Of those that may hold something of a customer only the name is said. */
export function optionWords(options: RunOptions): readonly string[] {
  const { defaults, expectations, sheet, changedFrom, emptyCells, csvRaw } = options;
  const fields = typeof defaults === 'string' ? fieldNames(defaults) : [];
  const expected = Array.isArray(expectations) ? expectations : [];
  return [
    ...fields.map((field) => `${field} (one value for all rows)`),
    ...expected.map((field) => `--expect ${field.split('=')[0]}`),
    ...(typeof sheet === 'string' ? ['--sheet'] : []),
    ...(typeof changedFrom === 'string' ? ['--changed-from'] : []),
    ...(emptyCells === 'clear' ? ['--empty-cells clear'] : []),
    ...(csvRaw === true ? ['--csv-raw'] : []),
    ...Object.entries(SHOWN).flatMap(([name, flag]) => {
      const value = options[name];
      if (typeof value === 'string') return name.endsWith('Ms') ? [] : [`${flag} ${value}`];
      if (typeof value !== 'number') return [];
      return [`${flag} ${name.endsWith('Ms') ? durationWord(value) : value}`];
    }),
  ];
}
