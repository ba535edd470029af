import type { Command } from './command.ts';

/** One line of the command list: enough for the overview; the declaration itself is loaded when used. */
export interface CommandEntry {
  readonly path: readonly string[];
  readonly summary: string;
  load(): Promise<Command>;
}

export interface GroupEntry {
  readonly path: readonly string[];
  readonly summary: string;
  /** What its page says before the commands, and what is said to a word such as `search` or `list` that it lacks. */
  readonly note?: string;
  /** Command that runs when the group is named alone: `frontdesk history` lists. */
  readonly default?: string;
}

/** A command or group, as the group above lists it. */
export interface Child {
  readonly name: string;
  readonly summary: string;
}

/** The command tree, as the engine receives it. */
export interface Registry {
  readonly entries: readonly CommandEntry[];
  readonly groups: readonly GroupEntry[];
  find(path: readonly string[]): CommandEntry | undefined;
  /** The command that runs when a group is named alone. */
  defaultOf(path: readonly string[]): CommandEntry | undefined;
  /** Commands and groups directly below a path. */
  childrenOf(path: readonly string[]): readonly Child[];
}

/** Returns the command tree of a list of commands and groups. */
export function createRegistry(entries: readonly CommandEntry[], groups: readonly GroupEntry[]): Registry {
  const at =
    (words: readonly string[]) =>
    ({ path }: { readonly path: readonly string[] }) =>
      path.length === words.length && path.every((word, index) => word === words[index]);
  const find = (path: readonly string[]) => entries.find(at(path));
  return {
    entries,
    groups,
    find,
    defaultOf(path) {
      const name = groups.find(at(path))?.default;
      return name === undefined ? undefined : find([...path, name]);
    },
    childrenOf(path) {
      return [...groups, ...entries]
        .filter((item) => item.path.length === path.length + 1 && path.every((word, at) => item.path[at] === word))
        .map((item) => ({ name: item.path.at(-1) ?? '', summary: item.summary }));
    },
  };
}
