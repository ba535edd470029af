import type { OutputPort } from '../base/context.ts';
import { isPlainWord, markedLine } from '../base/json/outside-text.ts';
import type { JsonValue } from '../base/json/value.ts';
import type { Column } from './column.ts';
import { displayWidth, fitText, padText } from './cut-text.ts';
import { type FittedColumns, type Frame, fitColumns, GAP, streamedWidths, widenLast } from './fit-columns.ts';
import type { Block, OutputOptions, RowWriter, WhenTall } from './options.ts';
import { makePaint, type Paint } from './paint.ts';
import { lineWriter, safeCells } from './table.ts';
import { breakLine, breakMessage, safeText, wrapOutside } from './text.ts';

/** `mayLeaveOut`: no columns were named, so some may be left out, which the last line names. */
type TerminalStyle = Pick<OutputOptions, 'colour' | 'unicode' | 'isAccessible' | 'header' | 'suggestions'> &
  Frame & { readonly whenTall?: WhenTall | undefined; readonly block?: Block | undefined; readonly now: number };

/** cli-table3 takes more than linear time. Longer tables are padded columns that stream. */
const MAX_DRAWN_ROWS = 500;

const INDENT = '  ';
/** The day of a time: of `2031-03-31T23:59:00Z`. */
const DAY = /^\d{4}-\d\d-\d\d(?=T)/;
const MIN_BELOW_WIDTH = 20;

function ruleOf({ unicode, isAccessible = false }: TerminalStyle): string {
  return isAccessible ? '' : unicode ? '─' : '-';
}

/** A rule under the header only: borders would cost three columns per column. */
function bordersOf(rule: string) {
  return {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', right: '', 'right-mid': '' },
    mid: rule,
    'mid-mid': rule.repeat(GAP.length),
    middle: GAP,
  };
}

/** A table fitted to the terminal, drawn once all rows are known, but streamed for a long run (`streamed`). */
export function terminalRowWriter(
  columns: readonly Column[],
  style: TerminalStyle,
  stdout: OutputPort,
  streamed: boolean,
): RowWriter {
  const paint = makePaint(style.colour);
  const held: JsonValue[] = [];
  if (streamed) {
    return paddedRowWriter(widenLast(fitColumns(columns, streamedWidths(columns), style), style), style, stdout);
  }
  return {
    async row(row) {
      held.push(row);
    },
    async close() {
      const { whenTall, block } = style;
      if (block !== undefined) {
        await stdout.write(
          tallText({ head: [], rows: held.map((row) => block(row, style)), last: [] }, style, stdout.rows),
        );
        return;
      }
      if (held.length === 0 && !style.header) return;
      const cells = held.map((row) => peopleCells(row, columns));
      const natural = naturalWidths(columns, cells);
      const isEmpty = (index: number) => cells.every((row) => row[index] === '');
      const fitted = fitColumns(columns, natural, style, isEmpty);
      if (held.length <= MAX_DRAWN_ROWS) {
        await stdout.write(tallText(await drawTable(fitted, held, style, paint), style, stdout.rows));
        return;
      }
      const writer = paddedRowWriter(fitted, style, stdout);
      for (const row of held) await writer.row(row);
      await writer.close();
      if (whenTall !== undefined) await stdout.write(`${whenTall.text(0)}\n`);
    },
  };
}

/** A table as printed. What has no room on the screen is left out if the first rows matter most. */
function tallText({ head, rows, last }: Drawn, { whenTall }: TerminalStyle, screen: number | undefined): string {
  const fits = fittingRows(rows, (screen ?? Number.POSITIVE_INFINITY) - head.length - last.length);
  const shown = whenTall === undefined || whenTall.keepsAll ? rows : rows.slice(0, fits);
  const said = whenTall === undefined || fits === rows.length ? [] : [whenTall.text(rows.length - shown.length)];
  return [...head, ...shown.flat(), ...last, ...said].map((line) => `${line}\n`).join('');
}

/** How many rows fit on a screen with this many lines for them. */
function fittingRows(rows: readonly (readonly string[])[], lines: number): number {
  const ends: number[] = [];
  for (const row of rows) ends.push((ends.at(-1) ?? 0) + row.length);
  if ((ends.at(-1) ?? 0) < lines) return rows.length;
  return Math.max(1, ends.filter((end) => end < lines - 1).length);
}

function peopleCells(row: JsonValue, columns: readonly Column[]): string[] {
  return safeCells(row, columns).map((cell, at) => columns[at]?.people?.(cell) ?? cell);
}

/** The lines below a row: what had no room beside it. */
function linesBelow(row: JsonValue, { below }: FittedColumns, style: TerminalStyle, paint: Paint): string[] {
  const cells = peopleCells(row, below);
  return below.flatMap((column, index) => {
    const cell = cells[index] ?? '';
    if (cell === '') return [];
    const width = Math.max(MIN_BELOW_WIDTH, style.width - INDENT.length);
    // A message quotes what is not frontdesk's own.
    if (column.below === 'plain') return breakMessage(markedLine(cell), width, true).map((line) => INDENT + line);
    const label = `${safeText(column.header).toLowerCase()} `;
    const isAlone = label.length + cell.length > width && cell.length <= width && isPlainWord(cell);
    return (isAlone ? [label, cell] : wrapOutside(label + cell, width)).map(
      (line, at) => INDENT + (at === 0 ? (paint.faint(label) + line.slice(label.length)).trimEnd() : line),
    );
  });
}

/** Names the columns that were left out, as `--columns` takes them. */
function leftOutLines({ leftOut }: FittedColumns, style: TerminalStyle, paint: Paint): readonly string[] {
  if (leftOut.length === 0) return [];
  const how = style.suggestions === undefined ? '' : ' (--columns names them)';
  const text = `Not shown${how}: ${leftOut.map((column) => safeText(column.name)).join(', ')}`;
  return breakLine(text, style.width).map(paint.faint);
}

function cellsOf({ columns, widths }: FittedColumns, { unicode }: TerminalStyle, paint: Paint, isStreamed = false) {
  const inColumn = (text: string, index: number) => {
    const width = widths[index] ?? 0;
    const day = columns[index]?.isTime === true && text.length > width ? DAY.exec(text)?.[0] : undefined;
    // Where rows stream, the widths are a guess.
    if (isStreamed && columns[index]?.keep === true) return padText(text, width);
    return fitText(day ?? text, width, unicode, columns[index]?.align);
  };
  return {
    head: () => columns.map((column, index) => paint.bold(inColumn(safeText(column.header), index))),
    row: (row: JsonValue) =>
      peopleCells(row, columns).map((cell, index) => paint.toned(columns[index]?.tone, cell, inColumn(cell, index))),
  };
}

function paddedRowWriter(fitted: FittedColumns, style: TerminalStyle, stdout: OutputPort): RowWriter {
  const paint = makePaint(style.colour);
  const cells = cellsOf(fitted, style, paint, true);
  const rule = ruleOf(style).repeat(tableWidth(fitted.widths));
  const header = style.header ? `${cells.head().join(GAP).trimEnd()}\n${rule && `${rule}\n`}` : '';
  const lineOf = (row: JsonValue) =>
    [cells.row(row).join(GAP).trimEnd(), ...linesBelow(row, fitted, style, paint)].map((line) => `${line}\n`).join('');
  const writer = lineWriter(header, lineOf, stdout);
  return {
    row: (row) => writer.row(row),
    async close() {
      await writer.close();
      for (const line of leftOutLines(fitted, style, paint)) await stdout.write(`${line}\n`);
    },
  };
}

function tableWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

/** The lines of a table: its header, its rows, and what follows them. */
type Drawn = Readonly<Record<'head' | 'last', readonly string[]>> & { readonly rows: readonly (readonly string[])[] };

async function drawTable(
  fitted: FittedColumns,
  rows: readonly JsonValue[],
  style: TerminalStyle,
  paint: Paint,
): Promise<Drawn> {
  const { default: Table } = await import('cli-table3');
  const { widths } = fitted;
  const cells = cellsOf(fitted, style, paint);
  const rule = ruleOf(style);
  // The cells are as wide as their columns. The build makes cli-table3 measure them like `displayWidth`.
  const table = new Table({
    head: style.header ? cells.head() : [],
    chars: bordersOf(rule),
    colWidths: [...widths],
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(cells.row(row));
  // Lines below a row may be wider than the columns, and follow the row's own line.
  const below = rows.map((row) => linesBelow(row, fitted, style, paint));
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  const headLines = style.header ? 1 + rule.length : 0;
  // cli-table3 draws the rule between two rows, so a header alone has none.
  if (rows.length === 0 && rule !== '') lines.push(rule.repeat(tableWidth(widths)));
  return {
    head: lines.slice(0, headLines),
    rows: lines.slice(headLines).map((line, at) => [line, ...(below[at] ?? [])]),
    last: leftOutLines(fitted, style, paint),
  };
}

function naturalWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map((column, index) => {
    let width = Math.max(1, displayWidth(safeText(column.header)));
    for (const row of rows) {
      const cell = row[index] ?? '';
      // A long cell is cut anyway, and measuring 40,000 characters takes time.
      width = Math.max(width, cell.length > 1000 ? 500 : displayWidth(cell));
    }
    return width;
  });
}
