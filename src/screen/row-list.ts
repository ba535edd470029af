import { displayWidth, padText } from './cut-text.ts';
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
const [REFERENCE, REASON] = [2, 5];
const RIGHT = new Set([0, 3]);

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
    const widest = Math.max(...all.map((cells) => displayWidth(cells[at] ?? '')));
    return widest === 0 ? 0 : Math.max(widest, name.length);
  });
  const hasRoom = (columns: readonly number[], behind: number) =>
    columns.reduce((sum, at) => sum + (natural[at] ?? 0) + GAP.length, behind - GAP.length) <= width;
  let columns = [...named.keys()].filter((at) => natural[at] !== 0);
  const behind = rows.some(({ isAlready }) => isAlready) ? GAP.length + sign.length : 0;
  if (!hasRoom(columns, behind)) columns = columns.filter((at) => at !== REASON);
  if (!hasRoom(columns, 0)) columns = columns.filter((at) => at !== REFERENCE);
  const line = (cells: readonly string[]) =>
    columns
      .map((at) => padText(cells[at] ?? '', natural[at] ?? 0, RIGHT.has(at) ? 'right' : 'left'))
      .join(GAP)
      .trimEnd();
  return [
    line(named),
    ...rows.flatMap(({ reference, isAlready, reason, unread }, at) => {
      const shown = line(all[at] ?? []);
      const rest = [
        columns.includes(REFERENCE) ? '' : reference,
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
