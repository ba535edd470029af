import { untypedCommand } from '../commands/command.ts';
import { Failure } from '../failure.ts';
import { fromPlain } from '../json/plain.ts';
import { INTEGER, jsonOf, object, oneOf, type Shape, TEXT } from '../json/shape.ts';
import type { JsonValue } from '../json/value.ts';
import type { RawInput } from '../options/raw-input.ts';
import type { Column } from '../output/column.ts';
import { FORMATS } from '../output/options.ts';
import type { Session } from '../session.ts';
import {
  checkPreferenceKey,
  PREFERENCE_KEYS,
  readPreference,
  setPreference,
  unsetPreference,
} from '../settings/preferences.ts';
import { settingsPath } from '../settings/read.ts';
import type { ResolvedProfile } from '../settings/resolve.ts';
import { resolvePreferences } from '../settings/resolve-preferences.ts';
import type { Settings } from '../settings/settings.ts';

const KEY_ARGUMENT = {
  name: 'key',
  text: PREFERENCE_KEYS.join(', '),
  required: true,
  choices: PREFERENCE_KEYS,
} as const;

async function keyOf(session: Session, input: RawInput): Promise<string> {
  const [key] = input.words;
  if (key !== undefined) return checkPreferenceKey(key);
  const { missingChoice } = await import('./missing.ts');
  return missingChoice(session, '<key>', 'Which preference?', PREFERENCE_KEYS);
}

async function preferenceValue(session: Session, input: RawInput, word: string): Promise<string> {
  const value = input.words[1];
  if (value !== undefined) return value;
  const { missingText } = await import('./missing.ts');
  const key = checkPreferenceKey(word);
  return missingText(session, '<value>', `Value of ${key}`, (text) => {
    const reading = readPreference(key, text);
    return reading.ok ? undefined : reading.problem;
  });
}

/** null: it is not set. */
const PREFERENCE: Shape<string | number | null> = { type: ['string', 'integer', 'null'] };

/** Only what is set. */
const PREFERENCES = object({}, { output: oneOf(FORMATS), timeout: TEXT, retries: INTEGER, concurrency: INTEGER });

const BUILT_IN = { output: 'table', timeout: '30s', retries: '2', concurrency: '8' } as const;

/** The profile that a call would use; undefined: none can be told, and no preference comes from it. */
function profileInUse(session: Session): ResolvedProfile | undefined {
  try {
    return session.profile;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The keys as a call without flags would have them. */
function preferenceRows(session: Session, settings: Settings): readonly JsonValue[] {
  const { env } = session.context;
  const known = resolvePreferences({ flag: () => undefined, env, profile: profileInUse(session), settings });
  return PREFERENCE_KEYS.map((key) => {
    const { value, source } = known[key === 'timeout' ? 'timeoutMs' : key];
    // A duration is shown as it was typed.
    const duration =
      source === 'environment' ? env['FRONTDESK_TIMEOUT'] : (settings.preferences.timeout ?? BUILT_IN.timeout);
    return fromPlain({ key, value: key === 'timeout' ? duration : value, source, default: BUILT_IN[key] });
  });
}

async function printPreference(session: Session, settings: Settings, word: string): Promise<void> {
  const key = checkPreferenceKey(word);
  const value = settings.preferences[key];
  const text = value === undefined ? '(not set)' : String(value);
  await session.print({ kind: 'text', text, json: jsonOf(PREFERENCE, value ?? null) });
}

const COLUMNS: readonly Column[] = [
  { name: 'key', header: 'KEY' },
  { name: 'value', header: 'VALUE' },
  { name: 'source', header: 'FROM' },
  { name: 'default', header: 'DEFAULT' },
];

export const configListCommand = untypedCommand({
  columns: COLUMNS,
  description:
    'Lists every preference: its value, where that comes from, and what is built in. Flags, environment and profile go before what is set here; in JSON stands only what is set.',
  examples: {
    'See what is set': 'config list',
    'The same for a script': 'config list --json',
  },
  output: () => PREFERENCES,
  async run(session) {
    const settings = await session.settings();
    const { output, timeout, retries, concurrency } = settings.preferences;
    const rows = preferenceRows(session, settings);
    await session.print({
      kind: 'list',
      document: jsonOf(PREFERENCES, { output, timeout, retries, concurrency }),
      rows,
      columns: COLUMNS,
    });
  },
});

export const configGetCommand = untypedCommand({
  description: 'Shows one preference; null in JSON when it is not set.',
  arguments: [KEY_ARGUMENT],
  examples: {
    'Show the default timeout': 'config get timeout',
    'Which output format counts, for a script': 'config get output --json',
  },
  output: () => PREFERENCE,
  async run(session, input) {
    await printPreference(session, await session.settings(), await keyOf(session, input));
  },
});

export const configSetCommand = untypedCommand({
  description:
    'Sets a preference: output (table, json, ndjson, csv), timeout (30s), retries (0 to 100) or concurrency (1 to 1000).',
  arguments: [KEY_ARGUMENT, { name: 'value', text: 'the value', required: true }],
  examples: {
    'Wait longer for answers': 'config set timeout 2m',
    'Print JSON unless told otherwise': 'config set output json',
  },
  output: () => PREFERENCE,
  async run(session, input) {
    const key = await keyOf(session, input);
    const value = await preferenceValue(session, input, key);
    const settings = await session.changeSettings((before) => setPreference(before, key, value));
    await printPreference(session, settings, key);
  },
});

export const configUnsetCommand = untypedCommand({
  description: 'Takes a preference away, so that the built-in value counts again.',
  arguments: [KEY_ARGUMENT],
  examples: {
    'Back to the built-in timeout': 'config unset timeout',
    'Back to tables': 'config unset output',
  },
  output: () => PREFERENCE,
  async run(session, input) {
    const key = await keyOf(session, input);
    const settings = await session.changeSettings((before) => unsetPreference(before, key));
    await printPreference(session, settings, key);
  },
});

export const configPathCommand = untypedCommand({
  description: 'Shows where the settings file is, whether it exists or not.',
  needsSettings: false,
  examples: {
    'Open the settings in an editor': 'config path',
    'As a JSON string': 'config path --json',
  },
  output: () => TEXT,
  async run(session) {
    const path = settingsPath(session.configDir());
    await session.print({ kind: 'text', text: path, json: jsonOf(TEXT, path) });
  },
});
