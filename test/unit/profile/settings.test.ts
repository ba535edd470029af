import { expect, it } from 'vitest';
import {
  changeProfile,
  NO_SETTINGS,
  removeProfile,
  type Settings,
  type StoredProfile,
  setPreference,
  unsetPreference,
  useProfile,
} from '../../../src/profile/settings.ts';

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

function withProfiles(profiles: Record<string, StoredProfile>, currentProfile?: string): Settings {
  return { currentProfile, profiles: new Map(Object.entries(profiles)), preferences: {} };
}

it('changeProfile creates a profile, URLs in one spelling', () => {
  const same = { calendarUrl: 'http://localhost:8080', requireReason: 'OPS-\\d+', output: 'json' };
  const changes = { ...same, cardsUrl: 'HTTPS://Cards.Example:443/gift/', readOnly: 'true' };
  const stored = { ...same, cardsUrl: 'https://cards.example/gift', readOnly: true };
  expect(changeProfile(NO_SETTINGS, 'demo', changes).profiles.get('demo')).toEqual(stored);
});

it('changeProfile changes what is given, takes away what is empty and leaves the rest', () => {
  const settings = withProfiles({ a: { cardsUrl: 'https://a.example', readOnly: true, output: 'csv' }, b: {} });
  const after = changeProfile(settings, 'a', { readOnly: '', output: 'json' });
  expect(Object.fromEntries(after.profiles)).toEqual({ a: { cardsUrl: 'https://a.example', output: 'json' }, b: {} });
});

const NAMES = ['__proto__', 'constructor', 'a.b-c_D9', '..a', 'x'.repeat(64)];
const NO_NAMES = ['', '.', '..', '...', '../x', 'a b', 'é', 'a/b', 'x'.repeat(65), 'a\n'];

it.each(NAMES)('changeProfile accepts the name %s', (name) => {
  expect([...changeProfile(NO_SETTINGS, name, { readOnly: 'false' }).profiles]).toEqual([[name, { readOnly: false }]]);
});

it.each(NO_NAMES)('changeProfile refuses the name %j (C24)', (name) => {
  expect(() => changeProfile(NO_SETTINGS, name, {})).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

it('changeProfile names every fault at once', () => {
  const changes = { cardsUrl: 'http://a.example', readOnly: 'yes', requireReason: '(', output: 'xml' };
  const act = () => changeProfile(NO_SETTINGS, 'a', changes);
  const faults = ['--cards-url: must be https', '--read-only: must be true or false, not "yes"'];
  const others = ['--require-reason: is not a regular expression', '--output: must be one of'];
  for (const part of [...faults, ...others]) expect(act).toThrow(part);
});

it('changeProfile refuses to change nothing, and to touch the sandbox', () => {
  expect(() => changeProfile(withProfiles({ a: {} }), 'a', {})).toThrow('profile a: nothing to change');
  expect(() => changeProfile(NO_SETTINGS, 'sandbox', { output: 'json' })).toThrow('it is built in');
});

it('changeProfile never repeats a password that stands in a URL', () => {
  const act = () => changeProfile(NO_SETTINGS, 'a', { cardsUrl: 'https://u:hunter2@a.example' });
  expect(act).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
});

it('useProfile and removeProfile choose and forget a profile', () => {
  const settings = useProfile(withProfiles({ a: {}, b: {} }), 'b');
  expect(settings.currentProfile).toBe('b');
  expect(removeProfile(settings, 'b', true)).toEqual({ ...withProfiles({ a: {} }), currentProfile: null });
  expect(removeProfile(settings, 'a', false)).toEqual(withProfiles({ b: {} }, 'b'));
  expect(removeProfile(withProfiles({ a: {} }), 'a', true)).toEqual(withProfiles({}));
  expect(useProfile(settings, 'sandbox').currentProfile).toBe('sandbox');
});

it('useProfile and removeProfile refuse a name that is not there, with the nearest one and the list', () => {
  const settings = withProfiles({ production: {}, staging: {} });
  const message = '<name>: there is no profile "prodution": did you mean production?';
  const words = 'choose one of production, staging, sandbox, or create it';
  const hints = [{ do: 'log in', words, profile: 'prodution' }];
  expect(() => useProfile(settings, 'prodution')).toThrow(expect.objectContaining({ code: 'USAGE', message, hints }));
  expect(() => removeProfile(settings, 'x', false)).toThrow('there is no profile "x"');
  expect(() => removeProfile(settings, 'sandbox', false)).toThrow('it is built in');
});
