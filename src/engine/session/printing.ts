import { type Operation, sensitiveOf } from '../../api/operation.ts';
import { type CallGiven, type Command, isMany } from '../../commands/command.ts';
import type { Failure } from '../../failure.ts';
import { type Column, type IsOpenPath, openUnder } from '../../output/column.ts';
import type { OutputOptions } from '../../output/options.ts';
import { checkOutput } from '../../output/render.ts';
import { joinFailures } from '../faults.ts';

/** Members of the answer that are hidden from people, unless they are asked for. */
export function sensitiveMembers(command: Command, given: CallGiven | undefined): readonly string[] {
  if (command.kind !== 'call' || given?.options.showSensitive === true) return [];
  const rows: readonly Operation[] =
    'rows' in command.operation ? Object.values(command.operation.rows) : [command.operation];
  return rows.flatMap(sensitiveOf);
}

/** What is open besides the columns of a run's results: members of the answers and of the errors. */
const isOpenInRun = openUnder('resource', 'error');

/** Which dotted paths `--columns` may name besides the fixed columns. */
function openPaths(command: Command, isRun: boolean): IsOpenPath {
  if (command.kind === 'local') return command.isOpenColumn ?? (() => command.columns === undefined);
  return isRun && command.writes ? isOpenInRun : openUnder('metadata', 'transactions');
}

/** The columns that `--columns` may name: those of a write over many rows are those of its results. */
async function printedColumns(command: Command, given: CallGiven | undefined): Promise<readonly Column[]> {
  if (command.kind === 'local' || given === undefined) return command.columns ?? [];
  if (given.typed.has('plan')) return (await import('../../plan/plan-columns.ts')).HEADER_COLUMNS;
  if (!command.writes || !isMany(command, given)) return command.columns;
  const { RUN_COLUMNS } = await import('../many/row-requests.ts');
  return RUN_COLUMNS;
}

/** Whether the result can be printed as asked; what is wrong is kept to be reported with the other faults of the call. */
export async function checkPrinting(
  command: Command,
  given: CallGiven | undefined,
  output: OutputOptions,
  faults: Failure[],
): Promise<void> {
  const columns = await printedColumns(command, given);
  const isRun = command.kind === 'call' && given !== undefined && isMany(command, given) && !given.typed.has('plan');
  faults.push(...(await checkOutput(output, columns, openPaths(command, isRun), isRun)));
}

/** Raises USAGE for output options that do not fit the rows of a run whose columns are known only now. */
export async function refuseRunPrinting(output: OutputOptions, columns: readonly Column[]): Promise<void> {
  const faults = await checkOutput(output, columns, isOpenInRun, true);
  if (faults.length > 0) throw joinFailures(faults);
}
