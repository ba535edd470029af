import { CARD_ID } from '../api/field.ts';
import type { Registry } from '../command/command-tree.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { readCardId } from '../input/values.ts';
import { isOpposite, nearest } from '../output/nearest.ts';
import { profileNameProblem } from '../settings/settings.ts';
import { secretBeforeCommand } from './argv.ts';
import { withoutYes } from './paste-command.ts';
import { maskArguments } from './secret-arguments.ts';

function isProfile(option: string | undefined): boolean {
  return option === '-p' || option === '--profile';
}

/** Whether a word is safe to repeat: an option, what follows one, or a card id. Any other may be a pasted secret. */
function isHarmless(word: string, before: string | undefined): boolean {
  return word.startsWith('-') ? secretBeforeCommand(word) === undefined : before?.startsWith('-') || CARD_ID.test(word);
}

/** What else was typed, to paste: all of it, or the ids and the profile alone where a word may be a secret. */
function typedBeside(words: readonly string[]): readonly string[] {
  const before = (index: number) => words[index - 1];
  const isSafe = maskArguments(words) === undefined && words.every((word, index) => isHarmless(word, before(index)));
  const kept = words.filter(
    (word, index) =>
      isSafe ||
      CARD_ID.test(word) ||
      isProfile(word.split('=', 1)[0]) ||
      (isProfile(before(index)) && profileNameProblem(word) === undefined),
  );
  return kept.map((word) => shellQuote(word));
}

/** How many of the words after it also follow that word in the path of a command. */
function followed(path: readonly string[], word: string, after: readonly string[]): number {
  const rest = path.slice(path.indexOf(word) + 1);
  const end = rest.findIndex((part, index) => part !== after[index]);
  return end === -1 ? rest.length : end;
}

/** The path with the words after it that name commands below. */
function continued(path: readonly string[], after: readonly string[], registry: Registry): readonly string[] {
  const [next, ...rest] = after;
  const isBelow = registry.childrenOf(path).some(({ name }) => name === next);
  return next !== undefined && isBelow ? continued([...path, next], rest, registry) : path;
}

/** What people type who look for a card that they have no id of. */
const SEARCHES = ['search', 'find', 'lookup', 'list', 'ls', 'query'];

/** That the service has no search, where a word asks for one in a group that has none. */
function noSearch(path: readonly string[], word: string, registry: Registry): readonly string[] {
  if (!SEARCHES.includes(word)) return [];
  const meant = path.length === 0 && word !== 'list' ? 'card' : path.join(' ');
  const note = registry.groups.find((group) => group.path.join(' ') === meant)?.note;
  return note === undefined ? [] : [note];
}

/** The command whole, ready to paste; of a group, which cannot be run, its words only. */
function didYouMean(path: readonly string[], typed: readonly string[], registry: Registry): string {
  const canRun = registry.find(path) !== undefined || registry.defaultOf(path) !== undefined;
  return `did you mean \`${['frontdesk', ...path, ...(canRun ? typedBeside(typed) : [])].join(' ')}\`?`;
}

/** Hints for a word that is no command below `path`: the nearest one, a deeper one, or that nothing undoes it. */
export function suggestCommand(
  path: readonly string[],
  word: string,
  around: { readonly before: readonly string[]; readonly after: readonly string[] },
  registry: Registry,
): readonly string[] {
  const { before, after } = around;
  const unable = noSearch(path, word, registry);
  if (unable.length > 0) return unable;
  const given = readCardId(word);
  if (given.kind !== 'none') {
    const ids = given.kind === 'several' ? given.ids : [given.id];
    const reads =
      path[0] === 'history' ? ['history', ...ids.slice(0, 1).map((id) => `--id ${id}`)] : ['card', 'get', ...ids];
    return [
      `did you mean \`${['frontdesk', ...reads, ...typedBeside([...before, ...after].flatMap(withoutYes))].join(' ')}\`?`,
    ];
  }
  const siblings = registry.childrenOf(path).map((child) => child.name);
  const near = nearest(word, siblings);
  if (near !== undefined) {
    const found = continued([...path, near], after, registry);
    const unableBelow = noSearch(found, after[found.length - path.length - 1] ?? '', registry);
    if (unableBelow.length > 0) return unableBelow;
    return [didYouMean(found, [...before, ...after.slice(found.length - path.length - 1)], registry)];
  }
  const below = registry.entries.filter(
    (entry) => path.every((word, index) => entry.path[index] === word) && entry.path.length > path.length + 1,
  );
  const deeper = below
    .filter((entry) => entry.path.slice(path.length + 1).includes(word))
    .map((entry) => entry.path.slice(0, entry.path.indexOf(word) + 1 + followed(entry.path, word, after)));
  const [first] = deeper.toSorted((a, b) => b.length - a.length);
  if (first !== undefined) {
    return [didYouMean(first, [...before, ...after.slice(first.length - first.indexOf(word) - 1)], registry)];
  }
  const names = [...siblings, ...below.map((entry) => entry.path.at(-1) ?? '')];
  const opposite = names.find((name) => isOpposite(word, name));
  return opposite === undefined ? [] : [`no command undoes \`${opposite}\``];
}
