import { CARD_ID } from '../api/field.ts';
import type { Registry } from '../commands/registry.ts';
import { isOpposite, nearest } from '../output/nearest.ts';

/** The words of a command line that are safe to repeat in a suggestion: card ids. Anything else may be a secret. */
function idsAmong(words: readonly string[]): readonly string[] {
  return words.filter((word) => CARD_ID.test(word));
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((word, index) => path[index] === word);
}

/** How many of the words after it also follow that word in the path of a command. */
function followed(path: readonly string[], word: string, after: readonly string[]): number {
  const rest = path.slice(path.indexOf(word) + 1);
  const end = rest.findIndex((part, index) => part !== after[index]);
  return end === -1 ? rest.length : end;
}

/**
 * What may have been meant by a word that is no command below `path`, as hints: the nearest command, else one of a
 * deeper group that has that very word (`block` is `card block`), with the card ids that were typed after it. A
 * word that would undo a command is answered with the fact that nothing does.
 */
export function suggestCommand(
  path: readonly string[],
  word: string,
  after: readonly string[],
  registry: Registry,
): readonly string[] {
  const owner = ['frontdesk', ...path].join(' ');
  const siblings = registry.childrenOf(path).map((child) => child.name);
  const near = nearest(word, siblings);
  if (near !== undefined) return [`did you mean \`${owner} ${near}\`?`];
  const below = registry.entries.filter((entry) => startsWith(entry.path, path) && entry.path.length > path.length + 1);
  const deeper = below
    .filter((entry) => entry.path.slice(path.length + 1).includes(word))
    .map((entry) => entry.path.slice(0, entry.path.indexOf(word) + 1 + followed(entry.path, word, after)));
  const [first] = deeper.toSorted((a, b) => b.length - a.length);
  if (first !== undefined) return [`did you mean \`${['frontdesk', ...first, ...idsAmong(after)].join(' ')}\`?`];
  const names = [...siblings, ...below.map((entry) => entry.path.at(-1) ?? '')];
  const opposite = names.find((name) => isOpposite(word, name));
  return opposite === undefined ? [] : [`no command undoes \`${opposite}\``];
}
