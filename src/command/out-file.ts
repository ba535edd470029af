import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OutputPort } from '../base/context.ts';
import { type Failure, usageFailure } from '../base/failure.ts';
import { describeIoError, errnoOf } from '../base/files/io-failure.ts';
import { quotePath } from '../input/values.ts';
import type { OutputOptions } from '../screen/options.ts';
import { OPERATIONS } from '../service/api/operations.ts';
import { type Command, isBulk } from './command.ts';
import type { CommandValues } from './command-values.ts';

/** What is wrong with the path of `--out`, or undefined. `instead`: how to show the result without a file. */
export function problemOfOut(
  path: string | undefined,
  instead = 'on stdout, --json and --show-sensitive show the result',
): string | undefined {
  if (path === undefined) return undefined;
  if (path === '' || path === '-') return `must be a new file: ${instead}`;
  try {
    lstatSync(path);
    return `${quotePath(path)} exists, and a result never overwrites a file`;
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? problemOfFolder(path) : cannotCreate(path, error);
  }
}

/** Why no file can be made beside others in its folder: said before a read is sent whose result has no place. */
function problemOfFolder(path: string): string | undefined {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return cannotCreate(path, error);
  }
}

function cannotCreate(path: string, error: unknown): string {
  return `cannot create ${quotePath(path)}: ${describeIoError(error)}`;
}

/** Why a result cannot be a workbook, or cannot go where it should. */
export async function workbookFaults(
  command: Command,
  values: CommandValues,
  { format, out }: OutputOptions,
  stdout: OutputPort,
): Promise<readonly Failure[]> {
  if (format !== 'xlsx') {
    return [usageFailure([{ where: '--out', problem: `is for an .xlsx file, not for ${format} output` }])];
  }
  const isOne = command.kind === 'call' && command.operation === OPERATIONS.cardGet && !isBulk(command, values);
  // A command prints workbooks if it has the option for their file.
  if (isOne || command.writes || !command.options.some(({ long }) => long === 'out')) {
    const problem = isOne ? 'one card is not a table: give several IDs, or --from' : 'not printed by this command';
    return [usageFailure([{ where: '-o xlsx', problem }], ['choose -o csv, or another format'])];
  }
  const problem = problemOfOut(out, 'without --out it goes to stdout');
  if (problem !== undefined) return [usageFailure([{ where: '--out', problem }])];
  if (out !== undefined || !stdout.isTerminal) return [];
  const hints = ['give --out <file>, a new file that only you can read'];
  return [
    usageFailure([{ where: '-o xlsx', problem: 'a workbook is not for a terminal, and --out is missing' }], hints),
  ];
}
