import type { Operation } from '../api/operation.ts';
import { type CallCommand, type Command, isMany } from '../commands/command.ts';
import { Failure } from '../failure.ts';
import { hasOption, type RawInput } from '../input/raw-input.ts';
import { type Column, type IsOpenPath, openUnder } from '../output/column.ts';
import type { OutputOptions } from '../output/options.ts';
import { checkOutput } from '../output/render.ts';

/** Members of the answer that are hidden from people, unless they are asked for. */
export function sensitiveMembers(command: Command, input: RawInput): readonly string[] {
  if (command.kind !== 'call' || hasOption(input, 'show-sensitive')) return [];
  const rows: readonly Operation[] =
    'rows' in command.operation ? Object.values(command.operation.rows) : [command.operation];
  return rows.flatMap((row) => (row.effect.kind === 'write' ? (row.effect.sensitive ?? []) : []));
}

/** Which dotted paths `--columns` may name besides the fixed columns. */
function openPaths(command: Command, isRun: boolean): IsOpenPath {
  if (command.kind === 'local') return () => true;
  return isRun && command.writes ? openUnder('resource', 'error') : openUnder('metadata', 'transactions');
}

/** The columns that `--columns` may name: those of a write over many rows are those of its results. */
async function printedColumns(command: CallCommand, input: RawInput): Promise<readonly Column[]> {
  if (hasOption(input, 'plan')) return (await import('./many/make-plan.ts')).PLAN_COLUMNS;
  if (!command.writes || !isMany(command, input)) return command.columns;
  const { RUN_COLUMNS } = await import('./many/run-rows.ts');
  return RUN_COLUMNS;
}

/** Whether the result can be printed as asked; what is wrong is kept to be told with the other faults of the call. */
export async function checkPrinting(
  command: Command,
  input: RawInput,
  output: OutputOptions,
  faults: Failure[],
): Promise<void> {
  const columns = command.kind === 'call' ? await printedColumns(command, input) : [];
  const isRun = command.kind === 'call' && isMany(command, input) && !hasOption(input, 'plan');
  try {
    await checkOutput(output, columns, openPaths(command, isRun), isRun);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    faults.push(error);
  }
}
