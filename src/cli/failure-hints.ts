import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../base/context.ts';
import { Failure } from '../base/failure.ts';
import { errnoOf } from '../base/files/io-failure.ts';
import { findPlaces } from '../base/files/paths.ts';
import { shellQuote } from '../base/files/shell-quote.ts';
import { outside } from '../base/json/outside-text.ts';
import { inProfile } from '../base/next-step.ts';
import type { Registry } from '../command/command-tree.ts';
import { FLAG_LETTERS } from '../input/options/common.ts';
import { quoteValue, readCardId } from '../input/values.ts';
import { profileNameProblem } from '../profile/settings.ts';
import { isOpposite, nearest } from '../screen/nearest.ts';
import { CARD_ID } from '../service/api/field.ts';
import { secretBeforeCommand } from './argv.ts';
import { maskArguments } from './mask-arguments.ts';

/** The corrected words for one that was refused as a card ID; undefined if it was not, or stands for no card. */
function correctedWords(
  word: string,
  { faults }: Failure,
  writes: boolean,
  known: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const [, option = '', text = word] = /^(--[^=]+=)(.*)$/s.exec(word) ?? [];
  // A fault with a line is a file's.
  if (!faults.some(({ refusedId, line }) => refusedId === text && line === undefined)) return undefined;
  const card = known.get(text);
  const read = readCardId(text);
  if (read.kind === 'none' && card !== undefined) return [`${option}${card}`];
  if (read.kind === 'holds') return [`${option}${read.id}`];
  // Which of several IDs should be changed is not guessed. All of them may be read.
  return read.kind === 'several' && !writes && option === '' ? read.ids : undefined;
}

const CONFIRMED = new RegExp(`^-[${FLAG_LETTERS}]*y[${FLAG_LETTERS}]*$`);

/** `--yes` is not repeated for another ID than was typed: `-qy` becomes `-q`. */
function withoutYes(word: string): readonly string[] {
  if (!CONFIRMED.test(word)) return word === '--yes' ? [] : [word];
  const rest = word.replaceAll('y', '');
  return rest === '-' ? [] : [rest];
}

/** The failure whose next steps name the profile that the call named. */
export function withProfile(failure: Failure, profile: string | undefined): Failure {
  return failure.but({ hints: failure.hints.map((hint) => inProfile(hint, profile)) });
}

/** Adds the quoted text as a hint to a refusal of words without quotes (`--reason lost ticket`). */
export function withQuotesHint(failure: Failure, argv: readonly string[], texts: readonly string[]): Failure {
  if (maskArguments(argv) !== undefined) return failure;
  const refused = failure.faults.flatMap(({ refusedId, unexpected = [] }) => [refusedId, ...unexpected]);
  for (const [index, option] of argv.entries()) {
    if (!texts.includes(option)) continue;
    const end = argv.findIndex((word, at) => at > index + 1 && (word.startsWith('-') || CARD_ID.test(word)));
    const words = argv.slice(index + 1, end === -1 ? argv.length : end);
    if (words.length < 2 || !words.slice(1).some((word) => refused.includes(word))) continue;
    const text = words.join(' ');
    // In double quotes, as people type it, if no character is special to a shell.
    const quoted = /["$`\\!]/.test(text) ? shellQuote(text) : `"${text}"`;
    return failure.with({}, [`put the text in quotes: ${option} ${quoted}`, ...failure.hints]);
  }
  return failure;
}

/**
 * Adds the corrected command line as a hint to a refusal of words that contain card IDs, or are references of `known`
 * cards, if nothing else is wrong.
 */
export function withCleanedCommand(
  failure: Failure,
  argv: readonly string[],
  writes: boolean,
  known: ReadonlyMap<string, string> = new Map(),
): Failure {
  const end = argv.indexOf('--');
  const corrected = new Map(argv.map((word) => [word, correctedWords(word, failure, writes, known)] as const));
  const found = [...corrected.values()].flatMap((words) => words ?? []);
  const faults = failure.parts?.problems.length ?? 1;
  const refused = [...corrected.values()].filter((words) => words !== undefined).length;
  const references = [...known].map(
    ([text, card]) => `${quoteValue(text)} is known here as the client reference of card ${card}`,
  );
  const about = references.length === 0 ? [] : [references.join(', ')];
  if (refused === 0 || faults !== refused) return failure.with({}, [...about, ...failure.hints]);
  if (maskArguments(argv) !== undefined) {
    return failure.with({}, [...about, `give the ID alone: ${found.join(' ')}`, ...failure.hints]);
  }
  const isOption = (index: number) => end === -1 || index < end;
  const line = argv.flatMap((word, index) => corrected.get(word) ?? (isOption(index) ? withoutYes(word) : [word]));
  const command = `frontdesk ${line.map((word) => shellQuote(word)).join(' ')}`;
  return failure.with({}, [...about, `check the ID, then run: ${command}`, ...failure.hints]);
}

function isProfile(option: string | undefined): boolean {
  return option === '-p' || option === '--profile';
}

/** Is a word safe to repeat: an option, its value, or a card ID? Any other may be a pasted secret. */
function isHarmless(word: string, before: string | undefined): boolean {
  return word.startsWith('-') ? secretBeforeCommand(word) === undefined : before?.startsWith('-') || CARD_ID.test(word);
}

/** The rest of the command line to paste: all of it, or only IDs and profile if a word may be a secret. */
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

/** The path with the following words that name commands below it. */
function continued(path: readonly string[], after: readonly string[], registry: Registry): readonly string[] {
  const [next, ...rest] = after;
  const isBelow = registry.childrenOf(path).some(({ name }) => name === next);
  return next !== undefined && isBelow ? continued([...path, next], rest, registry) : path;
}

/** Words of commands by the words that other tools have for them; the one that the group has counts. */
const OTHER_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['list', 'find']],
  ['lookup', ['find']],
  ['ls', ['list', 'find']],
  ['search', ['find']],
  ['show', ['get']],
  ['undo', ['revert']],
  ['view', ['get', 'show']],
  ['watch', ['wait']],
  ['whoami', ['status']],
]);

/** The option that a word means: `--help` is no word of a command. */
const OPTION_WORDS: ReadonlySet<string> = new Set(['help', 'version']);

/** USAGE for a command whose only argument is `help`. */
export function helpIsAnOption(path: readonly string[]): Failure {
  const command = ['frontdesk', ...path].join(' ');
  return new Failure('USAGE', `help: no argument of \`${command}\``, {
    hints: [`did you mean \`${command} --help\`?`],
  });
}

function didYouMean(path: readonly string[], typed: readonly string[], registry: Registry): string {
  const canRun = registry.find(path) !== undefined || registry.defaultOf(path) !== undefined;
  return `did you mean \`${['frontdesk', ...path, ...(canRun ? typedBeside(typed) : [])].join(' ')}\`?`;
}

/** Hints for an unknown word below `path`: the nearest command, a deeper one, or that nothing undoes it. */
function suggestCommand(
  path: readonly string[],
  word: string,
  around: { readonly before: readonly string[]; readonly after: readonly string[] },
  registry: Registry,
): readonly string[] {
  const { before, after } = around;
  if (OPTION_WORDS.has(word)) return [`did you mean \`${['frontdesk', ...path].join(' ')} --${word}\`?`];
  const reading = readCardId(word);
  if (reading.kind !== 'none') {
    const ids = reading.kind === 'several' ? reading.ids : [reading.id];
    const reads =
      path[0] === 'history' ? ['history', ...ids.slice(0, 1).map((id) => `--id ${id}`)] : ['card', 'get', ...ids];
    return [
      `did you mean \`${['frontdesk', ...reads, ...typedBeside([...before, ...after].flatMap(withoutYes))].join(' ')}\`?`,
    ];
  }
  const siblings = registry.childrenOf(path).map((child) => child.name);
  const words = OTHER_WORDS.get(word) ?? [word];
  const meant = words.find((each) => siblings.includes(each)) ?? words[0] ?? word;
  const near = nearest(meant, siblings);
  if (near !== undefined) {
    const found = continued([...path, near], after, registry);
    return [didYouMean(found, [...before, ...after.slice(found.length - path.length - 1)], registry)];
  }
  const below = registry.entries.filter(
    (entry) => path.every((word, index) => entry.path[index] === word) && entry.path.length > path.length + 1,
  );
  const deeper = below
    .filter((entry) => entry.path.slice(path.length + 1).includes(meant))
    .map((entry) => continued(entry.path.slice(0, entry.path.indexOf(meant) + 1), after, registry));
  const [first] = deeper.toSorted((a, b) => b.length - a.length);
  if (first !== undefined) {
    return [didYouMean(first, [...before, ...after.slice(first.length - first.indexOf(meant) - 1)], registry)];
  }
  const names = [...siblings, ...below.map((entry) => entry.path.at(-1) ?? '')];
  const opposite = names.find((name) => isOpposite(word, name));
  return opposite === undefined ? [] : [`no command undoes \`${opposite}\``];
}

/** Masks the secrets of the command line in the report of a failure. */
export function maskOf({ code, details }: Failure, { argv, env }: Context) {
  return maskArguments(argv, env, code === 'USAGE' || details.id === undefined);
}

/** The system's errors for a place that cannot be written. Another folder helps. */
const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOENT', 'ENOTDIR']);

/** The path that could not be written, from the system's error. */
function unwritablePath({ cause }: Failure): string | undefined {
  if (cause instanceof Failure) return unwritablePath(cause);
  if (!(cause instanceof Error) || !UNWRITABLE.has(errnoOf(cause) ?? '')) return undefined;
  return 'path' in cause && typeof cause.path === 'string' ? cause.path : undefined;
}

/** Adds the variable that names another folder to a failure to write below a folder of frontdesk. */
export function withFolderHint(failure: Failure, context: Context): Failure {
  const path = failure.code === 'LOCAL_IO' ? unwritablePath(failure) : undefined;
  if (path === undefined) return failure;
  const { stateDir, configDir } = findPlaces(context);
  const places = [
    [stateDir, 'FRONTDESK_STATE_DIR'],
    [configDir, 'FRONTDESK_CONFIG_DIR'],
    // Paths named by the user, such as a file of --out, do not count.
    [join(tmpdir(), 'frontdesk-'), 'TMPDIR'],
  ] as const;
  const found = places.find(([folder]) => folder !== undefined && path.startsWith(folder));
  if (found === undefined) return failure;
  return failure.with({}, [`set ${found[1]} to a folder that can be written`, ...failure.hints]);
}

/** The commands and groups of which one is needed. */
export function choiceHint(path: readonly string[], registry: Registry): string {
  const names = registry.childrenOf(path).map(({ name }) => name);
  return `choose one of ${names.join(', ')}. See \`${['frontdesk', ...path].join(' ')} --help\``;
}

/** USAGE for a word that names no command. `unknownAfter`: the option right before it, whose value it may be. */
export function unknownCommand(
  at: {
    readonly path: readonly string[];
    readonly rest: readonly string[];
    readonly unknown: string;
    readonly unknownAfter: string | undefined;
  },
  registry: Registry,
): Failure {
  const { path, rest, unknown, unknownAfter } = at;
  const refusal = unknownAfter === undefined ? undefined : secretBeforeCommand(unknownAfter);
  if (refusal !== undefined) return refusal;
  const place = rest.indexOf(unknown);
  const around = { before: rest.slice(0, place), after: rest.slice(place + 1) };
  const suggested = suggestCommand(path, unknown, around, registry);
  // People type the token behind `auth`.
  const shown = path[0] === 'auth' && suggested.length === 0 ? '***' : outside(unknown);
  return new Failure('USAGE', `${shown}: unknown command of \`${['frontdesk', ...path].join(' ')}\``, {
    hints: [...suggested, choiceHint(path, registry)],
  });
}
