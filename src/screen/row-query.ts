import { Failure, warning } from '../base/failure.ts';
import { isJsonObject, JsonNumber, type JsonValue } from '../base/json/value.ts';
import type { OutputOptions } from './options.ts';
import { compileQuery } from './query.ts';
import { plural } from './text.ts';

/** Most rows that are named: a query that does not fit fits no row. */
const NAMED_ROWS = 5;

/** A query over what comes. Where it does not fit, that is null and a warning, and the rest is printed. */
export type RowQuery = ReturnType<typeof openRowQuery>;

export function openRowQuery(expression: string, { warn }: Pick<OutputOptions, 'warn'>) {
  const query = compileQuery(expression);
  let [rows, misfits] = [0, 0];
  const find = async (value: JsonValue, row: string): Promise<JsonValue> => {
    try {
      return query(value);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      misfits += 1;
      if (misfits <= NAMED_ROWS) await warn?.(warning('QUERY_MISFIT', `${row}${error.message}`), true);
      return null;
    }
  };
  const close = async (): Promise<void> => {
    const more = misfits - NAMED_ROWS;
    if (more > 0) await warn?.(warning('QUERY_MISFIT', `--query did not fit ${plural(more, 'more row')}`), true);
    for (const odd of query.oddities()) await warn?.(warning('QUERY_NAME', `--query: ${odd}`), false);
  };
  return {
    /** What a row holds. `number`: its number, if that is not its place. */
    ofRow(row: JsonValue, number?: number): Promise<JsonValue> {
      rows += 1;
      const own = isJsonObject(row) ? row.get('row') : undefined;
      return find(row, `row ${number ?? (own instanceof JsonNumber ? own.text : rows)}: `);
    },
    async only(document: JsonValue): Promise<JsonValue> {
      const found = await find(document, '');
      await close();
      return found;
    },
    /** Says what was odd about all of it. */
    close,
  };
}
