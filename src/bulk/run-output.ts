import { isWrite } from '../api/operation.ts';
import { canRedraw } from '../ask/wait-display.ts';
import { StreamFailure } from '../context.ts';
import { Failure, type Notice, note, warning } from '../failure.ts';
import { printJson } from '../json/print.ts';
import { isJsonObject, type JsonObject, textAt } from '../json/value.ts';
import { paintCount, paintsErrors, renderNotice } from '../output/failure-text.ts';
import { type Format, isJson, type RowStream } from '../output/options.ts';
import { breakLine, groupThousands, plural, safeText, widthOf } from '../output/text.ts';
import type { Row } from '../rows/row.ts';
import { Progress } from '../run/progress.ts';
import type { RowResult } from '../run/row-outcome.ts';
import { printedRow } from '../run/row-result.ts';
import type { RunResult } from '../run/run-task.ts';
import { type LeftUnchanged, summaryJson, summaryLines, unchangedLines, uncomparedLine } from '../run/summary.ts';
import type { Printer, Session } from '../session.ts';
import type { Run } from './run.ts';

const REDRAW_MS = 100;
const LINE_MS = 10_000;

const NO_ROWS: RowStream = { row: async () => undefined, close: async () => undefined, flush: async () => undefined };

/** What a run shows while it works: rows on stdout, failed reads and progress on stderr. */
export type RunOutput = Awaited<ReturnType<typeof openRunOutput>>;

/** Progress on stderr: a redrawn line in a terminal, which makes room for rows; elsewhere a line every ten seconds. */
function openProgress({ context, common, output }: Session, rows: number) {
  const { stderr, clock } = context;
  const progress = new Progress(rows, clock.monotonic());
  const isDrawn = canRedraw(context);
  let isShown = false;
  const draw = (): void => {
    isShown = true;
    const text = progress.text(clock.monotonic()).slice(0, Math.max(20, (stderr.columns ?? 80) - 1));
    void stderr.write(`\r\u001b[K${text}`);
  };
  const report = (): void => {
    const notice = note('PROGRESS', progress.text(clock.monotonic()));
    void stderr.write(renderNotice(notice, output.format, context));
  };
  const timer = common.quiet ? undefined : setInterval(isDrawn ? draw : report, isDrawn ? REDRAW_MS : LINE_MS).unref();
  const clear = (): void => {
    if (isShown) void stderr.write('\r\u001b[K');
  };
  return {
    progress,
    clear,
    restore(): void {
      if (isShown) draw();
    },
    stop(): void {
      clearInterval(timer);
      clear();
      isShown = false;
    },
  };
}

/** Most rows named per code: a service that leaves a member out does so in every row. */
const NAMED_ROWS = 5;

/** The notices of rows: the first rows of each code by number, the others counted. */
class RowNotices {
  readonly #kinds = new Map<string, Pick<Notice, 'level'> & { rows: number }>();

  /** What to report of a row now. */
  of({ row, callOutcome }: RowResult): readonly Notice[] {
    return callOutcome.notices.flatMap((notice) => {
      const rows = (this.#kinds.get(notice.code)?.rows ?? 0) + 1;
      this.#kinds.set(notice.code, { level: notice.level, rows });
      return rows > NAMED_ROWS ? [] : [{ ...notice, message: `row ${row.row}: ${notice.message}` }];
    });
  }

  /** What to report at the end: how many further rows each code had. */
  atEnd(): readonly Notice[] {
    return [...this.#kinds]
      .filter(([, { rows }]) => rows > NAMED_ROWS)
      .map(([code, { level, rows }]) => {
        return { code, level, message: `${plural(rows - NAMED_ROWS, 'more row')} with ${code}` };
      });
  }
}

/** Applied rows that are printed in a terminal. Further ones are counted, so that failures stay in sight. */
const SHOWN_APPLIED = 20;

/** Rows that are counted and not printed: applied ones in a terminal, and those that were not reached. */
class FoldedRows {
  #applied = 0;
  /** Rows that were not reached. */
  left = 0;

  takes({ source, callOutcome, failure }: RowResult<Row>): boolean {
    if (source === 'not_reached') this.left += 1;
    else if (callOutcome.outcome !== 'applied' || failure !== undefined) return false;
    else this.#applied += 1;
    return source === 'not_reached' || this.#applied > SHOWN_APPLIED;
  }

  lines(): readonly string[] {
    const more = this.#applied - SHOWN_APPLIED;
    const left = `${plural(this.left, 'row was', 'rows were')} not reached`;
    return [
      ...(more > 0 ? [`${groupThousands(more)} more applied, not shown here`] : []),
      ...(this.left > 0 ? [left] : []),
    ];
  }
}

/** Takes what was read of a row. */
export type TakeRow = (result: RowResult<Row>) => Promise<void>;

/** Takes the rows of a read instead of stdout. A stream that it writes to ends with the output. */
export interface RowPrinting {
  readonly take: TakeRow;
  readonly writer?: RowStream;
}

/** With `printing` rows that were not reached are not reported. */
export async function openRunOutput(session: Session, { operation, columns, rowCount }: Run, printing?: RowPrinting) {
  const { take } = printing ?? {};
  const { stdout, stderr } = session.context;
  const isWriting = isWrite(operation) && take === undefined;
  const progress = openProgress(session, rowCount);
  const around = stdout.isTerminal && stderr.isTerminal ? progress : undefined;
  const writer =
    printing === undefined ? await session.openRows(columns, rowCount, around) : (printing.writer ?? NO_ROWS);
  const { isForPeople } = session;
  const notices = new RowNotices();
  const folded = new FoldedRows();
  const mayNotFit = isWriting && session.output.query !== undefined;
  const print = (result: RowResult<Row>): Promise<void> => {
    if (isForPeople && isWriting && folded.takes(result)) return Promise.resolve();
    if (isWriting) {
      const row = isForPeople ? withShortMessage(printedRow(result)) : printedRow(result);
      return mayNotFit ? orLost(() => writer.row(row)) : writer.row(row);
    }
    if (result.failure === undefined) return take?.(result) ?? writer.row(result.resource ?? null, result.row.row);
    if (result.source === 'not_reached') {
      if (take === undefined) folded.left += 1;
      return Promise.resolve();
    }
    return session.report(failureOfRow(result.failure, session.output.format));
  };
  const flush = async (): Promise<void> => {
    // Elsewhere the two streams are not seen together.
    if (around !== undefined) await writer.flush();
  };
  /** A line on stderr comes after the rows before it, and not into the progress. */
  const emitOnStderr = async (result: RowResult<Row>, news: readonly Notice[]): Promise<void> => {
    await flush();
    progress.clear();
    await print(result);
    if (news.length > 0) {
      await flush();
      progress.clear();
      await notifyAll(session, news);
    }
    progress.restore();
  };
  return {
    emit(result: RowResult<Row>): Promise<void> {
      // An earlier process reported its notices.
      const news = result.source === 'sent' && result.callOutcome.notices.length > 0 ? notices.of(result) : [];
      const goesToStderr = news.length > 0 || (!isWriting && result.failure !== undefined);
      return goesToStderr ? emitOnStderr(result, news) : print(result);
    },
    progress: progress.progress,
    clear: () => progress.clear(),
    /** Closes the array in any case, and stops the progress. */
    async close(): Promise<void> {
      progress.stop();
      await flush();
      await notifyAll(session, notices.atEnd());
      await (mayNotFit ? orLost(() => writer.close()) : writer.close());
      for (const line of folded.lines()) {
        await (isWriting ? stderr.write(`${line}\n`) : session.notify(warning('NOT_REACHED', line)));
      }
    },
  };
}

async function notifyAll(session: Printer, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) await session.notify(notice);
}

/** What was attempted on what, at the beginning of a row's message. A quoted name may hold anything. */
const ATTEMPT = /^(?:OUTCOME UNKNOWN - .*?\. (?=The request )|(?:could not|not sent:|cancelled:) (?:"[^"]*"|[^":])*: )/;

/** The row with its message cut to the reason: `the service returned 409 (…)`. ID and outcome are beside it. */
export function withShortMessage(row: JsonObject): JsonObject {
  const error = row.get('error');
  const message = textAt(error, 'message');
  if (!isJsonObject(error) || message === undefined) return row;
  return new Map([...row, ['error', new Map([...error, ['message', message.replace(ATTEMPT, '')]])]]);
}

/** A --query that does not fit loses rows like a full disk. Of a change it must not say that nothing was sent. */
async function orLost(print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    throw error instanceof Failure ? new StreamFailure('EINVAL', error.message) : error;
  }
}

/** People see the row in front, JSON has it as a member. */
function failureOfRow(failure: Failure, format: Format): Failure {
  const { row } = failure.details;
  if (row === undefined || isJson(format)) return failure;
  // A row that was not reached says so already.
  if (failure.message.startsWith(`row ${row} `)) return failure;
  const screen = failure.screen?.map((line, index) => (index === 0 ? `row ${row}: ${line}` : line));
  return new Failure(failure.code, `row ${row}: ${failure.message}`, { ...failure, screen });
}

/** What was left unchanged, for the JSON modes, whose summary has no place for it. */
export async function notifyUnchanged(session: Printer, left: LeftUnchanged | undefined): Promise<void> {
  for (const message of unchangedLines(left)) await session.notify(note('LEFT_UNCHANGED', message));
}

/** The summary on stderr: one line in the JSON modes; for people none with --quiet if all went well. */
export async function writeSummary(session: Session, run: Run, report: RunResult): Promise<void> {
  const { format } = session.output;
  if (isJson(format)) {
    await notifyUnchanged(session, run.left);
    const uncompared = uncomparedLine(report);
    if (uncompared !== undefined) await session.notify(note('NOT_COMPARED', uncompared));
    const { stop } = report;
    // A reader that went away reads nothing, and a signal was announced when it came.
    if (stop !== undefined && stop.kind !== 'reader_gone' && stop.kind !== 'signal') {
      const code = stop.kind === 'broken' ? stop.failure.code : 'STOPPED';
      await session.notify(warning(code, `the run stopped: ${stop.reason}`));
    }
    await session.context.stderr.write(`${printJson(summaryJson(run, report))}\n`);
    return;
  }
  if (session.common.quiet && report.exitCode === 0) return;
  const { context } = session;
  const width = widthOf(context.stderr);
  const paint = paintsErrors(context) ? paintCount : (lines: readonly string[]) => lines;
  const lines = summaryLines(run, report).flatMap((line) => paint(breakLine(safeText(line), width)));
  await context.stderr.write(lines.map((line) => `${line}\n`).join(''));
}
