import type { Operation } from '../api/operation.ts';
import { hintText } from '../failure.ts';
import { INTEGER, jsonOf, nullable, object, record, TEXT } from '../json/shape.ts';
import type { JsonValue } from '../json/value.ts';
import { commandWords } from '../output/people-text.ts';
import { formatSeconds, groupThousands, plural, safeText } from '../output/text.ts';
import { nextCommand, waysToSettle } from './next-commands.ts';
import { type Cause, outcomeName, RunTally, type TallyKey } from './run-tally.ts';
import type { RunResult } from './run-task.ts';
import type { RunHeader } from './stored/run-folder.ts';

const SUMMARY = object({
  /** null on a read, which keeps nothing. */
  run: nullable(TEXT),
  rows: INTEGER,
  /** Rows by outcome; of a read `read` and `failed`. */
  outcomes: record(INTEGER),
  /** Changes that this process sent, retries included. */
  requests: INTEGER,
  /** Rows that an earlier process had done. */
  earlier: INTEGER,
  exitCode: INTEGER,
  /** The command that resumes the run or resolves its outcomes; null if nothing is left to do. */
  resume: nullable(TEXT),
});

/** The last line of stderr in the JSON modes. */
export const SUMMARY_OUTPUT = object({ summary: SUMMARY });

/** What an input leaves unchanged at the service. */
export interface LeftUnchanged {
  /** Name of the file of `--changed-from`. */
  readonly older?: string | undefined;
  readonly emptyCells?: ReadonlyMap<string, number> | undefined;
  /** How many of these had a value in the file of `--changed-from`, by column. */
  readonly emptied?: ReadonlyMap<string, number> | undefined;
  /** Rows of that file that are missing in the input. */
  readonly missing?: number | undefined;
  /** Rows that do not differ from that file. */
  readonly unchanged?: number | undefined;
}

interface Summarized {
  readonly operation: Operation;
  /** Undefined on a read. */
  readonly kept?: { readonly header: Pick<RunHeader, 'run'> } | undefined;
  readonly left?: LeftUnchanged;
  /** What this process did about unknown rows. What resolved nothing is not suggested again. */
  readonly unknownRows?: 'leave' | 'reconcile' | 'resend' | undefined;
}

/** The user must act on unknown outcomes, so the word is in capitals. */
const wordOf = (key: TallyKey): string => (key === 'unknown' ? 'UNKNOWN' : outcomeName(key));
const GOOD: readonly TallyKey[] = ['applied', 'confirmed_by_read', 'read'];
const BAD: readonly TallyKey[] = ['rejected', 'failed', 'not_sent', 'unknown'];
const MAX_CAUSES = 8;

/** The summary of a run for people: counts, causes, and the next command. */
export function summaryLines(of: Summarized, report: RunResult): readonly string[] {
  const { tally } = report;
  const run = of.kept?.header.run;
  const next = nextOf(of, report);
  const good = GOOD.filter((key) => tally.of(key) > 0).map((key) => `${groupThousands(tally.of(key))} ${wordOf(key)}`);
  const work = `${plural(tally.requests, 'request')}, ${plural(tally.retries, 'retry', 'retries')}`;
  const place = run === undefined ? '' : ` (run ${run})`;
  const isPlainRead =
    run === undefined && tally.of('read') === tally.rows && tally.retries === 0 && !report.isOutputLost;
  const noun = of.operation.lists === undefined ? of.operation.object : 'list';
  if (isPlainRead && report.stop === undefined) return [plural(tally.rows, noun)];
  const lines = [
    `${commandWords(of.operation.command)}${place}: ${plural(tally.rows, 'row')}: ${good.length === 0 ? 'none succeeded' : good.join(', ')}; ${work}, ${formatSeconds(report.elapsedMs)}`,
  ];
  if (tally.fromJournal > 0) lines.push(`${plural(tally.fromJournal, 'row')} ended earlier, not sent now`);
  lines.push(...causeLines(report, run, next));
  lines.push(...unchangedLines(of.left));
  const uncompared = uncomparedLine(report);
  if (uncompared !== undefined) lines.push(uncompared);
  if (report.stop !== undefined) lines.push(safeText(`stopped: ${report.stop.reason}`), ...remedy(report, run));
  if (report.isOutputLost && report.stop?.kind !== 'broken') {
    // A read keeps nothing, so its results are lost.
    lines.push(
      `the program that reads the output stopped reading${run === undefined ? '' : '. The results are kept in the run'}`,
    );
  }
  if (next !== undefined) lines.push(`Next: ${next}`);
  if (run !== undefined && tally.of('unknown') > 0) {
    lines.push('rows with an unknown outcome may have been applied: check each one before you send it again');
  }
  return lines;
}

/** The same as JSON; of an input without rows where no report is given. */
export function summaryJson(
  of: Partial<Summarized>,
  report: Pick<RunResult, 'tally' | 'exitCode' | 'state'> = { tally: new RunTally(), exitCode: 0, state: 'finished' },
): JsonValue {
  return jsonOf(SUMMARY_OUTPUT, {
    summary: {
      run: of.kept?.header.run ?? null,
      rows: report.tally.rows,
      outcomes: report.tally.counts(),
      // A read, or the making of a plan, sends no changes.
      requests: of.kept === undefined ? 0 : report.tally.requests,
      earlier: report.tally.fromJournal,
      exitCode: report.exitCode,
      resume: nextOf(of, report) ?? null,
    },
  });
}

/** What helps before the run is resumed. A read said it with its row. */
function remedy({ stop }: RunResult, run: string | undefined): readonly string[] {
  const cause = run === undefined ? undefined : stop?.cause;
  return cause?.hints.slice(0, 1).map((hint) => safeText(`hint: ${hintText(hint)}`)) ?? [];
}

function nextOf(
  { operation, kept, unknownRows }: Partial<Summarized>,
  { state, tally }: Pick<RunResult, 'state' | 'tally'>,
): string | undefined {
  if (kept === undefined) return undefined;
  const standing = { hasLeft: state === 'stopped', unknown: tally.of('unknown') };
  return nextCommand({ run: kept.header.run, ...waysToSettle(operation, unknownRows), ...standing });
}

/** How many rows did not succeed and why: one line per outcome, and what the service returned below it. */
function causeLines({ tally }: RunResult, run: string | undefined, next: string | undefined): readonly string[] {
  const { causes } = tally;
  const shown = BAD.map((key) => ({ key, all: causes.of(key), first: causes.of(key).slice(0, MAX_CAUSES) }));
  const width = Math.max(0, ...shown.flatMap(({ first }) => first.map((cause) => leadOf(cause).length)));
  return shown.flatMap(({ key, all, first }) => {
    if (all.length === 0) return [];
    const named = first.map(({ name, rows }) => `${groupThousands(rows)} ${safeText(name)}`);
    const more = all.length > MAX_CAUSES ? ', …' : '';
    const command = `frontdesk runs results ${run} --outcome ${key}`;
    const list = run === undefined || key === 'failed' || command === next ? '' : `; list them: ${command}`;
    const count = `${groupThousands(tally.of(key))} ${wordOf(key)}: ${named.join(', ')}${more}${list}`;
    return [count, ...first.flatMap((cause) => saidLine(cause, width))];
  });
}

/** `409 CARD_EXPIRED`; empty without a response. */
function leadOf({ name, said }: Cause): string {
  if (said === undefined) return '';
  return name.startsWith('HTTP ') ? String(said.httpStatus) : `${said.httpStatus} ${safeText(name)}`;
}

function saidLine(cause: Cause, width: number): readonly string[] {
  const { said, isVaried } = cause;
  if (said === undefined) return [];
  const others = isVaried ? ` (row ${said.row}; not the same for all)` : '';
  return [`  ${leadOf(cause).padEnd(width)}  ${safeText(said.message)}${others}`];
}

/** What is left unchanged: equal rows, missing rows, and empty cells by column. */
export function unchangedLines(left: LeftUnchanged = {}): readonly string[] {
  const { emptyCells = new Map(), emptied = new Map(), missing = 0, unchanged = 0, older } = left;
  const lines = older === undefined ? [] : [`compared with ${safeText(older)}`];
  if (unchanged > 0) lines.push(`${plural(unchanged, 'row')} without a change, not sent`);
  if (missing > 0) lines.push(`${plural(missing, 'row')} in the older file but not in the input, left unchanged`);
  if (emptyCells.size > 0) lines.push(`empty cells left unchanged: ${cellsText(emptyCells)}`);
  if (emptied.size > 0) lines.push(`of these, emptied since the older file: ${cellsText(emptied)}`);
  return lines;
}

function cellsText(cells: ReadonlyMap<string, number>): string {
  return [...cells].map(([column, count]) => `${groupThousands(count)} in ${safeText(column)}`).join(', ');
}

/** How many planned rows could not be compared; undefined if all could. */
export function uncomparedLine({ tally: { uncompared } }: RunResult): string | undefined {
  if (uncompared === 0) return undefined;
  return `${plural(uncompared, 'row')} could not be compared: no command can read them, so changes since planning go unnoticed`;
}
