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
  const typed: CommonOptions = readOptions(shared, input, commonFaults);
  const own: NamedValues = {
    ...readArguments(command.arguments, words, faults),
    ...readOptions(command.options, input, faults),
  };
  const common = {
    ...typed,
    // If `--output` is redefined, `--json` still says how the result is printed.
    ...(typed.json === true ? { output: 'json' } : {}),
    ...(typed.output === undefined && typed.json !== true && isWorkbook(command, own) ? { output: 'xlsx' } : {}),
    // The same meaning wherever they are declared.
    ...Object.fromEntries(SAME.filter((name) => own[name] !== undefined).map((name) => [name, own[name]])),
  } satisfies CommonOptions;
  return {
    words,
    /** The common options, without those that this command redefines. */
    common,
    commonFaults,
    options: { ...common, ...own } as CallValues['options'],
    /** Arguments and the command's own options, by name. */
    own,
    faults,
    missing: missingOf(command, input),
    typed: new Set(input.options.keys()),
  };
}
