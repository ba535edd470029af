import { parseArgs } from 'node:util';
import { type Command, optionsOf } from '../commands/command.ts';
import { Failure, usageFailure } from '../failure.ts';
import { COMMON, MANY_OPTIONS, MANY_WRITE_OPTIONS, WRITE_OPTIONS } from '../options/common.ts';
import type { OptionSpec, RawInput } from '../options/option.ts';
import { nearest } from '../output/nearest.ts';

/** Options by which people try to hand a token over; there are none. */
const SECRET_OPTION = /^--?(?:\w+-)*(?:token|key|apikey|password|passphrase|secret|bearer)(?:=|$)/i;
/** Options whose value may be a secret, or may lead to one. */
const MAY_HOLD_SECRET = /token|key|passw|passphrase|secret|bearer|credential|authorization/i;

function noSecretOption(name: string): Failure {
  return new Failure('USAGE', `${name}: there is no option that takes a token: other programs can read arguments`, {
    hints: ['use `frontdesk auth login`, --token-stdin there, or FRONTDESK_CARDS_TOKEN / FRONTDESK_CALENDAR_TOKEN'],
  });
}

/** Refuses a word after an option that may hold a secret: it may be that secret. Undefined: it may be shown. */
export function secretBeforeCommand(option: string): Failure | undefined {
  if (SECRET_OPTION.test(option)) return noSecretOption(option);
  if (!MAY_HOLD_SECRET.test(option)) return undefined;
  return new Failure('USAGE', `${option}: stands before the command that it belongs to`, {
    hints: ['put it after the command; `frontdesk help` lists the commands'],
  });
}

/** The option that a letter probably stands for: of those that begin with it, first one that sets a field. */
function byLetter(letter: string, options: readonly OptionSpec[]): string | undefined {
  const begun = options.filter((option) => option.long.startsWith(letter.toLowerCase()));
  const [best] = [...begun.filter((option) => option.field !== undefined), ...begun];
  return best === undefined ? undefined : `--${best.long}`;
}

/** What is said of an option that other commands have: nothing here is near to it. */
function ofOtherCommands(name: string): string | undefined {
  const isNamed = ({ short, long }: OptionSpec) => name === `-${short}` || name === `--${long}`;
  const write = WRITE_OPTIONS.find(isNamed);
  if (write !== undefined) return `--${write.long} is for commands that change something`;
  const many = [...MANY_OPTIONS, ...MANY_WRITE_OPTIONS].find(isNamed);
  return many === undefined ? undefined : `--${many.long} is for commands that take many rows`;
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

/** `owner`: the command that does not have it, with the name of the program. */
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

/** After `--` an option is a word like any other, and its value too. */
function mayBeSecret(before: string | undefined): boolean {
  return before?.startsWith('-') === true && !before.includes('=') && MAY_HOLD_SECRET.test(before);
}

/** Whether the word after an unknown option is its value: `maybe` when the name is like no other. */
function isValueOf(token: string, next: string, options: readonly OptionSpec[]): boolean | 'maybe' {
  if (token.includes('=') || next.startsWith('-')) return false;
  if (SECRET_OPTION.test(token)) return true;
  const near = nearOption(token, options);
  if (near === undefined) return 'maybe';
  return options.some(({ long, value }) => `--${long}` === near && value !== undefined);
}

/** What can stand behind the words of a command. */
type Syntax = Pick<Command, 'path' | 'arguments' | 'options' | 'writes'>;

/** The words of one command, told apart by what its options take. */
function tokensOf(rest: readonly string[], options: readonly OptionSpec[]) {
  const declared = options.map(({ long, short, value }) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [long, short === undefined ? { type } : { type, short }] as const;
  });
  const how = { options: Object.fromEntries(declared), strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ args: [...rest], ...how }).tokens;
}

function missingValue({ long, short, value = '' }: OptionSpec, owner: string): Failure {
  const option = `${short === undefined ? '' : `-${short}, `}--${long} <${value}>`;
  return new Failure('USAGE', `${option}: a value is missing`, { hints: [`see \`${owner} --help\``] });
}

/** The words that arguments take; the others are a fault. Where some may be values of unknown options, they are left out. */
function argumentWords(
  { words, doubtful }: Record<'words' | 'doubtful', readonly string[]>,
  { path, arguments: args }: Syntax,
  faults: Failure[],
): readonly string[] {
  const certain = words.filter((word) => !doubtful.includes(word));
  const given = certain.length === 0 && args.length > 0 ? words : certain;
  const limit = args.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : args.length;
  const unexpected = given.slice(limit);
  if (unexpected.length > 0) {
    const shown = unexpected.map((word, index) => (mayBeSecret(given[limit + index - 1]) ? '***' : word));
    const fault = { where: 'unexpected argument', problem: shown.join(' '), unexpected };
    faults.push(usageFailure([fault], [`see \`${['frontdesk', ...path].join(' ')} --help\``]));
  }
  return given.slice(0, limit);
}

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: 'option' }>;

/** The option that was meant, and its value; undefined: none takes it so. */
function occurrence(token: OptionToken, options: readonly OptionSpec[]): readonly [string, string | true] | undefined {
  const option = options.find(({ long }) => long === token.name);
  if (option === undefined || (option.value === undefined) !== (token.value === undefined)) return undefined;
  // `--json` is `--output json`, and of both the later one counts.
  if (option === COMMON.json && options.includes(COMMON.output)) return [COMMON.output.long, 'json'];
  return [option.long, token.value ?? true];
}

/** Parses the words of one command, and judges syntax alone. A word that cannot be taken is a fault, and left out. */
export function parseInput(rest: readonly string[], command: Syntax, faults: Failure[]): RawInput {
  const options = optionsOf(command);
  const owner = ['frontdesk', ...command.path].join(' ');
  const occurrences = new Map<string, (string | true)[]>();
  const [words, doubtful]: [string[], string[]] = [[], []];
  /** Positions of words that are refused, and of their values. */
  const refused = new Set<number>();
  const refuse = ({ name: long, rawName, index }: OptionToken, isInGroup: boolean) => {
    const lacking = options.find((option) => option.long === long && option.value !== undefined);
    if (lacking !== undefined) return faults.push(missingValue(lacking, owner));
    const typed = isInGroup ? rawName : (rest[index] ?? '');
    const next = rest[index + 1] ?? '-';
    const isValue = isValueOf(typed, next, options);
    refused.add(index);
    if (isValue === true) refused.add(index + 1);
    if (isValue === 'maybe') doubtful.push(next);
    return faults.push(unknownOption(typed, options, owner));
  };
  const tokens = tokensOf(rest, options);
  for (const [at, token] of tokens.entries()) {
    if (refused.has(token.index)) continue;
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const [long, value] = occurrence(token, options) ?? [];
    if (long === undefined || value === undefined) refuse(token, tokens[at - 1]?.index === token.index);
    else occurrences.set(long, [...(occurrences.get(long) ?? []), value]);
  }
  return { words: argumentWords({ words, doubtful }, command, faults), options: occurrences };
}
