import { localCommand } from '../../command/command.ts';
import { jsonOf, TEXT } from '../../json/shape.ts';
import { settingsPath } from '../../settings/read.ts';

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
