import type { BulkReport } from '../bulk/engine.ts';
import { Progress } from '../bulk/progress.ts';
import type { RowResult } from '../bulk/row-outcome.ts';
import { printedRow } from '../bulk/row-result.ts';
import { summaryJson, summaryLines } from '../bulk/summary.ts';
import type { Session } from '../commands/session.ts';
import { Failure } from '../failure.ts';
import type { Row } from '../input/records/interpret.ts';
import { printJson } from '../json/print.ts';
import type { Column } from '../output/column.ts';
import { renderFailure, renderNotice } from '../output/failure-text.ts';
import type { Format } from '../output/options.ts';
import type { RowWriter } from '../output/render.ts';
import { safeText } from '../output/safe-text.ts';

const REDRAW_MS = 100;
const LINE_MS = 10_000;

/** Everything that a run shows while it goes on: rows on stdout, failed reads and progress on stderr. */
export interface RunOutput {
  emit(result: RowResult<Row>): Promise<void>;
  onEnded(result: RowResult<Row>): void;
  /** Closes the array, whatever happened, and stops the progress. */
  close(): Promise<void>;
}

interface RunOutputOptions {
  readonly session: Session;
  readonly isWrite: boolean;
  readonly columns: readonly Column[];
  readonly rows: number;
}

/** Progress on stderr: a line that is drawn anew on a terminal, one every ten seconds elsewhere. */
class ProgressLine {
  readonly #session: Session;
  readonly #progress: Progress;
  readonly #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  constructor(session: Session, rows: number) {
    this.#session = session;
    this.#progress = new Progress(rows, session.context.clock.monotonic());
    if (session.common.quiet) return;
    const { stderr } = session.context;
    this.#timer = setInterval(
      () => (stderr.isTerminal ? this.#draw() : this.#tell()),
      stderr.isTerminal ? REDRAW_MS : LINE_MS,
    );
    this.#timer.unref();
  }

  ended(result: RowResult): void {
    this.#progress.ended(result);
  }

  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    void this.#session.context.stderr.write('\r\u001b[K');
  }

  stop(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #draw(): void {
    this.#isShown = true;
    const { stderr, clock } = this.#session.context;
    const text = this.#progress.text(clock.monotonic()).slice(0, Math.max(20, (stderr.columns ?? 80) - 1));
    void stderr.write(`\r\u001b[K${text}`);
  }

  #tell(): void {
    const { stderr, clock } = this.#session.context;
    const notice = { code: 'PROGRESS', level: 'note', message: this.#progress.text(clock.monotonic()) } as const;
    void stderr.write(renderNotice(notice, this.#session.output.format, stderr.isTerminal));
  }
}

export async function openRunOutput(options: RunOutputOptions): Promise<RunOutput> {
  const { session, isWrite } = options;
  const { stdout, stderr } = session.context;
  const writer: RowWriter = await session.openRows(options.columns, options.rows);
  const progress = new ProgressLine(session, options.rows);
  const sharesTerminal = stdout.isTerminal && stderr.isTerminal;
  return {
    async emit(result) {
      if (sharesTerminal) progress.clear();
      if (isWrite) return writer.row(printedRow(result));
      if (result.failure === undefined) return writer.row(result.resource ?? null);
      progress.clear();
      await stderr.write(
        renderFailure(failureOfRow(result.failure, session.output.format), session.output.format, { debug: false }),
      );
    },
    onEnded: (result) => progress.ended(result),
    async close() {
      progress.stop();
      await writer.close();
    },
  };
}

/** For people the row stands in front; JSON has it as a member. */
function failureOfRow(failure: Failure, format: Format): Failure {
  const { row } = failure.details;
  if (row === undefined || format === 'json' || format === 'ndjson') return failure;
  return new Failure(failure.code, `row ${row}: ${failure.message}`, {
    hints: failure.hints,
    details: failure.details,
  });
}

interface SummaryFacts {
  readonly report: BulkReport;
  readonly run: string | undefined;
  readonly canReconcile: boolean;
  readonly emptyCells?: ReadonlyMap<string, number>;
  readonly unchanged?: number;
}

/** The last words of a run on stderr; in the JSON modes one line, also with --quiet. */
export async function writeSummary(session: Session, facts: SummaryFacts): Promise<void> {
  const { format } = session.output;
  const summary = { ...facts, command: session.operation };
  if (format === 'json' || format === 'ndjson') {
    await session.context.stderr.write(`${printJson(summaryJson(summary))}\n`);
    return;
  }
  const lines = summaryLines(summary).map((line) => `${safeText(line)}\n`);
  await session.context.stderr.write(lines.join(''));
}
