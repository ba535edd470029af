import type { Registry } from '../command/command-tree.ts';
import type { OptionSpec } from '../options/option.ts';

/**
 * Where the command words end: the command or group they name, and the words of argv that remain. `unknown`: the first
 * word that names nothing below it; `unknownAfter`: the option right before that, whose value it may be.
 */
export type Located = ReturnType<typeof locateCommand>;

function takesValue(token: string, options: readonly OptionSpec[]): boolean {
  if (token.startsWith('--')) {
    if (token.includes('=')) return false;
    return options.some((option) => option.value !== undefined && `--${option.long}` === token);
  }
  // `-o json` takes the next word, `-ojson` has its value, `-qo json` ends with the one that takes it.
  const last = token.at(-1);
  return options.some((option) => option.value !== undefined && option.short === last);
}

function isOneOf(token: string, options: readonly OptionSpec[]): boolean {
  const name = token.split('=', 1)[0];
  if (token.startsWith('--')) return options.some((option) => `--${option.long}` === name);
  return options.some((option) => option.short === token.charAt(1));
}

/** Finds the command in argv, where common options may stand between its words. Only the command parses the rest. */
export function locateCommand(
  argv: readonly string[],
  { entries, defaultOf }: Pick<Registry, 'entries' | 'defaultOf'>,
  common: readonly OptionSpec[],
) {
  const path: string[] = [];
  const rest: string[] = [];
  const below = (words: readonly string[]) =>
    entries.filter((command) => words.every((word, index) => command.path[index] === word));
  const isLeaf = () => below(path).some((command) => command.path.length === path.length);
  // An option of the group's default command: `history --outcome unknown`.
  const isOfDefault = (token: string) =>
    token.startsWith('-') && defaultOf(path) !== undefined && !isOneOf(token, common);
  for (let index = 0; index < argv.length; index += 1) {
    const token = argv[index] ?? '';
    const hasChildren = below(path).some((command) => command.path.length > path.length);
    if (token === '--' || !hasChildren || isOfDefault(token)) {
      rest.push(...argv.slice(index));
      break;
    }
    if (token.startsWith('-') && token !== '-') {
      rest.push(token);
      const next = argv[index + 1];
      if (takesValue(token, common) && next !== undefined) {
        rest.push(next);
        index += 1;
      }
      continue;
    }
    if (below([...path, token]).length === 0) {
      if (isLeaf()) {
        rest.push(...argv.slice(index));
        break;
      }
      const before = argv[index - 1];
      const unknownAfter = before?.startsWith('-') === true ? before : undefined;
      return { path, rest: [...rest, ...argv.slice(index)], unknown: token, unknownAfter };
    }
    path.push(token);
  }
  return { path, rest, unknown: undefined, unknownAfter: undefined };
}
