import { type Context, isSwitchedOn, SWITCH_PROBLEM, SWITCHES, type Switch } from '../base/context.ts';
import { Failure, type Fault, type Notice, usageFailure, warning } from '../base/failure.ts';
import { BULK, COMMON, type CommonOptions } from '../input/options/common.ts';
import { found, type Reading, readChoice, readValue } from '../input/options/read-value.ts';
import { type Format, KEPT_FORMATS } from '../screen/options.ts';
import { type Family, familyAdjective, familyWords } from '../service/api/operation.ts';
import { type BaseUrl, parseBaseUrl } from '../service/wire/base-url.ts';
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

export const URL_VARIABLES = { cards: 'FRONTDESK_CARDS_URL', calendar: 'FRONTDESK_CALENDAR_URL' } as const;

export const TOKEN_VARIABLES = { cards: 'FRONTDESK_CARDS_TOKEN', calendar: 'FRONTDESK_CALENDAR_TOKEN' } as const;

/** The tokens of the environment, used or not, for what never shows one. */
export function environmentTokens(env: Context['env']): readonly string[] {
  return Object.values(TOKEN_VARIABLES).flatMap((name) => env[name]?.trim() || []);
}

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

/** The profile if none is named; undefined if none is current: there are several, or the current one was removed. */
function choose({ currentProfile, profiles }: Settings, env: Env): string | undefined {
  if (currentProfile !== undefined) return currentProfile ?? undefined;
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
      hints: [{ do: 'choose the current profile', words: 'choose the current profile, or name one with --profile' }],
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

/** The variables of the environment that win over what is stored of a profile for these families. */
export function overridesOf(
  name: string,
  families: readonly Family[],
  settings: Settings,
  env: Env,
): readonly string[] {
  const stored = settings.profiles.get(name);
  const spelled = (text: string) => {
    const result = parseBaseUrl(text);
    return result.kind === 'ok' ? spell(result.baseUrl) : text;
  };
  const named = envValue(env, 'FRONTDESK_PROFILE') ?? name;
  return [
    ...(named === name ? [] : ['FRONTDESK_PROFILE']),
    ...families.flatMap((family) => {
      const [own, other] = [stored?.[urlKey(family)], envValue(env, URL_VARIABLES[family])];
      const isOther = own !== undefined && other !== undefined && spelled(own) !== spelled(other);
      return isOther ? [URL_VARIABLES[family]] : [];
    }),
    // The sandbox takes no token of the environment.
    ...families.flatMap((family) =>
      envValue(env, TOKEN_VARIABLES[family]) && name !== SANDBOX ? [TOKEN_VARIABLES[family]] : [],
    ),
  ];
}

/** Says that the environment wins over what a command has just set. */
export function overrideNotice(variables: readonly string[]): Notice {
  const [verb, what] = variables.length === 1 ? ['overrides', 'it'] : ['override', 'them'];
  const message = `${variables.join(', ')} of the environment ${verb} what was set. To use that, unset ${what}`;
  return warning('ENVIRONMENT_OVERRIDES', message);
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

/** The profile that a command to paste has to name; undefined if this call named none. */
export function namedProfile(profile: ResolvedProfile | undefined): string | undefined {
  return profile?.namedBy === undefined ? undefined : profile.name;
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
    throw Failure.unsent('USAGE', `profile ${profile.name} has no base URL for ${familyWords(family)}`, {
      hints: [
        { do: 'log in', words: `set ${variable}, or log in`, profile: profile.name, family },
        { do: 'try the sandbox' },
      ],
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
export function switchFaults(env: Env): readonly (Fault & { readonly where: Switch })[] {
  return SWITCHES.filter((name) => isSwitchedOn(env, name) === undefined).map((where) => ({
    where,
    problem: SWITCH_PROBLEM,
  }));
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
  const ofFlag: Sourced<number> | undefined = retryMaxTime && { value: retryMaxTime.ms, source: 'flag' };
  const resolved = {
    output: pick<Format>('output', flags.output, (text) => readChoice(KEPT_FORMATS, text), profile?.output),
    timeoutMs: pick('timeout', flags.timeout?.ms, (text) => {
      const reading = readValue(COMMON.timeout, text);
      return reading.ok ? found(reading.value.ms) : reading;
    }),
    retries: pick('retries', flags.retries, (text) => readValue(COMMON.retries, text)),
    /** All attempts, waits and card checks together. */
    retryMaxTimeMs: ofFlag ?? ({ value: 60_000, source: 'built-in' } satisfies Sourced<number>),
    concurrency: pick('concurrency', flags.concurrency, (text) => readValue(BULK.concurrency, text)),
    /** Empty: the machine's. */
    timeZone: pick<string>('timeZone', undefined, found),
  };
  if (faults.length > 0) throw usageFailure(faults);
  return resolved;
}

/** One spelling of a checked URL for records: the names of this machine's own address are one place. */
export function placeOfUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/, '$1127.0.0.1');
}
