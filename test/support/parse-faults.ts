import type { Failure } from '../../src/base/failure.ts';
import { parseInput } from '../../src/cli/argv.ts';
import { locateCommand } from '../../src/cli/program.ts';
import type { Command } from '../../src/command/command.ts';
import { REGISTRY } from '../../src/registry.ts';
import { shellWords } from './shell-words.ts';

/** What the parser has against the words of a command: nothing when it takes them. */
export function parseFaults(rest: readonly string[], command: Command): readonly string[] {
  const faults: Failure[] = [];
  parseInput(rest, command, faults);
  return faults.map(({ message }) => message);
}

/** The command of a shell line that begins with `frontdesk`, and what the parser has against the rest. */
export async function parseLine(line: string): Promise<{ command: Command | undefined; faults: readonly string[] }> {
  const { path, rest, unknown } = locateCommand(shellWords(line).slice(1), REGISTRY);
  const command = await (REGISTRY.find(path) ?? REGISTRY.defaultOf(path))?.load();
  if (unknown !== undefined || command === undefined) return { command, faults: [`no command: ${unknown ?? line}`] };
  return { command, faults: parseFaults(rest, command) };
}
