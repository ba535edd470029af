import { readFileSync } from 'node:fs';
import type { Child, CommandEntry, GroupEntry, Registry } from '../commands/command-tree.ts';
import type { CommandDoc } from './command-doc.ts';

/** The whole command tree with everything there is to say about each command. */
export interface CommandTree {
  readonly docs: readonly CommandDoc[];
  readonly groups: readonly GroupEntry[];
  /** Every path that has commands below it, the root included, with what is directly below it. */
  readonly branches: readonly { readonly path: readonly string[]; readonly children: readonly Child[] }[];
}

/** Loads the tree of a registry. */
export async function loadTree(registry: Registry): Promise<CommandTree> {
  const docs: CommandDoc[] = [];
  for (const entry of registry.entries) docs.push(await loadDoc(entry));
  const paths = new Map<string, readonly string[]>();
  for (const { path } of registry.entries) {
    for (let length = 0; length < path.length; length += 1)
      paths.set(path.slice(0, length).join(' '), path.slice(0, length));
  }
  const branches = [...paths.values()].map((path) => ({ path, children: childrenOf(registry, path) }));
  return { docs, groups: registry.groups, branches };
}

/** What is directly below a path and leads to a command. */
export function childrenOf(registry: Registry, path: readonly string[]): readonly Child[] {
  const leads = (name: string) =>
    registry.entries.some((entry) => [...path, name].every((word, at) => entry.path[at] === word));
  const seen = new Set<string>();
  return registry.childrenOf(path).filter((child) => {
    if (seen.has(child.name) || !leads(child.name)) return false;
    seen.add(child.name);
    return true;
  });
}

/**
 * Loads what there is to say about a command. The build prepares it as a file beside the chunks, so that help
 * does not pay for the command and its schemas; where there is none (run from source, standalone executable),
 * the declaration itself is loaded.
 */
export async function loadDoc(entry: CommandEntry): Promise<CommandDoc> {
  const prepared = await readPrepared(`${entry.path.join('.')}.json`);
  if (prepared !== undefined) return prepared;
  const { describeCommand } = await import('./describe-command.ts');
  return describeCommand(await entry.load(), entry.summary);
}

async function readPrepared(name: string): Promise<CommandDoc | undefined> {
  try {
    // The build wrote this text from `describeCommand`, in the same run that wrote this chunk.
    return JSON.parse(await preparedText(name)) as CommandDoc;
  } catch {
    // Not prepared: the caller loads the declaration instead, which says the same.
    return undefined;
  }
}

/** Beside the chunks of the package; inside the executable. Throws when there is none. */
async function preparedText(name: string): Promise<string> {
  try {
    return readFileSync(new URL(`../help/${name}`, import.meta.url), 'utf8');
  } catch {
    const { getAsset } = await import('node:sea');
    return getAsset(`help/${name}`, 'utf8');
  }
}
