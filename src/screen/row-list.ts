import { displayWidth, padText, widestOf } from './cut-text.ts';
import { dangerSign, wrapOutside } from './text.ts';

/** A row of a change of cards, as a person decides about it. Texts from outside are safe already. */
export interface ListedRow {
  readonly row: number;
  readonly id: string;
  readonly reference: string;
  readonly balance: string;
  readonly status: string;
  /** Has the card that status already? */
  readonly isAlready: boolean;
  /** The reason that is sent; empty if there is none, or if it is the same for all and shown elsewhere. */
  readonly reason: string;
  /** Why the card could not be read; empty if it was. */
  readonly unread: string;
}

const INDENT = ' '.repeat(5);
const GAP = '  ';
const [REFERENCE, BALANCE, STATUS, REASON] = [2, 3, 4, 5];
const RIGHT = new Set([0, 3]);
/** What stands below the rows where a line would be too long: the first of these that helps. */
const BELOW = [[], [REFERENCE], [STATUS], [BALANCE], [REFERENCE, STATUS, BALANCE]];

/**
 * The list of cards that will be changed, in a question and in a plan (`statusHeader`: NOW, WHEN PLANNED). Nothing is
 * cut: what has no room beside its row stands below it. Columns without a cell are left out.
 */
export function rowListLines(
  rows: readonly ListedRow[],
  statusHeader: string,
  { width, unicode }: { readonly width: number; readonly unicode: boolean },
): readonly string[] {
  const sign = `${dangerSign({ unicode })} already`;
  const named = ['ROW', 'CARD', 'REFERENCE', 'BALANCE', statusHeader, 'REASON'];
  const all = rows.map(({ row, id, reference, balance, status, reason, unread }) => {
    return unread === '' ? [String(row), id, reference, balance, status, reason] : [String(row), id];
  });
  const natural = named.map((name, at) => {
    const widest = widestOf(all.map((cells) => cells[at] ?? ''));
    return widest === 0 ? 0 : Math.max(widest, name.length);
  });
  const hasRoom = (columns: readonly number[], behind: number) =>
    columns.reduce((sum, at) => sum + (natural[at] ?? 0) + GAP.length, behind - GAP.length) <= width;
  let columns = [...named.keys()].filter((at) => natural[at] !== 0);
  const behind = rows.some(({ isAlready }) => isAlready) ? GAP.length + sign.length : 0;
  if (!hasRoom(columns, behind)) columns = columns.filter((at) => at !== REASON);
  const fewer = BELOW.map((below) => columns.filter((at) => !below.includes(at)));
  columns = fewer.find((some) => hasRoom(some, 0)) ?? fewer.at(-1) ?? [];
  const line = (cells: readonly string[]) =>
    columns
      .map((at) => padText(cells[at] ?? '', natural[at] ?? 0, RIGHT.has(at) ? 'right' : 'left'))
      .join(GAP)
      .trimEnd();
  const left = (...cells: readonly (readonly [column: number, cell: string])[]) =>
    cells.filter(([column]) => !columns.includes(column)).map(([, cell]) => cell);
  return [
    line(named),
    ...rows.flatMap(({ reference, balance, status, isAlready, reason, unread }, at) => {
      const shown = line(all[at] ?? []);
      const rest = [
        ...left([REFERENCE, reference]),
        ...(unread === '' ? left([STATUS, status], [BALANCE, balance]) : []),
        isAlready ? sign : '',
        unread,
        reason === '' || (unread === '' && columns.includes(REASON)) ? '' : `reason: ${reason}`,
      ].filter((part) => part !== '');
      const beside = [shown, ...rest].join(GAP);
      if (displayWidth(beside) <= width) return [beside];
      const room = width - INDENT.length;
      const below = displayWidth(rest.join(GAP)) <= room ? [rest.join(GAP)] : rest;
      return [shown, ...below.flatMap((part) => wrapOutside(part, room)).map((part) => INDENT + part)];
    }),
  ];
}
