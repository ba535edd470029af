import { type Fault, usageFailure } from '../failure.ts';
import { COMMON, type CommonOptions } from '../options/common.ts';
import { type Reading, readChoice, readValue } from '../options/read-value.ts';
import { FORMATS, type Format } from '../output/options.ts';
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
  readonly flags: CommonOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined for commands that use no profile. */
  readonly profile: Pick<ResolvedProfile, 'output'> | undefined;
  readonly settings: Settings;
}

/** Where a preference may come from besides its flag, in the order of precedence. */
interface Places<Value> {
  readonly flag: Value | undefined;
  /** Variable of the environment, and how its text is read. */
  readonly variable?: string | undefined;
  readonly profile?: Value | undefined;
  readonly config?: Value | undefined;
  readonly builtIn: Value;
}

/**
 * The options that have several sources, by the precedence flag, environment, profile, config, built-in.
 * All bad values of the environment are named in one USAGE failure.
 */
export function resolvePreferences({ flags, env, profile, settings }: PreferenceRequest): ResolvedPreferences {
  const { preferences } = settings;
  const faults: Fault[] = [];
  const pick = <Value>(places: Places<Value>, read?: (text: string) => Reading<Value>): Sourced<Value> => {
    if (places.flag !== undefined) return { value: places.flag, source: 'flag' };
    const text = env[places.variable ?? ''] ?? '';
    // An empty variable counts as one that is not set.
    if (read !== undefined && text !== '') {
      const reading = read(text);
      if (reading.ok) return { value: reading.value, source: 'environment' };
      faults.push({ where: places.variable ?? '', problem: reading.problem });
    }
    if (places.profile !== undefined) return { value: places.profile, source: 'profile' };
    return places.config === undefined
      ? { value: places.builtIn, source: 'built-in' }
      : { value: places.config, source: 'config' };
  };
  const readMs = (text: string): Reading<number> => {
    const reading = readValue(COMMON.timeout, text);
    return reading.ok ? { ok: true, value: reading.value.ms } : reading;
  };
  // Stored values were checked when they were read.
  const stored = preferences.timeout === undefined ? undefined : readMs(preferences.timeout);
  const resolved = {
    output: pick<Format>(
      {
        flag: flags.output,
        variable: COMMON.output.env,
        profile: profile?.output,
        config: preferences.output,
        builtIn: 'table',
      },
      (text) => readChoice(FORMATS, text),
    ),
    timeoutMs: pick(
      {
        flag: flags.timeout?.ms,
        variable: COMMON.timeout.env,
        config: stored?.ok === true ? stored.value : undefined,
        builtIn: 30_000,
      },
      readMs,
    ),
    retries: pick({ flag: flags.retries, config: preferences.retries, builtIn: 2 }),
    retryMaxTimeMs: pick({ flag: flags.retryMaxTime?.ms, builtIn: 60_000 }),
    concurrency: pick({ flag: flags.concurrency, config: preferences.concurrency, builtIn: 8 }),
  };
  if (faults.length > 0) throw usageFailure(faults);
  return resolved;
}
