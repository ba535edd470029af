import type { Column } from '../output/column.ts';

/** Columns of a plan's header. */
export const HEADER_COLUMNS: readonly Column[] = [
  { name: 'plan', header: 'PLAN', keep: true },
  { name: 'operation', header: 'OPERATION' },
  { name: 'rows', header: 'ROWS', align: 'right' },
  { name: 'unchanged', header: 'UNCHANGED', align: 'right' },
  { name: 'profile', header: 'PROFILE' },
  { name: 'url', header: 'URL' },
  { name: 'source', header: 'SOURCE' },
  { name: 'createdBy', header: 'CREATED BY' },
  { name: 'createdAt', header: 'CREATED' },
  { name: 'expiresAt', header: 'EXPIRES' },
  { name: 'sha256', header: 'SHA256', wide: true },
];

/** Columns of a plan's rows; of cards their reference and balance too. */
export function rowColumns(isOfCards: boolean): readonly Column[] {
  return isOfCards ? ROW_COLUMNS : ROW_COLUMNS.filter(({ name }) => !name.startsWith('about.'));
}

const ROW_COLUMNS: readonly Column[] = [
  { name: 'row', header: 'ROW', align: 'right' },
  { name: 'id', header: 'ID', keep: true },
  { name: 'about.clientReference', header: 'REFERENCE' },
  { name: 'about.currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'body', header: 'BODY' },
  { name: 'before', header: 'BEFORE' },
  { name: 'drift', header: 'DRIFT' },
];

/** Columns of an approval that was given. */
export const APPROVAL_COLUMNS: readonly Column[] = [
  { name: 'plan', header: 'PLAN', keep: true },
  { name: 'as', header: 'AS' },
  { name: 'key', header: 'KEY' },
  { name: 'file', header: 'FILE' },
];
