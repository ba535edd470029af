import type { OutputPort } from '../context.ts';
import { writeJson } from '../json/print.ts';
import { type JsonValue, rememberedText } from '../json/value.ts';
import type { RowWriter } from './options.ts';
import type { Query } from './query.ts';

/** Rows as one JSON array that grows while the work goes on, and is valid from the moment it is closed. */
export function jsonRowWriter(stdout: OutputPort): RowWriter {
  let isOpen = false;
  return {
    async row(row) {
      const before = isOpen ? ',\n  ' : '[\n  ';
      isOpen = true;
      await writeJson(row, { indent: 2, margin: '  ', before }, stdout);
    },
    async close() {
      await stdout.write(isOpen ? '\n]\n' : '[]\n');
    },
  };
}

/** Rows as a JSON array under a query: the query sees the whole array, so the rows are collected. */
export function queriedRowWriter(query: Query, writeDocument: (document: JsonValue) => Promise<void>): RowWriter {
  const rows: JsonValue[] = [];
  return {
    async row(row) {
      rows.push(row);
    },
    async close() {
      await writeDocument(query(rows));
    },
  };
}

/** Rows as one compact JSON value a line. */
export function ndjsonRowWriter(query: Query | undefined, stdout: OutputPort): RowWriter {
  // Not async: each promise of its own costs a turn of the row behind.
  const write = (row: JsonValue): Promise<void> => {
    const known = rememberedText(row);
    return known === undefined ? writeJson(row, { after: '\n' }, stdout) : stdout.write(`${known}\n`);
  };
  return { row: query === undefined ? write : async (row) => write(query(row)), async close() {} };
}
