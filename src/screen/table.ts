import type { OutputPort } from '../base/context.ts';
import { markedLine } from '../base/json/outside-text.ts';
import { getPath, type JsonValue } from '../base/json/value.ts';
import { type Column, cellText } from './column.ts';
import type { RowWriter } from './options.ts';
import { safeText } from './text.ts';

/** The cells of a row for a table. The first that shows something begins the line. */
export function safeCells(row: JsonValue, columns: readonly Column[]): string[] {
  const cells = columns.map((column) => safeText(cellText(getPath(row, column.name))));
  const first = cells.findIndex((cell) => cell.trim() !== '');
  return cells.map((cell, at) => (at <= first ? markedLine(cell) : cell));
}

/** Rows as lines under a header, which comes with the first row, or at the end without rows. */
export function lineWriter(header: string, lineOf: (row: JsonValue) => string, stdout: OutputPort): RowWriter {
  let due = header;
  return {
    row(row) {
      const text = due + lineOf(row);
      due = '';
      return stdout.write(text);
    },
    async close() {
      if (due !== '') await stdout.write(due);
    },
  };
}

/** Outside a terminal: a header and one tab-separated line per row, without border, color or cuts. */
export function tabbedRowWriter(columns: readonly Column[], header: boolean, stdout: OutputPort): RowWriter {
  const line = (cells: readonly string[]) => `${cells.join('\t')}\n`;
  const headerLine = header ? line(columns.map((column) => safeText(column.header))) : '';
  return lineWriter(headerLine, (row) => line(safeCells(row, columns)), stdout);
}
