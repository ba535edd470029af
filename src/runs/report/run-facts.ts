import type { Outcome } from '../../base/failure.ts';
import { rateText } from '../../input/options/limits.ts';
import type { StoredRow } from '../../records/journal/entry.ts';
import type { OutcomeCounts } from '../../records/journal/record.ts';
import type { RunState } from '../../records/stored/run-entry.ts';
import type { RunHeader, RunOptions } from '../../records/stored/run-folder.ts';
import { commandWords } from '../../screen/people-text.ts';
import { formatDuration, groupThousands, plural } from '../../screen/text.ts';
import { peopleDate } from '../../service/api/iso-date.ts';
import type { NextCommand } from '../next-commands.ts';
import type { Cause } from '../run-tally.ts';
import { endedByText } from '../stop.ts';
import type { RunTimeline } from './run-timeline.ts';

/** A row as its run recorded it. `run`: which one, if there are several. */
export type ReportedRow = Pick<StoredRow, 'row' | 'id' | 'timeMs' | 'callOutcome'> & { readonly run?: string };

/** Everything that a report says of a run. It holds no secret and no customer's data. */
export interface RunFacts {
  readonly header: RunHeader;
  readonly timeline: RunTimeline;
  readonly state: RunState;
  /** Rows with a record. */
  readonly reached: number;
  readonly stoppedBy: string | undefined;
  readonly outcomes: OutcomeCounts;
  /** Rows of the input that no shard has. */
  readonly missing: number;
  readonly causes: readonly Cause<Outcome>[];
  readonly commands: readonly NextCommand[];
  readonly notes: readonly string[];
  readonly madeMs: number;
}

export function countRows({ outcomes }: RunFacts): number {
  return Object.values(outcomes).reduce((sum, rows) => sum + rows, 0);
}

function succeeded({ outcomes: { applied = 0, confirmed_by_read = 0, skipped = 0 } }: RunFacts): number {
  return applied + confirmed_by_read + skipped;
}

/** Did everything happen that was asked for? */
export function isGood(facts: RunFacts): boolean {
  return succeeded(facts) === countRows(facts) + facts.missing;
}

/** The answer to "did it work?", in one sentence without its period. */
export function headline(facts: RunFacts): string {
  const [rows, good] = [countRows(facts) + facts.missing, succeeded(facts)];
  if (facts.state === 'running')
    return `Still running: ${groupThousands(good)} of ${plural(rows, 'row')} succeeded so far`;
  if (rows === 0) return 'The run has no rows';
  if (good === rows) return rows === 1 ? 'The row succeeded' : `All ${groupThousands(rows)} rows succeeded`;
  if (good === 0) return rows === 1 ? 'The row did not succeed' : `None of ${groupThousands(rows)} rows succeeded`;
  return `${groupThousands(good)} of ${groupThousands(rows)} rows succeeded`;
}

/** What to know of the rows that did not succeed, and of the report itself, in sentences. */
export function remarks(facts: RunFacts): readonly string[] {
  const { outcomes, notes, state } = facts;
  const { unknown = 0, rejected = 0, not_sent: unsent = 0, skipped = 0 } = outcomes;
  const whose = unknown === 1 ? 'its outcome is' : 'their outcomes are';
  // While it runs, rows that wait for their response are among them.
  const doubt =
    state === 'running'
      ? `${plural(unknown, 'row has', 'rows have')} no known outcome yet.`
      : `${groupThousands(unknown)} may have been applied: ${whose} unknown. Check before anything is sent again.`;
  return [
    ...(state === 'stopped' ? [`The run was ${endingText(facts)}.`] : []),
    ...(state === 'interrupted' ? ['The process of the run was killed.'] : []),
    ...(unknown > 0 ? [doubt] : []),
    ...(rejected > 0 ? [`${plural(rejected, 'row was', 'rows were')} rejected by the service.`] : []),
    ...(skipped > 0 ? [`${plural(skipped, 'row was', 'rows were')} as wanted already (--skip-if), and not sent.`] : []),
    ...(unsent > 0 ? [`${plural(unsent, 'row was', 'rows were')} not sent${state === 'running' ? ' yet' : ''}.`] : []),
    ...notes,
  ];
}

/** How the run ended: `stopped by Ctrl-C after 849 of 3,000 rows`. */
export function endingText({ state, stoppedBy, reached, header }: RunFacts): string {
  if (state !== 'stopped' && state !== 'interrupted') return state;
  const how = state === 'interrupted' ? 'killed' : endedByText(stoppedBy);
  return `${how} after ${groupThousands(reached)} of ${plural(header.rows, 'row')}`;
}

/** `2 Apr 2027, 18:00:00 UTC`. */
export function utc(ms: number): string {
  return peopleDate(new Date(ms).toISOString(), true) ?? '';
}

/** Names of the fields with one value for all rows, without the values, which are a customer's. */
function fieldNames(defaults: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(defaults));
  } catch {
    // An option that cannot be read is left out.
    return [];
  }
}

/** A duration as typed: `30s`, `1m`. */
function durationWord(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Options whose values are numbers or frontdesk's own words. */
const SHOWN = {
  rows: '--rows',
  shard: '--shard',
  concurrency: '--concurrency',
  rate: '--rate',
  maxFailures: '--max-failures',
  timeoutMs: '--timeout',
  retries: '--retries',
  retryMaxTimeMs: '--retry-max-time',
} as const;

/** The options of a run in words. Options that may hold customers' data are only named. */
function optionWords(options: RunOptions): readonly string[] {
  const { defaults, texts, expectations, skipIf, sheet, emptyCells, csvRaw, map, where, ignoreColumns } = options;
  const filled = typeof texts === 'string' ? fieldNames(texts) : [];
  const fields = typeof defaults === 'string' ? fieldNames(defaults) : [];
  const named = (flag: string, option: RunOptions[string] | undefined) =>
    (Array.isArray(option) ? option : []).map((field) => `${flag} ${field.split(/!?=/)[0]}`);
  return [
    ...named('--map', map),
    ...named('--where', where),
    ...named('--ignore-columns', ignoreColumns),
    ...fields.map(
      (field) => `${field} (${filled.includes(field) ? 'a text with cells of the row' : 'one value for all rows'})`,
    ),
    ...named('--expect', expectations),
    ...named('--skip-if', skipIf),
    ...(typeof sheet === 'string' ? ['--sheet'] : []),
    ...(emptyCells === 'clear' ? ['--empty-cells clear'] : []),
    ...(csvRaw === true ? ['--csv-raw'] : []),
    ...Object.entries(SHOWN).flatMap(([name, flag]) => {
      const value = options[name];
      if (typeof value === 'string') return name.endsWith('Ms') ? [] : [`${flag} ${value}`];
      if (typeof value !== 'number') return [];
      if (name === 'rate') return [`${flag} ${rateText(value)}`];
      return [`${flag} ${name.endsWith('Ms') ? durationWord(value) : value}`];
    }),
  ];
}

/** The facts of the run besides its rows, as questions and answers. */
export function factList(facts: RunFacts): readonly (readonly [question: string, answer: string])[] {
  const { header, timeline } = facts;
  const { source, changedFrom, olderFile } = header.options;
  const pauses = timeline.sessions > 1 ? `, in ${timeline.sessions} sessions` : '';
  const options = optionWords(header.options);
  return [
    ['Command', commandWords(header.operation)],
    ['Run', header.run],
    ['Ended', endingText(facts)],
    ...(typeof source === 'string' ? [['Input file', source] as const] : []),
    ...(typeof changedFrom === 'string'
      ? [['Compared with', typeof olderFile === 'string' ? olderFile : 'a file'] as const]
      : []),
    ['By', header.user],
    ['Service', `${header.host} (profile ${header.profile})`],
    ['Began', utc(Date.parse(header.startedAt))],
    ['Last entry', utc(timeline.latestMs)],
    ['Working time', `${formatDuration(timeline.workMs)}${pauses}`],
    ['Options', options.length === 0 ? 'none' : options.join(', ')],
  ];
}
