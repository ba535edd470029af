import { expect, it } from 'vitest';
import { type PreferenceRequest, resolvePreferences } from '../../../src/profile/resolve.ts';
import { NO_SETTINGS } from '../../../src/profile/settings.ts';

const nothing = { flags: {}, env: {}, profile: undefined, settings: NO_SETTINGS };
const config = { ...NO_SETTINGS, preferences: { output: 'csv', timeout: '1m', retries: 5, concurrency: 20 } } as const;

const flags = {
  output: 'json',
  timeout: { text: '1s', ms: 1000 },
  retries: 0,
  retryMaxTime: { text: '5s', ms: 5000 },
  concurrency: 1,
} as const;
const env = { FRONTDESK_OUTPUT: 'ndjson', FRONTDESK_TIMEOUT: '2s' };
const NAMES = ['output', 'timeoutMs', 'retries', 'retryMaxTimeMs', 'concurrency', 'timeZone'] as const;

it.each<[string, PreferenceRequest, readonly unknown[], string]>([
  ['built-in values', nothing, ['table', 30_000, 2, 60_000, 8, ''], 'built-in'],
  ['the config before them', { ...nothing, settings: config }, ['csv', 60_000, 5, 60_000, 20, ''], 'config'],
  ['options', { flags, env, profile: { output: 'csv' }, settings: config }, ['json', 1000, 0, 5000, 1, ''], 'flag'],
])('resolvePreferences takes %s', (_, request, values, source) => {
  const resolved = resolvePreferences(request);
  expect(NAMES.map((name) => resolved[name].value)).toEqual(values);
  expect(resolved.output.source).toBe(source);
  // The first has no place in the config, the other no option.
  const [retry, zone] = [resolved.retryMaxTimeMs.source, resolved.timeZone.source];
  expect([retry, zone]).toEqual([source === 'flag' ? 'flag' : 'built-in', 'built-in']);
});

it('resolvePreferences takes the environment before the profile, and the profile before the config', () => {
  const profile = { output: 'ndjson' } as const;
  const env = { FRONTDESK_OUTPUT: 'json', FRONTDESK_TIMEOUT: '2s' };
  const both = resolvePreferences({ ...nothing, env, profile, settings: config });
  expect([both.output, both.timeoutMs]).toEqual([
    { value: 'json', source: 'environment' },
    { value: 2000, source: 'environment' },
  ]);
  const empty = resolvePreferences({ ...nothing, env: { FRONTDESK_OUTPUT: '' }, profile, settings: config });
  expect(empty.output).toEqual({ value: 'ndjson', source: 'profile' });
});

it('resolvePreferences names every bad value of the environment in one failure and falls back to none of the lower places', () => {
  const env = { FRONTDESK_OUTPUT: 'tabel', FRONTDESK_TIMEOUT: '30' };
  const act = () => resolvePreferences({ ...nothing, settings: config, env });
  expect(act).toThrow(expect.objectContaining({ code: 'USAGE' }));
  expect(act).toThrow(
    'FRONTDESK_OUTPUT: must be one of table, json, ndjson, csv, not "tabel": did you mean table?; FRONTDESK_TIMEOUT: must be a duration such as 500ms, 30s, 2m, 1h or 7d, more than 0 and at most 7d, not "30"',
  );
});
