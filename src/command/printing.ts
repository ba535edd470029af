import type { OutputPort } from '../base/context.ts';
import { type Failure, usageFailure } from '../base/failure.ts';
import { checkOutput } from '../screen/check-output.ts';
import { type Column, openUnder } from '../screen/column.ts';
import { isJson, type OutputOptions } from '../screen/options.ts';
import { type Command, isBulk } from './command.ts';
import type { CommandValues } from './command-values.ts';
import { joinFailures } from './faults.ts';
import type { Session } from './session.ts';

/** Further columns of a run's results: members of responses and errors. */
const isOpenInRun = openUnder('resource', 'error');

/** What is wrong with how the result should be printed. */
export async function printingFaults(
  command: Command,
  values: CommandValues,
  output: OutputOptions,
  stdout: OutputPort,
): Promise<readonly Failure[]> {
  const isAsked = output.format === 'xlsx' || (values.typed.has('out') && !command.writes);
  const workbook = isAsked ? await (await import('./out-file.ts')).workbookFaults(command, values, output, stdout) : [];
  return [...workbook, ...(await columnFaults(command, values, output))];
}

async function columnFaults(
  command: Command,
  values: CommandValues,
  output: OutputOptions,
): Promise<readonly Failure[]> {
  const { columns = [] } = command;
  if (command.kind === 'local') {
    return checkOutput(output, columns, command.isOpenColumn ?? (() => command.columns === undefined), false);
  }
  const isOpen = openUnder('metadata', 'transactions');
  if (values.typed.has('plan')) {
    return checkOutput(output, (await import('../records/plan-columns.ts')).HEADER_COLUMNS, isOpen, false);
  }
  const isRun = isBulk(command, values);
  if (!isRun || !command.writes) return checkOutput(output, columns, isOpen, isRun);
  return checkOutput(output, (await import('../records/row-result.ts')).ROW_COLUMNS, isOpenInRun, true);
}

/** USAGE for output options that do not fit a run's rows, whose columns are known only now. */
export async function refuseRunPrinting(output: OutputOptions, columns: readonly Column[]): Promise<void> {
  const faults = await checkOutput(output, columns, isOpenInRun, true);
  if (faults.length > 0) throw joinFailures(faults);
}

/** Prints a document of `--as`; with JSON on the command line, as the last member of one JSON object. */
export async function printDocument(
  { context: { stdout }, preferences: { output } }: Session,
  members: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string> | readonly string[],
): Promise<void> {
  const isMember = output.source === 'flag' && isJson(output.value);
  if (isMember) await stdout.write(`${JSON.stringify(members).slice(0, -1)},"document":"`);
  for await (const piece of pieces) await stdout.write(isMember ? JSON.stringify(piece).slice(1, -1) : piece);
  if (isMember) await stdout.write('"}\n');
}

/** USAGE for output options that a whole document (`--as`) has no use for. */
export function refuseShaping({ columns, query, format }: OutputOptions): void {
  if (columns === undefined && query === undefined && format !== 'xlsx') return;
  const problem = 'prints a whole document, which excludes --columns, --query and -o xlsx';
  throw usageFailure([{ where: '--as', problem }]);
}
