import { Failure } from '../failure.ts';
import { checkPreferenceKey, readPreference } from './preferences.ts';
import type { Settings } from './settings.ts';

/** The settings with one preference set. USAGE for an unknown key or a bad value. */
export function setPreference(settings: Settings, key: string, text: string): Settings {
  const reading = readPreference(checkPreferenceKey(key), text);
  if (!reading.ok) throw new Failure('USAGE', `${key} was not set: ${reading.problem}`);
  return { ...settings, preferences: { ...settings.preferences, ...reading.value } };
}

/** The settings without that preference. USAGE for an unknown key; one that is not set stays so. */
export function unsetPreference(settings: Settings, key: string): Settings {
  const known = checkPreferenceKey(key);
  const { [known]: _removed, ...preferences } = settings.preferences;
  return { ...settings, preferences };
}
