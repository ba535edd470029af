import type { Column } from './column.ts';
import { displayWidth } from './cut-text.ts';

/** The room for a table. */
export interface Frame {
  readonly mayLeaveOut: boolean;
  readonly width: number;
}

export const GAP = '  ';

function roomOf({ width }: Frame, count: number): number {
  return width - GAP.length * (count - 1);
}

export type FittedColumns = ReturnType<typeof fitColumns>;

/** Narrower columns say nothing: a table of too many columns then exceeds the terminal. */
const MIN_WIDTH = 4;
/** A cell of this width still distinguishes rows: the month of a date, the beginning of a name. */
const TEXT_FLOOR = 8;
/** A message that would be cut to less is read better below its row. */
const MESSAGE_FLOOR = 72;
/** A card ID. */
const ID_WIDTH = 36;
/** The longest name of a run or a profile. Longer IDs and references stand below their row, or are cut. */
const ID_FLOOR = 64;
/** `2031-03-31`. */
const DAY_WIDTH = 10;
/** `confirmed_by_read`, `WAITING_ACTIVATION`, and any amount: half of one would mislead. */
const WHOLE_FLOOR = 20;

interface Candidate {
  readonly column: Column;
  readonly index: number;
  readonly natural: number;
  readonly floor: number;
}

function floorOf(column: Column, natural: number): number {
  // Whole beside its row, or whole below it.
  if (column.below === 'labelled') return natural;
  if (column.keep === true) return column.below === undefined ? Math.min(natural, ID_FLOOR) : natural;
  if (column.below === 'plain') return Math.min(natural, MESSAGE_FLOOR);
  const isWhole = column.align === 'right' || column.tone === 'status' || column.tone === 'outcome';
  return Math.min(natural, isWhole ? WHOLE_FLOOR : TEXT_FLOOR);
}

/** Does the column name something, or say how it ended? It is never left out. */
function identifies({ keep, tone }: Column): boolean {
  return keep === true || tone !== undefined;
}

function floors(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { floor }) => sum + floor, 0);
}

/** The column to remove next, from the right: a spare one, one that can go below, another, and last IDs and statuses. */
function nextToGo(candidates: readonly Candidate[]): Candidate | undefined {
  const fromRight = candidates.slice(1).reverse();
  return (
    fromRight.find(({ column }) => column.spare === true) ??
    fromRight.find(({ column }) => column.below !== undefined) ??
    fromRight.find(({ column }) => !identifies(column)) ??
    fromRight[0]
  );
}

/** The greatest width for all, none below its floor, whose sum still fits. */
function share(candidates: readonly Candidate[], room: number): number[] {
  // One that is alone may exceed the terminal: half an ID names nothing.
  const fits = floors(candidates) <= room || candidates.length === 1;
  const widthsAt = (limit: number) =>
    candidates.map(({ natural, floor }) => Math.min(natural, Math.max(limit, fits ? floor : 0)));
  let limit = Math.max(0, ...candidates.map(({ natural }) => natural));
  while (limit > MIN_WIDTH && widthsAt(limit).reduce((sum, width) => sum + width, 0) > room) limit -= 1;
  return widthsAt(limit);
}

/** Fits columns into a frame. IDs, statuses and amounts stay whole. `natural`: the width of the longest cells. */
export function fitColumns(
  columns: readonly Column[],
  natural: readonly number[],
  frame: Frame,
  isEmpty: (index: number) => boolean = () => false,
) {
  let shown: readonly Candidate[] = columns.map((column, index) => {
    const width = natural[index] ?? 0;
    return { column, index, natural: width, floor: floorOf(column, width) };
  });
  const leftOut: Candidate[] = [];
  const below: Candidate[] = [];
  const isTooWide = () => shown.reduce((sum, { natural: width }) => sum + width, 0) > roomOf(frame, shown.length);
  // An empty column is removed before any cell is cut for it.
  while (frame.mayLeaveOut && isTooWide()) {
    const empty = shown.findLast(({ index }) => index > 0 && isEmpty(index));
    if (empty === undefined) break;
    shown = shown.filter((candidate) => candidate !== empty);
  }
  for (const time of shown.filter(({ column }) => column.isTime === true).reverse()) {
    if (!isTooWide()) break;
    const day = { ...time, natural: Math.min(time.natural, DAY_WIDTH), floor: Math.min(time.natural, DAY_WIDTH) };
    shown = shown.map((candidate) => (candidate === time ? day : candidate));
  }
  while (frame.mayLeaveOut && floors(shown) > roomOf(frame, shown.length)) {
    const gone = nextToGo(shown);
    if (gone === undefined) break;
    shown = shown.filter((candidate) => candidate !== gone);
    const { column } = gone;
    const goesBelow = (column.below !== undefined || identifies(column)) && column.spare !== true;
    (goesBelow ? below : leftOut).push(gone);
  }
  // Removing a wide column may make room for a narrow one.
  const stillOut = leftOut.toReversed().filter((candidate) => {
    const more = [...shown, candidate].toSorted((a, b) => a.index - b.index);
    if (floors(more) > roomOf(frame, more.length)) return true;
    shown = more;
    return false;
  });
  return {
    columns: shown.map(({ column }) => column),
    widths: share(shown, roomOf(frame, shown.length)),
    /** Columns whose cells are shown below their row. */
    below: inOrder(below),
    /** Non-empty columns that had no room. */
    leftOut: inOrder(stillOut),
  };
}

function inOrder(candidates: readonly Candidate[]): readonly Column[] {
  return candidates.toSorted((a, b) => a.index - b.index).map(({ column }) => column);
}

/** Widths of columns whose cells are not known yet. */
export function streamedWidths(columns: readonly Column[]): number[] {
  return columns.map((column) => {
    if (column.width !== undefined) return column.width;
    if (column.below === 'plain') return MESSAGE_FLOOR;
    const usual = column.keep === true ? ID_WIDTH : column.align === 'right' ? 6 : column.tone === undefined ? 16 : 10;
    return Math.max(displayWidth(column.header), usual);
  });
}

/** The columns, the last one as wide as the room that is left. */
export function widenLast(fitted: FittedColumns, frame: Frame): FittedColumns {
  const rest = roomOf(frame, fitted.widths.length) - fitted.widths.reduce((sum, width) => sum + width, 0);
  const last = fitted.widths.length - 1;
  const widths = fitted.widths.map((width, index) => (index === last ? width + Math.max(0, rest) : width));
  return { ...fitted, widths };
}
