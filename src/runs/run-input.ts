import { resolve } from 'node:path';
import { Failure, type Notice, type Outcome, warning } from '../base/failure.ts';
import { errnoOf, ifPossible } from '../base/files/io-failure.ts';
import { printJson } from '../base/json/print.ts';
import { fromPlain, textAt } from '../base/json/value.ts';
import type { Profiled, Session } from '../command/session.ts';
import type { CallOptions, PaceOptions } from '../input/options/call-options.ts';
import { type MaxFailures, parseMaxFailures } from '../input/options/limits.ts';
import type { InputOptions } from '../input/records/findings.ts';
import { isTable } from '../input/records/record.ts';
import { parseShard } from '../input/records/shard.ts';
import { eachRow, type Row } from '../input/rows/row.ts';
import { readRows } from '../input/rows/row-file.ts';
import {
  lostRows,
  type RunHeader,
  type RunOptions,
  rowsFileOf,
  type StoredRunHandle,
} from '../records/stored/run-folder.ts';
import type { StoredRun } from '../records/stored/stored-run.ts';
import { plural } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { operationNamed } from '../service/api/operations.ts';
import type { CallPolicy } from '../service/http/call.ts';
import { reasonProblems, takesReason } from '../writes/write-guards.ts';
import type { RunTask } from './run-task.ts';

/** Options that make another run of the same IDs and bodies, in words. All others show in these. */
export const ROW_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['expectations', '--expect'],
  ['skipIf', '--skip-if'],
  ['shard', '--shard'],
  ['map', '--map'],
  ['where', '--where'],
  ['rows', '--rows'],
  ['texts', 'a text with {Column}'],
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
  const { defaults = {}, expectations = [], skipIf = [], emptyCells = 'keep', csvRaw = false } = rows;
  const { sheet, shard, ignoreColumns = [], templates, changedFromSha256 = null } = rows;
  const { failed } = pace;
  return {
    defaults: printJson(fromPlain(defaults)),
    expectations: expectations.map(({ field, value }) => (value === undefined ? field : `${field}=${value}`)),
    ...(skipIf.length === 0 ? {} : { skipIf: skipIf.map(({ field, values }) => `${field}=${values.join(',')}`) }),
    emptyCells,
    csvRaw,
    ...(sheet === undefined ? {} : { sheet }),
    ...(ignoreColumns.length === 0 ? {} : { ignoreColumns }),
    ...rows.shape?.typed,
    ...(templates === undefined ? {} : { texts: JSON.stringify(templates) }),
    shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
    changedFrom: changedFromSha256,
    rate: pace.rate ?? null,
    maxFailures: maxFailuresText(pace.maxFailures),
    // A resume names it.
    ...(failed === undefined ? {} : { failed: ifPossible(() => resolve(failed)) ?? failed }),
  };
}

/** A stored option that is a text. */
export const textOf = (option: RunOptions[string] | undefined) => (typeof option === 'string' ? option : undefined);

/** The pace of a resumed run: as given anew, else its own. */
export function paceOf(options: PaceOptions, { rate, maxFailures }: RunOptions): PaceOptions {
  const kept = textOf(maxFailures);
  return {
    rate: options.rate ?? (typeof rate === 'number' ? rate : undefined),
    maxFailures: options.maxFailures ?? (kept === undefined ? undefined : parseMaxFailures(kept)),
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

/** The operation of a run. USAGE if this version does not know it. */
export function operationOfRun(header: RunHeader): Operation {
  const operation = operationNamed(header.operation);
  if (operation !== undefined) return operation;
  throw new Failure('USAGE', `run ${header.run} is of ${header.operation}, which this version does not know`);
}

/** How the rows of a run were given, for the file of those that fail. */
export function inputOfRun({ stored, inputFormat, options }: RunHeader) {
  return {
    ...stored,
    // A list of IDs fits any format. IDs of the command line are stored as NDJSON, whatever --failed is called.
    inputFormat: stored.columns.every((name) => name === 'id' || name === 'cardId') ? 'ids' : inputFormat,
    csvRaw: options['csvRaw'] === true,
    isStored: true,
    shard: parseShard(textOf(options['shard']) ?? ''),
  };
}

/** The format in which the original rows of a run are written again. */
export function rowFormatOf({ inputFormat }: RunHeader): 'csv' | 'ndjson' {
  return isTable(inputFormat) || inputFormat === 'ids' ? 'csv' : 'ndjson';
}

export async function* rowsOfRun(run: StoredRunHandle | StoredRun): AsyncGenerator<readonly Row[]> {
  try {
    const path = rowsFileOf(run);
    if (run.header.inputFormat !== 'plan') return yield* readRows(path, run.header.stored.shape);
    yield* (await import('./plan/read-plan.ts')).readPlanRows(path);
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
    const { index, count } = parseShard(String(header.options['shard'] ?? '')) ?? { index: 0, count: 0 };
    return { header, index, count, key: [header.operation, header.host, header.inputSha256, count].join(' ') };
  });
  const other = shards.find(({ count, key }) => count === 0 || key !== shards[0]?.key)?.header;
  if (other !== undefined) {
    const name = other === first ? (headers[1]?.run ?? '') : first.run;
    const message = `runs ${name} and ${other.run} are not shards of one input: operation, service, input and number of shards must be the same`;
    throw new Failure('USAGE', message, { hints: [{ do: 'list the runs' }] });
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

/** Checks the rows' `reason` against the profile's `requireReason`. */
export function reasonCheck(session: Profiled, operation: Operation) {
  const profile = session.selectedProfile();
  if (profile.requireReason === undefined || !takesReason(operation)) return undefined;
  return async (good: readonly { readonly row: Row }[]) => {
    const problems = await reasonProblems(
      profile,
      good.map(({ row }) => textAt(row.body, 'reason')),
    );
    return problems.map((problem) =>
      problem === undefined ? undefined : { field: 'reason', kind: 'reason', problem },
    );
  };
}
