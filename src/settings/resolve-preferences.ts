import { type Fault, usageFailure } from '../failure.ts';
import { COMMON, type CommonOptions, MANY } from '../options/common.ts';
import { type Reading, readChoice, readValue } from '../options/read-value.ts';
import { FORMATS, type Format } from '../output/options.ts';
import type { ResolvedProfile } from './resolve.ts';
import { PREFERENCES, type PreferenceKey, type Settings } from './settings.ts';

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
  readonly flags: CommonOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined for commands that use no profile. */
  readonly profile: Pick<ResolvedProfile, 'output'> | undefined;
  readonly settings: Settings;
}

/** What a stored text or a built-in one is: those were checked before. */
function known<Value>(reading: Reading<Value>): Value {
  if (!reading.ok) throw new Error(`a stored preference ${reading.problem}`);
  return reading.value;
}

function readMs(text: string): Reading<number> {
  const reading = readValue(COMMON.timeout, text);
  return reading.ok ? { ok: true, value: reading.value.ms } : reading;
}

/**
 * The options that have several sources, by the precedence flag, environment, profile, config, built-in.
 * All bad values of the environment are named in one USAGE failure.
 */
export function resolvePreferences({ flags, env, profile, settings }: PreferenceRequest): ResolvedPreferences {
  const faults: Fault[] = [];
  const pick = <Value>(
    key: PreferenceKey,
    flag: Value | undefined,
    read: (text: string) => Reading<Value>,
    ofProfile?: Value,
  ): Sourced<Value> => {
    if (flag !== undefined) return { value: flag, source: 'flag' };
    const { option, builtIn } = PREFERENCES[key];
    const variable = 'env' in option ? option.env : '';
    // An empty variable counts as one that is not set.
    const reading = (env[variable] ?? '') === '' ? undefined : read(env[variable] ?? '');
    if (reading?.ok === true) return { value: reading.value, source: 'environment' };
    if (reading !== undefined) faults.push({ where: variable, problem: reading.problem });
    if (ofProfile !== undefined) return { value: ofProfile, source: 'profile' };
    const stored = settings.preferences[key];
    return { value: known(read(String(stored ?? builtIn))), source: stored === undefined ? 'built-in' : 'config' };
  };
  const { retryMaxTime } = flags;
  const resolved: ResolvedPreferences = {
    output: pick('output', flags.output, (text) => readChoice(FORMATS, text), profile?.output),
    timeoutMs: pick('timeout', flags.timeout?.ms, readMs),
    retries: pick('retries', flags.retries, (text) => readValue(COMMON.retries, text)),
    retryMaxTimeMs: { value: retryMaxTime?.ms ?? 60_000, source: retryMaxTime === undefined ? 'built-in' : 'flag' },
    concurrency: pick('concurrency', flags.concurrency, (text) => readValue(MANY.concurrency, text)),
  };
  if (faults.length > 0) throw usageFailure(faults);
  return resolved;
}
