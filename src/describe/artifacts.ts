import type { Registry } from '../commands/registry.ts';
import { treeSchema } from './command-schema.ts';
import { loadTree } from './command-tree.ts';
import { SHELLS } from './completions.ts';
import { describeCommand } from './describe-command.ts';
import { manPage } from './man-page.ts';
import { openApi } from './openapi.ts';
import { fillPage, pageTables } from './page-tables.ts';
import { treeText } from './tree-text.ts';

/** A committed file that is written from the declarations. */
export interface Artifact {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * Every generated file as it ought to be. `pages` are the README and the pages of docs/ as they are, by path;
 * `layers` is the picture of src for them.
 */
export async function artifacts(
  registry: Registry,
  version: string,
  pages: ReadonlyMap<string, string>,
  layers: string,
): Promise<readonly Artifact[]> {
  const tree = await loadTree(registry, async (entry) => describeCommand(await entry.load(), entry.summary));
  const schema = await treeSchema(registry, version);
  const outputs = Object.fromEntries(schema.commands.map((command) => [command.command, command.output]));
  const tables = new Map([...pageTables(tree), ['layers', layers]]);
  return [
    ...SHELLS.map((shell) => ({ path: `completions/${shell.file}`, text: shell.write(tree) })),
    { path: 'man/frontdesk.1', text: manPage(tree, version) },
    { path: 'test/contract/__snapshots__/command-tree.txt', text: treeText(tree) },
    // The version changes with every release, the contract does not.
    { path: 'test/contract/__snapshots__/openapi.json', text: json(openApi('1.0.0')) },
    { path: 'test/contract/__snapshots__/output-schemas.json', text: json(outputs) },
    ...[...pages].map(([path, text]) => ({ path, text: fillPage(text, tables) })),
  ];
}
