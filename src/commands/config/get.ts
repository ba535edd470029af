import { localCommand } from '../../command/command.ts';
import { KEY, PREFERENCE, printPreference } from './preference.ts';

export const command = localCommand({
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
