import { inputRow } from '../../bulk/failed-file.ts';
import { storedRow } from '../../bulk/row-result.ts';
import { requireRunHeader, runFolder } from '../../bulk/run-folder.ts';
import { runResults } from '../../bulk/run-results.ts';
import type { Outcome } from '../../failure.ts';
import type { Row } from '../../input/records/interpret.ts';
import { isTable } from '../../input/records/record.ts';
import type { Column } from '../../output/column.ts';
import type { Session } from '../../session.ts';
import { runColumns } from './run-rows.ts';
import { operationOfRun, rowsOfRun } from './stored-run.ts';

async function* flatten(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const batch of batches) yield* batch;
}

/** Columns of the original rows; those of a JSON input may differ from row to row, so all are gone through. */
async function inputColumns(rows: AsyncIterable<readonly Row[]>): Promise<readonly Column[]> {
  const names = new Set<string>();
  let last: readonly string[] | undefined;
  for await (const batch of rows) {
    for (const { record } of batch) {
      if (record.names !== last) for (const name of record.names) names.add(name);
      last = record.names;
    }
  }
  return [...names, '_outcome'].map((name) => ({ name, header: name }));
}

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
  const run = { folder, header };
  if (asInput && session.output.format === 'table') {
    session.useFormat(isTable(header.inputFormat) || header.inputFormat === 'ids' ? 'csv' : 'ndjson');
  }
  const columns = asInput ? await inputColumns(rowsOfRun(session, run)) : runColumns(operationOfRun(header));
  const writer = await session.openRows(columns, header.rows);
  for await (const result of runResults(run, flatten(rowsOfRun(session, run)), outcomes)) {
    await writer.row(asInput ? inputRow(result.row, result.outcome ?? 'unknown') : storedRow(result));
  }
  await writer.close();
}
