import type { CommandDoc } from './command-doc.ts';
import type { CommandTree } from './command-tree.ts';
import { argumentName, optionName } from './help-text.ts';

function commandText(doc: CommandDoc): string {
  const argumentNames = doc.arguments.map((argument) => ` ${argumentName(argument)}`).join('');
  return [
    `frontdesk ${doc.command}${argumentNames}${doc.writes ? '  (writes)' : ''}`,
    ...doc.options.map(
      (option) => `  ${optionName(option)}${option.choices === undefined ? '' : `  {${option.choices.join(', ')}}`}`,
    ),
    `  exit ${doc.exitCodes.join(' ')}`,
  ].join('\n');
}

/** The command line as scripts may rely on it, one screen after the other: a change of it shows in review. */
export function treeText(tree: CommandTree): string {
  return `${tree.docs.map(commandText).join('\n\n')}\n`;
}
