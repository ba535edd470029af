import { Failure } from '../failure.ts';
import { INTEGER, oneOf, type ShapeOf, TEXT } from '../json/shape.ts';
import { COMMON, MANY } from '../options/common.ts';
import type { KindValues, ValueSpec } from '../options/option.ts';
import { type Reading, readValue } from '../options/read-value.ts';
import { FORMATS } from '../output/options.ts';
import type { StoredProfile } from './profile-settings.ts';

/** What the option reads its text as. */
function likeOption<Kind extends keyof KindValues>(option: ValueSpec & { readonly kind: Kind }) {
  return { option, readStored: (text: string): Reading<unknown> => readValue(option, text) };
}

/** Kept as typed (`30s`), so that `config get` gives back what was set. */
function readTimeout(text: string): Reading<unknown> {
  const reading = readValue(COMMON.timeout, text);
  return reading.ok ? { ok: true, value: text } : reading;
}

/**
 * What `frontdesk config` keeps, in the order of `config list`. A row is a key of settings.json and a member of the JSON;
 * its text is read like that of the option.
 */
export const PREFERENCES = {
  output: { ...likeOption(COMMON.output), shape: oneOf(FORMATS), builtIn: 'table' },
  timeout: { option: COMMON.timeout, readStored: readTimeout, shape: TEXT, builtIn: '30s' },
  retries: { ...likeOption(COMMON.retries), shape: INTEGER, builtIn: '2' },
  concurrency: { ...likeOption(MANY.concurrency), shape: INTEGER, builtIn: '8' },
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

/** The settings with one preference set. USAGE for a bad value. */
export function setPreference(settings: Settings, key: PreferenceKey, text: string): Settings {
  const reading = PREFERENCES[key].readStored(text);
  if (!reading.ok) throw new Failure('USAGE', `${key} was not set: ${reading.problem}`);
  return { ...settings, preferences: { ...settings.preferences, [key]: reading.value } };
}

/** The settings without that preference. */
export function unsetPreference(settings: Settings, key: PreferenceKey): Settings {
  const { [key]: _removed, ...preferences } = settings.preferences;
  return { ...settings, preferences };
}
