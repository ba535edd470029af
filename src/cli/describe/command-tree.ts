import { readFileSync } from 'node:fs';
import type { CommandDoc } from '../../command/command.ts';
import type { CommandEntry, Registry } from '../../command/command-tree.ts';

export interface CommandTree extends Registry {
  readonly docs: readonly CommandDoc[];
}

export async function loadTree(registry: Registry): Promise<CommandTree> {
  return { ...registry, docs: await Promise.all(registry.entries.map(loadDoc)) };
}

/** Loads the description of a command: the text that the build prepared, so that help loads no schemas. */
export async function loadDoc(entry: CommandEntry): Promise<CommandDoc> {
  const prepared = await preparedText(`help/${entry.path.join('.')}.json`).catch(() => undefined);
  // The build wrote this text from `describeCommand` together with this chunk.
  if (prepared !== undefined) return JSON.parse(prepared) as CommandDoc;
  const { describeCommand } = await import('../../command/command.ts');
  return describeCommand(await entry.load(), entry.summary);
}

/** From a file beside the chunks, or inside the executable. Rejects if there is none. */
async function preparedText(name: string): Promise<string> {
  try {
    return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  } catch {
    const { getAsset } = await import('node:sea');
    return getAsset(name, 'utf8');
  }
}
