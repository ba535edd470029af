import { Failure } from '../failure.ts';
import { DURATION_FORMS, parseDuration } from '../input/duration.ts';
import { meantBy } from '../output/nearest.ts';
import { type Reading, readCount, readOutput } from './reading.ts';
import type { Preferences, Settings } from './settings.ts';

export const PREFERENCE_KEYS = ['output', 'timeout', 'retries', 'concurrency'] as const;

export type PreferenceKey = (typeof PREFERENCE_KEYS)[number];

const RETRIES_MAX = 100;
const CONCURRENCY_MAX = 1000;

/** Milliseconds, at least one. */
export function readTimeout(text: string): Reading<number> {
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return { ok: true, value };
  return { ok: false, problem: `"${text}" is not a duration like ${DURATION_FORMS} (more than 0, at most 7 days)` };
}

export function readRetries(text: string): Reading<number> {
  return readCount(text, 0, RETRIES_MAX);
}

export function readConcurrency(text: string): Reading<number> {
  return readCount(text, 1, CONCURRENCY_MAX);
}

/** One preference from its text, as a part of `Preferences`. */
export function readPreference(key: PreferenceKey, text: string): Reading<Preferences> {
  if (key === 'timeout') {
    const reading = readTimeout(text);
    return reading.ok ? { ok: true, value: { timeout: text } } : reading;
  }
  const reading = key === 'output' ? readOutput(text) : key === 'retries' ? readRetries(text) : readConcurrency(text);
  return reading.ok ? { ok: true, value: { [key]: reading.value } } : reading;
}

/** The key as typed, or USAGE with the nearest one. */
export function checkPreferenceKey(key: string): PreferenceKey {
  const known = PREFERENCE_KEYS.find((candidate) => candidate === key);
  if (known !== undefined) return known;
  throw new Failure('USAGE', `config has no key "${key}"${meantBy(key, PREFERENCE_KEYS)}`, {
    hints: [`use one of ${PREFERENCE_KEYS.join(', ')}`],
  });
}

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
