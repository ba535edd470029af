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

type OptionValue = RunOptions[string];

const isGiven = (value: OptionValue): value is string | number =>
  typeof value === 'number' || typeof value === 'string';

/** An option and its value, which is a number or a short word of our own. */
const shown =
  (flag: string) =>
  (value: OptionValue): readonly string[] =>
    isGiven(value) ? [`${flag} ${value}`] : [];
const duration =
  (flag: string) =>
  (value: OptionValue): readonly string[] =>
    typeof value === 'number' ? [`${flag} ${durationWord(value)}`] : [];
/** An option whose value may be something of a customer. */
const named =
  (flag: string) =>
  (value: OptionValue): readonly string[] =>
    typeof value === 'string' ? [flag] : [];

const WORDS_OF: Readonly<Record<string, (value: OptionValue) => readonly string[]>> = {
  defaults: (value) =>
    typeof value === 'string' ? fieldNames(value).map((field) => `${field} (one value for all rows)`) : [],
  expectations: (value) => (Array.isArray(value) ? value.map((field) => `--expect ${field.split('=')[0]}`) : []),
  sheet: named('--sheet'),
  changedFrom: named('--changed-from'),
  emptyCells: (value) => (value === 'clear' ? ['--empty-cells clear'] : []),
  csvRaw: (value) => (value === true ? ['--csv-raw'] : []),
  shard: shown('--shard'),
  concurrency: shown('--concurrency'),
  rate: shown('--rate'),
  maxFailures: shown('--max-failures'),
  timeoutMs: duration('--timeout'),
  retries: shown('--retries'),
  retryMaxTimeMs: duration('--retry-max-time'),
};

/** The options of a run in words. Of those that may hold something of a customer only the name is said. */
export function optionWords(options: RunOptions): readonly string[] {
  return Object.entries(WORDS_OF).flatMap(([name, words]) => words(options[name] ?? null));
}
