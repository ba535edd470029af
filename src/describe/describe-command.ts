import { type Command, optionsOf } from '../commands/command.ts';
import { COMMON_OPTIONS } from '../options/common.ts';
import type { OptionSpec } from '../options/option.ts';
import type { CommandDoc } from './command-doc.ts';

/** Describes a command from its declaration. */
export function describeCommand(command: Command, summary: string): CommandDoc {
  const isCommon = (option: OptionSpec) => COMMON_OPTIONS.includes(option);
  return {
    command: command.path.join(' '),
    path: command.path,
    summary,
    description: command.description,
    writes: command.writes,
    arguments: command.arguments,
    options: optionsOf(command).filter((option) => !isCommon(option)),
    examples: command.examples,
    exitCodes: command.exitCodes,
  };
}
