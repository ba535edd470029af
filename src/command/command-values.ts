import type { Fault } from '../base/failure.ts';
import type { CommonOptions } from '../input/options/common.ts';
import type { OptionSpec, RawInput } from '../input/options/option.ts';
import { missingOf, type NamedValues, readArguments, readOptions } from '../input/options/read-value.ts';
import { type CallValues, type Command, optionsOf } from './command.ts';

export type CommandValues = ReturnType<typeof readCommandValues>;

/** Options with the same meaning for the session and for the commands that declare them. */
const SAME = ['concurrency', 'dryRun', 'yes'] as const;

/** Does a read name a new workbook: `--out cards.xlsx`? */
function isWorkbook({ writes, options }: Command, { out }: NamedValues): boolean {
  return !writes && options.some(({ long }) => long === 'out') && typeof out === 'string' && /\.xlsx$/i.test(out);
}

/** Reads a typed command line by the declarations of the command. */
export function readCommandValues(command: Command, input: RawInput) {
  const { words } = input;
  const isOwn = (option: OptionSpec) => command.options.includes(option);
  const shared = optionsOf(command).filter((option) => !isOwn(option));
  const [faults, commonFaults]: [Fault[], Fault[]] = [[], []];
  // The declarations have these types.
  const common: CommonOptions = readOptions(shared, input, commonFaults);
  const own: NamedValues = {
    ...readArguments(command.arguments, words, faults),
    ...readOptions(command.options, input, faults),
  };
  return {
    words,
    /** The common options, without those that this command redefines. */
    common: {
      ...common,
      // If `--output` is redefined, `--json` still says how the result is printed.
      ...(common.json === true ? { output: 'json' } : {}),
      ...(common.output === undefined && common.json !== true && isWorkbook(command, own) ? { output: 'xlsx' } : {}),
      // The same meaning wherever they are declared.
      ...Object.fromEntries(SAME.filter((name) => own[name] !== undefined).map((name) => [name, own[name]])),
    } satisfies CommonOptions,
    commonFaults,
    /** Arguments and the command's own options, by name. */
    own,
    faults,
    missing: missingOf(command, input),
    /** Long names of the given options, also of faulty ones. */
    typed: new Set(input.options.keys()),
  };
}

export function callValues({ words, common, own, faults, typed }: CommandValues): CallValues {
  // The declarations have these types.
  return { words, options: { ...common, ...own } as CallValues['options'], typed, faults };
}

/** A command over an operation with an ID and no options. */
export function idAlone(id: string): CallValues {
  return { words: [id], options: {}, typed: new Set(), faults: [] };
}
