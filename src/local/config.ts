import { localCommand } from '../command/command.ts';
import { collect } from '../command/faults.ts';
import { fromPlain } from '../json/plain.ts';
import { jsonOf, object, record, type Shape, TEXT } from '../json/shape.ts';
import type { Column } from '../output/column.ts';
import type { Session } from '../session.ts';
import { settingsPath } from '../settings/read.ts';
import { resolvePreferences } from '../settings/resolve.ts';
import {
  PREFERENCE_KEYS,
  PREFERENCES,
  type PreferenceKey,
  readPreference,
  type Settings,
  setPreference,
  unsetPreference,
} from '../settings/settings.ts';
import { missingText } from './missing.ts';

const KEY = {
  kind: 'choice',
  choices: PREFERENCE_KEYS,
  required: true,
  text: PREFERENCE_KEYS.join(', '),
  question: 'Which preference?',
} as const;

/** null: it is not set. */
const PREFERENCE: Shape<string | number | null> = { type: ['string', 'integer', 'null'] };

/** What counts, where that comes from, and what is built in. */
const IN_FORCE = object({ value: PREFERENCE, source: TEXT, default: PREFERENCE });

/** The keys as a call without flags would have them. */
async function preferencesInForce(session: Session, settings: Settings) {
  const { env, timeZone } = session.context;
  // A profile that is not known has no preference.
  const profile = await collect([], () => session.profile);
  const known = resolvePreferences({ flags: {}, env, profile, settings });
  return PREFERENCE_KEYS.map((key) => {
    const { value, source } = known[key === 'timeout' ? 'timeoutMs' : key];
    const { builtIn } = PREFERENCES[key];
    if (key === 'timeZone') {
      const machine = timeZone?.machine() ?? 'UTC';
      return { key, value: value === '' ? machine : value, source, default: machine };
    }
    // A duration is shown as it was typed.
    const duration = source === 'environment' ? env['FRONTDESK_TIMEOUT'] : settings.preferences.timeout;
    const isNumber = typeof value === 'number' && key !== 'timeout';
    return {
      key,
      value: key === 'timeout' ? (duration ?? builtIn) : value,
      source,
      default: isNumber ? Number(builtIn) : builtIn,
    };
  });
}

/** The value in force, also after one was stored that the environment or the profile goes before. */
async function printPreference(session: Session, settings: Settings, key: PreferenceKey): Promise<void> {
  const value = (await preferencesInForce(session, settings)).find((row) => row.key === key)?.value ?? null;
  await session.print({ kind: 'text', text: String(value), json: jsonOf(PREFERENCE, value) });
}

const COLUMNS: readonly Column[] = [
  { name: 'key', header: 'KEY' },
  { name: 'value', header: 'VALUE' },
  { name: 'source', header: 'FROM' },
  { name: 'default', header: 'DEFAULT' },
];

export const configListCommand = localCommand({
  columns: COLUMNS,
  description:
    'Lists every preference: the value in force, where that comes from, and what is built in. Flags, environment and profile go before what is set here.',
  examples: { 'See what is set': 'config list', 'The same for a script': 'config list --json' },
  output: () => record(IN_FORCE),
  async run(session) {
    const known = await preferencesInForce(session, session.settings());
    const rows = known.map(fromPlain);
    const document = jsonOf(record(IN_FORCE), Object.fromEntries(known.map(({ key, ...rest }) => [key, rest])));
    await session.print({ kind: 'list', document, rows, columns: COLUMNS });
  },
});

export const configGetCommand = localCommand({
  description: 'Shows the value in force of one preference.',
  arguments: { key: KEY },
  examples: {
    'Show the default timeout': 'config get timeout',
    'Which output format counts, for a script': 'config get output --json',
  },
  output: () => PREFERENCE,
  async run(session, { key }) {
    await printPreference(session, session.settings(), key);
  },
});

export const configSetCommand = localCommand({
  description:
    'Sets a preference: output (table, json, ndjson, csv), timeout (30s), retries (0 to 100), concurrency (1 to 1000) or timeZone, the zone of the times that people see (Europe/Oslo).',
  arguments: { key: KEY, value: { text: 'the value', required: true, isOwnQuestion: true } },
  examples: {
    'Wait longer for answers': 'config set timeout 2m',
    'Print JSON unless told otherwise': 'config set output json',
    'See times in another zone': 'config set timeZone Europe/Oslo',
  },
  output: () => PREFERENCE,
  async run(session, { key, value: given }) {
    const problemOf = (text: string) => {
      const reading = readPreference(key, text);
      return reading.ok ? undefined : reading.problem;
    };
    const value = given ?? (await missingText(session, '<value>', `Value of ${key}`, problemOf));
    const settings = await session.changeSettings((before) => setPreference(before, key, value));
    await printPreference(session, settings, key);
  },
});

export const configUnsetCommand = localCommand({
  description: 'Takes a preference away, so that the built-in value counts again.',
  arguments: { key: KEY },
  examples: { 'Back to the built-in timeout': 'config unset timeout', 'Back to tables': 'config unset output' },
  output: () => PREFERENCE,
  async run(session, { key }) {
    const settings = await session.changeSettings((before) => unsetPreference(before, key));
    await printPreference(session, settings, key);
  },
});

export const configPathCommand = localCommand({
  description: 'Shows where the settings file is, whether it exists or not.',
  needsSettings: false,
  examples: { 'Open the settings in an editor': 'config path', 'As a JSON string': 'config path --json' },
  output: () => TEXT,
  async run(session) {
    const path = settingsPath(session.configDir());
    await session.print({ kind: 'text', text: path, json: jsonOf(TEXT, path) });
  },
});
