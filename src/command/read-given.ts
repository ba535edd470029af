import type { Fault } from '../failure.ts';
import type { CommonOptions } from '../options/common.ts';
import type { OptionSpec, RawInput } from '../options/option.ts';
import { type GivenValues, type Missing, missingOf, readArguments, readOptions } from '../options/read-value.ts';
import { type CallGiven, type Command, optionsOf } from './command.ts';

/** A command line as typed values. */
export interface Given {
  readonly words: readonly string[];
  /** The options that every command has; one that this command gives a meaning of its own is not there. */
  readonly common: CommonOptions;
  /** What is wrong with those. */
  readonly commonFaults: readonly Fault[];
  /** Arguments and the command's own options, by name. */
  readonly own: GivenValues;
  readonly faults: readonly Fault[];
  readonly missing: readonly Missing[];
  /** Long names of the options that were given, also of those whose value is faulty. */
  readonly typed: ReadonlySet<string>;
}

/** Options that mean for the session what they mean for the commands that declare them. */
const SAME = ['concurrency', 'dryRun', 'yes'] as const;

/** Reads what was typed for a command by the declarations of its arguments and options. */
export function readGiven(command: Command, typed: RawInput): Given {
  const words = (command.kind === 'local' ? command.meant?.(typed.words) : undefined) ?? typed.words;
  const input = { ...typed, words };
  const isOwn = (option: OptionSpec) => command.options.includes(option);
  const shared = optionsOf(command).filter((option) => !isOwn(option));
  const [faults, commonFaults]: [Fault[], Fault[]] = [[], []];
  // Declared so: the values of these options have these types.
  const common = readOptions(shared, input, commonFaults) as CommonOptions;
  const own = { ...readArguments(command.arguments, words, faults), ...readOptions(command.options, input, faults) };
  return {
    words,
    common: {
      ...common,
      // Where `--output` means something else, `--json` still says how the result is printed.
      ...(common.json === true ? { output: 'json' } : {}),
      // These mean the same wherever they are declared.
      ...Object.fromEntries(SAME.filter((name) => own[name] !== undefined).map((name) => [name, own[name]])),
    },
    commonFaults,
    own,
    faults,
    missing: missingOf(command, input),
    typed: new Set(input.options.keys()),
  };
}

/** What is given to a command over an operation. */
export function callGiven({ words, common, own, faults, typed }: Given): CallGiven {
  // Declared so: the values of its options have these types.
  return { words, options: { ...common, ...own } as CallGiven['options'], typed, faults };
}

/** A command over an operation with an id and no options. */
export function idAlone(id: string): CallGiven {
  return { words: [id], options: {}, typed: new Set(), faults: [] };
}
