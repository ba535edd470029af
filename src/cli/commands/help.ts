import { ANY } from '../../base/json/shape.ts';
import { fromPlain } from '../../base/json/value.ts';
import { type LocalCommand, localCommand } from '../../command/command.ts';
import type { Registry } from '../../command/command-tree.ts';
import { findHelp, helpText } from '../describe/help.ts';
import { TOPIC_NAMES } from '../describe/topic-list.ts';

/** The command for a registry, which cannot be imported here because it holds this command. */
export function command(registry: Registry): LocalCommand {
  return localCommand({
    description: 'Without words, lists all commands and topics. With --json, prints the same facts as JSON.',
    arguments: {
      word: {
        text: 'words of a command, such as card block, or a topic',
        required: false,
        variadic: true,
        choices: TOPIC_NAMES,
      },
    },
    needsSettings: false,
    examples: {
      'What an exit code means, and when to run again': 'help exit-codes',
      'How to block a card': 'help card block',
      'The options of a command, for a program': "help card block --json --query 'options[].long'",
    },
    output: () => ANY,
    async run(session, { word }) {
      const page = await findHelp(word, registry);
      await session.print({ kind: 'text', text: helpText(page, session.context), json: fromPlain(page.json) });
    },
  });
}
