import { expect, it } from 'vitest';
import { NO_SETTINGS, setPreference, unsetPreference } from '../../../src/profile/settings.ts';

it.each([
  ['output', 'ndjson', { output: 'ndjson' }],
  ['timeout', '500ms', { timeout: '500ms' }],
  ['retries', '0', { retries: 0 }],
  ['retries', '100', { retries: 100 }],
  ['concurrency', '1', { concurrency: 1 }],
  ['concurrency', '1000', { concurrency: 1000 }],
] as const)('setPreference keeps %s %s', (key, text, preferences) => {
  expect(setPreference(NO_SETTINGS, key, text).preferences).toEqual(preferences);
});

const NO_DURATION =
  'timeout was not set: must be a duration such as 500ms, 30s, 2m, 1h or 7d, more than 0 and at most 7d, not';

it.each([
  ['output', 'JSON', 'output was not set: must be one of table, json, ndjson, csv, not "JSON": did you mean json?'],
  ['timeout', '30', `${NO_DURATION} "30"`],
  ['timeout', '0s', `${NO_DURATION} "0s"`],
  ['retries', '-1', 'retries was not set: must be a whole number from 0 to 100, not "-1"'],
  ['retries', '1e1', 'must be a whole number from 0 to 100, not "1e1"'],
  ['retries', '101', 'must be a whole number from 0 to 100, not "101"'],
  ['concurrency', '0', 'must be a whole number from 1 to 1000, not "0"'],
  ['concurrency', '08', 'must be a whole number from 1 to 1000, not "08"'],
  ['concurrency', '', 'must be a whole number from 1 to 1000, not ""'],
] as const)('setPreference refuses %s %j', (key, text, message) => {
  const act = () => setPreference(NO_SETTINGS, key, text);
  expect(act).toThrow(message);
  expect(act).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

it('unsetPreference removes one and leaves the others', () => {
  const settings = { ...NO_SETTINGS, preferences: { retries: 3, timeout: '1m' } };
  expect(unsetPreference(settings, 'retries').preferences).toEqual({ timeout: '1m' });
  expect(unsetPreference(settings, 'output').preferences).toEqual({ retries: 3, timeout: '1m' });
});
