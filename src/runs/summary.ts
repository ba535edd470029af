import { outside, quoted } from '../base/json/outside-text.ts';
import { INTEGER, jsonOf, nullable, object, record, TEXT } from '../base/json/shape.ts';
import type { JsonValue } from '../base/json/value.ts';
import { commandOf, hintText, type NextStep } from '../base/next-step.ts';
import type { ChangedFrom } from '../input/records/changed-from.ts';
import { showValue } from '../input/values.ts';
import type { RunHeader } from '../records/stored/run-folder.ts';
import { outcomeWords } from '../screen/people-text.ts';
import { formatSeconds, groupThousands, plural, safeText } from '../screen/text.ts';
import { isWrite, type Operation } from '../service/api/operation.ts';
import { commandsToResolve, listingOf, nextStep } from './next-commands.ts';
import { type Cause, GOOD, RunTally, type TallyKey } from './run-tally.ts';
import type { RunResult } from './run-task.ts';

const SUMMARY = object(
  {
    /** null on a read, which keeps nothing. */
    run: nullable(TEXT),
    rows: INTEGER,
    /** Rows by outcome; of a read `read` and `failed`. */
    outcomes: record(INTEGER),
    /** Requests of the rows that this process sent, retries included: of a change without its card checks. */
    requests: INTEGER,
    /** Rows that an earlier process had done. */
    earlier: INTEGER,
    exitCode: INTEGER,
    /** The command that resumes the run or resolves its outcomes; null if nothing is left to do. */
    resume: nullable(TEXT),
  },
  {
    /** Rows that were sent, and whose end could not be recorded: unknown in `outcomes`. */
    unrecorded: INTEGER,
  },
);

/** The last line of stderr in the JSON modes. */
export const SUMMARY_OUTPUT = object({ summary: SUMMARY });

/** What an input leaves unchanged at the service. */
export interface LeftUnchanged {
  readonly source?: string | undefined;
  /** Name of the file of `--changed-from`. */
  readonly older?: string | undefined;
  readonly emptyCells?: ReadonlyMap<string, number> | undefined;
  /** Cells that are empty now and had a value in the file of `--changed-from`. */
  readonly emptied?: ChangedFrom['emptied'] | undefined;
  /** Rows of that file that are missing in the input, and rows that `--where` and `--rows` left out of it. */
  readonly missing?: number | undefined;
  readonly leftOut?: number | undefined;
  /** Rows that do not differ from that file. */
  readonly unchanged?: number | undefined;
}

interface Summarized {
  readonly operation: Operation;
  /** Undefined on a read. */
  readonly stored?: { readonly header: Pick<RunHeader, 'run'> } | undefined;
  readonly left?: LeftUnchanged;
  /** What this process did about unknown rows. What resolved nothing is not suggested again. */
  readonly unknownRows?: 'leave' | 'reconcile' | 'resend' | undefined;
  /** Those that a later change superseded: nothing is to do about them. */
  readonly superseded?: ReadonlySet<number> | undefined;
}

const BAD: readonly TallyKey[] = ['rejected', 'failed', 'not_sent', 'unknown'];
const MAX_CAUSES = 8;

/** The summary of a run for people: what it was, a line for each outcome, and at most two commands. */
export function summaryLines(of: Summarized, report: RunResult): readonly string[] {
  const { tally, stop } = report;
  const { operation, stored } = of;
  const noun = operation.lists === undefined ? operation.object : 'list';
  const isPlainRead =
    stored === undefined && tally.of('read') === tally.rows && tally.retries === 0 && !report.isOutputLost;
  if (isPlainRead && stop === undefined) return [plural(tally.rows, noun)];
  const uncompared = uncomparedLine(report);
  return [
    headLine(of, noun, report),
    ...outcomeLines(tally),
    ...(tally.fromJournal > 0 ? [`${plural(tally.fromJournal, 'row')} ended earlier, not sent now`] : []),
    ...unchangedLines(of.left),
    ...(uncompared === undefined ? [] : [uncompared]),
    ...(stop === undefined ? [] : [`stopped: ${stop.reason}`, ...remedy(report, stored)]),
    ...lostLines(report, stored),
    ...commandLines(of, report),
  ];
}

/** `40 cards of good.csv, run 20261128-2039-c66d02, 6 s`. */
function headLine({ stored, left }: Summarized, noun: string, { tally, elapsedMs }: RunResult): string {
  const source = left?.source === undefined ? '' : ` of ${outside(left.source)}`;
  const run = stored === undefined ? [] : [`run ${stored.header.run}`];
  const retries = tally.retries === 0 ? [] : [plural(tally.retries, 'retry', 'retries')];
  return [`${plural(tally.rows, noun)}${source}`, ...run, ...retries, formatSeconds(elapsedMs)].join(', ');
}

/** A line for each outcome: how many rows, and of those that did not succeed why. */
function outcomeLines(tally: RunTally): readonly string[] {
  const keys = [...GOOD, ...BAD].filter((key) => tally.of(key) > 0);
  const width = Math.max(0, ...keys.map((key) => groupThousands(tally.of(key)).length));
  return keys.map((key) => {
    const causes = tally.causes.of(key);
    const named = causes
      .slice(0, MAX_CAUSES)
      .map((cause) => `${groupThousands(cause.rows)} ${causeText(cause, causes.length === 1)}`);
    const more = causes.length > MAX_CAUSES ? ', …' : '';
    const why = named.length === 0 ? '' : `: ${named.join(', ')}${more}`;
    const danger = key === 'unknown' ? '; may have been applied' : '';
    return `  ${groupThousands(tally.of(key)).padStart(width)} ${outcomeWords(key)}${why}${danger}`;
  });
}

/** The service's code, and of a cause that is alone its words, if they are the same in every row. */
function causeText({ name, reported, isVaried }: Cause, isAlone: boolean): string {
  if (name === 'OUTCOME_UNKNOWN') return 'no response';
  if (!isAlone || reported === undefined || isVaried === true) return name;
  // With a 2xx it is frontdesk that says what is wrong with the answer.
  return `${name}: ${reported.httpStatus < 300 ? reported.message : quoted(reported.message)}`;
}

/** A read keeps nothing, so its results are lost. */
function lostLines({ isOutputLost, stop }: RunResult, stored: Summarized['stored']): readonly string[] {
  if (!isOutputLost || stop?.kind === 'broken') return [];
  const where = stored === undefined ? '' : '. The results are kept in the run';
  return [`the program that reads the output stopped reading${where}`];
}

/** The command that goes on, and the one that lists all rows that did not succeed. */
function commandLines(of: Summarized, report: RunResult): readonly string[] {
  const run = of.stored?.header.run;
  if (run === undefined) return [];
  const { tally, state } = report;
  const step = nextOf(of, report);
  const next = step && commandOf(step);
  if (tally.heldBack > 0 && tally.heldBack === tally.toDo) {
    const { closing } = tally;
    const isOpen = typeof closing === 'string' || closing?.do !== 'see how it ended';
    const first = (tally.heldBack === 1 || !isOpen ? closing : undefined) ?? { do: 'list what is open' };
    return [`Before a resume: ${hintText(first)}`, `Then: ${next}`];
  }
  const bad = BAD.filter((key) => tally.of(key) > 0);
  const rows = bad.reduce((sum, key) => sum + tally.of(key), 0);
  const all = listingOf(run, bad);
  const unknown = tally.of('unknown');
  const isReadOnly = state !== 'stopped' && step?.do === 'resume it with a check of the cards';
  const purpose = isReadOnly ? `, which reads ${plural(unknown, of.operation.object)} and sends nothing` : '';
  return [
    ...(next === undefined ? [] : [`Next${purpose}: ${next}`]),
    ...(rows === 0 || all === next ? [] : [`${rows === 1 ? 'That row' : `All ${groupThousands(rows)} rows`}: ${all}`]),
  ];
}

/** The same as JSON; of an input without rows where no report is given. */
export function summaryJson(
  of: Partial<Summarized>,
  report: Pick<RunResult, 'tally' | 'exitCode' | 'state'> = { tally: new RunTally(), exitCode: 0, state: 'finished' },
): JsonValue {
  const next = nextOf(of, report);
  return jsonOf(SUMMARY_OUTPUT, {
    summary: {
      run: of.stored?.header.run ?? null,
      rows: report.tally.rows,
      outcomes: report.tally.counts(),
      // What a plan that is made reads of its cards is no request of a row.
      requests:
        of.operation === undefined || (isWrite(of.operation) && of.stored === undefined) ? 0 : report.tally.requests,
      earlier: report.tally.fromJournal,
      ...(report.tally.unrecorded === 0 ? {} : { unrecorded: report.tally.unrecorded }),
      exitCode: report.exitCode,
      resume: next === undefined ? null : commandOf(next),
    },
  });
}

/** What helps before the run is resumed. A read said it with its row. */
function remedy({ stop }: RunResult, stored: Summarized['stored']): readonly string[] {
  const cause = stored === undefined ? undefined : stop?.cause;
  return cause?.hints.slice(0, 1).map((hint) => `hint: ${hintText(hint)}`) ?? [];
}

function nextOf(
  { operation, stored, unknownRows, superseded }: Partial<Summarized>,
  { state, tally }: Pick<RunResult, 'state' | 'tally'>,
): NextStep | undefined {
  if (stored === undefined) return undefined;
  const standing = { hasLeft: state === 'stopped', unknown: tally.of('unknown') - (superseded?.size ?? 0) };
  return nextStep({ run: stored.header.run, ...commandsToResolve(operation, unknownRows), ...standing });
}

export function onlyOlder(missing: number, leftOut: number): string {
  return `${plural(missing, 'row')} in the older file but not ${leftOut > 0 ? 'among the rows taken' : 'in the input'}`;
}

/** What is left unchanged: equal rows, missing rows, and empty cells. `sign`: before cells that were emptied. */
export function unchangedLines(left: LeftUnchanged = {}, sign = ''): readonly string[] {
  const { emptyCells = new Map(), emptied, missing = 0, leftOut = 0, unchanged = 0, older } = left;
  const lines = older === undefined ? [] : [`compared with ${outside(older)}`];
  if (unchanged > 0) lines.push(`${plural(unchanged, 'row')} without a change, not sent`);
  if (missing > 0) lines.push(`${onlyOlder(missing, leftOut)}, left unchanged`);
  if (emptyCells.size > 0)
    lines.push(
      `empty cells not sent: ${[...emptyCells].map(([column, count]) => `${groupThousands(count)} in ${outside(column)}`).join(', ')}`,
    );
  return emptied === undefined ? lines : [...lines, ...emptiedLines(emptied, sign)];
}

function emptiedLines({ count, first }: NonNullable<LeftUnchanged['emptied']>, sign: string): readonly string[] {
  const way = '(--empty-cells clear does that)';
  const more = count - first.length;
  return [
    ...first.map(({ place, id, field, old }) => {
      const was = `${sign}${place}, ${outside(safeText(id))}: ${outside(field)} was ${showValue(old)} and is empty now`;
      return `${was}. It is not cleared ${way}`;
    }),
    ...(more > 0 ? [`${sign}and ${plural(more, 'emptied cell')} more, not cleared either`] : []),
  ];
}

/** How many planned rows could not be compared; undefined if all could. */
export function uncomparedLine({ tally: { uncompared } }: RunResult): string | undefined {
  if (uncompared === 0) return undefined;
  return `${plural(uncompared, 'row')} could not be compared: no command can read them, so changes since planning go unnoticed`;
}
