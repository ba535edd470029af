import { expect, it } from 'vitest';
import {
  currentProfileName,
  knownProfiles,
  type PreferenceRequest,
  placeOfUrl,
  resolvePreferences,
  resolveProfile,
  resolveTarget,
  URL_VARIABLES,
} from '../../../src/profile/resolve.ts';
import { NO_SETTINGS, type Settings, type StoredProfile } from '../../../src/profile/settings.ts';

const A = { cardsUrl: 'https://a.example', calendarUrl: 'https://cal.a.example' };
const B = { cardsUrl: 'https://b.example/api', readOnly: true, requireReason: 'OPS', output: 'json' } as const;

function withProfiles(profiles: Record<string, StoredProfile>, currentProfile?: string): Settings {
  return { currentProfile, profiles: new Map(Object.entries(profiles)), preferences: {} };
}

function resolve(settings: Settings, env: Record<string, string> = {}, flagProfile?: string) {
  return resolveProfile({ flagProfile, env, settings });
}

const ENV_URL = { FRONTDESK_CARDS_URL: 'https://env.example' };

it.each<[string, Settings, Record<string, string>, string | undefined, string, boolean]>([
  ['the option', withProfiles({ A, B, default: {} }, 'B'), { FRONTDESK_PROFILE: 'B' }, 'A', 'A', true],
  ['the variable', withProfiles({ A, B, default: {} }, 'A'), { FRONTDESK_PROFILE: 'B' }, undefined, 'B', true],
  ['the one in use', withProfiles({ A, B, default: {} }, 'B'), { FRONTDESK_PROFILE: '' }, undefined, 'B', true],
  ['the stored default', withProfiles({ A, B, default: {} }), ENV_URL, undefined, 'default', true],
  ['the environment', withProfiles({ A, B }), ENV_URL, undefined, 'default', false],
  ['the only stored one', withProfiles({ A }), {}, undefined, 'A', true],
  ['the environment without any stored one', NO_SETTINGS, {}, undefined, 'default', false],
  ['the environment called by its name', NO_SETTINGS, ENV_URL, 'default', 'default', false],
  ['the sandbox', NO_SETTINGS, {}, 'sandbox', 'sandbox', false],
  ['the sandbox in use', withProfiles({ A }, 'sandbox'), ENV_URL, undefined, 'sandbox', false],
])('resolveProfile takes %s', (_what, settings, env, flagProfile, name, stored) => {
  expect(resolve(settings, env, flagProfile)).toMatchObject({ name, stored, isSandbox: name === 'sandbox' });
});

it('resolveProfile brings along what the profile holds', () => {
  expect(resolve(withProfiles({ A, B }), {}, 'B')).toEqual({
    ...{ name: 'B', isSandbox: false, stored: true, namedBy: '--profile', calendarUrl: undefined },
    ...{ readOnly: true, requireReason: 'OPS', output: 'json' },
    cardsUrl: { url: 'https://b.example/api', source: 'profile', overrides: undefined },
  });
});

it('resolveProfile refuses a name that is not stored, with the nearest one', () => {
  const settings = withProfiles({ prod: {}, stage: {} });
  expect(() => resolve(settings, { FRONTDESK_PROFILE: 'prd' })).toThrow(
    'FRONTDESK_PROFILE: there is no profile "prd": did you mean prod?',
  );
  expect(() => resolve(settings, {}, 'default')).toThrow('--profile: there is no profile "default"');
  expect(() => resolve(settings, {}, '../x')).toThrow('--profile: the profile name "../x" is not 1 to 64');
  expect(() => resolve(settings, {}, '')).toThrow('--profile: the profile name "" is not 1 to 64');
  expect(() => resolve(NO_SETTINGS, {}, '__proto__')).toThrow('there is no profile "__proto__"');
});

it('resolveProfile accepts a new name where the profile is about to be created', () => {
  const request = { flagProfile: 'new', env: {}, settings: withProfiles({ A }) };
  expect(resolveProfile(request, { mayBeNew: true })).toMatchObject({ name: 'new', stored: false });
});

it('resolveProfile lets no URL of the environment near the sandbox', () => {
  const both = { ...ENV_URL, FRONTDESK_CALENDAR_URL: 'https://calendar.env.example' };
  expect(resolve(NO_SETTINGS, both)).toMatchObject({ calendarUrl: { url: 'https://calendar.env.example' } });
  expect(resolve(NO_SETTINGS, both, 'sandbox')).toMatchObject({ cardsUrl: undefined, calendarUrl: undefined });
});

it('resolveTarget goes to the profile’s URL', () => {
  expect(resolveTarget(resolve(withProfiles({ B })), 'cards')).toMatchObject({
    url: 'https://b.example/api',
    base: { origin: 'https://b.example', pathPrefix: '/api', isLoopback: false },
    source: 'profile',
  });
});

it('resolveTarget lets the environment win over a profile that was not named', () => {
  const profile = resolve(withProfiles({ A }, 'A'), ENV_URL);
  expect(resolveTarget(profile, 'cards')).toMatchObject({ url: 'https://env.example', source: 'environment' });
  const own = { family: 'calendar', url: 'https://cal.a.example', source: 'profile' };
  expect(resolveTarget(profile, 'calendar')).toMatchObject(own);
});

it.each([
  ['--profile', {}, 'A'],
  ['FRONTDESK_PROFILE', { FRONTDESK_PROFILE: 'A' }, undefined],
])('resolveTarget refuses another URL of the environment when %s names a profile, for the family in use', (...row) => {
  const [by, env, flag] = row;
  const profile = resolve(withProfiles({ A }), { ...ENV_URL, ...env }, flag);
  const message = `${by} names the profile A (https://a.example), but FRONTDESK_CARDS_URL says https://env.example. Nothing was sent.`;
  const hints = ['unset FRONTDESK_CARDS_URL, or do not name a profile'];
  expect(() => resolveTarget(profile, 'cards')).toThrow(expect.objectContaining({ code: 'USAGE', message, hints }));
  expect(resolveTarget(profile, 'calendar').url).toBe('https://cal.a.example');
});

it.each([
  ['the same URL, spelt otherwise', 'https://A.example:443/', 'https://a.example'],
  ['a URL that the named profile lacks', 'https://other.example', 'https://other.example'],
])('resolveTarget accepts %s', (what, url, expected) => {
  const profile = resolve(withProfiles({ A: what.startsWith('the same') ? A : {} }), { FRONTDESK_CARDS_URL: url }, 'A');
  expect(resolveTarget(profile, 'cards').url).toBe(expected);
});

it.each([
  ['calendar', 'calendars', 'FRONTDESK_CALENDAR_URL', 'default', resolve(NO_SETTINGS)],
  ['cards', 'gift cards', 'FRONTDESK_CARDS_URL', 'A', resolve(withProfiles({ A: {} }), {}, 'A')],
] as const)('resolveTarget names the variable and the command when there is no URL of %s', (...row) => {
  const [family, words, variable, name, profile] = row;
  const login = { do: 'log in', words: `set ${variable}, or log in`, profile: name, family };
  const message = `profile ${name} has no base URL for ${words}. Nothing was sent.`;
  expect(() => resolveTarget(profile, family)).toThrow(
    expect.objectContaining({ code: 'USAGE', message, hints: [login, { do: 'try the sandbox' }] }),
  );
});

it.each(['https://u:hunter2@env.example', 'http://env.example/?hunter2', 'hunter2'])(
  'resolveTarget refuses %s without repeating it',
  (url) => {
    for (const flag of [undefined, 'A']) {
      const act = () => resolveTarget(resolve(withProfiles({ A }), { FRONTDESK_CARDS_URL: url }, flag), 'cards');
      expect(act).toThrow(/^FRONTDESK_CARDS_URL /);
      expect(act).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
    }
  },
);

it.each<[string, Settings, Record<string, string>, string | undefined]>([
  ['the variable’s, stored or not', withProfiles({ A, B }, 'A'), { FRONTDESK_PROFILE: 'C' }, 'C'],
  ['the one in use', withProfiles({ A, B }, 'B'), { FRONTDESK_PROFILE: '' }, 'B'],
  ['the environment’s', withProfiles({ A, B }), ENV_URL, 'default'],
  ['the environment’s, of calendars alone', withProfiles({ A, B }), { FRONTDESK_CALENDAR_URL: 'https://c' }, 'default'],
  ['the only one', withProfiles({ A }), {}, 'A'],
  ['none where there are several', withProfiles({ A, B }), {}, undefined],
])('the profile that a call without --profile has is %s', (_what, settings, env, name) => {
  expect(currentProfileName(settings, env)).toBe(name);
});

it('the profile that a call without --profile has is refused with what there is and what to do', () => {
  expect(() => resolve(withProfiles({ A, B }))).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'no profile was named, and there is no current profile. Profiles: A, B. Nothing was sent.',
      hints: [{ do: 'choose the current profile', words: 'choose the current profile, or name one with --profile' }],
    }),
  );
});

it('the profiles that are known are the stored ones, whatever the environment says', () => {
  expect(Object.fromEntries(knownProfiles(withProfiles({ A, B }), ENV_URL))).toEqual({ A, B });
});

it.each<[string, Record<string, string>, object | undefined]>([
  ['what the environment makes up', ENV_URL, { cardsUrl: 'https://env.example' }],
  ['it in one spelling', { FRONTDESK_CARDS_URL: 'https://ENV.example:443/' }, { cardsUrl: 'https://env.example' }],
  ['calendars alone', { FRONTDESK_CALENDAR_URL: 'https://c.example/a/' }, { calendarUrl: 'https://c.example/a' }],
  ['nothing of a URL that may hold a password', { FRONTDESK_CARDS_URL: 'https://u:p@env.example' }, undefined],
  ['nothing', { FRONTDESK_CARDS_URL: '' }, undefined],
])('the profiles that are known without any are %s', (_what, env, profile) => {
  expect([...knownProfiles(NO_SETTINGS, env)]).toEqual(profile === undefined ? [] : [['default', profile]]);
});

it('what a profile says is how it was named, and which URL it would have had', () => {
  const stored = withProfiles({ A }, 'A');
  expect(resolve(stored, { FRONTDESK_PROFILE: 'A' }).namedBy).toBe('FRONTDESK_PROFILE');
  expect(resolve(stored)).toMatchObject({ namedBy: undefined, readOnly: false });
  const ofEnvironment = { url: 'https://env.example', source: 'environment', overrides: 'https://a.example' };
  expect(resolve(stored, ENV_URL).cardsUrl).toEqual(ofEnvironment);
  expect(URL_VARIABLES).toEqual({ cards: 'FRONTDESK_CARDS_URL', calendar: 'FRONTDESK_CALENDAR_URL' });
});

it('what a profile says is all there is to a family’s address', () => {
  const spoilt = withProfiles({ A: { cardsUrl: 'ftp://u:hunter2@a.example' } });
  for (const env of [{}, ENV_URL]) {
    expect(() => resolveTarget(resolve(spoilt, env, 'A'), 'cards')).toThrow(
      /^the gift card URL of profile A (?!.*hunter2).*\. Nothing was sent\.$/,
    );
  }
});

it.each([
  ['http://localhost:8080/a', 'http://127.0.0.1:8080/a'],
  ['http://[::1]', 'http://127.0.0.1'],
  ['https://localhost/a', 'https://127.0.0.1/a'],
  ['http://127.0.0.2', 'http://127.0.0.2'],
  ['https://localhost.example.com/localhost', 'https://localhost.example.com/localhost'],
  ['https://api.example.com', 'https://api.example.com'],
])('records know %s as %s', (url, place) => expect(placeOfUrl(url)).toBe(place));

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
  expect([NAMES.map((name) => resolved[name].value), resolved.output.source]).toEqual([values, source]);
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
