import { markedLine, outside } from '../base/json/outside-text.ts';
import { displayWidth, padText, widestOf } from './cut-text.ts';
import type { ViewStyle } from './options.ts';
import { makePaint } from './paint.ts';
import { breakMessage, safeText } from './text.ts';

/** How a row of a run ended, as a person reads it. */
export interface EndedRow {
  readonly row: number;
  /** The run of several that it is of. */
  readonly run?: string | undefined;
  /** What was changed: its ID, or the name of an event. */
  readonly subject: string;
  /** What it is in data: `not_sent`. */
  readonly outcome: string;
  /** The same for people: `not sent`. */
  readonly words: string;
  readonly isGood: boolean;
  /** Why it ended so; empty if there is nothing to say. Quoted already where it is from outside. */
  readonly reason: string;
  /** The ID of a new card or event, with what it is. */
  readonly result?: { readonly label: string; readonly id: string } | undefined;
}

const GAP = '  ';
const INDENT = ' '.repeat(5);
const ROW_WIDTH = 3;

/** THE list of how rows ended. `subjectWidth`: columns for what was changed. Nothing is cut: a reason goes below. */
export function outcomeLines(rows: readonly EndedRow[], subjectWidth: number, style: ViewStyle): readonly string[] {
  const paint = makePaint(style.colour);
  return rows.flatMap(({ row, run, subject, outcome, words, reason, result }) => {
    const named = padText(markedLine(subject), subjectWidth);
    const head = [String(row).padStart(ROW_WIDTH), ...(run === undefined ? [] : [run]), named, ''].join(GAP);
    const told = safeText(reason);
    const isBeside = told !== '' && displayWidth(`${head}${words}: ${told}`) <= style.width;
    const first = `${head}${paint.toned('outcome', outcome, words)}${isBeside ? `: ${told}` : ''}`;
    const made = result === undefined ? '' : `${result.label} ${outside(safeText(result.id))}`;
    const below = [isBeside ? '' : told, made].filter((line) => line !== '');
    const broken = below.flatMap((line) => breakMessage(markedLine(line), style.width - INDENT.length, true));
    return [first, ...broken.map((line) => INDENT + line)];
  });
}

export function outcomeHeader(noun: string, subjectWidth: number, isOfSeveralRuns = false): string {
  const named = [...(isOfSeveralRuns ? ['RUN'] : []), padText(noun.toUpperCase(), subjectWidth), 'OUTCOME'];
  return ['ROW', ...named].join(GAP);
}

/** The columns that these need. */
export function subjectWidthOf(rows: readonly EndedRow[], noun: string): number {
  return widestOf(
    rows.map(({ subject }) => subject),
    noun.length,
  );
}
