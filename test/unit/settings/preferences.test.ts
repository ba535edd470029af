import { describe, expect, it } from 'vitest';
import { setPreference, unsetPreference } from '../../../src/settings/preferences.ts';
import { NO_SETTINGS } from '../../../src/settings/settings.ts';

describe('setPreference', () => {
  it.each([
    ['output', 'ndjson', { output: 'ndjson' }],
    ['timeout', '500ms', { timeout: '500ms' }],
    ['retries', '0', { retries: 0 }],
    ['retries', '100', { retries: 100 }],
    ['concurrency', '1', { concurrency: 1 }],
    ['concurrency', '1000', { concurrency: 1000 }],
  ])('keeps %s %s', (key, text, preferences) => {
    expect(setPreference(NO_SETTINGS, key, text).preferences).toEqual(preferences);
  });

  it.each([
    ['output', 'JSON', 'output was not set: "JSON" is not one of table, json, ndjson, csv; did you mean json?'],
    [
      'timeout',
      '30',
      'timeout was not set: "30" is not a duration like 500ms, 30s, 2m or 1h (more than 0, at most 7 days)',
    ],
    ['timeout', '0s', 'timeout was not set: "0s" is not a duration'],
    ['retries', '-1', 'retries was not set: "-1" is not a whole number from 0 to 100'],
    ['retries', '1e1', '"1e1" is not a whole number'],
    ['retries', '101', '"101" is not a whole number from 0 to 100'],
    ['concurrency', '0', '"0" is not a whole number from 1 to 1000'],
    ['concurrency', '08', '"08" is not a whole number from 1 to 1000'],
    ['concurrency', '', '"" is not a whole number'],
    ['retires', '2', 'config has no key "retires"; did you mean retries?'],
    ['__proto__', '2', 'config has no key "__proto__"'],
  ])('refuses %s %j', (key, text, message) => {
    const act = () => setPreference(NO_SETTINGS, key, text);
    expect(act).toThrow(message);
    expect(act).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('unsetPreference', () => {
  it('takes one away and leaves the others', () => {
    const settings = { ...NO_SETTINGS, preferences: { retries: 3, timeout: '1m' } };
    expect(unsetPreference(settings, 'retries').preferences).toEqual({ timeout: '1m' });
    expect(unsetPreference(settings, 'output').preferences).toEqual({ retries: 3, timeout: '1m' });
    expect(() => unsetPreference(settings, 'tiemout')).toThrow('did you mean timeout?');
  });
});
