import Table from 'cli-table3';
import type { OutputPort } from '../context.ts';
import type { Column } from './column.ts';
import { cutText, displayWidth, padText } from './cut-text.ts';
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
}

/** cli-table3 takes more than linear time; longer tables are padded columns that stream. */
const MAX_BORDERED_ROWS = 500;

/** Narrower columns say nothing; a table of too many columns is then wider than the terminal. */
const MIN_COLUMN_WIDTH = 4;
/** Between padded columns. */
const GAP = '  ';
const STREAMED_COLUMN_WIDTH = 16;
/** A card id. */
const STREAMED_ID_WIDTH = 36;

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
  const held: string[][] = [];
  if (streamed) return paddedRowWriter(columns, streamedWidths(columns, style.width), style, stdout);
  return {
    async row(row) {
      held.push(safeCells(row, columns));
    },
    async close() {
      if (held.length <= MAX_BORDERED_ROWS) {
        if (held.length > 0 || style.header) await stdout.write(drawBordered(columns, held, style, paint));
        return;
      }
      const available = style.width - GAP.length * (columns.length - 1);
      const lines = new PaddedLines(columns, fitWidths(columns, naturalWidths(columns, held), available), style, paint);
      if (style.header) await stdout.write(lines.header());
      for (const cells of held) await stdout.write(lines.line(cells));
    },
  };
}

function paddedRowWriter(
  columns: readonly Column[],
  widths: readonly number[],
  style: TerminalStyle,
  stdout: OutputPort,
): RowWriter {
  const lines = new PaddedLines(columns, widths, style, makePaint(style.colour));
  let headerDue = style.header;
  const header = () => {
    headerDue = false;
    return lines.header();
  };
  return {
    async row(row) {
      const line = lines.line(safeCells(row, columns));
      await stdout.write(headerDue ? header() + line : line);
    },
    async close() {
      if (headerDue) await stdout.write(header());
    },
  };
}

class PaddedLines {
  readonly #columns: readonly Column[];
  readonly #widths: readonly number[];
  readonly #style: TerminalStyle;
  readonly #paint: Paint;

  constructor(columns: readonly Column[], widths: readonly number[], style: TerminalStyle, paint: Paint) {
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
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: TerminalStyle,
  paint: Paint,
): string {
  const widths = fitWidths(columns, naturalWidths(columns, rows), style.width - 3 * columns.length - 1);
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

/** Natural widths cut down to what there is: the widest columns give first, those of ids last. */
function fitWidths(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  const kept = natural.map((width, index) => (columns[index]?.keep === true ? width : 0));
  const keptWidth = kept.reduce((sum, width) => sum + width, 0);
  const others = natural.filter((_, index) => kept[index] === 0);
  const needed = others.reduce((sum, width) => sum + Math.min(width, 2 * MIN_COLUMN_WIDTH), 0);
  if (keptWidth + needed <= available) {
    const limit = widthLimit(others, available - keptWidth);
    return natural.map((width, index) => (kept[index] === 0 ? Math.min(width, limit) : width));
  }
  const limit = widthLimit(natural, available);
  return natural.map((width) => Math.min(width, limit));
}

/** The greatest width that all columns may have so that their sum still fits. */
function widthLimit(natural: readonly number[], available: number): number {
  let limit = Math.max(0, ...natural);
  while (limit > MIN_COLUMN_WIDTH && natural.reduce((sum, width) => sum + Math.min(width, limit), 0) > available) {
    limit -= 1;
  }
  return limit;
}

/** Widths of columns whose cells are not known yet; the last column takes what is left. */
function streamedWidths(columns: readonly Column[], width: number): number[] {
  const natural = columns.map((column, index) => {
    if (index === columns.length - 1) return width;
    const usual = column.keep === true ? STREAMED_ID_WIDTH : STREAMED_COLUMN_WIDTH;
    return column.width ?? Math.max(displayWidth(column.header), usual);
  });
  return fitWidths(columns, natural, width - GAP.length * (columns.length - 1));
}
