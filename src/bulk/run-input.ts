import { resolve } from 'node:path';
import type { Operation } from '../api/operation.ts';
import { ALL_OPERATIONS } from '../api/operations.ts';
import { Failure, type Notice, type Outcome, warning } from '../failure.ts';
import { errnoOf } from '../files/io-failure.ts';
import type { CallPolicy } from '../http/call.ts';
import type { InputOptions } from '../input/records/findings.ts';
import { isTable } from '../input/records/record.ts';
import { parseShard } from '../input/records/shard.ts';
import { printJson } from '../json/print.ts';
import { fromPlain } from '../json/value.ts';
import type { CallOptions, PaceOptions } from '../options/call-options.ts';
import { type MaxFailures, parseMaxFailures } from '../options/limits.ts';
import { plural } from '../output/text.ts';
import { eachRow, type Row } from '../rows/row.ts';
import { readRows } from '../rows/row-file.ts';
import type { RunTask } from '../run/run-task.ts';
import {
  lostRows,
  type RunHeader,
  type RunOptions,
  rowsFileOf,
  type StoredRunHandle,
  storedRowsOf,
} from '../run/stored/run-folder.ts';
import { StoredRun } from '../run/stored/stored-run.ts';
import type { Session } from '../session.ts';

/** Options that decide what is sent, in words: with other values it is another run. */
export const ROW_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['defaults', 'a value given to all rows'],
  ['expectations', '--expect'],
  ['emptyCells', '--empty-cells'],
  ['csvRaw', '--csv-raw'],
  ['sheet', '--sheet'],
  ['shard', '--shard'],
  ['ignoreColumns', '--ignore-columns'],
  ['changedFrom', '--changed-from'],
]);

/** Outcomes after which something may have changed. */
export const MAY_BE_APPLIED: ReadonlySet<Outcome> = new Set(['applied', 'confirmed_by_read', 'unknown']);

/** What a run that is taken up does with rows that may have been sent; `--reconcile` and `--resend-unknown`. */
export function unknownRowsOf({ reconcile, resendUnknown }: CallOptions): RunTask<Row>['unknownRows'] {
  if (reconcile === true) return 'reconcile';
  return resendUnknown === true ? 'resend' : 'leave';
}

function maxFailuresText(maxFailures: MaxFailures | undefined): string | null {
  if (maxFailures === undefined) return null;
  return 'rows' in maxFailures ? String(maxFailures.rows) : `${maxFailures.percent}%`;
}

/** The options for the header of a run. Nothing secret is among them. */
export function storeOptions(
  rows: Partial<InputOptions> & { readonly changedFromSha256?: string | undefined },
  pace: PaceOptions & Pick<CallOptions, 'failed'>,
): RunOptions {
  const { defaults = {}, expectations = [], emptyCells = 'keep', csvRaw = false } = rows;
  const { sheet, shard, ignoreColumns = [], changedFromSha256 = null } = rows;
  return {
    defaults: printJson(fromPlain(defaults)),
    expectations: expectations.map(({ field, value }) => (value === undefined ? field : `${field}=${value}`)),
    emptyCells,
    csvRaw,
    ...(sheet === undefined ? {} : { sheet }),
    ...(ignoreColumns.length === 0 ? {} : { ignoreColumns }),
    shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
    changedFrom: changedFromSha256,
    rate: pace.rate ?? null,
    maxFailures: maxFailuresText(pace.maxFailures),
    // A resume writes the file anew.
    ...(pace.failed === undefined ? {} : { failed: resolve(pace.failed) }),
  };
}

/** A stored option that is a text. */
export const textOf = (option: RunOptions[string] | undefined) => (typeof option === 'string' ? option : undefined);

/** The pace of a resumed run: as given anew, else its own. */
export function paceOf(given: PaceOptions, { rate, maxFailures }: RunOptions): PaceOptions {
  const kept = textOf(maxFailures);
  return {
    rate: given.rate ?? (typeof rate === 'number' ? rate : undefined),
    maxFailures: given.maxFailures ?? (kept === undefined ? undefined : parseMaxFailures(kept)),
  };
}

/** The limits of a run: those of the call; of a resumed run its own, unless given anew. */
export function limitsOf({ preferences, policy }: Session, kept: RunOptions = {}) {
  const limit = (name: 'concurrency' | Exclude<keyof CallPolicy, 'limitName'>, value: number): number => {
    const own = kept[name];
    return preferences[name].source !== 'flag' && typeof own === 'number' ? own : value;
  };
  return {
    concurrency: limit('concurrency', preferences.concurrency.value),
    timeoutMs: limit('timeoutMs', policy.timeoutMs),
    retries: limit('retries', policy.retries),
    retryMaxTimeMs: limit('retryMaxTimeMs', policy.retryMaxTimeMs),
  };
}

/** The `--failed` file of a run. */
export function failedPathOf({ options }: { readonly options: RunOptions }): string | undefined {
  return textOf(options['failed']);
}

/** The operation of a run. USAGE if this version does not know it. */
export function operationOfRun(header: RunHeader): Operation {
  const operation = ALL_OPERATIONS.find((row) => row.command === header.operation);
  if (operation !== undefined) return operation;
  throw new Failure('USAGE', `run ${header.run} is of ${header.operation}, which this version does not know`);
}

/** The format in which the original rows of a run are written again. */
export function rowFormatOf({ inputFormat }: RunHeader): 'csv' | 'ndjson' {
  return isTable(inputFormat) || inputFormat === 'ids' ? 'csv' : 'ndjson';
}

/** The rows of a run from its file; of an earlier version what its journal knows. */
export async function* rowsOfRun(run: StoredRunHandle | StoredRun): AsyncGenerator<readonly Row[]> {
  if (run.header.stored === undefined && run instanceof StoredRun) return yield* run.knownRows();
  try {
    const path = rowsFileOf(run);
    if (run.header.inputFormat !== 'plan') return yield* readRows(path, storedRowsOf(run).shape);
    yield* (await import('../plan/read-plan.ts')).readPlanRows(path);
  } catch (error) {
    const isGone = error instanceof Failure && errnoOf(error.cause) === 'ENOENT';
    throw isGone ? lostRows(run, 'are gone') : error;
  }
}

/** The same for a report: if they cannot be read, `onUnread` gets the reason, and the journal's rows follow. */
export async function* rowsOrKnown(run: StoredRun, onUnread: (failure: Failure) => unknown): AsyncGenerator<Row> {
  let last = 0;
  try {
    for await (const row of eachRow(rowsOfRun(run))) {
      yield row;
      last = row.row;
    }
    return;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await onUnread(error);
  }
  yield* eachRow(run.knownRows(last));
}

const MAX_NAMED = 20;

/**
 * What the shards of one input lack: how many rows are in no run, and the notice of missing or doubled shards. USAGE
 * unless all runs are shards of one input: same operation, place, input and number.
 */
export function shardGaps(headers: readonly RunHeader[]): { rows: number; notice: Notice | undefined } {
  const [first] = headers;
  if (first === undefined || headers.length === 1) return { rows: 0, notice: undefined };
  const shards = headers.map((header) => {
    const shard = parseShard(String(header.options['shard'] ?? ''));
    const { index, count } = 'count' in shard ? shard : { index: 0, count: 0 };
    return { header, index, count, key: [header.operation, header.host, header.inputSha256, count].join(' ') };
  });
  const other = shards.find(({ count, key }) => count === 0 || key !== shards[0]?.key)?.header;
  if (other !== undefined) {
    const name = other === first ? (headers[1]?.run ?? '') : first.run;
    const message = `runs ${name} and ${other.run} are not shards of one input: operation, service, input and number of shards must be the same`;
    throw new Failure('USAGE', message, { hints: ['list them: frontdesk runs'] });
  }
  const taken = shards.map(({ index }) => index);
  const count = shards[0]?.count ?? 0;
  const all = Array.from({ length: Math.min(count, first.inputRows) }, (_, index) => index + 1);
  const missing = all.filter((index) => !taken.includes(index));
  const doubled = [...new Set(taken.filter((index, at) => taken.indexOf(index) !== at))];
  const rows = missing.reduce((sum, index) => sum + Math.ceil((first.inputRows - index + 1) / count), 0);
  const named = (found: readonly number[], one: string, several: string) => {
    if (found.length === 0) return [];
    const more = found.length > MAX_NAMED ? ', …' : '';
    const numbers = `${found.slice(0, MAX_NAMED).join(', ')}${more} of ${count}`;
    return [found.length === 1 ? `shard ${numbers} ${one}` : `shards ${numbers} ${several}`];
  };
  const texts = [
    ...named(missing, 'is missing', 'are missing').map((text) => `${text} (${plural(rows, 'row')})`),
    ...named(doubled, 'has more than one run', 'have more than one run'),
  ];
  const notice = { ...warning('SHARDS', texts.join('; ')), facts: { missing, doubled, rows } };
  return { rows, notice: texts.length === 0 ? undefined : notice };
}

/** Merges several sources, each ascending by `row`. Of equal rows the first source's comes first. */
export async function* inRowOrder<Item>(
  sources: readonly AsyncIterable<Item>[],
  rowOf: (item: Item) => number,
): AsyncGenerator<Item> {
  const headOf = async (items: AsyncIterator<Item>) => {
    const next = await items.next();
    return next.done === true ? [] : [{ item: next.value, items }];
  };
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads = (await Promise.all(iterators.map(headOf))).flat();
    while (heads.length > 0) {
      const least = heads.reduce((one, other) => (rowOf(other.item) < rowOf(one.item) ? other : one));
      yield least.item;
      heads.splice(heads.indexOf(least), 1, ...(await headOf(least.items)));
    }
  } finally {
    // A reader that stops early must not leave the sources' files open.
    for (const items of iterators) await items.return?.();
  }
}
