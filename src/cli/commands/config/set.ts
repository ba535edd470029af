import { localCommand } from '../../../command/command.ts';
import { overrideNotice } from '../../../profile/resolve.ts';
import { PREFERENCES, type PreferenceKey, readPreference, setPreference } from '../../../profile/settings.ts';
import { missingText } from '../../../writes/ask/missing.ts';
import { KEY, PREFERENCE, printPreference } from './preference.ts';

const EXAMPLES: Readonly<Record<PreferenceKey, string>> = {
  output: 'json',
  timeout: '2m',
  retries: '3',
  concurrency: '4',
  timeZone: 'Europe/Oslo',
};

export const command = localCommand({
  description:
    'The preferences are output (table, json, ndjson, csv), timeout (30s), retries (0 to 100), concurrency (1 to 1000) and timeZone, the zone of the times that people see (Europe/Oslo).',
  arguments: { key: KEY, value: { text: 'the value', required: true, isOwnQuestion: true } },
  examples: {
    'Wait longer for responses': 'config set timeout 2m',
    'Print JSON unless told otherwise': 'config set output json',
    'See times in another zone': 'config set timeZone Europe/Oslo',
  },
  output: () => PREFERENCE,
  async run(session, { key, value: input }) {
    const problemOf = (text: string) => {
      const reading = readPreference(key, text);
      return reading.ok ? undefined : reading.problem;
    };
    const value =
      input ?? (await missingText(session, '<value>', `Value of ${key}, such as ${EXAMPLES[key]}`, problemOf));
    const settings = await session.changeSettings((before) => setPreference(before, key, value));
    session.done.push('the setting is saved');
    await printPreference(session, settings, key);
    const { option } = PREFERENCES[key];
    const variable = 'env' in option ? option.env : '';
    if (session.context.env[variable]) await session.notify(overrideNotice([variable]));
  },
});
