import type { OutputPort } from '../context.ts';
import { getPath } from '../json/plain.ts';
import type { JsonValue } from '../json/value.ts';
import { type Column, cellText } from './column.ts';
import type { RowWriter } from './options.ts';
import { safeText } from './safe-text.ts';

/** The cells of a row as a table shows them: safe, one line each, not cut. */
export function safeCells(row: JsonValue, columns: readonly Column[]): string[] {
  return columns.map((column) => safeText(cellText(getPath(row, column.name))));
}

/** Off a terminal: a header and one line per row, tab-separated; no border, no colour, nothing cut. */
export function tabbedRowWriter(columns: readonly Column[], header: boolean, stdout: OutputPort): RowWriter {
  let headerDue = header;
  const headerLine = () => {
    headerDue = false;
    return `${columns.map((column) => safeText(column.header)).join('\t')}\n`;
  };
  return {
    async row(row) {
      const line = `${safeCells(row, columns).join('\t')}\n`;
      await stdout.write(headerDue ? headerLine() + line : line);
    },
    async close() {
      if (headerDue) await stdout.write(headerLine());
    },
  };
}
