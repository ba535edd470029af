import type { OutputPort } from '../base/context.ts';
import type { Row } from '../input/rows/row.ts';
import { type RowResult, reasonOfRow } from '../records/row-outcome.ts';
import type { ViewStyle } from '../screen/options.ts';
import { type EndedRow, outcomeHeader, outcomeLines, subjectWidthOf } from '../screen/outcome-list.ts';
import { outcomeWords } from '../screen/people-text.ts';
import { groupThousands, plural, safeText } from '../screen/text.ts';
import type { Operation } from '../service/api/operation.ts';
import { isGood } from '../service/call-outcome.ts';
import { eventName } from '../service/http/facts.ts';

/** A run of up to this many rows is shown whole. */
const SHORT_ROWS = 20;
/** Of a longer one so many rows of each cause. */
const ROWS_OF_CAUSE = 3;
/** Further causes are counted together: their words come from the service. */
const MAX_CAUSES = 50;

/** A row as a person reads it. `run`: of several runs. */
function endedRow(result: RowResult<Row>, { family, object }: Operation, run?: string): EndedRow {
  const { row, callOutcome, source } = result;
  const outcome = source === 'in_flight' ? 'in_flight' : (callOutcome.outcome ?? 'unknown');
  const { resultId } = callOutcome;
  return {
    row: row.row,
    run,
    subject: safeText(row.id ?? eventName(row.body) ?? ''),
    outcome,
    words: outcomeWords(outcome),
    isGood: isGood(callOutcome.outcome),
    reason: reasonOfRow(result, object),
    result: resultId === undefined ? undefined : { label: family === 'cards' ? 'new card' : object, id: resultId },
  };
}

/** Rows that the run stopped before. */
export function notReachedText(rows: number): string {
  return `${plural(rows, 'row was', 'rows were')} not reached`;
}

/** Prints lines, if there are any. */
export function linePrinter(stdout: OutputPort) {
  return async (lines: readonly string[]): Promise<void> => {
    if (lines.length > 0) await stdout.write(lines.map((line) => `${line}\n`).join(''));
  };
}

interface Cause {
  readonly example: EndedRow;
  rows: number;
}

/** How the rows of a change ended, for a terminal. `folds`: of more than a few only what did not succeed. */
export class RunRows {
  readonly #operation: Operation;
  readonly #style: ViewStyle;
  readonly #folds: boolean;
  readonly #isOfSeveral: boolean;
  /** The first rows, until it is known whether there are more. */
  #held: EndedRow[] | undefined = [];
  #width = 0;
  #notReached = 0;
  readonly #causes = new Map<string, Cause>();

  constructor(operation: Operation, style: ViewStyle, { folds = true, isOfSeveral = false } = {}) {
    this.#operation = operation;
    this.#style = style;
    this.#folds = folds;
    this.#isOfSeveral = isOfSeveral;
  }

  get isEmpty(): boolean {
    return this.#held?.length === 0 && this.#notReached === 0;
  }

  /** The lines to print now that this row has ended. */
  take(result: RowResult<Row>, run?: string): readonly string[] {
    if (this.#folds && result.source === 'not_reached') {
      this.#notReached += 1;
      return [];
    }
    const row = endedRow(result, this.#operation, run);
    if (this.#held === undefined) return this.#linesOf([row]);
    this.#held.push(row);
    return this.#held.length <= SHORT_ROWS ? [] : this.#begin(this.#held);
  }

  /** The lines to print after the last row. */
  end(): readonly string[] {
    const first = this.#held;
    this.#held = undefined;
    const lines = first === undefined || first.length === 0 ? [] : [...this.#head(first), ...this.#shown(first)];
    const more = [...this.#causes.values()].filter(({ rows }) => rows > ROWS_OF_CAUSE);
    return [
      ...lines,
      ...more.map(({ example: { words, reason }, rows }) => {
        return `and ${groupThousands(rows - ROWS_OF_CAUSE)} more ${words}${reason === '' ? '' : `: ${safeText(reason)}`}`;
      }),
      ...(this.#notReached > 0 ? [notReachedText(this.#notReached)] : []),
    ];
  }

  #begin(first: readonly EndedRow[]): readonly string[] {
    this.#held = undefined;
    return [...this.#head(first), ...this.#linesOf(first)];
  }

  #head(first: readonly EndedRow[]): readonly string[] {
    const { object } = this.#operation;
    this.#width = subjectWidthOf(first, object);
    return [outcomeHeader(object, this.#width, this.#isOfSeveral)];
  }

  #shown(rows: readonly EndedRow[]): readonly string[] {
    return outcomeLines(rows, this.#width, this.#style);
  }

  /** Of a run that is not short. */
  #linesOf(rows: readonly EndedRow[]): readonly string[] {
    return this.#shown(this.#folds ? rows.filter((row) => this.#isShown(row)) : rows);
  }

  #isShown(row: EndedRow): boolean {
    const { outcome, reason, subject } = row;
    if (row.isGood) return false;
    // An ID in the words of the service makes no cause of its own.
    const words = subject === '' ? reason : reason.replaceAll(subject, '…');
    const own = `${outcome} ${words}`;
    const isOwn = this.#causes.has(own) || this.#causes.size < MAX_CAUSES;
    const key = isOwn ? own : outcome;
    const cause = this.#causes.get(key) ?? { example: { ...row, reason: isOwn ? words : 'other causes' }, rows: 0 };
    this.#causes.set(key, cause);
    cause.rows += 1;
    return cause.rows <= ROWS_OF_CAUSE;
  }
}
