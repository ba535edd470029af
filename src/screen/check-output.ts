import { collect, type Failure, usageFailure } from '../base/failure.ts';
import { type Column, columnNames, type IsOpenPath } from './column.ts';
import { nearest } from './nearest.ts';
import { isJson, type OutputOptions } from './options.ts';

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

/** What is wrong with a column that the option `where` names: the nearest name, or all. */
function columnFaults(where: string, name: string, fixed: readonly Column[], isOpen: IsOpenPath): readonly Failure[] {
  const names = fixed.map((column) => column.name);
  if (name !== '' && (names.includes(name) || isOpen(name))) return [];
  const meant = nearest(name, names);
  const suggestion = meant === undefined ? '' : `: did you mean "${meant}"`;
  const problem = name === '' ? 'a column name is empty' : `there is no column "${name}"${suggestion}`;
  return [usageFailure([{ where, problem }], [`choose from ${names.join(', ')}`])];
}

/** The faults of the output options, before anything is sent: what the format lacks, a bad column or query. */
export async function checkOutput(
  options: OutputOptions,
  columns: readonly Column[],
  isOpen: IsOpenPath,
  isRun = false,
): Promise<readonly Failure[]> {
  const faults = await formatFaults(options);
  if (isJson(options.format)) return faults;
  const { query, columns: spec, sortBy } = options;
  // The columns of a query's result are not known yet.
  const isOpenNow: IsOpenPath = (path) => query !== undefined || isOpen(path);
  const names = spec === undefined ? [] : columnNames(spec);
  const ofColumns = names.flatMap((name) => columnFaults('--columns', name, columns, isOpenNow));
  if (sortBy === undefined) return [...faults, ...ofColumns];
  const unsorted = { where: '--sort-by', problem: 'a run prints its rows in input order and cannot be sorted' };
  const ofSort = isRun ? [usageFailure([unsorted])] : columnFaults('--sort-by', sortBy, columns, isOpenNow);
  return [...faults, ...ofColumns, ...ofSort];
}
