import { runColumns } from '../../bulk/row-requests.ts';
import { inRowOrder, operationOfRun, rowFormatOf, rowsOfRun, rowsOrKnown, shardGaps } from '../../bulk/run-input.ts';
import { withShortMessage } from '../../bulk/run-output.ts';
import { localCommand } from '../../command/command.ts';
import { refuseRunPrinting } from '../../command/printing.ts';
import {
  FAILURES,
  type Failure,
  type Notice,
  note,
  OUTCOMES,
  type Outcome,
  usageFailure,
  warning,
} from '../../failure.ts';
import { anyOf, list, object, oneOf } from '../../json/shape.ts';
import type { JsonObject } from '../../json/value.ts';
import { WORKBOOK } from '../../options/call-options.ts';
import { type Column, isOwnColumn } from '../../output/column.ts';
import { isJson } from '../../output/options.ts';
import { eachRow, needsJson, RowMaker } from '../../rows/row.ts';
import { inputRow } from '../../run/failed-file.ts';
import { storedRow } from '../../run/row-result.ts';
import { requireRun, type StoredRunHandle, storedRowsOf } from '../../run/stored/run-folder.ts';
import { heldRuns } from '../../run/stored/run-list.ts';
import { StoredRun } from '../../run/stored/stored-run.ts';
import type { Formatted, Session } from '../../session.ts';
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
    const { STORED_ROW_OUTPUT } = await import('../../run/row-result.ts');
    return anyOf(list(STORED_ROW_OUTPUT), list(INPUT_ROW));
  },
  async run(session, given) {
    const outcomes = given.outcome === undefined ? undefined : new Set(given.outcome);
    return printRunResults(session, await runNamesOf(session, given), { ...given, outcomes });
  },
});

/** The run of a row, if there are several. */
const RUN_COLUMN: Column = { name: 'run', header: 'RUN', keep: true };

/** Chooses a format that `--from` reads; of a CSV its own dialect. */
function useInputFormat(session: Formatted, run: StoredRunHandle): void {
  const { format } = session.output;
  const { dialect, shape } = storedRowsOf(run);
  session.useFormat(format === 'table' ? rowFormatOf(run.header) : format, dialect);
  if (!needsJson(shape) || session.output.format === 'ndjson') return;
  const problem =
    'of a run with --changed-from and --empty-cells clear a table cannot tell an empty text from a cell that was left alone';
  throw usageFailure([{ where: '--as-input', problem }], ['add -o ndjson']);
}

function noRows(runs: readonly string[], outcomes: ReadonlySet<Outcome>): Notice {
  const wanted = [...outcomes].map((outcome) => outcome.replaceAll('_', ' ')).join(' or ');
  return note('NO_MATCH', `no row of ${runs.join(', ')} is ${wanted}`);
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
  if (asInput) useInputFormat(session, run);
  const given = asInput
    ? [...new Set(runs.flatMap((each) => storedRowsOf(each).columns).filter((name) => !isOwnColumn(name))), '_outcome']
    : [];
  const columns = asInput ? given.map((name) => ({ name, header: name })) : runColumns(operationOfRun(header));
  const shownColumns = asInput || isOne ? columns : columns.toSpliced(1, 0, RUN_COLUMN);
  await refuseRunPrinting(session.output, shownColumns);
  const ofRun = (row: JsonObject, name: string | undefined) =>
    name === undefined ? row : new Map([...row].toSpliced(1, 0, ['run', name]));
  const shown = (row: JsonObject) => (session.isForPeople ? withShortMessage(row) : row);
  const writer = await openRows(
    shownColumns,
    // The number of rows with these outcomes is known at the end.
    outcomes === undefined ? runs.reduce((rows, each) => rows + each.header.rows, 0) : 0,
  );
  const isTyped = isJson(session.output.format);
  const unread: Failure[] = [];
  const lacking: string[] = [];
  const sources = runs.map(async function* (each) {
    const name = isOne ? undefined : each.header.run;
    const maker = asInput ? new RowMaker(storedRowsOf(each).shape) : undefined;
    const stored = await StoredRun.readWhole(each);
    if (each.header.stored === undefined && stored.reached < each.header.rows) lacking.push(each.header.run);
    try {
      const rows = asInput ? eachRow(rowsOfRun(stored)) : rowsOrKnown(stored, (failure) => unread.push(failure));
      for await (const result of stored.results(rows, { isHeld: held.has(each.folder), outcomes }))
        yield { result, name, maker };
    } finally {
      await stored.close();
    }
  });
  let isEmpty = true;
  for await (const { result, name, maker } of inRowOrder(sources, (item) => item.result.row.row)) {
    const row =
      maker === undefined
        ? ofRun(shown(storedRow(result)), name)
        : inputRow(result.row, maker, result.callOutcome.outcome ?? 'unknown', isTyped);
    await writer.row(row);
    isEmpty = false;
  }
  if (notice !== undefined) await session.notify(notice);
  for (const name of lacking) {
    // Such a run kept its input, which is no longer read.
    const message = `run ${name} was begun by an earlier build, so ids of rows that it did not reach are missing`;
    await session.notify(warning('NO_IDS', message));
  }
  await writer.close();
  if (isEmpty && outcomes !== undefined && session.isForPeople) await session.notify(noRows(runNames, outcomes));
  // Its other hint is this command.
  for (const failure of unread) throw failure.with({}, failure.hints.slice(0, 1));
  return notice === undefined ? 0 : FAILURES.PARTIAL.exitCode;
}
