import type { Child, CommandEntry, GroupEntry, Registry } from '../commands/registry.ts';
import type { CommandDoc } from './command-doc.ts';
import { loadDoc } from './load-doc.ts';

/** The whole command tree with everything there is to say about each command. */
export interface CommandTree {
  readonly docs: readonly CommandDoc[];
  readonly groups: readonly GroupEntry[];
  /** Every path that has commands below it, the root included, with what is directly below it. */
  readonly branches: readonly Branch[];
}

interface Branch {
  readonly path: readonly string[];
  readonly children: readonly Child[];
}

/** Loads the tree of a registry. */
export async function loadTree(registry: Registry, load: (entry: CommandEntry) => Promise<CommandDoc> = loadDoc) {
  const docs: CommandDoc[] = [];
  for (const entry of registry.entries) docs.push(await load(entry));
  const paths = new Map<string, readonly string[]>();
  for (const { path } of registry.entries) {
    for (let length = 0; length < path.length; length += 1)
      paths.set(path.slice(0, length).join(' '), path.slice(0, length));
  }
  const branches = [...paths.values()].map((path) => ({ path, children: childrenOf(registry, path) }));
  const tree: CommandTree = { docs, groups: registry.groups, branches };
  return tree;
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
