import { markedLine } from '../base/json/outside-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../base/json/value.ts';
import { type Column, cellText } from './column.ts';
import type { Result } from './options.ts';
import { safeText } from './text.ts';

/** A list as rows (members of objects, else one column `value`), an object as one resource, the rest as text. */
export function queryResult(found: JsonValue): Result {
  if (isJsonArray(found)) {
    const isTable = found.length > 0 && found.every((item) => isJsonObject(item) || isJsonArray(item));
    const rows = isTable ? found : found.map((value) => new Map([['value', value]]));
    return { kind: 'list', document: found, rows, columns: columnsFound(rows) };
  }
  if (isJsonObject(found)) return { kind: 'resource', resource: found, columns: columnsFound([found]) };
  return { kind: 'text', text: found === null ? 'null' : markedLine(safeText(cellText(found))), json: found };
}

/** Every member name of the rows, in order of appearance. */
function columnsFound(rows: readonly JsonValue[]): readonly Column[] {
  const names = new Set<string>();
  for (const row of rows) {
    if (isJsonObject(row)) for (const name of row.keys()) names.add(name);
    else if (isJsonArray(row)) for (const index of row.keys()) names.add(String(index));
  }
  if (names.size === 0) names.add('value');
  return [...names].map((name) => ({ name, header: name }));
}
