import type { CellRange, CellText } from './cell.ts';
import { damaged, WorkbookFault } from './packed.ts';
import { allElements, readElements, readRelations, type Sheet } from './parts.ts';
import { insideOf, isTrue, type XmlElement } from './xml.ts';
import type { Archive } from './zip.ts';

/** Places are in units of which a point and a pixel have so many. */
const [POINT, PIXEL] = [12_700, 9_525];
/** So much of a cell may be under a drawing beside it. */
const SLIVER = 5 * POINT;
const [MAX_LINES, MAX_COLUMNS] = [1_048_576, 16_384];
/** Rows and columns that are measured for all drawings of a sheet: a drawing behind them reaches to its end. */
const MAX_MEASURED = 5_000_000;
/** Drawings that cover one row. */
const MAX_BESIDE = 1000;

interface Place {
  /** Row or column, from 0. */
  readonly at: number;
  readonly offset: number;
}

/** The sizes of a sheet's rows, or of its columns. */
class Sizes {
  #usual: number;
  readonly #sizes = new Map<number, number>();
  #measured = 0;

  constructor(usual: number) {
    this.#usual = usual;
  }

  setUsual(size: number | undefined): void {
    this.#usual = size ?? this.#usual;
  }

  set(first: number, last: number, size = this.#usual): void {
    for (let at = first; at <= last; at += 1) this.#sizes.set(at, size);
  }

  #sizeOf(at: number): number {
    this.#measured += 1;
    return this.#sizes.get(at) ?? this.#usual;
  }

  /** Where a length ends that begins at a place. */
  endOf({ at, offset }: Place, length: number): Place {
    if (this.#measured > MAX_MEASURED) return { at: MAX_LINES, offset: 0 };
    let [end, left] = [at, offset + length];
    for (let size = this.#sizeOf(end); left > size && end < MAX_LINES; size = this.#sizeOf(end)) {
      left -= size;
      end += 1;
    }
    return { at: end, offset: left };
  }

  /** The first and the last of which more than a sliver is between two places. */
  between(from: Place, to: Place): readonly [first: number, last: number] {
    const first = this.#sizeOf(from.at) - from.offset > SLIVER ? from.at : from.at + 1;
    const begin = to.at === from.at ? from.offset : 0;
    return [first, to.offset - begin > SLIVER ? to.at : to.at - 1];
  }
}

const childOf = (element: XmlElement | undefined, name: string) =>
  element?.children.find((child) => child.name === name);

/** Lines, and shapes without filling and text, such as a ring around a cell, cover nothing. */
function covers(element: XmlElement): boolean {
  const isEmpty =
    element.name === 'sp' &&
    childOf(element, 'spPr')?.children.some(
      ({ name, attributes: { prst } }) => name.endsWith(':noFill') || prst === 'line',
    ) === true &&
    !insideOf(element).some(({ name, text }) => name === 't' && text.trim() !== '');
  return ['sp', 'pic', 'grpSp', 'graphicFrame'].includes(element.name) && !isEmpty;
}

function numberOf(text: string | undefined, unit: number, more = 0): number | undefined {
  return text === undefined ? undefined : (Number(text) + more) * unit;
}

/** What a sheet says of the sizes of its rows and columns, of which a hidden one has none. */
class Axes {
  readonly row = new Sizes(15 * POINT);
  readonly col = new Sizes(64 * PIXEL);
  #line = 0;
  #lastColumn = 0;

  take({ name, attributes }: XmlElement): void {
    const { ht, r, min, max = min, width, defaultRowHeight, defaultColWidth, hidden } = attributes;
    const columnSize = (given?: string) => numberOf(given, 7 * PIXEL, 5 / 7);
    if (name === 'sheetFormatPr') {
      this.row.setUsual(numberOf(defaultRowHeight, POINT));
      this.col.setUsual(columnSize(defaultColWidth));
    } else if (name === 'row') {
      this.#line = r === undefined ? this.#line + 1 : Number(r);
      this.row.set(this.#line - 1, this.#line - 1, isTrue(hidden) ? 0 : numberOf(ht, POINT));
    } else if (Number(min) > this.#lastColumn) {
      this.#lastColumn = Math.min(Number(max), MAX_COLUMNS);
      this.col.set(Number(min) - 1, this.#lastColumn - 1, isTrue(hidden) ? 0 : columnSize(width));
    }
  }
}

/** The rows or columns that a drawing covers: between two places, or from a place or a length on for a length. */
function spanOf(anchor: XmlElement, axes: Axes, axis: 'row' | 'col'): readonly [first: number, last: number] {
  const [start, length] = axis === 'row' ? (['y', 'cy'] as const) : (['x', 'cx'] as const);
  const placeIn = (name: string): Place | undefined => {
    const place = childOf(anchor, name);
    const [at, offset] = [axis, `${axis}Off`].map((part) => Number(childOf(place, part)?.text ?? 0) || 0);
    return place && { at: at ?? 0, offset: offset ?? 0 };
  };
  const sizes = axes[axis];
  const before = Number(childOf(anchor, 'pos')?.attributes[start] ?? 0);
  const from = placeIn('from') ?? sizes.endOf({ at: 0, offset: 0 }, before);
  return sizes.between(from, placeIn('to') ?? sizes.endOf(from, Number(childOf(anchor, 'ext')?.attributes[length])));
}

const SIZED = ['sheetFormatPr', 'cols/col', 'sheetData/row'].map((path) => `worksheet/${path}`);
const ANCHORS = ['twoCell', 'oneCell', 'absolute'].map((kind) => `wsDr/${kind}Anchor`);
const PROBLEM = {
  kind: 'covered',
  problem: 'is under a picture, a shape or a chart. Move that beside the list, or delete it',
} as const;

/** The cells of a sheet that pictures, shapes and charts cover: a person sees those instead. */
export class CoveredCells {
  /** The last ones begin in the first rows. */
  readonly #ranges: CellRange[];
  #ofRow: CellRange[] = [];

  private constructor(ranges: readonly CellRange[]) {
    this.#ranges = ranges.toSorted((one, other) => other.top - one.top);
  }

  static async read(archive: Archive, { part }: Sheet): Promise<CoveredCells> {
    const anchors: XmlElement[] = [];
    for (const { kind, part: drawing } of await readRelations(archive, part)) {
      if (kind !== 'drawing' || !archive.has(drawing)) continue;
      try {
        anchors.push(...(await allElements(archive, drawing, ...ANCHORS)));
      } catch (error) {
        // Of a drawing that cannot be read, programs show nothing.
        if (!(error instanceof WorkbookFault)) throw error;
      }
    }
    const covering = anchors.filter(({ children }) => children.some(covers));
    if (covering.length === 0) return new CoveredCells([]);
    const axes = new Axes();
    for await (const elements of readElements(archive, part, ...SIZED))
      for (const element of elements) axes.take(element);
    const ranges = covering.map((anchor) => {
      const [[top, bottom], [left, right]] = [spanOf(anchor, axes, 'row'), spanOf(anchor, axes, 'col')];
      return { top: top + 1, bottom: bottom + 1, left, right };
    });
    return new CoveredCells(ranges);
  }

  beginRow(line: number): void {
    while ((this.#ranges.at(-1)?.top ?? MAX_LINES) <= line) this.#ofRow.push(...this.#ranges.splice(-1));
    this.#ofRow = this.#ofRow.filter(({ bottom }) => line <= bottom);
    if (this.#ofRow.length > MAX_BESIDE) throw damaged('too many drawings cover one row');
  }

  /** A cell of the row, with what is wrong with it if it is covered. */
  marked(cell: CellText, column: number): CellText {
    if (cell.text === '' || !this.#ofRow.some(({ left, right }) => column >= left && column <= right)) return cell;
    return { problem: PROBLEM, ...cell };
  }
}
