import {
  FAILURES,
  type Failure,
  type Notice,
  note,
  OUTCOMES,
  type Outcome,
  usageFailure,
} from '../../../base/failure.ts';
import { anyOf, list, object, oneOf } from '../../../base/json/shape.ts';
import type { JsonObject } from '../../../base/json/value.ts';
import { localCommand } from '../../../command/command.ts';
import { refuseRunPrinting } from '../../../command/printing.ts';
import type { Formatted, Session } from '../../../command/session.ts';
import { WORKBOOK } from '../../../input/options/call-options.ts';
import { eachRow, needsJson, type Row, RowMaker } from '../../../input/rows/row.ts';
import type { RowResult } from '../../../records/row-outcome.ts';
import { storedRow } from '../../../records/row-result.ts';
import { requireRun, type StoredRunHandle } from '../../../records/stored/run-folder.ts';
import { heldRuns } from '../../../records/stored/run-list.ts';
import { StoredRun } from '../../../records/stored/stored-run.ts';
import { inputOutcome, inputRow } from '../../../runs/failed-file.ts';
import { runColumns } from '../../../runs/row-requests.ts';
import { inRowOrder, operationOfRun, rowFormatOf, rowsOfRun, rowsOrKnown, shardGaps } from '../../../runs/run-input.ts';
import { linePrinter, RunRows } from '../../../runs/run-rows.ts';
import { type Column, isOwnColumn } from '../../../screen/column.ts';
import { isJson } from '../../../screen/options.ts';
import { outcomeWords } from '../../../screen/people-text.ts';
import { widthOf } from '../../../screen/text.ts';
import type { Operation } from '../../../service/api/operation.ts';
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
  exitCodes: [15],
  examples: {
    'What went wrong?': 'runs results --last --outcome rejected,unknown',
    'The rows that were not sent, as a file to send': 'runs results --last --outcome not_sent --as-input -o csv',
    'Correct the rejected rows in a spreadsheet':
      'runs results --last --outcome rejected --as-input -o xlsx --out rejected.xlsx',
  },
  output: async () => {
    const { STORED_ROW_OUTPUT } = await import('../../../records/row-result.ts');
    return anyOf(list(STORED_ROW_OUTPUT), list(INPUT_ROW));
  },
  async run(session, values) {
    const outcomes = values.outcome === undefined ? undefined : new Set(values.outcome);
    return printRunResults(session, await runNamesOf(session, values), { ...values, outcomes });
  },
});

const RUN_COLUMN: Column = { name: 'run', header: 'RUN', keep: true };

/** Chooses a format that `--from` reads; of a CSV its own dialect. */
function useInputFormat(session: Formatted, run: StoredRunHandle): void {
  const { format } = session.output;
  const { dialect, shape } = run.header.stored;
  session.useFormat(format === 'table' ? rowFormatOf(run.header) : format, dialect);
  if (!needsJson(shape) || session.output.format === 'ndjson') return;
  const problem =
    'in a run with --changed-from and --empty-cells clear, a table cannot tell an empty text from an omitted cell';
  throw usageFailure([{ where: '--as-input', problem }], ['add -o ndjson']);
}

/** In a table, an empty text or null of a row in JSON would be a cell that is left alone. */
async function refuseLostMembers({ output: { format } }: Formatted, runs: readonly StoredRunHandle[]): Promise<void> {
  if (format !== 'csv' && format !== 'xlsx') return;
  for (const run of runs) {
    const { form } = run.header.stored.shape;
    if (form === 'cells' || form === 'id') continue;
    for await (const { row, body } of eachRow(rowsOfRun(run))) {
      const [name] = [...(body ?? [])].find(([, value]) => value === '' || value === null) ?? [];
      if (name === undefined) continue;
      const problem = `row ${row} has an empty ${name}, which a table cannot tell from an omitted cell`;
      throw usageFailure([{ where: '--as-input', problem }], ['add -o ndjson']);
    }
  }
}

function noRows(runs: readonly string[], outcomes: ReadonlySet<Outcome>): Notice {
  const wanted = [...outcomes].map(outcomeWords).join(' or ');
  return note('NO_MATCH', `no row of ${runs.join(', ')} is ${wanted}`);
}

function listResults({ context: { stdout }, output }: Session, operation: Operation, isOne: boolean) {
  const style = { ...output, width: widthOf(stdout) ?? 80 };
  const rows = new RunRows(operation, style, { folds: false, isOfSeveral: !isOne });
  const print = linePrinter(stdout);
  return {
    row: (result: RowResult<Row>, run: string | undefined) => print(rows.take(result, run)),
    close: () => print(rows.end()),
  };
}

/**
 * Prints a run again from its journal, or the shards of one input as one run. `asInput`: the original rows with
 * `_outcome`. Unreadable rows are thrown after the others (LOCAL_IO). Returns 15 if shards are missing or doubled.
 */
export async function printRunResults(
  session: Session,
  runNames: readonly string[],
  { outcomes, asInput }: { readonly outcomes: ReadonlySet<Outcome> | undefined; readonly asInput: boolean },
  openRows = session.openRows,
): Promise<number> {
  const runs = await Promise.all(runNames.map((name) => requireRun(session.stateDir(), name)));
  const { notice } = shardGaps(runs.map(({ header }) => header));
  const held = await heldRuns(runs, session.context.clock);
  const [run] = runs;
  if (run === undefined) throw new Error('no run to print');
  const { header } = run;
  const isOne = runs.length === 1;
  if (asInput) {
    useInputFormat(session, run);
    await refuseLostMembers(session, runs);
  }
  const columnNames = asInput
    ? [...new Set(runs.flatMap((each) => each.header.stored.columns).filter((name) => !isOwnColumn(name))), '_outcome']
    : [];
  const operation = operationOfRun(header);
  const columns = asInput ? columnNames.map((name) => ({ name, header: name })) : runColumns(operation);
  const shownColumns = asInput || isOne ? columns : columns.toSpliced(1, 0, RUN_COLUMN);
  await refuseRunPrinting(session.output, shownColumns);
  const ofRun = (row: JsonObject, name: string | undefined) =>
    name === undefined ? row : new Map([...row].toSpliced(1, 0, ['run', name]));
  const listed = session.isPage() && !asInput ? listResults(session, operation, isOne) : undefined;
  const writer =
    listed === undefined
      ? await openRows(
          shownColumns,
          // The number of rows with these outcomes is known at the end.
          outcomes === undefined ? runs.reduce((rows, each) => rows + each.header.rows, 0) : 0,
        )
      : undefined;
  const isTyped = isJson(session.output.format);
  const unread: Failure[] = [];
  const sources = runs.map(async function* (each) {
    const name = isOne ? undefined : each.header.run;
    const maker = asInput ? new RowMaker(each.header.stored.shape) : undefined;
    const stored = await StoredRun.readWhole(each);
    try {
      const rows = asInput ? eachRow(rowsOfRun(stored)) : rowsOrKnown(stored, (failure) => unread.push(failure));
      for await (const result of stored.results(rows, { isHeld: held.has(each.folder), outcomes })) {
        const outcome = inputOutcome(result);
        // Held back for what others did: as an input, it is no row that was not sent.
        if (asInput && outcome !== null && outcomes?.has(outcome) === false) continue;
        yield { result, name, maker };
      }
    } finally {
      stored.close();
    }
  });
  let isEmpty = true;
  for await (const { result, name, maker } of inRowOrder(sources, (item) => item.result.row.row)) {
    isEmpty = false;
    await listed?.row(result, name);
    await writer?.row(
      maker === undefined ? ofRun(storedRow(result, session.isForPeople()), name) : inputRow(result, maker, isTyped),
    );
  }
  if (notice !== undefined) await session.notify(notice);
  await listed?.close();
  await writer?.close();
  if (isEmpty && outcomes !== undefined && session.isForPeople()) await session.notify(noRows(runNames, outcomes));
  // Its other hint is this command.
  for (const failure of unread) throw failure.with({}, failure.hints.slice(0, 1));
  return notice === undefined ? 0 : FAILURES.PARTIAL.exitCode;
}
