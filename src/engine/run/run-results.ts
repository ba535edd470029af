import type { Outcome } from '../../failure.ts';
import { livingLocks } from '../../files/living-locks.ts';
import { readFieldText } from '../../input/field-text.ts';
import { describeFields } from '../../input/fields.ts';
import { isTable } from '../../input/records/record.ts';
import { eachRow } from '../../input/records/rows.ts';
import { fromPlain } from '../../json/plain.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { inputRow } from '../../run/failed-file.ts';
import { storedRow } from '../../run/row-result.ts';
import { requireRunHeader, runFolder } from '../../run/run-folder.ts';
import type { RunHeader } from '../../run/run-header.ts';
import { runResults } from '../../run/run-records.ts';
import type { Session } from '../../session.ts';
import { refuseRunPrinting } from '../printing.ts';
import { columnsOfRun, operationOfRun, rowFormatOf, rowsOfRun } from './run-input.ts';
import { loadRowOptions } from './run-options.ts';
import { withShortMessage } from './run-output.ts';
import { runColumns } from './run-rows.ts';

/**
 * The cells of a table as the values they stood for in the run: JSON tells an empty text from none, and a boolean
 * from its name.
 */
function cellReader(header: RunHeader): (row: JsonObject) => JsonObject {
  const { body } = operationOfRun(header);
  const fields = new Map((body === null ? [] : describeFields(body)).map((field) => [field.name, field]));
  const isEmptyGiven = loadRowOptions(header.options).emptyCells === 'clear';
  const read = (name: string, cell: JsonValue): JsonValue => {
    const field = fields.get(name);
    const found = field === undefined || typeof cell !== 'string' ? undefined : readFieldText(field, cell, 'csv');
    return found !== undefined && 'value' in found ? fromPlain(found.value) : cell;
  };
  return (row) =>
    new Map([...row].filter(([, cell]) => cell !== '' || isEmptyGiven).map(([name, cell]) => [name, read(name, cell)]));
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
  const held = await livingLocks([folder.lock], session.context.clock);
  const run = { folder, header, isHeld: held.has(folder.lock) };
  if (asInput && session.output.format === 'table') {
    session.useFormat(rowFormatOf(header));
  }
  const names = asInput ? [...(await columnsOfRun(session, run)), '_outcome'] : [];
  const columns = asInput ? names.map((name) => ({ name, header: name })) : runColumns(operationOfRun(header));
  await refuseRunPrinting(session.output, columns);
  const isForPeople = session.context.stdout.isTerminal && session.output.format === 'table';
  const shown = (row: JsonObject) => (isForPeople ? withShortMessage(row) : row);
  const writer = await session.openRows(columns, header.rows);
  const isForTable = session.output.format === 'csv' || !isTable(header.inputFormat);
  const readCells = isForTable ? (row: JsonObject) => row : cellReader(header);
  for await (const result of runResults(run, eachRow(rowsOfRun(session, run)), outcomes)) {
    const outcome = result.ending.outcome ?? 'unknown';
    await writer.row(asInput ? readCells(inputRow(result.row, outcome)) : shown(storedRow(result)));
  }
  await writer.close();
}
