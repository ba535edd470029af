import type { Operation } from '../../api/operation.ts';
import { ALL_OPERATIONS } from '../../api/operations.ts';
import { Failure } from '../../failure.ts';
import { openInput } from '../../input/input-file.ts';
import { readChangedFrom } from '../../input/records/changed-from.ts';
import type { Row } from '../../input/records/interpret.ts';
import { INPUT_FORMATS, type InputFormat, isTable } from '../../input/records/record.ts';
import { rowsOf } from '../../input/records/rows.ts';
import type { KnownRun } from '../../run/run-folder.ts';
import type { RunHeader } from '../../run/run-header.ts';
import type { Session } from '../../session.ts';
import { loadRowOptions } from './run-options.ts';

/** The operation of a run as its header names it; USAGE for one that this version does not know. */
export function operationOfRun(header: RunHeader): Operation {
  const operation = ALL_OPERATIONS.find((row) => row.command === header.operation);
  if (operation !== undefined) return operation;
  throw new Failure('USAGE', `run ${header.run} is of ${header.operation}, which this version does not know`);
}

/** In which kind of file the rows of a run that did not succeed are written. */
export function failedFormatOf(header: RunHeader, columns: readonly string[]): InputFormat {
  // Any kind of file can hold mere ids: those of a command line are kept as NDJSON, whatever --failed is called.
  const isMereIds = columns.every((name) => name === 'id' || name === 'cardId');
  return isMereIds ? 'ids' : formatOfRun(header);
}

function formatOfRun(header: RunHeader): InputFormat {
  const format = INPUT_FORMATS.find((known) => known === header.inputFormat);
  if (format !== undefined) return format;
  throw new Failure('USAGE', `run ${header.run} has an input in a format that this version does not know`);
}

/** In which format the original rows of a run are written again. */
export function rowFormatOf({ inputFormat }: RunHeader): 'csv' | 'ndjson' {
  return isTable(inputFormat) || inputFormat === 'ids' ? 'csv' : 'ndjson';
}

/** The rows of a run, read from the copy of its input in the way in which the run read them. */
export async function* rowsOfRun(
  session: Session,
  run: KnownRun,
  { keepsOldCells = false }: { readonly keepsOldCells?: boolean } = {},
): AsyncGenerator<readonly Row[]> {
  const { header, folder } = run;
  const { stdin } = session.context;
  const operation = operationOfRun(header);
  const format = formatOfRun(header);
  const file = await openInput(folder.input, stdin, 'the input of the run');
  if (format === 'plan') {
    const { planReading } = await import('../../plan/read-plan.ts');
    return yield* rowsOf(file, planReading(operation));
  }
  const options = loadRowOptions(header.options);
  const path = folder.older;
  const changedFrom =
    options.changedFromSha256 === undefined
      ? undefined
      : await readChangedFrom(await openInput(path, stdin, '--changed-from'), { ...options, operation, path });
  yield* rowsOf(file, {
    ...options,
    operation,
    changedFrom,
    keepsOldCells,
    // Whether rows whose outcome is unknown may be sent was decided when the run began.
    resendUnknown: true,
    path: '',
    format,
  });
}

/** Columns of the rows of a run; those of a JSON input may differ from row to row, so all are gone through. */
export async function columnsOfRun(session: Session, run: KnownRun): Promise<readonly string[]> {
  const columns = new Set<string>();
  let last: readonly string[] | undefined;
  for await (const batch of rowsOfRun(session, run)) {
    for (const { record } of batch) {
      if (record.names !== last) for (const name of record.names) columns.add(name);
      last = record.names;
    }
  }
  return [...columns];
}
