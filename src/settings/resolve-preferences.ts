import { type Fault, usageFailure } from '../failure.ts';
import type { Format } from '../output/options.ts';
import { readConcurrency, readRetries, readTimeout } from './preferences.ts';
import { type Reading, readOutput } from './reading.ts';
import type { ResolvedProfile } from './resolve.ts';
import type { Settings } from './settings.ts';

type PreferenceSource = 'flag' | 'environment' | 'profile' | 'config' | 'built-in';

interface Sourced<Value> {
  readonly value: Value;
  readonly source: PreferenceSource;
}

export interface ResolvedPreferences {
  readonly output: Sourced<Format>;
  /** One attempt. */
  readonly timeoutMs: Sourced<number>;
  /** Further attempts. */
  readonly retries: Sourced<number>;
  /** All attempts, waits and read-backs together. */
  readonly retryMaxTimeMs: Sourced<number>;
  readonly concurrency: Sourced<number>;
}

export interface PreferenceRequest {
  /** The value of a flag as typed, by its long name. */
  readonly flag: (long: string) => string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined for commands that use no profile. */
  readonly profile: Pick<ResolvedProfile, 'output'> | undefined;
  readonly settings: Settings;
}

/** A place where a value may come from, in the order of precedence. */
interface Candidate {
  readonly source: PreferenceSource;
  /** Name for messages; stored values were checked when they were read. */
  readonly where: string;
  readonly text: string | undefined;
}

function first<Value>(
  candidates: readonly Candidate[],
  read: (text: string) => Reading<Value>,
  builtIn: Value,
  faults: Fault[],
): Sourced<Value> {
  for (const { source, where, text } of candidates) {
    // An empty variable counts as one that is not set; an empty flag is a fault of its own.
    if (text === undefined || (text === '' && source === 'environment')) continue;
    const reading = read(text);
    if (reading.ok) return { value: reading.value, source };
    faults.push({ where, problem: reading.problem });
    break;
  }
  return { value: builtIn, source: 'built-in' };
}

/**
 * The options that have several sources, by the precedence flag, environment, profile, config, built-in.
 * All bad values are named in one USAGE failure.
 */
export function resolvePreferences({ flag: given, env, profile, settings }: PreferenceRequest): ResolvedPreferences {
  const { preferences } = settings;
  const faults: Fault[] = [];
  const flag = (long: string): Candidate => ({ source: 'flag', where: `--${long}`, text: given(long) });
  const variable = (name: string): Candidate => ({ source: 'environment', where: name, text: env[name] });
  const config = (key: string, value: string | number | undefined): Candidate => ({
    source: 'config',
    where: `config ${key}`,
    text: value === undefined ? undefined : String(value),
  });
  const resolved = {
    output: first(
      [
        flag('output'),
        variable('FRONTDESK_OUTPUT'),
        { source: 'profile', where: 'profile output', text: profile?.output },
        config('output', preferences.output),
      ],
      readOutput,
      'table',
      faults,
    ),
    timeoutMs: first(
      [flag('timeout'), variable('FRONTDESK_TIMEOUT'), config('timeout', preferences.timeout)],
      readTimeout,
      30_000,
      faults,
    ),
    retries: first([flag('retries'), config('retries', preferences.retries)], readRetries, 2, faults),
    retryMaxTimeMs: first([flag('retry-max-time')], readTimeout, 60_000, faults),
    concurrency: first(
      [flag('concurrency'), config('concurrency', preferences.concurrency)],
      readConcurrency,
      8,
      faults,
    ),
  };
  if (faults.length > 0) throw usageFailure(faults);
  return resolved;
}
