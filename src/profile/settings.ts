import { Failure, type Fault, usageFailure } from '../base/failure.ts';
import { messageOf } from '../base/files/io-failure.ts';
import { BOOLEAN, INTEGER, oneOf, type Shape, type ShapeOf, TEXT } from '../base/json/shape.ts';
import { BULK, COMMON } from '../input/options/common.ts';
import { declareOptions, type OptionSpec } from '../input/options/option.ts';
import { bad, found, type Reading, readChoice, readValue } from '../input/options/read-value.ts';
import type { Column } from '../screen/column.ts';
import { didYouMean } from '../screen/nearest.ts';
import { KEPT_FORMATS, type KeptFormat } from '../screen/options.ts';
import { parseBaseUrl } from '../service/wire/base-url.ts';

/** What is wrong with a profile's name; undefined if nothing. */
export function profileNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) return 'is not 1 to 64 of the characters A-Z a-z 0-9 . _ -';
  return /^\.+$/.test(name) ? 'has only dots' : undefined;
}

/** USAGE unless the text can be a profile's name. `where`: where it was given (`--profile`). */
export function checkProfileName(name: string, where: string): void {
  const problem = profileNameProblem(name);
  if (problem !== undefined) throw new Failure('USAGE', `${where}: the profile name "${name}" ${problem}`);
}

/** One setting of a profile: how it is given, stored, checked, shown and described. */
export interface ProfileSetting<Value> {
  /** The option of `profile set`. An empty text removes the setting, `read` judges others. */
  readonly option: Omit<OptionSpec, 'long'> & { readonly kind: 'text'; readonly value: string };
  readonly column: Omit<Column, 'name'>;
  /** Shape of the value in settings.json and in `--json`. */
  readonly shape: Shape<Value>;
  read(text: string): Reading<Value>;
  /** Reads a text from settings.json; absent: like `read`. */
  readStored?(text: string): Reading<Value>;
}

function readUrl(text: string): Reading<string> {
  const base = parseBaseUrl(text);
  if (base.kind === 'ok') return found(base.baseUrl.origin + base.baseUrl.pathPrefix);
  const withScheme = /^[a-z0-9.-]+(?::\d+)?(?:\/|$)/i.test(text) && parseBaseUrl(`https://${text}`).kind === 'ok';
  return bad(withScheme ? `${base.problem}: did you mean https://${text}?` : base.problem);
}

function readPattern(text: string): Reading<string> {
  try {
    RegExp(text, 'u');
    return found(text);
  } catch (error) {
    return bad(`is not a regular expression (${messageOf(error)})`);
  }
}

function readBoolean(text: string): Reading<boolean> {
  const reading = readChoice(['true', 'false'], text);
  return reading.ok ? found(reading.value === 'true') : reading;
}

/** All settings of a profile: options of `profile set`, keys of settings.json, members of the JSON and columns. */
export const PROFILE_SETTINGS = {
  /** Base URL of the gift-card API: origin and path prefix. Checked again by the call that uses it. */
  cardsUrl: {
    option: { kind: 'text', value: 'url', text: 'base URL of the gift cards: https, or http on this machine' },
    column: { header: 'CARDS URL' },
    shape: TEXT,
    read: readUrl,
    readStored: found,
  } satisfies ProfileSetting<string>,
  calendarUrl: {
    option: { kind: 'text', value: 'url', text: 'base URL of the calendars' },
    column: { header: 'CALENDAR URL' },
    shape: TEXT,
    read: readUrl,
    readStored: found,
  } satisfies ProfileSetting<string>,
  readOnly: {
    option: { kind: 'text', value: 'true|false', choices: ['true', 'false'], text: 'refuse every change' },
    column: { header: 'READ-ONLY' },
    shape: BOOLEAN,
    read: readBoolean,
  } satisfies ProfileSetting<boolean>,
  /** Most rows of the input of a change; undefined: no limit. */
  maxRows: {
    option: { kind: 'text', value: 'n', text: 'refuse a change of more rows than this' },
    column: { header: 'MAX ROWS', align: 'right', spare: true },
    shape: INTEGER,
    read: (text) => readValue({ kind: 'count', max: 999_999_999 }, text),
  } satisfies ProfileSetting<number>,
  /** A regular expression that `--reason` must match somewhere. */
  requireReason: {
    option: { kind: 'text', value: 'pattern', text: 'require a --reason that matches this pattern' },
    column: { header: 'REQUIRED REASON' },
    shape: TEXT,
    read: readPattern,
  } satisfies ProfileSetting<string>,
  /** Shown instead of that pattern. */
  requireReasonHint: {
    option: { kind: 'text', value: 'text', text: 'show this sentence instead of the pattern' },
    column: { header: 'REASON HINT', wide: true },
    shape: TEXT,
    read: found,
  } satisfies ProfileSetting<string>,
  output: {
    option: { short: 'o', kind: 'text', value: 'format', choices: KEPT_FORMATS, text: 'print in this format' },
    column: { header: 'OUTPUT' },
    shape: oneOf(KEPT_FORMATS),
    read: (text) => readChoice(KEPT_FORMATS, text),
  } satisfies ProfileSetting<KeptFormat>,
};

type Rows = typeof PROFILE_SETTINGS;

export type ProfileKey = keyof Rows;

/** The settings of a profile. Unset members are absent or undefined, and are not saved. */
export type StoredProfile = { readonly [Key in ProfileKey]?: ShapeOf<Rows[Key]['shape']> | undefined };

// Object.keys returns string[]. The table is a constant, so these are all keys.
const PROFILE_KEYS = Object.keys(PROFILE_SETTINGS) as ProfileKey[];

/** The options of `profile set`, by their keys. */
export const PROFILE_OPTIONS = declareOptions(
  Object.fromEntries(PROFILE_KEYS.map((key) => [key, PROFILE_SETTINGS[key].option])) as {
    readonly [Key in ProfileKey]: Rows[Key]['option'];
  },
);

/** The preferences of `frontdesk config`: keys of settings.json and members of the JSON, read like options. */
export const PREFERENCES = {
  output: { option: { ...COMMON.output, choices: KEPT_FORMATS }, shape: oneOf(KEPT_FORMATS), builtIn: 'table' },
  /** Stored as typed (`30s`), so that `config get` returns what was set. */
  timeout: { option: COMMON.timeout, shape: TEXT, builtIn: '30s' },
  retries: { option: COMMON.retries, shape: INTEGER, builtIn: '2' },
  concurrency: { option: BULK.concurrency, shape: INTEGER, builtIn: '8' },
  /** The zone of times that frontdesk took, for people. Empty: the machine's. */
  timeZone: { option: { kind: 'text' }, shape: TEXT, builtIn: '' },
} as const;

export type PreferenceKey = keyof typeof PREFERENCES;
/** Members not set are absent. */
export type Preferences = { readonly [Key in PreferenceKey]?: ShapeOf<(typeof PREFERENCES)[Key]['shape']> };

// Object.keys returns string[]. The table is a constant, so these are all keys.
export const PREFERENCE_KEYS = Object.keys(PREFERENCES) as PreferenceKey[];

/** The checked settings.json. Profiles are a Map, because `__proto__` is a valid name. */
export interface Settings {
  /** null: the current profile was removed, and no other takes its place by itself. */
  readonly currentProfile: string | null | undefined;
  readonly profiles: ReadonlyMap<string, StoredProfile>;
  readonly preferences: Preferences;
}

export const NO_SETTINGS: Settings = { currentProfile: undefined, profiles: new Map(), preferences: {} };

/** Layout of settings.json. A newer frontdesk wrote one with a higher number, which is refused. */
export const SETTINGS_VERSION = 1;

/** The built-in profile, which is never stored. */
export const SANDBOX = 'sandbox';

/** Its base URL for records: the real one has another port each time. */
export const SANDBOX_URL = 'http://127.0.0.1';

/** A name of the IANA's list, which `+01:00` is not. */
function readTimeZone(text: string): Reading<string> {
  try {
    if (/^[A-Za-z]/.test(text))
      return found(new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return bad('is not the name of a time zone, such as Europe/Oslo or UTC');
}

export function readPreference(key: PreferenceKey, text: string): Reading<unknown> {
  if (key === 'timeZone') return readTimeZone(text);
  const reading: Reading<unknown> = readValue(PREFERENCES[key].option, text);
  return reading.ok && key === 'timeout' ? found(text) : reading;
}

/** The settings with one preference set. USAGE for a bad value. */
export function setPreference(settings: Settings, key: PreferenceKey, text: string): Settings {
  const reading = readPreference(key, text);
  if (!reading.ok) throw new Failure('USAGE', `${key} was not set: ${reading.problem}`);
  return { ...settings, preferences: { ...settings.preferences, [key]: reading.value } };
}

export function unsetPreference(settings: Settings, key: PreferenceKey): Settings {
  const { [key]: _removed, ...preferences } = settings.preferences;
  return { ...settings, preferences };
}

/** What `profile set` and `auth login` were given, as typed. An empty text removes the setting. */
export type ProfileChanges = { readonly [Key in ProfileKey]?: string | undefined };

/** USAGE for an unknown profile, with the nearest name and the list of profiles. */
export function unknownProfile(settings: Settings, name: string, where: string): Failure {
  const names = [...settings.profiles.keys(), SANDBOX];
  return new Failure('USAGE', `${where}: there is no profile "${name}"${didYouMean(name, names)}`, {
    hints: [{ do: 'log in', words: `choose one of ${names.join(', ')}, or create it`, profile: name }],
  });
}

function refuseSandbox(name: string, attempt: string): void {
  if (name !== SANDBOX) return;
  throw Failure.unchanged('USAGE', `the profile sandbox was not ${attempt}: it is built in`);
}

/** The settings with one profile created or changed. USAGE names every fault; to change nothing is one. */
export function changeProfile(settings: Settings, name: string, changes: ProfileChanges): Settings {
  checkProfileName(name, '<name>');
  refuseSandbox(name, 'changed');
  const faults: Fault[] = [];
  const before = settings.profiles.get(name);
  const changed = PROFILE_KEYS.filter((key) => changes[key] !== undefined);
  let profile: StoredProfile = before ?? {};
  for (const key of changed) {
    const { [key]: _old, ...others } = profile;
    const text = changes[key] ?? '';
    const reading = text === '' ? undefined : PROFILE_SETTINGS[key].read(text);
    if (reading?.ok === false) faults.push({ where: `--${PROFILE_OPTIONS[key].long}`, problem: reading.problem });
    else profile = reading === undefined ? others : { ...others, [key]: reading.value };
  }
  if (faults.length > 0) throw usageFailure(faults);
  if (before !== undefined && changed.length === 0) {
    const known = Object.values(PROFILE_OPTIONS).map(({ long }) => `--${long}`);
    throw new Failure('USAGE', `profile ${name}: nothing to change`, { hints: [`give one of ${known.join(', ')}`] });
  }
  return { ...settings, profiles: new Map([...settings.profiles, [name, profile]]) };
}

export function useProfile(settings: Settings, name: string): Settings {
  if (name !== SANDBOX && !settings.profiles.has(name)) throw unknownProfile(settings, name, '<name>');
  return { ...settings, currentProfile: name };
}

/** The settings without that profile. The caller removes its credentials (`removeCredentials`). */
export function removeProfile(settings: Settings, name: string, isCurrent: boolean): Settings {
  refuseSandbox(name, 'removed');
  if (!settings.profiles.has(name)) throw unknownProfile(settings, name, '<name>');
  const profiles = new Map(settings.profiles);
  profiles.delete(name);
  const kept = isCurrent ? null : settings.currentProfile;
  const currentProfile = profiles.size === 0 && kept === null ? undefined : kept;
  return { ...settings, currentProfile, profiles };
}
