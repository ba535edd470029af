import { Failure } from '../failure.ts';
import { INTEGER, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';
import { COMMON, MANY } from '../options/common.ts';
import { type Reading, readValue } from '../options/read-value.ts';
import { FORMATS } from '../output/options.ts';
import type { StoredProfile } from './profile-settings.ts';

/**
 * What `frontdesk config` keeps, in the order of `config list`. A row is a key of settings.json and a member of the JSON;
 * its text is read like that of the option.
 */
export const PREFERENCES = {
  output: { option: COMMON.output, shape: oneOf(FORMATS), builtIn: 'table' },
  /** Kept as typed (`30s`), so that `config get` gives back what was set. */
  timeout: { option: COMMON.timeout, shape: TEXT, builtIn: '30s' },
  retries: { option: COMMON.retries, shape: INTEGER, builtIn: '2' },
  concurrency: { option: MANY.concurrency, shape: INTEGER, builtIn: '8' },
} as const;

export type PreferenceKey = keyof typeof PREFERENCES;
/** Members not set are absent. */
export type Preferences = { readonly [Key in PreferenceKey]?: ShapeOf<(typeof PREFERENCES)[Key]['shape']> };

// Object.keys answers string[]; the table is a constant, so its own keys are all there are.
export const PREFERENCE_KEYS = Object.keys(PREFERENCES) as PreferenceKey[];

/** Everything in settings.json, checked. Profiles are a Map: `__proto__` is a legal name. */
export interface Settings {
  readonly currentProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
  readonly preferences: Preferences;
}

export const NO_SETTINGS: Settings = { currentProfile: undefined, profiles: new Map(), preferences: {} };

/** Layout of settings.json. A higher number is refused: it was written by a newer frontdesk. */
export const SETTINGS_VERSION = 1;

/** The profile that is always there and is never stored. */
export const SANDBOX = 'sandbox';

/** Its base URL where one is shown or kept: the port is chosen when it starts, so it is another each time. */
export const SANDBOX_URL = 'http://127.0.0.1';

/** The value of a preference as it is kept, from its text. */
export function readPreference(key: PreferenceKey, text: string): Reading<unknown> {
  const reading: Reading<unknown> = readValue(PREFERENCES[key].option, text);
  return reading.ok && key === 'timeout' ? { ok: true, value: text } : reading;
}

/** The settings with one preference set. USAGE for a bad value. */
export function setPreference(settings: Settings, key: PreferenceKey, text: string): Settings {
  const reading = readPreference(key, text);
  if (!reading.ok) throw new Failure('USAGE', `${key} was not set: ${reading.problem}`);
  return { ...settings, preferences: { ...settings.preferences, [key]: reading.value } };
}

/** The settings without that preference. */
export function unsetPreference(settings: Settings, key: PreferenceKey): Settings {
  const { [key]: _removed, ...preferences } = settings.preferences;
  return { ...settings, preferences };
}
