import { jsonOf, TEXT } from '../../../base/json/shape.ts';
import { localCommand } from '../../../command/command.ts';
import { settingsPath } from '../../../profile/read.ts';

export const command = localCommand({
  description: 'Prints the path, even if the file does not exist yet.',
  needsSettings: false,
  examples: { 'Open the settings in an editor': 'config path', 'As a JSON string': 'config path --json' },
  output: () => TEXT,
  async run(session) {
    const path = settingsPath(session.configDir());
    await session.print({ kind: 'text', text: path, json: jsonOf(TEXT, path) });
  },
});
