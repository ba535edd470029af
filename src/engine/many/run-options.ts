import type { CallPolicy } from '../../http/call.ts';
import type { FieldValue } from '../../input/check-fields.ts';
import type { ExpectationInput } from '../../input/expect.ts';
import type { RowOptions } from '../../input/records/rows.ts';
import { parseShard } from '../../input/records/shard.ts';
import { parseJson } from '../../json/parse.ts';
import { fromPlain, toPlain } from '../../json/plain.ts';
import { printJson } from '../../json/print.ts';
import { isJsonObject } from '../../json/value.ts';
import type { CallOptions, PaceOptions } from '../../options/call-options.ts';
import { type MaxFailures, parseMaxFailures } from '../../options/limits.ts';
import type { RunOptions } from '../../run/run-header.ts';
import type { Session } from '../../session.ts';
import type { Run } from './run.ts';

/** Options that decide what is sent, in words: a run that is repeated with others is another run. */
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

/** What a run that is taken up does with rows that may have been sent; `--reconcile` and `--resend-unknown`. */
export function unknownRowsOf({ reconcile, resendUnknown }: CallOptions): Run['unknownRows'] {
  if (reconcile === true) return 'reconcile';
  return resendUnknown === true ? 'resend' : 'leave';
}

/** What `--expect` compares, as runs and plans keep it. */
export function expectedOf(expectations: readonly ExpectationInput[]): readonly string[] {
  return expectations.map(({ field, value }) => (value === undefined ? field : `${field}=${value}`));
}

function maxFailuresText(maxFailures: MaxFailures | undefined): string | null {
  if (maxFailures === undefined) return null;
  return 'rows' in maxFailures ? String(maxFailures.rows) : `${maxFailures.percent}%`;
}

/** The options as the header of a run keeps them. Nothing secret is among them. */
export function storeOptions(rows: Partial<RowOptions>, pace: PaceOptions): RunOptions {
  const { defaults = {}, expectations = [], emptyCells = 'keep', csvRaw = false } = rows;
  const { sheet, shard, ignoreColumns = [], changedFromSha256 = null } = rows;
  return {
    defaults: printJson(fromPlain(defaults)),
    expectations: expectedOf(expectations),
    emptyCells,
    csvRaw,
    ...(sheet === undefined ? {} : { sheet }),
    ...(ignoreColumns.length === 0 ? {} : { ignoreColumns }),
    shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
    changedFrom: changedFromSha256,
    rate: pace.rate ?? null,
    maxFailures: maxFailuresText(pace.maxFailures),
  };
}

function text(options: RunOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

function number(options: RunOptions, name: string): number | undefined {
  const value = options[name];
  return typeof value === 'number' ? value : undefined;
}

/** The options of a run as they were stored. */
export function loadRowOptions(options: RunOptions): RowOptions {
  const defaults = parseJson(text(options, 'defaults') ?? '{}');
  const { expectations, ignoreColumns } = options;
  const shard = parseShard(text(options, 'shard') ?? '');
  return {
    // Bodies of operations that take many rows hold texts, booleans and null only, which are the same plain.
    defaults: isJsonObject(defaults) ? (toPlain(defaults) as Record<string, FieldValue>) : {},
    expectations: (Array.isArray(expectations) ? expectations : []).map((entry: string) => {
      const mark = entry.indexOf('=');
      return mark === -1
        ? { field: entry, value: undefined }
        : { field: entry.slice(0, mark), value: entry.slice(mark + 1) };
    }),
    emptyCells: text(options, 'emptyCells') === 'clear' ? 'clear' : 'keep',
    csvRaw: options['csvRaw'] === true,
    sheet: text(options, 'sheet'),
    ignoreColumns: Array.isArray(ignoreColumns) ? ignoreColumns : [],
    shard: 'index' in shard ? shard : undefined,
    changedFromSha256: text(options, 'changedFrom'),
  };
}

/** The pace of a run that goes on: as it is given anew, else its own. */
export function paceOf(given: PaceOptions, options: RunOptions): PaceOptions {
  const kept = text(options, 'maxFailures');
  return {
    rate: given.rate ?? number(options, 'rate'),
    maxFailures: given.maxFailures ?? (kept === undefined ? undefined : parseMaxFailures(kept)),
  };
}

/** The session with the limits of a run that goes on: each as it is given anew, else the run's own. */
export function withLimits(session: Session, options: RunOptions): Session {
  const { preferences } = session;
  const limit = (name: 'concurrency' | keyof CallPolicy): number => {
    const { value, source } = preferences[name];
    return source === 'flag' ? value : (number(options, name) ?? value);
  };
  const policy = { timeoutMs: limit('timeoutMs'), retries: limit('retries'), retryMaxTimeMs: limit('retryMaxTimeMs') };
  const concurrency = { ...preferences.concurrency, value: limit('concurrency') };
  return session.with({ policy, preferences: { ...preferences, concurrency } });
}

/** The file of `--failed` with which a run was begun. */
export function failedPathOf({ options }: { readonly options: RunOptions }): string | undefined {
  return text(options, 'failed');
}
