import { type Family, familyAdjective, familyWords } from '../api/operation.ts';
import { isSwitchedOn, SWITCH_PROBLEM, SWITCHES, type Switch } from '../context.ts';
import { Failure, type Fault, usageFailure } from '../failure.ts';
import { BULK, COMMON, type CommonOptions } from '../options/common.ts';
import { found, type Reading, readChoice, readValue } from '../options/read-value.ts';
import { type Format, KEPT_FORMATS } from '../output/options.ts';
import { type BaseUrl, parseBaseUrl } from '../wire/base-url.ts';
import {
  checkProfileName,
  PREFERENCES,
  type PreferenceKey,
  SANDBOX,
  type Settings,
  type StoredProfile,
  unknownProfile,
} from './settings.ts';

/** The profile of one call: a stored one, the sandbox, or the environment's. */
export type ResolvedProfile = Readonly<ReturnType<typeof make>>;

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that set the base URLs. */
export const URL_VARIABLES = { cards: 'FRONTDESK_CARDS_URL', calendar: 'FRONTDESK_CALENDAR_URL' } as const;

/** The profile setting with the base URL of a family. */
export function urlKey(family: Family) {
  return `${family}Url` as const;
}

/** An empty variable counts as unset, as CI systems leave them. */
function envValue(env: Env, name: string): string | undefined {
  return env[name] || undefined;
}

/** `overrides`: the profile's own URL, which the environment overrides. */
function profileUrl(env: Env, family: Family, own: string | undefined) {
  const fromEnvironment = envValue(env, URL_VARIABLES[family]);
  if (fromEnvironment !== undefined) return { url: fromEnvironment, source: 'environment', overrides: own } as const;
  return own === undefined ? undefined : ({ url: own, source: 'profile', overrides: undefined } as const);
}

/** `namedBy`: how it was named for this call; undefined if it was not. */
function make(
  name: string,
  stored: StoredProfile | undefined,
  namedBy: '--profile' | 'FRONTDESK_PROFILE' | undefined,
  env: Env,
) {
  const isSandbox = name === SANDBOX;
  return {
    ...stored,
    name,
    isSandbox,
    /** False for the sandbox and for the profile of the environment alone. */
    stored: stored !== undefined,
    namedBy,
    // Not checked yet: `resolveTarget` checks the one that a call uses.
    // The sandbox never leaves loopback, so URLs of the environment do not count.
    cardsUrl: isSandbox ? undefined : profileUrl(env, 'cards', stored?.cardsUrl),
    calendarUrl: isSandbox ? undefined : profileUrl(env, 'calendar', stored?.calendarUrl),
    readOnly: stored?.readOnly ?? false,
  };
}

/** The profile if none is named; undefined if there are several, and none is current. */
function choose({ currentProfile, profiles }: Settings, env: Env): string | undefined {
  if (currentProfile !== undefined) return currentProfile;
  if (profiles.size === 0 || profiles.has('default')) return 'default';
  if (envValue(env, URL_VARIABLES.cards) ?? envValue(env, URL_VARIABLES.calendar)) return 'default';
  const [only, ...others] = profiles.keys();
  return others.length === 0 ? only : undefined;
}

/**
 * The profile of this call: `--profile`, else FRONTDESK_PROFILE, else the current one (`profile use`), else the stored
 * `default`, else the environment's URLs as the profile `default`, else the only stored one. USAGE for an unknown name
 * (with the nearest one), or if there are several and none is current. `mayBeNew`: login may create it.
 */
export function resolveProfile(
  request: { readonly flagProfile: string | undefined; readonly env: Env; readonly settings: Settings },
  options: { readonly mayBeNew?: boolean } = {},
): ResolvedProfile {
  const { flagProfile, env, settings } = request;
  const name = flagProfile ?? envValue(env, 'FRONTDESK_PROFILE');
  if (name === undefined) {
    const chosen = choose(settings, env);
    if (chosen !== undefined) return make(chosen, settings.profiles.get(chosen), undefined, env);
    const names = [...settings.profiles.keys()].join(', ');
    throw Failure.unsent('USAGE', `no profile was named, and there is no current profile. Profiles: ${names}`, {
      hints: ['choose the current profile, or name one with --profile: frontdesk profile use <name>'],
    });
  }
  const namedBy = flagProfile === undefined ? 'FRONTDESK_PROFILE' : '--profile';
  checkProfileName(name, namedBy);
  const stored = settings.profiles.get(name);
  // Without a stored profile the environment is the profile `default`, also by name.
  const isEnvironment = name === 'default' && settings.profiles.size === 0;
  if (stored === undefined && name !== SANDBOX && !isEnvironment && options.mayBeNew !== true) {
    throw unknownProfile(settings, name, namedBy);
  }
  return make(name, stored, namedBy, env);
}

/** The stored profiles; without any, the environment's. An invalid URL is left out: it may hold a password. */
export function knownProfiles({ profiles }: Settings, env: Env): ReadonlyMap<string, StoredProfile> {
  if (profiles.size > 0) return profiles;
  const [cardsUrl, calendarUrl] = [URL_VARIABLES.cards, URL_VARIABLES.calendar].map((variable) => {
    const result = parseBaseUrl(envValue(env, variable) ?? '');
    return result.kind === 'ok' ? spell(result.baseUrl) : undefined;
  });
  if (cardsUrl === undefined && calendarUrl === undefined) return profiles;
  return new Map([['default', { ...(cardsUrl && { cardsUrl }), ...(calendarUrl && { calendarUrl }) }]]);
}

/** Whether `--profile` takes this name: of a stored profile, of the environment's if none is stored, or `sandbox`. */
export function canBeNamed(profile: string, settings: Settings, env: Env): boolean {
  return profile === SANDBOX || knownProfiles(settings, env).has(profile);
}

/** The profile of a call without `--profile`; undefined if it would be refused. */
export function currentProfileName(settings: Settings, env: Env): string | undefined {
  return envValue(env, 'FRONTDESK_PROFILE') ?? choose(settings, env);
}

/**
 * Whether a call without `--profile` means this profile. To name it would be an error if the environment gives another
 * URL, or if it is that of the environment alone, which has no stored settings.
 */
export function isImplied(profile: string, settings: Settings, env: Env): boolean {
  const isEnvironment = profile === 'default' && !settings.profiles.has('default');
  return isEnvironment || currentProfileName(settings, env) === profile;
}

/** The checked URL. USAGE says where it was set and never repeats it, because it may hold a password. */
function checkUrl(url: string, where: string): BaseUrl {
  const result = parseBaseUrl(url);
  if (result.kind === 'ok') return result.baseUrl;
  throw Failure.unsent('USAGE', `${where} ${result.problem}`);
}

function spell({ origin, pathPrefix }: BaseUrl): string {
  return origin + pathPrefix;
}

/**
 * The checked base URL of one family, `url` normalized (not for the sandbox, whose server has it). USAGE if there is
 * none, if it is invalid, or if a stored profile was named and the environment sets another URL: the user may mean
 * either.
 */
export function resolveTarget(profile: ResolvedProfile, family: Family) {
  const entry = profile[urlKey(family)];
  const variable = URL_VARIABLES[family];
  if (entry === undefined) {
    const login = `set ${variable}, or log in: frontdesk auth login -p ${profile.name} --family ${family}`;
    throw Failure.unsent('USAGE', `profile ${profile.name} has no base URL for ${familyWords(family)}`, {
      hints: [{ text: login }, { text: 'try the sandbox: frontdesk sandbox info' }],
    });
  }
  const { source, overrides } = entry;
  const ofProfile = `the ${familyAdjective(family)} URL of profile ${profile.name}`;
  const base = checkUrl(entry.url, source === 'environment' ? variable : ofProfile);
  if (profile.namedBy !== undefined && overrides !== undefined) {
    const own = spell(checkUrl(overrides, ofProfile));
    if (own !== spell(base)) {
      throw Failure.unsent(
        'USAGE',
        `${profile.namedBy} names the profile ${profile.name} (${own}), but ${variable} says ${spell(base)}`,
        { hints: [`unset ${variable}, or do not name a profile`] },
      );
    }
  }
  return { family, url: spell(base), base, source };
}

type PreferenceSource = 'flag' | 'environment' | 'profile' | 'config' | 'built-in';

interface Sourced<Value> {
  readonly value: Value;
  readonly source: PreferenceSource;
}

/** The options that have several sources. */
export type ResolvedPreferences = ReturnType<typeof resolvePreferences>;

export interface PreferenceRequest {
  readonly flags: CommonOptions;
  readonly env: Env;
  /** Undefined for commands without a profile. */
  readonly profile: Pick<ResolvedProfile, 'output'> | undefined;
  readonly settings: Settings;
}

/** The value of a text that was checked before. */
function known<Value>(reading: Reading<Value>): Value {
  if (!reading.ok) throw new Error(`a stored preference ${reading.problem}`);
  return reading.value;
}

/** What is wrong with the values of these variables. */
export function switchFaults(env: Env, names: readonly Switch[] = SWITCHES): readonly Fault[] {
  return names
    .filter((name) => isSwitchedOn(env, name) === undefined)
    .map((where) => ({ where, problem: SWITCH_PROBLEM }));
}

/** The options that have several sources. One USAGE failure names all bad values of the environment. */
export function resolvePreferences({ flags, env, profile, settings }: PreferenceRequest) {
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
    // An empty variable counts as unset.
    const reading = (env[variable] ?? '') === '' ? undefined : read(env[variable] ?? '');
    if (reading?.ok === true) return { value: reading.value, source: 'environment' };
    if (reading !== undefined) faults.push({ where: variable, problem: reading.problem });
    if (ofProfile !== undefined) return { value: ofProfile, source: 'profile' };
    const stored = settings.preferences[key];
    return { value: known(read(String(stored ?? builtIn))), source: stored === undefined ? 'built-in' : 'config' };
  };
  const { retryMaxTime } = flags;
  const given: Sourced<number> | undefined = retryMaxTime && { value: retryMaxTime.ms, source: 'flag' };
  const resolved = {
    output: pick<Format>('output', flags.output, (text) => readChoice(KEPT_FORMATS, text), profile?.output),
    timeoutMs: pick('timeout', flags.timeout?.ms, (text) => {
      const reading = readValue(COMMON.timeout, text);
      return reading.ok ? found(reading.value.ms) : reading;
    }),
    retries: pick('retries', flags.retries, (text) => readValue(COMMON.retries, text)),
    /** All attempts, waits and card checks together. */
    retryMaxTimeMs: given ?? ({ value: 60_000, source: 'built-in' } satisfies Sourced<number>),
    concurrency: pick('concurrency', flags.concurrency, (text) => readValue(BULK.concurrency, text)),
    /** Empty: the machine's. */
    timeZone: pick<string>('timeZone', undefined, found),
  };
  // A bad value of this one is refused by changes. Reads continue.
  const others = SWITCHES.filter((name) => name !== 'FRONTDESK_READ_ONLY');
  faults.push(...switchFaults(env, others));
  if (faults.length > 0) throw usageFailure(faults);
  return resolved;
}
