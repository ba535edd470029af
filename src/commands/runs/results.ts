import { runColumns } from '../../bulk/row-requests.ts';
import {
  columnsOfRun,
  inRowOrder,
  loadRowOptions,
  needsJson,
  operationOfRun,
  rowFormatOf,
  rowsOfRun,
  shardGaps,
} from '../../bulk/run-input.ts';
import { withShortMessage } from '../../bulk/run-output.ts';
import { localCommand } from '../../command/command.ts';
import { refuseRunPrinting } from '../../command/printing.ts';
import { FAILURES, OUTCOMES, type Outcome, usageFailure } from '../../failure.ts';
import { readFieldText } from '../../input/field-text.ts';
import { describeFields } from '../../input/fields.ts';
import { dialectOf } from '../../input/records/dialect.ts';
import { isTable } from '../../input/records/record.ts';
import { eachRow } from '../../input/records/rows.ts';
import { fromPlain } from '../../json/plain.ts';
import { anyOf, list, object, oneOf } from '../../json/shape.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { WORKBOOK } from '../../options/call-options.ts';
import type { Column } from '../../output/column.ts';
import { isJson } from '../../output/options.ts';
import { inputRow } from '../../run/failed-file.ts';
import { storedRow } from '../../run/row-result.ts';
import { type RunHeader, requireRun, type StoredRunHandle } from '../../run/run-folder.ts';
import { heldRuns } from '../../run/run-list.ts';
import { StoredRun } from '../../run/stored-run.ts';
import type { Session } from '../../session.ts';
import { LAST, RUNS, runNamesOf } from './run-name.ts';

/** With --as-input, beside the members of the original row. */
const INPUT_ROW = object({ _outcome: oneOf(OUTCOMES) });

export const command = localCommand({
  description:
    'Prints the rows in input order. --as-input prints the original rows with an _outcome column instead, as input for the same command.',
  arguments: RUNS,
  options: {
    last: LAST,
    outcome: {
      kind: 'choices',
      value: 'list',
      choices: OUTCOMES,
      text: 'print only rows with these outcomes (separate with commas)',
    },
    asInput: { text: 'print the original rows with an _outcome column' },
    out: WORKBOOK.out,
  },
  exitCodes: [0, 1, 2, 4, 15, 16, 141],
  examples: {
    'What went wrong?': 'runs results --last --outcome rejected,unknown',
    'The rows that were not sent, as a file to send': 'runs results --last --outcome not_sent --as-input -o csv',
    'Correct the rejected rows in a spreadsheet':
      'runs results --last --outcome rejected --as-input -o xlsx --out rejected.xlsx',
  },
  output: async () => {
    const { STORED_ROW_OUTPUT } = await import('../../run/row-result.ts');
    return anyOf(list(STORED_ROW_OUTPUT), list(INPUT_ROW));
  },
  async run(session, given) {
    const outcomes = given.outcome === undefined ? undefined : new Set(given.outcome);
    return printRunResults(session, await runNamesOf(session, given), outcomes, given.asInput);
  },
});

/** The cells of a table as what they stood for: JSON tells an empty text from none, and a boolean from its name. */
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

/** Of rows of several runs: which one, behind the number of the row. */
const RUN_COLUMN: Column = { name: 'run', header: 'RUN', keep: true };

/** The original columns of all runs, and `_outcome`. */
async function inputColumns(session: Session, runs: readonly StoredRunHandle[]): Promise<readonly Column[]> {
  const names = new Set<string>();
  for (const run of runs) for (const name of await columnsOfRun(session, run)) names.add(name);
  return [...names, '_outcome'].map((name) => ({ name, header: name }));
}

/** A format that a reader of inputs takes; of a CSV file as that file was written. */
async function useInputFormat(session: Session, { header, folder }: StoredRunHandle): Promise<void> {
  const { format } = session.output;
  const dialect = header.inputFormat === 'csv' ? await dialectOf(folder.input) : undefined;
  session.useFormat(format === 'table' ? rowFormatOf(header) : format, dialect);
}

/**
 * Prints a run again from its journal, or the shards of one input as one run. `asInput`: the original rows with
 * `_outcome`, as an input of the same command; then the table format, which no reader takes, gives way to that of the
 * input. Answers 15 when shards are missing or doubled, else 0.
 */
export async function printRunResults(
  session: Session,
  runNames: readonly string[],
  outcomes: ReadonlySet<Outcome> | undefined,
  asInput: boolean,
): Promise<number> {
  const runs = await Promise.all(runNames.map((name) => requireRun(session.stateDir(), name)));
  const { notice } = shardGaps(runs.map(({ header }) => header));
  const held = await heldRuns(runs, session.context.clock);
  const [run] = runs;
  if (run === undefined) throw new Error('no run to print');
  const { header } = run;
  const isOne = runs.length === 1;
  if (asInput) await useInputFormat(session, run);
  if (asInput && needsJson(header) && session.output.format !== 'ndjson') {
    const problem =
      'of a run with --changed-from and --empty-cells clear a table cannot tell an empty text from a cell that was left alone';
    throw usageFailure([{ where: '--as-input', problem }], ['add -o ndjson']);
  }
  const columns = await (asInput ? inputColumns(session, runs) : runColumns(operationOfRun(header)));
  const shownColumns = asInput || isOne ? columns : columns.toSpliced(1, 0, RUN_COLUMN);
  await refuseRunPrinting(session.output, shownColumns);
  const ofRun = (row: JsonObject, name: string | undefined) =>
    name === undefined ? row : new Map([...row].toSpliced(1, 0, ['run', name]));
  const shown = (row: JsonObject) => (session.isForPeople ? withShortMessage(row) : row);
  const writer = await session.openRows(
    shownColumns,
    // How many have these outcomes is known at the end.
    outcomes === undefined ? runs.reduce((rows, each) => rows + each.header.rows, 0) : 0,
  );
  const isForTable = !isJson(session.output.format) || !isTable(header.inputFormat);
  const readCells = isForTable ? (row: JsonObject) => row : cellReader(header);
  const sources = runs.map(async function* (each) {
    const name = isOne ? undefined : each.header.run;
    const stored = await StoredRun.readWhole(each);
    try {
      const rows = eachRow(rowsOfRun(session, stored));
      for await (const result of stored.results(rows, { isHeld: held.has(each.folder), outcomes }))
        yield { result, name };
    } finally {
      await stored.close();
    }
  });
  for await (const { result, name } of inRowOrder(sources, (item) => item.result.row.row)) {
    const outcome = result.ending.outcome ?? 'unknown';
    await writer.row(asInput ? readCells(inputRow(result.row, outcome)) : ofRun(shown(storedRow(result)), name));
  }
  if (notice !== undefined) await session.notify(notice);
  await writer.close();
  return notice === undefined ? 0 : FAILURES.PARTIAL.exitCode;
}
