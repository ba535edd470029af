import { extname } from 'node:path';
import { CARD_ID } from '../../api/field.ts';
import { nearest } from '../../output/nearest.ts';
import { cleanCardId } from '../card-id.ts';
import type { TextFormat } from './record.ts';

const BY_EXTENSION: ReadonlyMap<string, TextFormat> = new Map([
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.json', 'json'],
  ['.ids', 'ids'],
]);

/** A first line longer than this is taken as it is. */
const MAX_FIRST_LINE = 64 * 1024;

/** The first line that is not blank, or undefined when its end has not come yet. */
export function firstLine(text: string, isLast: boolean): string | undefined {
  const found = /[^\s][^\r\n]*/.exec(text.slice(0, MAX_FIRST_LINE));
  if (found === null) return isLast || text.length > MAX_FIRST_LINE ? '' : undefined;
  const isWhole = found.index + found[0].length < text.length;
  return isWhole || isLast ? found[0].trimEnd() : undefined;
}

function isId(line: string, columns: readonly string[]): boolean {
  if (CARD_ID.test(line) || cleanCardId(line) !== undefined) return true;
  if (/[\s,;"]/.test(line) || columns.includes(line)) return false;
  // A header of one misspelt name must not become an id: `emial` is no id, `sub_1` and `cal2024` may be.
  return /[^a-z_.]/i.test(line) || nearest(line, columns) === undefined;
}

/**
 * The format of an input that did not name one: by the extension of its path, else by its first line that is
 * not blank. `columns` are the names that a header may have. A `.json` file that begins with `{` is NDJSON.
 */
export function detectFormat(path: string, line: string, columns: readonly string[]): TextFormat {
  const byName = BY_EXTENSION.get(extname(path).toLowerCase());
  if (byName === 'json' && line.startsWith('{')) return 'ndjson';
  if (byName !== undefined) return byName;
  if (line.startsWith('[')) return 'json';
  if (line.startsWith('{')) return 'ndjson';
  return isId(line, columns) ? 'ids' : 'csv';
}
