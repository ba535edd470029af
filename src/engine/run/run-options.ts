import type { Fault } from '../../failure.ts';
import type { CallPolicy } from '../../http/call.ts';
import type { FieldValue } from '../../input/check-fields.ts';
import { INPUT_FORMATS, type InputFormat } from '../../input/records/record.ts';
import type { RowOptions } from '../../input/records/rows.ts';
import { parseShard, type Shard } from '../../input/records/shard.ts';
import { parseJson } from '../../json/parse.ts';
import { fromPlain, toPlain } from '../../json/plain.ts';
import { printJson } from '../../json/print.ts';
import { isJsonObject } from '../../json/value.ts';
import { type MaxFailures, parseMaxFailures, parseRate } from '../../options/limits.ts';
import { hasOption, lastValue, type RawInput } from '../../options/raw-input.ts';
import { choiceProblem, readValue } from '../../options/read-value.ts';
import type { RunOptions } from '../../run/run-header.ts';
import type { ResolvedPreferences } from '../../settings/resolve-preferences.ts';
import { type PlanOptions, readPlanOptions } from './plan-options.ts';

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

/** How a run is paced: kept with the run, and may be given anew at a resume. */
export interface PaceOptions {
  readonly rate: number | undefined;
  readonly maxFailures: MaxFailures | undefined;
}

export interface ManyOptions {
  readonly format: InputFormat | undefined;
  readonly sheet: string | undefined;
  readonly shard: Shard | undefined;
  readonly ignoreColumns: readonly string[];
  readonly expectRows: number | undefined;
  readonly pace: PaceOptions;
  readonly emptyCells: 'keep' | 'clear';
  readonly allowDuplicates: boolean;
  readonly resendUnknown: boolean;
  /** What becomes of the unknown rows of a run that exists already. */
  readonly unknownRows: UnknownRows;
  readonly failedPath: string | undefined;
  readonly runName: string | undefined;
  readonly changedFromPath: string | undefined;
  /** `--plan`: nothing is sent, and what would be is written there. */
  readonly plan: PlanOptions | undefined;
}

/** `--rate` and `--max-failures`; undefined where they are not given or faulty. */
export function readPace(input: RawInput, faults: Fault[]): PaceOptions {
  const rateText = lastValue(input, 'rate');
  const rate = rateText === undefined ? undefined : parseRate(rateText);
  if (rateText !== undefined && rate === undefined) {
    faults.push({ where: '--rate', problem: `must be requests a second, such as 5 or 5/s, not "${rateText}"` });
  }
  const failuresText = lastValue(input, 'max-failures');
  const maxFailures = failuresText === undefined ? undefined : parseMaxFailures(failuresText);
  if (failuresText !== undefined && maxFailures === undefined) {
    faults.push({
      where: '--max-failures',
      problem: `must be a number of rows or a percentage, such as 20 or 5%, not "${failuresText}"`,
    });
  }
  return { rate, maxFailures };
}

function readChoice<Value extends string>(
  input: RawInput,
  long: string,
  choices: readonly Value[],
  faults: Fault[],
): Value | undefined {
  const text = lastValue(input, long);
  const value = choices.find((choice) => choice === text);
  if (text !== undefined && value === undefined)
    faults.push({ where: `--${long}`, problem: choiceProblem(text, choices) });
  return value;
}

/** What a run that is taken up does with rows that may have been sent; `--reconcile` and `--resend-unknown`. */
export type UnknownRows = 'leave' | 'reconcile' | 'resend';

export function readUnknownRows(input: RawInput, faults: Fault[]): UnknownRows {
  if (hasOption(input, 'reconcile') && hasOption(input, 'resend-unknown')) {
    faults.push({ where: '--reconcile and --resend-unknown', problem: 'exclude each other' });
  }
  if (hasOption(input, 'reconcile')) return 'reconcile';
  return hasOption(input, 'resend-unknown') ? 'resend' : 'leave';
}

function readManyUnknown(input: RawInput, faults: Fault[]): UnknownRows {
  if (hasOption(input, 'reconcile') && lastValue(input, 'run') === undefined) {
    faults.push({ where: '--reconcile', problem: 'needs --run: only a run that exists has rows to read back' });
  }
  return readUnknownRows(input, faults);
}

function readExpectedRows(input: RawInput, faults: Fault[]): number | undefined {
  const text = lastValue(input, 'expect-rows');
  if (text === undefined) return undefined;
  const read = readValue({ kind: 'count', min: 0, text: '' }, text);
  if (read.ok) return read.value;
  faults.push({ where: '--expect-rows', problem: read.problem });
  return undefined;
}

/** Every option that belongs to many rows; what is wrong is added to `faults`. */
export function readManyOptions(input: RawInput, faults: Fault[]): ManyOptions {
  const shardText = lastValue(input, 'shard');
  const shard = shardText === undefined ? undefined : parseShard(shardText);
  if (shard !== undefined && 'problem' in shard) faults.push({ where: '--shard', problem: shard.problem });
  return {
    format: readChoice(input, 'from-format', INPUT_FORMATS, faults),
    sheet: lastValue(input, 'sheet'),
    shard: shard !== undefined && 'index' in shard ? shard : undefined,
    ignoreColumns: lastValue(input, 'ignore-columns')?.split(',') ?? [],
    expectRows: readExpectedRows(input, faults),
    pace: readPace(input, faults),
    emptyCells: readChoice(input, 'empty-cells', ['keep', 'clear'], faults) ?? 'keep',
    allowDuplicates: hasOption(input, 'allow-duplicates'),
    resendUnknown: hasOption(input, 'resend-unknown'),
    unknownRows: readManyUnknown(input, faults),
    failedPath: lastValue(input, 'failed'),
    runName: lastValue(input, 'run'),
    changedFromPath: lastValue(input, 'changed-from'),
    plan: readPlanOptions(input, faults),
  };
}

function maxFailuresText(maxFailures: MaxFailures | undefined): string | null {
  if (maxFailures === undefined) return null;
  return 'rows' in maxFailures ? String(maxFailures.rows) : `${maxFailures.percent}%`;
}

/** The options as the header of a run keeps them. Nothing secret is among them. */
export function storeOptions(rows: Partial<RowOptions>, pace: PaceOptions): RunOptions {
  const {
    defaults = {},
    expectations = [],
    emptyCells = 'keep',
    csvRaw = false,
    sheet,
    shard,
    ignoreColumns = [],
  } = rows;
  return {
    defaults: printJson(fromPlain(defaults)),
    expectations: expectations.map(({ field, value }) => (value === undefined ? field : `${field}=${value}`)),
    emptyCells,
    csvRaw,
    ...(sheet === undefined ? {} : { sheet }),
    ...(ignoreColumns.length === 0 ? {} : { ignoreColumns }),
    shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
    changedFrom: rows.changedFromSha256 ?? null,
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

export function loadPace(options: RunOptions): PaceOptions {
  const maxFailures = text(options, 'maxFailures');
  return {
    rate: number(options, 'rate'),
    maxFailures: maxFailures === undefined ? undefined : parseMaxFailures(maxFailures),
  };
}

/** The limits of a run that goes on: each as it is given anew, else the run's own. */
export function loadLimits(options: RunOptions, preferences: ResolvedPreferences) {
  const limit = (name: 'concurrency' | keyof CallPolicy): number => {
    const { value, source } = preferences[name];
    return source === 'flag' ? value : (number(options, name) ?? value);
  };
  const policy = { timeoutMs: limit('timeoutMs'), retries: limit('retries'), retryMaxTimeMs: limit('retryMaxTimeMs') };
  return { policy, concurrency: limit('concurrency') };
}

/** The file of `--failed` with which a run was begun. */
export function failedPathOf({ options }: { readonly options: RunOptions }): string | undefined {
  return text(options, 'failed');
}
