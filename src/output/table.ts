import type { OutputPort } from '../context.ts';
import { getPath, type JsonValue } from '../json/value.ts';
import { type Column, cellText } from './column.ts';
import type { RowWriter } from './options.ts';
import { safeText } from './text.ts';

/** A cell for a table: safe, one line, not cut. */
export function safeCell(row: JsonValue, column: Column): string {
  return safeText(cellText(getPath(row, column.name)));
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
  return lineWriter(headerLine, (row) => line(columns.map((column) => safeCell(row, column))), stdout);
}
