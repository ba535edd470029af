import { type Notice, note, warning } from '../base/failure.ts';
import { printJson } from '../base/json/print.ts';
import type { Printer, Session } from '../command/session.ts';
import type { Row } from '../input/rows/row.ts';
import type { RowResult } from '../records/row-outcome.ts';
import { printedRow } from '../records/row-result.ts';
import { paintCount, paintsErrors, renderNotice } from '../screen/failure-text.ts';
import { isJson, type RowStream, type Surroundings } from '../screen/options.ts';
import { writingBeside } from '../screen/render.ts';
import { breakLine, plural, safeText, widthOf } from '../screen/text.ts';
import { isWrite, type Operation } from '../service/api/operation.ts';
import { canRedraw } from '../writes/ask/wait-display.ts';
import { Progress } from './progress.ts';
import type { Run } from './run.ts';
import { linePrinter, notReachedText, RunRows } from './run-rows.ts';
import type { RunResult } from './run-task.ts';
import { type LeftUnchanged, summaryJson, summaryLines, unchangedLines, uncomparedLine } from './summary.ts';

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

/** Takes what was read of a row. */
export type RowSink = (result: RowResult<Row>) => Promise<void>;

/** Takes the rows of a read instead of stdout. A stream that it writes to ends with the output. */
export interface RowPrinting {
  readonly sink: RowSink;
  readonly writer?: RowStream;
}

/** The rows of a change in a terminal: those that this process did, or all if there was nothing left to do. */
function listRows({ context, output }: Session, operation: Operation, around: Surroundings | undefined) {
  const stdout = around === undefined ? context.stdout : writingBeside(context.stdout, around);
  const style = { ...output, width: widthOf(context.stdout) ?? 80 };
  const [own, earlier] = [new RunRows(operation, style), new RunRows(operation, style)];
  const kept: string[] = [];
  const print = linePrinter(stdout);
  return {
    async row(result: RowResult<Row>): Promise<void> {
      if (result.source === 'journal') kept.push(...earlier.take(result));
      else await print(own.take(result));
    },
    close: () => print(own.isEmpty ? [...kept, ...earlier.end()] : own.end()),
  };
}

/** With `printing` that has no writer, rows that were not reached are not reported. */
export async function openRunOutput(session: Session, { operation, columns, rowCount }: Run, printing?: RowPrinting) {
  const { sink } = printing ?? {};
  const { stdout, stderr } = session.context;
  const isWriting = isWrite(operation) && sink === undefined;
  const progress = openProgress(session, rowCount);
  const around = stdout.isTerminal && stderr.isTerminal ? progress : undefined;
  const listed = isWriting && session.isPage() ? listRows(session, operation, around) : undefined;
  const writer =
    printing === undefined && listed === undefined
      ? await session.openRows(columns, rowCount, around)
      : (printing?.writer ?? NO_ROWS);
  const notices = new RowNotices();
  let notReached = 0;
  const print = (result: RowResult<Row>): Promise<void> => {
    if (listed !== undefined) return listed.row(result);
    if (isWriting) return writer.row(printedRow(result, session.isForPeople()));
    if (result.failure === undefined) return sink?.(result) ?? writer.row(result.resource ?? null, result.row.row);
    if (result.source === 'not_reached') {
      if (writer !== NO_ROWS) notReached += 1;
      return Promise.resolve();
    }
    return session.report(result.failure);
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
      await writer.close();
      await listed?.close();
      if (notReached > 0) await session.notify(warning('NOT_REACHED', notReachedText(notReached)));
    },
  };
}

async function notifyAll(session: Printer, notices: readonly Notice[]): Promise<void> {
  for (const notice of notices) await session.notify(notice);
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
  const { mask = (line: string) => line } = session.output;
  const lines = summaryLines(run, report).flatMap((line) => paint(breakLine(safeText(mask(line)), width)));
  // In a terminal the rows stand right above.
  const gap = run.stored !== undefined && session.isPage() && context.stderr.isTerminal ? '\n' : '';
  await context.stderr.write(gap + lines.map((line) => `${line}\n`).join(''));
}
