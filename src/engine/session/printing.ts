import { sensitiveOf } from '../../api/operation.ts';
import { type Command, isMany, rowsOf } from '../../commands/command.ts';
import type { Failure } from '../../failure.ts';
import { type Column, type IsOpenPath, openUnder } from '../../output/column.ts';
import type { OutputOptions } from '../../output/options.ts';
import { checkOutput } from '../../output/render.ts';
import { joinFailures } from '../faults.ts';
import { callGiven, type Given } from '../read-given.ts';

/** Members of the answer that are hidden from people, unless they are asked for. */
export function sensitiveMembers(command: Command, given: Given): readonly string[] {
  if (command.kind !== 'call' || given.own['showSensitive'] === true) return [];
  return rowsOf(command).flatMap(sensitiveOf);
}

/** What is open besides the columns of a run's results: members of the answers and of the errors. */
const isOpenInRun = openUnder('resource', 'error');

/** The columns that `--columns` may name, which dotted paths besides them, and whether rows of a run are printed. */
async function printedBy(
  command: Command,
  given: Given,
): Promise<readonly [columns: readonly Column[], isOpen: IsOpenPath, isRun: boolean]> {
  const { columns = [] } = command;
  if (command.kind === 'local') return [columns, command.isOpenColumn ?? (() => command.columns === undefined), false];
  const isOpen = openUnder('metadata', 'transactions');
  if (given.typed.has('plan')) return [(await import('../../plan/plan-columns.ts')).HEADER_COLUMNS, isOpen, false];
  const isRun = isMany(command, callGiven(given));
  if (!isRun || !command.writes) return [columns, isOpen, isRun];
  return [(await import('../many/row-requests.ts')).RUN_COLUMNS, isOpenInRun, true];
}

/** Whether the result can be printed as asked; what is wrong is kept to be reported with the other faults of the call. */
export async function checkPrinting(
  command: Command,
  given: Given,
  output: OutputOptions,
  faults: Failure[],
): Promise<void> {
  faults.push(...(await checkOutput(output, ...(await printedBy(command, given)))));
}

/** Raises USAGE for output options that do not fit the rows of a run whose columns are known only now. */
export async function refuseRunPrinting(output: OutputOptions, columns: readonly Column[]): Promise<void> {
  const faults = await checkOutput(output, columns, isOpenInRun, true);
  if (faults.length > 0) throw joinFailures(faults);
}
