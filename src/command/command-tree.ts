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
  /** The note on its help page, also for a missing word such as `search` or `list`. */
  readonly note?: string;
  /** Command that runs without a subcommand: `frontdesk history` lists. */
  readonly default?: string;
}

/** A command or group below a group. */
export interface Child {
  readonly name: string;
  readonly summary: string;
}

/** The command tree for the engine. */
export interface Registry {
  readonly entries: readonly CommandEntry[];
  readonly groups: readonly GroupEntry[];
  find(path: readonly string[]): CommandEntry | undefined;
  /** The command that runs for a group without a subcommand. */
  defaultOf(path: readonly string[]): CommandEntry | undefined;
  /** Commands and groups directly below a path. */
  childrenOf(path: readonly string[]): readonly Child[];
}

/** The command tree of a list of commands and groups. */
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
