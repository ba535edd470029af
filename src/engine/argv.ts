import { CommanderError, Option, Command as Parser } from 'commander';
import { type Command, optionsOf } from '../command/command.ts';
import { Failure, usageFailure } from '../failure.ts';
import { BULK_OPTIONS, BULK_WRITE_OPTIONS, COMMON, WRITE_OPTIONS } from '../options/common.ts';
import type { OptionSpec, RawInput } from '../options/option.ts';
import { nearest } from '../output/nearest.ts';

/** Can a word be an option, alone, with its value, or among letters? */
function mayName(word: string, { short, long }: OptionSpec): boolean {
  return word.startsWith(`--${long}`) || (short !== undefined && word.startsWith('-') && word.includes(short));
}

/** An option as it is declared: `-o, --output <format>`. */
function flagsOf({ short, long, value }: OptionSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${long}${value === undefined ? '' : ` <${value}>`}`;
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
    parser.addOption(new Option(flagsOf(option)));
    // `--json` is `--output json`, and the later one counts.
    const isFormat = option === COMMON.json && options.includes(COMMON.output);
    parser.on(`option:${option.long}`, (given: unknown) => {
      if (isFormat) record(COMMON.output.long, 'json');
      else record(option.long, typeof given === 'string' ? given : true);
    });
  }
}

/** Options by which people try to give a token. There are none. */
const SECRET_OPTION = /^--?(?:\w+-)*(?:token|key|apikey|password|passphrase|secret|bearer)(?:=|$)/i;
/** Options whose value may be a secret, or lead to one. */
const MAY_HOLD_SECRET = /token|key|passw|passphrase|secret|bearer|credential|authorization/i;

function noSecretOption(name: string): Failure {
  return new Failure('USAGE', `${name}: there is no option that takes a token: other programs can read arguments`, {
    hints: ['use `frontdesk auth login`, --token-stdin there, or FRONTDESK_CARDS_TOKEN / FRONTDESK_CALENDAR_TOKEN'],
  });
}

/** Refuses a word after an option that may hold a secret, because it may be that secret; undefined: it may be shown. */
export function secretBeforeCommand(option: string): Failure | undefined {
  if (SECRET_OPTION.test(option)) return noSecretOption(option);
  if (!MAY_HOLD_SECRET.test(option)) return undefined;
  return new Failure('USAGE', `${option}: stands before the command that it belongs to`, {
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

function nearOption(token: string, options: readonly OptionSpec[]): string | undefined {
  const name = token.split('=', 1)[0] ?? token;
  if (ofOtherCommands(name) !== undefined) return undefined;
  if (/^-[A-Za-z]$/.test(name)) return byLetter(name.slice(1), options);
  return nearest(
    name,
    options.map((option) => `--${option.long}`),
  );
}

/** `owner`: the command that lacks it, with the name of the program. */
function unknownOption(token: string, options: readonly OptionSpec[], owner: string): Failure {
  const name = token.split('=', 1)[0] ?? token;
  if (SECRET_OPTION.test(token)) return noSecretOption(name);
  if (name !== token && options.some((option) => `--${option.long}` === name)) {
    return new Failure('USAGE', `${name}: takes no value`, { hints: [`see \`${owner} --help\``] });
  }
  const elsewhere = ofOtherCommands(name);
  const near = nearOption(name, options);
  const meant = near === undefined ? [] : [`did you mean ${near}?`];
  const hints = [
    ...(elsewhere === undefined ? meant : [elsewhere]),
    name.startsWith('--') || elsewhere !== undefined || near !== undefined
      ? `see \`${owner} --help\``
      : `a value that begins with "-" goes after "--": ${owner} -- ${name}`,
  ];
  return new Failure('USAGE', `${name}: unknown option of \`${owner}\``, { hints: hints.slice(0, 2) });
}

/** After `--` an option is an ordinary word, and so is its value. */
function mayBeSecret(before: string | undefined): boolean {
  return before?.startsWith('-') === true && !before.includes('=') && MAY_HOLD_SECRET.test(before);
}

/** An unusable word: an unknown option, or one at the end without its value. */
type Untaken = { readonly unknown: string } | { readonly lacksValue: string };

/** The occurrences of every option, and the other words, in order; or the first unusable word. */
function parseOnce(rest: readonly string[], options: readonly OptionSpec[]): RawInput | Untaken {
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
  untaken: Untaken,
  rest: readonly string[],
  options: readonly OptionSpec[],
  owner: string,
): { readonly fault: Failure; readonly at: number } {
  if ('unknown' in untaken) {
    const token = untaken.unknown;
    const isGroup = /^-[^-]$/.test(token);
    const at = rest.findIndex(
      (word) => word === token || (isGroup && /^-[^-]/.test(word) && word.includes(token[1] ?? '')),
    );
    return { fault: unknownOption(token, options, owner), at };
  }
  const word = untaken.lacksValue;
  const option = options.find(
    ({ short, long }) => word === `--${long}` || (!word.startsWith('--') && word.at(-1) === short),
  );
  const name = option === undefined ? word : flagsOf(option);
  const hints = [`see \`${owner} --help\``];
  return { fault: new Failure('USAGE', `${name}: a value is missing`, { hints }), at: rest.length - 1 };
}

/** Is the word after an unknown option its value? `maybe` if the name is like no other. */
function isValueOf(token: string, next: string | undefined, options: readonly OptionSpec[]): boolean | 'maybe' {
  if (next === undefined || token.includes('=') || next.startsWith('-')) return false;
  if (SECRET_OPTION.test(token)) return true;
  const near = nearOption(token, options);
  if (near === undefined) return 'maybe';
  return options.some(({ long, value }) => `--${long}` === near && value !== undefined);
}

type Syntax = Pick<Command, 'path' | 'arguments' | 'options' | 'writes'>;

/** Parses the words of one command, syntax only. An unusable word is a fault, and left out. */
export function parseInput(rest: readonly string[], command: Syntax, faults: Failure[]): RawInput {
  const { path, arguments: args } = command;
  const options = optionsOf(command);
  const owner = ['frontdesk', ...path].join(' ');
  const doubtful: string[] = [];
  let left = rest;
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
  const given = parsed;
  const certain = given.words.filter((word) => !doubtful.includes(word));
  const isElsewhere = options.some(
    ({ long, excludes = {} }) => given.options.has(long) && Object.keys(excludes).some((name) => name.startsWith('<')),
  );
  const words = certain.length === 0 && args.length > 0 && !isElsewhere ? given.words : certain;
  const limit = args.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : args.length;
  if (words.length > limit) {
    const unexpected = words.slice(limit);
    const shown = unexpected.map((word, index) => (mayBeSecret(words[limit + index - 1]) ? '***' : word));
    const fault = { where: 'unexpected argument', problem: shown.join(' '), unexpected };
    faults.push(usageFailure([fault], [`see \`${owner} --help\``]));
  }
  return { words: words.slice(0, limit), options: given.options };
}
