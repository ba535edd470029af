import { localCommand } from '../../../command/command.ts';
import { KEY, PREFERENCE, printPreference } from './preference.ts';

export const command = localCommand({
  description: 'Prints the value in force, wherever it comes from.',
  arguments: { key: KEY },
  examples: {
    'Show the default timeout': 'config get timeout',
    'Print the output format in force, for a script': 'config get output --json',
  },
  output: () => PREFERENCE,
  async run(session, { key }) {
    await printPreference(session, session.settings(), key);
  },
});
