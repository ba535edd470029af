import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CARD_ID } from '../api/field.ts';
import type { Registry } from '../command/command-tree.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import { findPlaces } from '../files/paths.ts';
import { shellQuote } from '../files/shell-quote.ts';
import { readCardId } from '../input/values.ts';
import { FLAG_LETTERS } from '../options/common.ts';
import { isOpposite, nearest } from '../output/nearest.ts';
import { profileNameProblem } from '../settings/settings.ts';
import { secretBeforeCommand } from './argv.ts';

/** The words that stand for one that was refused as a card id; undefined: it was not, or names no id. */
function correctedWords(word: string, { faults }: Failure, writes: boolean): readonly string[] | undefined {
  const [, option = '', text = word] = /^(--[^=]+=)(.*)$/s.exec(word) ?? [];
  if (!faults.some(({ refusedId }) => refusedId === text)) return undefined;
  const read = readCardId(text);
  if (read.kind === 'holds') return [`${option}${read.id}`];
  // Which of several is meant to be changed is not guessed; they may all be read.
  return read.kind === 'several' && !writes && option === '' ? read.ids : undefined;
}

const CONFIRMED = new RegExp(`^-[${FLAG_LETTERS}]*y[${FLAG_LETTERS}]*$`);

/** `--yes` is not repeated for another id than was typed: `-qy` becomes `-q`. */
function withoutYes(word: string): readonly string[] {
  if (!CONFIRMED.test(word)) return word === '--yes' ? [] : [word];
  const rest = word.replaceAll('y', '');
  return rest === '-' ? [] : [rest];
}

/** A refusal of words without quotes (`--reason lost ticket`), with the quoted text as a hint. `texts`: its options. */
export function withQuotesHint(failure: Failure, argv: readonly string[], texts: readonly string[]): Failure {
  if (maskArguments(argv) !== undefined) return failure;
  const refused = failure.faults.flatMap(({ refusedId, unexpected = [] }) => [refusedId, ...unexpected]);
  for (const [index, option] of argv.entries()) {
    if (!texts.includes(option)) continue;
    const end = argv.findIndex((word, at) => at > index + 1 && (word.startsWith('-') || CARD_ID.test(word)));
    const words = argv.slice(index + 1, end === -1 ? argv.length : end);
    if (words.length < 2 || !words.slice(1).some((word) => refused.includes(word))) continue;
    const text = words.join(' ');
    // In double quotes, as people type it, where no character means anything to a shell.
    const quoted = /["$`\\!]/.test(text) ? shellQuote(text) : `"${text}"`;
    return failure.with({}, [`put the text in quotes: ${option} ${quoted}`, ...failure.hints]);
  }
  return failure;
}

/** A refusal of words that hold card ids, with the command line to paste as a hint, if nothing else is wrong. */
export function withCleanedCommand(failure: Failure, argv: readonly string[], writes: boolean): Failure {
  const end = argv.indexOf('--');
  const corrected = new Map(argv.map((word) => [word, correctedWords(word, failure, writes)] as const));
  const found = [...corrected.values()].flatMap((words) => words ?? []);
  const faults = failure.parts?.problems.length ?? 1;
  const refused = [...corrected.values()].filter((words) => words !== undefined).length;
  if (refused === 0 || faults !== refused) return failure;
  if (maskArguments(argv) !== undefined) {
    return failure.with({}, [`give the id alone: ${found.join(' ')}`, ...failure.hints]);
  }
  const isOption = (index: number) => end === -1 || index < end;
  const line = argv.flatMap((word, index) => corrected.get(word) ?? (isOption(index) ? withoutYes(word) : [word]));
  const command = `frontdesk ${line.map((word) => shellQuote(word)).join(' ')}`;
  return failure.with({}, [`check the id, then run: ${command}`, ...failure.hints]);
}

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

/** Options whose value is a secret, also misspelt and wherever they stand; after --token-stdin people type the token. */
const SECRET_NAME =
  /token(?!-(?:file|command)$)|(?:^|-)(?:jwt|bearer|api-?key|key|secret|password|passwd|pwd|auth(?:orization)?|credentials?)$/i;

/** A JSON web token, or what follows `Bearer`. */
const SECRET_TEXT = [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, /\bbearer\s+(\S{6,})/gi];

/** Words that no message repeats: values of options that look like a token's, and words that look like a token. */
function secretArguments(argv: readonly string[]): readonly string[] {
  const secrets = new Set<string>();
  for (const [index, word] of argv.entries()) {
    for (const pattern of SECRET_TEXT) {
      for (const [whole, inner] of word.matchAll(pattern)) secrets.add(inner ?? whole);
    }
    if (!word.startsWith('-')) continue;
    const [name = '', ...rest] = word.split('=');
    // `plan approve --key` names a file, which a message about it has to name.
    const isFile = name === '--key' && argv.includes('approve');
    if (isFile || !SECRET_NAME.test(name.replace(/^-+/, ''))) continue;
    const value = rest.length > 0 ? rest.join('=') : argv[index + 1];
    if (value !== undefined && value !== '' && !value.startsWith('--')) secrets.add(value);
  }
  return [...secrets];
}

/** Masks the secrets of a command line in a string. Long ones first: one may be a part of another. */
export function maskArguments(argv: readonly string[]): ((text: string) => string) | undefined {
  const secrets = [...secretArguments(argv)].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return undefined;
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** What the system says of a place that cannot be written to; another folder helps. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR']);

/** The place that could not be written to, as the system names it. */
function unwritablePath({ cause }: Failure): string | undefined {
  if (cause instanceof Failure) return unwritablePath(cause);
  if (!(cause instanceof Error) || !UNWRITABLE.has(errnoOf(cause) ?? '')) return undefined;
  return 'path' in cause && typeof cause.path === 'string' ? cause.path : undefined;
}

/** A failure to write below one of our folders, with the variable that names another folder. */
export function withFolderHint(failure: Failure, context: Context): Failure {
  const path = failure.code === 'LOCAL_IO' ? unwritablePath(failure) : undefined;
  if (path === undefined) return failure;
  const { stateDir, configDir } = findPlaces(context);
  const places = [
    [stateDir, 'FRONTDESK_STATE_DIR'],
    [configDir, 'FRONTDESK_CONFIG_DIR'],
    // What a person named below it, such as a file of --out, is not ours.
    [join(tmpdir(), 'frontdesk-'), 'TMPDIR'],
  ] as const;
  const found = places.find(([folder]) => folder !== undefined && path.startsWith(folder));
  if (found === undefined) return failure;
  return failure.with({}, [`set ${found[1]} to a folder that can be written`, ...failure.hints]);
}
