import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Column } from '../output/column.ts';
import { ROW_COLUMNS } from './plan-columns.ts';
import type { PlanHeader, PlanRow } from './plan-file.ts';

/** Columns of a change for reviewers, after row and ID. */
const CHANGE_COLUMNS = { cards: ['reference', 'status'], calendar: ['field', 'before', 'after'] } as const;

/** The names of those columns for the rows of a plan. */
export function changeColumns({ operation }: Pick<PlanHeader, 'operation'>): readonly string[] {
  return CHANGE_COLUMNS[operation.startsWith('card.') ? 'cards' : 'calendar'];
}

/** The changes of a row in these columns. */
export function planChanges({ body, before, about, drift }: PlanRow): readonly (readonly (JsonValue | undefined)[])[] {
  if (drift === 'checked') return [[about?.get('clientReference'), before?.get('status')]];
  return [...(body ?? [])].map(([field, value]) => [field, before?.get(field), value]);
}

/** The columns of a table of changes. */
export function changeTable(header: Pick<PlanHeader, 'operation'>): readonly Column[] {
  const changes = changeColumns(header).map((name): Column => ({ name, header: name.toUpperCase() }));
  return [...ROW_COLUMNS.slice(0, 2), ...changes];
}

/** The table lines of a row. */
export function changeObjects(row: PlanRow, columns: readonly Column[]): readonly JsonObject[] {
  return planChanges(row).map((values) => {
    const cells = [new JsonNumber(String(row.row)), row.id ?? null, ...values];
    return new Map(columns.flatMap(({ name }, at) => (cells[at] === undefined ? [] : [[name, cells[at]] as const])));
  });
}
