import { missingText } from '../../ask/missing.ts';
import { localCommand } from '../../command/command.ts';
import { readPreference, setPreference } from '../../settings/settings.ts';
import { KEY, PREFERENCE, printPreference } from './preference.ts';

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
