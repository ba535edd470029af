import { Failure } from '../failure.ts';
import { COMMON, MANY } from '../options/common.ts';
import { type Reading, readValue } from '../options/read-value.ts';
import type { Preferences, Settings } from './settings.ts';

export const PREFERENCE_KEYS = ['output', 'timeout', 'retries', 'concurrency'] as const;

export type PreferenceKey = (typeof PREFERENCE_KEYS)[number];

/** How each is read: as the option of the same name. */
const OPTIONS = {
  output: COMMON.output,
  timeout: COMMON.timeout,
  retries: COMMON.retries,
  concurrency: MANY.concurrency,
} as const;

/** One preference from its text, as a part of `Preferences`. */
export function readPreference(key: PreferenceKey, text: string): Reading<Preferences> {
  const reading: Reading<unknown> = readValue(OPTIONS[key], text);
  // A duration is kept as it was typed.
  return reading.ok ? { ok: true, value: { [key]: key === 'timeout' ? text : reading.value } } : reading;
}

/** The settings with one preference set. USAGE for a bad value. */
export function setPreference(settings: Settings, key: PreferenceKey, text: string): Settings {
  const reading = readPreference(key, text);
  if (!reading.ok) throw new Failure('USAGE', `${key} was not set: ${reading.problem}`);
  return { ...settings, preferences: { ...settings.preferences, ...reading.value } };
}

/** The settings without that preference. */
export function unsetPreference(settings: Settings, key: PreferenceKey): Settings {
  const { [key]: _removed, ...preferences } = settings.preferences;
  return { ...settings, preferences };
}
