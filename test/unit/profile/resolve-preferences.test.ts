import { expect, it } from 'vitest';
import { resolvePreferences } from '../../../src/profile/resolve.ts';
import { NO_SETTINGS } from '../../../src/profile/settings.ts';

const nothing = { flags: {}, env: {}, profile: undefined, settings: NO_SETTINGS };
const config = {
  ...NO_SETTINGS,
  preferences: { output: 'csv', timeout: '1m', retries: 5, concurrency: 20 },
} as const;

it('resolvePreferences has built-in values', () => {
  expect(resolvePreferences(nothing)).toEqual({
    output: { value: 'table', source: 'built-in' },
    timeoutMs: { value: 30_000, source: 'built-in' },
    retries: { value: 2, source: 'built-in' },
    retryMaxTimeMs: { value: 60_000, source: 'built-in' },
    concurrency: { value: 8, source: 'built-in' },
    timeZone: { value: '', source: 'built-in' },
  });
});

it('resolvePreferences takes the config before them', () => {
  expect(resolvePreferences({ ...nothing, settings: config })).toEqual({
    output: { value: 'csv', source: 'config' },
    timeoutMs: { value: 60_000, source: 'config' },
    retries: { value: 5, source: 'config' },
    retryMaxTimeMs: { value: 60_000, source: 'built-in' },
    concurrency: { value: 20, source: 'config' },
    timeZone: { value: '', source: 'built-in' },
  });
});

it('resolvePreferences takes options before all else', () => {
  const flags = {
    output: 'json',
    timeout: { text: '1s', ms: 1000 },
    retries: 0,
    retryMaxTime: { text: '5s', ms: 5000 },
    concurrency: 1,
  } as const;
  const env = { FRONTDESK_OUTPUT: 'ndjson', FRONTDESK_TIMEOUT: '2s' };
  expect(resolvePreferences({ flags, env, profile: { output: 'csv' }, settings: config })).toEqual({
    output: { value: 'json', source: 'flag' },
    timeoutMs: { value: 1000, source: 'flag' },
    retries: { value: 0, source: 'flag' },
    retryMaxTimeMs: { value: 5000, source: 'flag' },
    concurrency: { value: 1, source: 'flag' },
    timeZone: { value: '', source: 'built-in' },
  });
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
