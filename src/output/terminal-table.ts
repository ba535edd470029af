import Table from 'cli-table3';
import type { OutputPort } from '../context.ts';
import type { JsonValue } from '../json/value.ts';
import type { Column } from './column.ts';
import { cutText, displayWidth, padText } from './cut-text.ts';
import { type FittedColumns, type Frame, fitColumns, streamedWidths, widenLast } from './fit-columns.ts';
import type { RowWriter } from './options.ts';
import { makePaint, type Paint } from './paint.ts';
import { safeText } from './safe-text.ts';
import { safeCells } from './table.ts';

interface TerminalStyle {
  /** Terminal columns to fit into. */
  readonly width: number;
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly header: boolean;
  /** Nobody named the columns, so those that do not fit may be left out; the last line then names them. */
  readonly mayLeaveOut: boolean;
}

/** cli-table3 takes more than linear time; longer tables are padded columns that stream. */
const MAX_BORDERED_ROWS = 500;

/** Between padded columns. */
const GAP = '  ';

/** Stands for a cell inside cli-table3, one per terminal column: it never sees text from outside, nor measures it. */
const STAND_IN = '\ue000';

const ASCII_BORDERS = {
  top: '-',
  'top-mid': '+',
  'top-left': '+',
  'top-right': '+',
  bottom: '-',
  'bottom-mid': '+',
  'bottom-left': '+',
  'bottom-right': '+',
  left: '|',
  'left-mid': '+',
  mid: '-',
  'mid-mid': '+',
  right: '|',
  'right-mid': '+',
  middle: '|',
};

/**
 * A table on a terminal, fitted to its width. Its rows are held until all are known: up to 500 are drawn with
 * borders, more as padded columns. The rows of a long run (`streamed`) are padded columns too, written as they
 * come, because people watch them.
 */
export function terminalRowWriter(
  columns: readonly Column[],
  style: TerminalStyle,
  stdout: OutputPort,
  streamed: boolean,
): RowWriter {
  const paint = makePaint(style.colour);
  const held: JsonValue[] = [];
  if (streamed) {
    const frame = paddedFrame(style);
    const fitted = widenLast(fitColumns(columns, streamedWidths(columns), frame), frame);
    return paddedRowWriter(fitted, style, stdout);
  }
  return {
    async row(row) {
      held.push(row);
    },
    async close() {
      if (held.length === 0 && !style.header) return;
      const cells = held.map((row) => safeCells(row, columns));
      const isBordered = held.length <= MAX_BORDERED_ROWS;
      const natural = naturalWidths(columns, cells);
      const fitted = fitColumns(columns, natural, isBordered ? borderedFrame(style) : paddedFrame(style), (index) =>
        cells.every((row) => row[index] === ''),
      );
      const shown = held.map((row) => safeCells(row, fitted.columns));
      if (isBordered) await stdout.write(drawBordered(fitted, shown, style, paint));
      else await writePadded(fitted, shown, style, stdout);
      await stdout.write(leftOutLine(fitted, style, paint));
    },
  };
}

async function writePadded(
  fitted: FittedColumns,
  rows: readonly (readonly string[])[],
  style: TerminalStyle,
  stdout: OutputPort,
): Promise<void> {
  const lines = new PaddedLines(fitted, style, makePaint(style.colour));
  if (style.header) await stdout.write(lines.header());
  for (const cells of rows) await stdout.write(lines.line(cells));
}

function borderedFrame({ width, mayLeaveOut }: TerminalStyle): Frame {
  return { mayLeaveOut, roomOf: (count) => width - 3 * count - 1 };
}

function paddedFrame({ width, mayLeaveOut }: TerminalStyle): Frame {
  return { mayLeaveOut, roomOf: (count) => width - GAP.length * (count - 1) };
}

/** Says which columns there would be: under the names that `--columns` takes. */
function leftOutLine({ leftOut }: FittedColumns, style: TerminalStyle, paint: Paint): string {
  if (leftOut.length === 0) return '';
  const text = `Not shown (--columns names them): ${leftOut.map((column) => safeText(column.name)).join(', ')}`;
  return `${paint.faint(cutText(text, style.width, style.unicode))}\n`;
}

function paddedRowWriter(fitted: FittedColumns, style: TerminalStyle, stdout: OutputPort): RowWriter {
  const paint = makePaint(style.colour);
  const lines = new PaddedLines(fitted, style, paint);
  let headerDue = style.header;
  const header = () => {
    headerDue = false;
    return lines.header();
  };
  return {
    async row(row) {
      const line = lines.line(safeCells(row, fitted.columns));
      await stdout.write(headerDue ? header() + line : line);
    },
    async close() {
      if (headerDue) await stdout.write(header());
      await stdout.write(leftOutLine(fitted, style, paint));
    },
  };
}

class PaddedLines {
  readonly #columns: readonly Column[];
  readonly #widths: readonly number[];
  readonly #style: TerminalStyle;
  readonly #paint: Paint;

  constructor({ columns, widths }: FittedColumns, style: TerminalStyle, paint: Paint) {
    this.#columns = columns;
    this.#widths = widths;
    this.#style = style;
    this.#paint = paint;
  }

  header(): string {
    const cells = this.#columns.map((column, index) => this.#fit(safeText(column.header), column, index));
    return `${this.#paint.bold(cells.join(GAP).trimEnd())}\n`;
  }

  line(cells: readonly string[]): string {
    const fitted = cells.map((cell, index) => {
      const column = this.#columns[index];
      return this.#paint.toned(column?.tone, cell, this.#fit(cell, column, index));
    });
    return `${fitted.join(GAP).trimEnd()}\n`;
  }

  #fit(text: string, column: Column | undefined, index: number): string {
    const width = this.#widths[index] ?? 0;
    return padText(cutText(text, width, this.#style.unicode), width, column?.align);
  }
}

/** The whole table with borders. */
function drawBordered(
  { columns, widths }: FittedColumns,
  rows: readonly (readonly string[])[],
  style: TerminalStyle,
  paint: Paint,
): string {
  const shown: string[] = [];
  const standIn = (text: string, index: number, dress: (cut: string) => string): string => {
    const cut = cutText(text, widths[index] ?? 0, style.unicode);
    const width = displayWidth(cut);
    if (width > 0) shown.push(dress(cut));
    return STAND_IN.repeat(width);
  };
  const head = columns.map((column, index) => standIn(safeText(column.header), index, paint.bold));
  const table = new Table({
    ...(style.header ? { head } : {}),
    ...(style.unicode ? {} : { chars: ASCII_BORDERS }),
    colWidths: widths.map((width) => width + 2),
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { head: [], border: [], compact: true },
  });
  if (!style.header) shown.length = 0;
  for (const row of rows) {
    table.push(row.map((cell, index) => standIn(cell, index, (cut) => paint.toned(columns[index]?.tone, cell, cut))));
  }
  let next = 0;
  const filled = table.toString().replace(/\ue000+/g, () => {
    next += 1;
    return shown[next - 1] ?? '';
  });
  return `${filled}\n`;
}

function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map((column, index) => {
    let width = displayWidth(safeText(column.header));
    for (const row of rows) {
      const cell = row[index] ?? '';
      // A long cell is cut anyway: measuring 40,000 characters of it would only cost time.
      width = Math.max(width, cell.length > 1000 ? 500 : displayWidth(cell));
    }
    return width;
  });
}
