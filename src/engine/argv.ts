import { CommanderError, Option, Command as Parser } from 'commander';
import type { ArgumentSpec, OptionSpec } from '../commands/option-spec.ts';
import { Failure } from '../failure.ts';
import type { RawInput } from '../input/raw-input.ts';
import { nearest } from '../output/nearest.ts';

function addOptions(
  parser: Parser,
  options: readonly OptionSpec[],
  record: (long: string, value: string | true) => void,
) {
  for (const option of options) {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const value = option.value === undefined ? '' : ` <${option.value}>`;
    const declared = new Option(`${short}--${option.long}${value}`);
    parser.addOption(declared);
    parser.on(`option:${option.long}`, (given: unknown) =>
      record(option.long, typeof given === 'string' ? given : true),
    );
  }
}

/** Options by which people try to hand a token over; there are none. */
const SECRET_OPTION = /^--?(?:\w+-)*(?:token|key|apikey|password|passphrase|secret|bearer)(?:=|$)/i;
/** Options whose value may be a secret, or may lead to one. */
const MAY_HOLD_SECRET = /token|key|passw|passphrase|secret|bearer|credential|authorization/i;

function noSecretOption(name: string): Failure {
  return new Failure('USAGE', `${name}: there is no option that takes a token: other programs can read arguments`, {
    hints: ['use `frontdesk auth login`, --token-stdin there, or FRONTDESK_CARDS_TOKEN / FRONTDESK_CALENDAR_TOKEN'],
  });
}

/**
 * The refusal of a word that stands where a command is expected and after an option that may hold a secret: the
 * word may be that secret, so it is not repeated. Undefined: the word may be shown.
 */
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

function unknownOption(token: string, options: readonly OptionSpec[], words: string): Failure {
  const name = token.split('=', 1)[0] ?? token;
  if (SECRET_OPTION.test(token)) return noSecretOption(name);
  if (name !== token && options.some((option) => `--${option.long}` === name)) {
    return new Failure('USAGE', `${name}: takes no value`, { hints: [`see \`frontdesk ${words} --help\``] });
  }
  const near = /^-[A-Za-z]$/.test(name)
    ? byLetter(name.slice(1), options)
    : nearest(
        name,
        options.map((option) => `--${option.long}`),
      );
  const hints = [
    ...(near === undefined ? [] : [`did you mean ${near}?`]),
    name.startsWith('--')
      ? `see \`frontdesk ${words} --help\``
      : `a value that begins with "-" goes after "--": frontdesk ${words} -- ${name}`,
  ];
  return new Failure('USAGE', `${name}: unknown option of \`frontdesk ${words}\``, { hints: hints.slice(0, 2) });
}

/** After `--` an option is a word like any other, and its value too. */
function mayBeSecret(before: string | undefined): boolean {
  return before?.startsWith('-') === true && !before.includes('=') && MAY_HOLD_SECRET.test(before);
}

/** Parses the words of one command. Only syntax is judged here; values are judged with all other faults. */
export function parseInput(
  rest: readonly string[],
  path: readonly string[],
  args: readonly ArgumentSpec[],
  options: readonly OptionSpec[],
): RawInput {
  const occurrences = new Map<string, (string | true)[]>();
  const parser = new Parser(path.join(' '));
  parser.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  parser.helpOption(false).allowExcessArguments(true).argument('[words...]');
  addOptions(parser, options, (long, value) => {
    const list = occurrences.get(long) ?? [];
    list.push(value);
    // The order of the map is that of the last occurrences: of two options for one thing the later one counts.
    occurrences.delete(long);
    occurrences.set(long, list);
  });
  try {
    parser.parse([...rest], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.unknownOption') {
      const token = /'(.*)'/s.exec(error.message)?.[1] ?? '';
      throw unknownOption(token, options, path.join(' '));
    }
    if (error.code === 'commander.optionMissingArgument') {
      const flag = /'(.*)'/s.exec(error.message)?.[1] ?? '';
      throw new Failure('USAGE', `${flag}: a value is missing`, {
        hints: [`see \`frontdesk ${path.join(' ')} --help\``],
      });
    }
    throw new Failure('USAGE', error.message.replace(/^error: /, ''));
  }
  const words = parser.args;
  const limit = args.at(-1)?.variadic === true ? Number.POSITIVE_INFINITY : args.length;
  if (words.length > limit) {
    const unexpected = words.slice(limit).map((word, index) => (mayBeSecret(words[limit + index - 1]) ? '***' : word));
    throw new Failure('USAGE', `unexpected argument: ${unexpected.join(' ')}`, {
      hints: [`see \`frontdesk ${path.join(' ')} --help\``],
    });
  }
  return { words, options: occurrences };
}
