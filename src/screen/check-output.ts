import { collect, type Failure, usageFailure } from '../base/failure.ts';
import { type Column, columnNames, findColumn, type IsOpenPath } from './column.ts';
import { isJson, type OutputOptions } from './options.ts';

/** Under a query, the columns are those of its result. */
export const anyPath: IsOpenPath = (path) => path !== '';

async function formatFaults(options: OutputOptions): Promise<readonly Failure[]> {
  const { format, query, raw, columns, sortBy, header, csvRaw } = options;
  const faults: Failure[] = [];
  const named = (options: Readonly<Record<string, boolean>>) =>
    Object.entries(options).flatMap(([name, isSet]) => (isSet ? [name] : []));
  const isWorkbook = format === 'xlsx';
  if (query !== undefined && !isWorkbook) {
    await collect(faults, async () => (await import('./query.ts')).compileQuery(query));
  }
  if (raw === true && (query === undefined || !isJson(format))) {
    const lacks = query === undefined ? '--query' : '-o json or ndjson';
    const hints = ['print one text of a card: --json --query status --raw'];
    faults.push(usageFailure([{ where: '--raw', problem: `needs ${lacks}` }], hints));
  }
  const unfit = isJson(format)
    ? named({ '--columns': columns !== undefined, '--sort-by': sortBy !== undefined, '--no-header': !header })
    : isWorkbook
      ? named({ '--query': query !== undefined, '--csv-raw': csvRaw, '--no-header': !header })
      : [];
  if (unfit.length === 0) return faults;
  const hints = [isWorkbook ? 'choose -o csv' : 'choose -o table or -o csv, or shape the JSON with --query'];
  const why = isWorkbook ? '' : ', which has no columns';
  return [...faults, usageFailure([{ where: unfit.join(', '), problem: `not for ${format} output${why}` }], hints)];
}

/** The faults of the output options, before anything is sent: what the format lacks, a bad column or query. */
export async function checkOutput(
  options: OutputOptions,
  columns: readonly Column[],
  isOpen: IsOpenPath,
  isRun = false,
): Promise<readonly Failure[]> {
  const faults = [...(await formatFaults(options))];
  if (isJson(options.format)) return faults;
  // The columns of a query's result are not known yet.
  const open = options.query === undefined ? isOpen : anyPath;
  for (const name of columnNames(options.columns)) {
    await collect(faults, () => findColumn('--columns', name, columns, open));
  }
  const { sortBy } = options;
  if (sortBy === undefined) return faults;
  if (!isRun) await collect(faults, () => findColumn('--sort-by', sortBy, columns, open));
  else
    faults.push(
      usageFailure([{ where: '--sort-by', problem: 'a run prints its rows in input order and cannot be sorted' }]),
    );
  return faults;
}
