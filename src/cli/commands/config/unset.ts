import { localCommand } from '../../../command/command.ts';
import { unsetPreference } from '../../../profile/settings.ts';
import { KEY, PREFERENCE, printPreference } from './preference.ts';

export const command = localCommand({
  description: 'Deletes the preference from the settings file.',
  arguments: { key: KEY },
  examples: { 'Back to the built-in timeout': 'config unset timeout', 'Back to tables': 'config unset output' },
  output: () => PREFERENCE,
  async run(session, { key }) {
    const settings = await session.changeSettings((before) => unsetPreference(before, key));
    session.done.push('the setting is saved');
    await printPreference(session, settings, key);
  },
});
