import type { Failure } from '../../src/base/failure.ts';
import { parseInput } from '../../src/cli/argv.ts';
import type { Command } from '../../src/command/command.ts';

/** What the parser has against the words of a command: nothing when it takes them. */
export function parseFaults(rest: readonly string[], command: Command): readonly string[] {
  const faults: Failure[] = [];
  parseInput(rest, command, faults);
  return faults.map(({ message }) => message);
}
