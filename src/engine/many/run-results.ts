import { inputRow } from '../../bulk/failed-file.ts';
import { storedRow } from '../../bulk/row-result.ts';
import { requireRunHeader, runFolder } from '../../bulk/run-folder.ts';
import { runResults } from '../../bulk/run-records.ts';
import type { Outcome } from '../../failure.ts';
import { livingLocks } from '../../files/living-locks.ts';
import { eachRow } from '../../input/records/rows.ts';
import type { Session } from '../../session.ts';
import { refuseRunPrinting } from '../printing.ts';
import { columnsOfRun, operationOfRun, rowFormatOf, rowsOfRun } from './run-input.ts';
import { runColumns } from './run-rows.ts';

/**
 * Prints a run again from its journal. `asInput`: the original rows with `_outcome`, as an input of the same
 * command; then the table format, which no reader takes, gives way to that of the input.
 */
export async function printRunResults(
  session: Session,
  name: string,
  outcomes: ReadonlySet<Outcome> | undefined,
  asInput: boolean,
): Promise<void> {
  const folder = runFolder(session.stateDir(), name);
  const header = await requireRunHeader(folder);
  const held = await livingLocks([folder.lock], session.context.clock);
  const run = { folder, header, isHeld: held.has(folder.lock) };
  if (asInput && session.output.format === 'table') {
    session.useFormat(rowFormatOf(header));
  }
  const names = asInput ? [...(await columnsOfRun(session, run)), '_outcome'] : [];
  const columns = asInput ? names.map((name) => ({ name, header: name })) : runColumns(operationOfRun(header));
  await refuseRunPrinting(session.output, columns);
  const writer = await session.openRows(columns, header.rows);
  for await (const result of runResults(run, eachRow(rowsOfRun(session, run)), outcomes)) {
    await writer.row(asInput ? inputRow(result.row, result.ending.outcome ?? 'unknown') : storedRow(result));
  }
  await writer.close();
}
