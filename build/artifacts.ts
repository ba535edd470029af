import { SHELLS } from '../src/cli/commands/completion.ts';
import { treeSchema } from '../src/cli/describe/command-schema.ts';
import { loadTree } from '../src/cli/describe/command-tree.ts';
import { completionNodes } from '../src/cli/describe/completion-model.ts';
import { argumentName } from '../src/cli/describe/help-text.ts';
import { openApi } from '../src/cli/describe/openapi.ts';
import type { CommandDoc } from '../src/command/command.ts';
import type { Registry } from '../src/command/command-tree.ts';
import { optionName } from '../src/input/options/option.ts';
import { manPage } from './man-page.ts';
import { fillPage, pageTables } from './page-tables.ts';
import { skillFile } from './skill-file.ts';

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A command as scripts may rely on it: a change of it shows in review. */
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

/**
 * Every generated file as it ought to be, by its path from the root of the project. `pages` are the README and the pages of docs/ as they are, by path;
 * `layers` is the picture of src for them.
 */
export async function artifacts(
  registry: Registry,
  version: string,
  pages: ReadonlyMap<string, string>,
  layers: string,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const tree = await loadTree(registry);
  const nodes = completionNodes(tree);
  const schema = await treeSchema(registry, version);
  const outputs = Object.fromEntries(schema.commands.map((command) => [command.command, command.output]));
  const tables = new Map([...pageTables(), ['layers', layers]]);
  return [
    ...Object.values(SHELLS).map(({ file, write }) => ({ path: `completions/${file}`, text: write(nodes) })),
    { path: 'man/frontdesk.1', text: manPage(tree, version) },
    { path: 'test/contract/__snapshots__/command-tree.txt', text: `${tree.docs.map(commandText).join('\n\n')}\n` },
    // The version changes with every release, the contract does not.
    { path: 'test/contract/__snapshots__/openapi.json', text: json(openApi('1.0.0')) },
    { path: 'test/contract/__snapshots__/output-schemas.json', text: json(outputs) },
    { path: 'docs/skill/SKILL.md', text: skillFile() },
    ...[...pages]
      .filter(([path]) => path !== 'docs/skill/SKILL.md')
      .map(([path, text]) => ({ path, text: fillPage(text, tables) })),
  ];
}
