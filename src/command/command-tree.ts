import type { Command } from './command.ts';

/** One line of the command list, enough for the overview. The declaration is loaded when it is used. */
export interface CommandEntry {
  readonly path: readonly string[];
  readonly summary: string;
  load(): Promise<Command>;
}

export interface GroupEntry {
  readonly path: readonly string[];
  readonly summary: string;
  /** The note on its help page. */
  readonly note?: string;
  /** Command that runs without a subcommand: `frontdesk history` lists. */
  readonly default?: string;
}

/** A command or group below a group. */
export interface Child {
  readonly name: string;
  readonly summary: string;
}

export type Registry = ReturnType<typeof createRegistry>;

export function createRegistry(entries: readonly CommandEntry[], groups: readonly GroupEntry[]) {
  const isBelow = ({ path }: Pick<GroupEntry, 'path'>, above: readonly string[], levels: number) =>
    path.length === above.length + levels && above.every((word, index) => word === path[index]);
  const find = (path: readonly string[]) => entries.find((entry) => isBelow(entry, path, 0));
  return {
    entries,
    groups,
    find,
    /** The command that runs for a group without a subcommand. */
    defaultOf(path: readonly string[]): CommandEntry | undefined {
      const name = groups.find((group) => isBelow(group, path, 0))?.default;
      return name === undefined ? undefined : find([...path, name]);
    },
    childrenOf(path: readonly string[]): readonly Child[] {
      const children = [...groups, ...entries].filter((item) => isBelow(item, path, 1));
      return children.map((child) => ({ name: child.path.at(-1) ?? '', summary: child.summary }));
    },
  };
}
