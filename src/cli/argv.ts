import { CommanderError, Option, Command as Parser } from 'commander';
import { Failure, usageFailure } from '../base/failure.ts';
import { NOT_UTF8 } from '../base/files/paths.ts';
import { shellQuote } from '../base/files/shell-quote.ts';
import { type Command, optionsOf } from '../command/command.ts';
import { BULK_OPTIONS, BULK_WRITE_OPTIONS, COMMON, WRITE_OPTIONS } from '../input/options/common.ts';
import { namesOption, type OptionSpec, optionName, type RawInput, takerOf } from '../input/options/option.ts';
import { nearest } from '../screen/nearest.ts';

/** Can a word be an option, alone, with its value, or among letters? */
function mayName(word: string, { short, long }: OptionSpec): boolean {
  return word.startsWith(`--${long}`) || (short !== undefined && word.startsWith('-') && word.includes(short));
}

/** Declares only the options that one of the words may name: declaring all takes half a millisecond of each start. */
function addOptions(
  parser: Parser,
  options: readonly OptionSpec[],
  words: readonly string[],
  record: (long: string, value: string | true) => void,
) {
  for (const option of options) {
    if (!words.some((word) => mayName(word, option))) continue;
    parser.addOption(new Option(optionName(option)));
    // `--json` is `--output json`, and the later one counts.
    const isFormat = option === COMMON.json && options.includes(COMMON.output);
    parser.on(`option:${option.long}`, (value: unknown) => {
      if (isFormat) record(COMMON.output.long, 'json');
      else record(option.long, typeof value === 'string' ? value : true);
    });
  }
}

/** Options by which people try to give a token. There are none. */
export const SECRET_OPTION =
  /^--?(?:[\w-]*[-_])?(?:token|jwt|bearer|(?:api)?key|secret|pass(?:[-_]?(?:word|phrase)|wd)?|pwd|cookie|auth(?:orization)?|credentials?)(?:=|$)/i;
/** Options whose value may be a secret, or lead to one. */
const MAY_HOLD_SECRET = /token|key|passw|passphrase|secret|bearer|credential|authorization/i;

function noSecretOption(name: string): Failure {
  const problem = 'there is no option that takes a token: other programs can read arguments';
  const hint =
    'give it to `frontdesk auth login --token-stdin` on stdin, or set FRONTDESK_CARDS_TOKEN / FRONTDESK_CALENDAR_TOKEN';
  return usageFailure([{ where: name, problem }], [hint]);
}

/** Refuses a word after an option that may hold a secret, because it may be that secret; undefined: it may be shown. */
export function secretBeforeCommand(option: string): Failure | undefined {
  if (SECRET_OPTION.test(option)) return noSecretOption(option);
  if (!MAY_HOLD_SECRET.test(option)) return undefined;
  return new Failure('USAGE', `${option}: must come after its command`, {
    hints: ['put it after the command (`frontdesk help` lists the commands)'],
  });
}

/** The option that a letter probably means: of those that begin with it, the first that sets a field. */
function byLetter(letter: string, options: readonly OptionSpec[]): string | undefined {
  const begun = options.filter((option) => option.long.startsWith(letter.toLowerCase()));
  const [best] = [...begun.filter((option) => option.field !== undefined), ...begun];
  return best === undefined ? undefined : `--${best.long}`;
}

/** A hint about an option that other commands have. */
function ofOtherCommands(name: string): string | undefined {
  const isNamed = ({ short, long }: OptionSpec) => name === `-${short}` || name === `--${long}`;
  const write = WRITE_OPTIONS.find(isNamed);
  if (write !== undefined) return `--${write.long} is for commands that change something`;
  const bulk = [...BULK_OPTIONS, ...BULK_WRITE_OPTIONS].find(isNamed);
  return bulk === undefined ? undefined : `--${bulk.long} is for commands that take many rows`;
}

/** Options by the names that other tools have for them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['--format', '--output'],
  ['--jq', '--query'],
  ['--template', '--query'],
]);

function nearOption(token: string, options: readonly OptionSpec[]): string | undefined {
  const name = token.split('=', 1)[0] ?? token;
  if (ofOtherCommands(name) !== undefined) return undefined;
  if (/^-[A-Za-z]$/.test(name)) return byLetter(name.slice(1), options);
  return nearest(
    OTHER_NAMES.get(name) ?? name,
    options.map((option) => `--${option.long}`),
  );
}

/** The words of a call with the one at `at` as a value, which begins with "-". */
function withValue(rest: readonly string[], at: number): string {
  const others = rest.toSpliced(at, 1);
  const words = [...others, ...(others.includes('--') ? [] : ['--']), ...rest.slice(at, at + 1)];
  return words.map((word) => shellQuote(word)).join(' ');
}

/** `owner`: the command that lacks it, with the name of the program. `at`: its place in `rest`. */
function unknownOption(
  token: string,
  options: readonly OptionSpec[],
  owner: string,
  rest: readonly string[],
  at: number,
): Failure {
  const word = rest[at] ?? '';
  // Of `-n=1` the parser leaves `-=1`.
  const isValue = token.startsWith('-=') && word !== token;
  const name = isValue ? `-${word[word.indexOf('=') - 1]}` : (token.split('=', 1)[0] ?? token);
  if (SECRET_OPTION.test(token)) return noSecretOption(name);
  if (name !== token && options.some((option) => namesOption(name, option))) {
    return usageFailure([{ where: name, problem: 'takes no value' }], [`see \`${owner} --help\``]);
  }
  const elsewhere = ofOtherCommands(name);
  const near = nearOption(name, options);
  const meant = near === undefined ? [] : [`did you mean ${near}?`];
  const hints = [
    ...(elsewhere === undefined ? meant : [elsewhere]),
    // As a value, a word would lose its known letters: the dry run of `-nz`.
    name.startsWith('--') || elsewhere !== undefined || near !== undefined || !word.startsWith(token)
      ? `see \`${owner} --help\``
      : `a value that begins with "-" goes after "--": ${owner} ${withValue(rest, at)}`,
  ];
  return usageFailure([{ where: name, problem: `unknown option of \`${owner}\`` }], hints.slice(0, 2));
}

/** After `--` an option is an ordinary word, and so is its value. */
function mayBeSecret(before: string | undefined): boolean {
  if (before?.startsWith('-') !== true || before.includes('=')) return false;
  return MAY_HOLD_SECRET.test(before) || SECRET_OPTION.test(before);
}

/** An unusable word: an unknown option, or one at the end without its value. */
type Unparsed = { readonly unknown: string } | { readonly lacksValue: string };

/** The occurrences of every option, and the other words, in order; or the first unusable word. */
function parseOnce(rest: readonly string[], options: readonly OptionSpec[]): RawInput | Unparsed {
  const occurrences = new Map<string, (string | true)[]>();
  const parser = new Parser().exitOverride().configureOutput({ writeErr: () => undefined });
  addOptions(parser, options, rest, (long, value) => {
    occurrences.set(long, [...(occurrences.get(long) ?? []), value]);
  });
  try {
    const { operands, unknown } = parser.parseOptions([...rest]);
    return unknown[0] === undefined ? { words: operands, options: occurrences } : { unknown: unknown[0] };
  } catch (error) {
    // Only the last word can lack its value.
    const isMissing = error instanceof CommanderError && error.code === 'commander.optionMissingArgument';
    if (isMissing) return { lacksValue: rest.at(-1) ?? '' };
    throw error;
  }
}

/** The refusal of a word of the command line, and its place. */
function refusal(
  unparsed: Unparsed,
  rest: readonly string[],
  options: readonly OptionSpec[],
  owner: string,
): { readonly fault: Failure; readonly at: number } {
  if ('unknown' in unparsed) {
    const token = unparsed.unknown;
    const isGroup = /^-(?:[^-]$|=)/.test(token);
    const at = rest.findIndex(
      (word) => word === token || (isGroup && /^-[^-]/.test(word) && word.includes(token.slice(1))),
    );
    return { fault: unknownOption(token, options, owner, rest, at), at };
  }
  const word = unparsed.lacksValue;
  const option = takerOf(word, options);
  const name = option === undefined ? word : optionName(option);
  const hints = [`see \`${owner} --help\``];
  return { fault: usageFailure([{ where: name, problem: 'a value is missing' }], hints), at: rest.length - 1 };
}

/** Is the word after an unknown option its value? `maybe` if the name is like no other. */
function isValueOf(token: string, next: string | undefined, options: readonly OptionSpec[]): boolean | 'maybe' {
  if (next === undefined || token.includes('=') || next.startsWith('-')) return false;
  if (SECRET_OPTION.test(token)) return true;
  const near = nearOption(token, options);
  if (near === undefined) return 'maybe';
  return options.some(({ long, value }) => `--${long}` === near && value !== undefined);
}

/** `-o=json` and `-qo=json` with the name written out: to the parser the value of `-o` would be `=json`. */
function writtenOut(word: string, options: readonly OptionSpec[]): readonly string[] {
  const equals = word.indexOf('=');
  const taker = word.startsWith('--') ? undefined : takerOf(word.slice(0, equals), options);
  if (equals < 0 || taker === undefined) return [word];
  const before = equals > 2 ? [word.slice(0, equals - 1)] : [];
  return [...before, `--${taker.long}${word.slice(equals)}`];
}

/** A dash that a text program made of `--` or `-`. */
const TYPED_DASH = /^[\u2010-\u2015\u2212]-?/;

/** The option that a word with such a dash means; the word itself if it means none. */
function withPlainDashes(word: string, options: readonly OptionSpec[]): string {
  const name = word.replace(TYPED_DASH, '');
  if (name === word) return word;
  return [`--${name}`, `-${name}`].find((plain) => options.some((option) => namesOption(plain, option))) ?? word;
}

/**
 * The words without each option whose value was lost. A shell leaves no word of an empty variable, and the next option
 * would be taken for the value: `--reason $EMPTY --dry-run`.
 */
function withoutLostValues(rest: readonly string[], options: readonly OptionSpec[], faults: Failure[]) {
  const kept: string[] = [];
  const lost: string[] = [];
  const end = rest.indexOf('--');
  for (let index = 0; index < rest.length; index += 1) {
    const [typed = '', next] = rest.slice(index, index + 2);
    const word = withPlainDashes(typed, options);
    if (word !== typed) {
      const [name, plain] = [typed, word].map((each) => each.split('=', 1)[0]);
      faults.push(
        usageFailure([{ where: `${name}`, problem: 'begins with a dash of a text program' }], [`write ${plain}`]),
      );
    }
    if (index === end) return { kept: [...kept, ...rest.slice(index)], lost };
    const taker = takerOf(word, options);
    if (taker === undefined || next === undefined) {
      kept.push(...writtenOut(word, options));
    } else if (next === '--' || options.some((option) => namesOption(next, option))) {
      const missing = `--${taker.long}: its value is missing: ${next} is an option`;
      faults.push(new Failure('USAGE', missing, { hints: [`write --${taker.long}=${next} if that is the value`] }));
      lost.push(taker.long);
      if (/^-[^-]./.test(word)) kept.push(word.slice(0, -1));
    } else {
      kept.push(word, next);
      index += 1;
    }
  }
  return { kept, lost };
}

/** Node puts U+FFFD where an argument is not UTF-8: another text would be sent, or another file written. */
function lostCharacters(rest: readonly string[], options: readonly OptionSpec[]): readonly Failure[] {
  const faults = rest.flatMap((word, at) => {
    if (!word.includes('\ufffd')) return [];
    const taker = takerOf(rest[at - 1] ?? '', options);
    const isOption = word.startsWith('-') && taker === undefined;
    const where = isOption ? word.replace(/=.*/su, '') : taker ? `--${taker.long}` : `argument ${at + 1}`;
    return [{ where, problem: NOT_UTF8 }];
  });
  const hint = 'set the terminal to UTF-8, or save the script as UTF-8';
  return faults.length === 0 ? [] : [usageFailure(faults, [hint])];
}

type Syntax = Pick<Command, 'path' | 'arguments' | 'options' | 'writes'>;

/** Parses the words of one command, syntax only. An unusable word is a fault, and left out. */
export function parseInput(rest: readonly string[], command: Syntax, faults: Failure[]): RawInput {
  const { path, arguments: args } = command;
  const options = optionsOf(command);
  const owner = ['frontdesk', ...path].join(' ');
  faults.push(...lostCharacters(rest, options));
  const doubtful: string[] = [];
  const { kept, lost } = withoutLostValues(rest, options, faults);
  let left: readonly string[] = kept;
  let parsed = parseOnce(left, options);
  while (!('words' in parsed)) {
    const { fault, at } = refusal(parsed, left, options, owner);
    faults.push(fault);
    const next = left[at + 1];
    const isValue = isValueOf(left[at] ?? '', next, options);
    if (isValue === 'maybe' && next !== undefined) doubtful.push(next);
    left = left.toSpliced(at, isValue === true ? 2 : 1);
    parsed = parseOnce(left, options);
  }
  const typed = parsed;
  const certain = typed.words.filter((word) => !doubtful.includes(word));
  const isElsewhere = options.some(
    ({ long, excludes = {} }) => typed.options.has(long) && Object.keys(excludes).some((name) => name.startsWith('<')),
  );
  const words = certain.length === 0 && args.length > 0 && !isElsewhere ? typed.words : certain;
  const limit = args.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : args.length;
  if (words.length > limit) {
    const unexpected = words.slice(limit);
    const isHidden = (index: number) => path[0] === 'auth' || mayBeSecret(words[limit + index - 1]);
    const shown = unexpected.map((word, index) => (isHidden(index) && !word.startsWith('-') ? '***' : word));
    const fault = { where: 'unexpected argument', problem: shown.join(' '), unexpected };
    faults.push(usageFailure([fault], [`see \`${owner} --help\``]));
  }
  // What was given without its value is not missing.
  const emptied = lost.map((long) => [long, typed.options.get(long) ?? []] as const);
  return { words: words.slice(0, limit), options: new Map([...typed.options, ...emptied]) };
}
