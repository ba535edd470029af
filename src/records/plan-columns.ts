import { INTEGER, type Shape, shapesOf, TEXT } from '../base/json/shape.ts';
import { type Column, columnsOf } from '../screen/column.ts';

/** ISO 8601. */
const TIME: Shape<string> = { ...TEXT, format: 'date-time' };

/** The members of line 1 after the layout number, in order, with their columns. */
const HEADER = {
  /** The first twelve hex digits of `sha256`. */
  plan: { shape: TEXT, column: { header: 'PLAN', keep: true } },
  /** Dotted command path: `card.block`. */
  operation: { shape: TEXT, column: { header: 'OPERATION' } },
  url: { shape: TEXT, column: { header: 'URL' } },
  profile: { shape: TEXT, column: { header: 'PROFILE' } },
  /** Name of the operating-system user. */
  createdBy: { shape: TEXT, column: { header: 'CREATED BY' } },
  createdAt: { shape: TIME, column: { header: 'CREATED' } },
  expiresAt: { shape: TIME, column: { header: 'EXPIRES' } },
  rows: { shape: INTEGER, column: { header: 'ROWS', align: 'right' } },
  /** Rows that `--changed-from` left out. */
  unchanged: { shape: INTEGER, column: { header: 'UNCHANGED', align: 'right' } },
  /** Rows that `--skip-if` left out. */
  skipped: { shape: INTEGER, column: { header: 'SKIPPED', align: 'right' } },
  /** Of the whole file, with the values of `plan` and `sha256` in line 1 empty. */
  sha256: { shape: TEXT, column: { header: 'SHA256', wide: true } },
} as const;

export const HEADER_SHAPES = shapesOf(HEADER);

export const HEADER_COLUMNS: readonly Column[] = columnsOf({ ...HEADER, source: { column: { header: 'SOURCE' } } });

/** Columns of a plan's rows; of cards also reference and balance. */
export function rowColumns(isOfCards: boolean): readonly Column[] {
  return isOfCards ? ROW_COLUMNS : ROW_COLUMNS.filter(({ name }) => !name.startsWith('about.'));
}

export const ROW_COLUMNS: readonly Column[] = [
  { name: 'row', header: 'ROW', align: 'right' },
  { name: 'id', header: 'ID', keep: true },
  { name: 'about.clientReference', header: 'REFERENCE' },
  { name: 'about.currentBalance', header: 'BALANCE', align: 'right' },
  { name: 'body', header: 'BODY' },
  { name: 'before', header: 'BEFORE' },
  { name: 'drift', header: 'DRIFT' },
];
