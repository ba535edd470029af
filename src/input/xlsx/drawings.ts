import { columnLetters } from '../../screen/column.ts';
import { quoteValue } from '../values.ts';
import type { CellRange, CellText } from './cell.ts';
import { type Reach, reachOf } from './drawing-reach.ts';
import { damaged, WorkbookFault } from './packed.ts';
import { allElements, readElements, readRelations, type Sheet } from './parts.ts';
import { insideOf, isTrue, type XmlElement } from './xml.ts';
import type { Archive } from './zip.ts';

/** Places are in units of which a point and a pixel have so many. */
const [POINT, PIXEL] = [12_700, 9_525];
/** So much of a cell, of a third of it, may be under a drawing that lies beside it. */
const SLIVER = 5 * POINT;
const [MAX_LINES, MAX_COLUMNS] = [1_048_576, 16_384];
/** Rows and columns that are measured for all drawings of a sheet: a drawing behind them reaches to its end. */
const MAX_MEASURED = 5_000_000;
/** What characters take at least and at most: a text that may fit in its column does so, as columns are fitted to texts. */
const [NARROW, WIDE] = [5 * PIXEL, 10 * PIXEL];
/** Drawings that cover one row. */
const MAX_BESIDE = 1000;

interface Place {
  /** Row or column, from 0. */
  readonly at: number;
  readonly offset: number;
}

const START: Place = { at: 0, offset: 0 };

type Span = readonly [first: number, last: number];

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

  lengthOf(from: Place, to: Place): number {
    let length = to.offset - from.offset;
    for (let { at } = from; at < to.at && this.#measured <= MAX_MEASURED; at += 1) length += this.#sizeOf(at);
    return length;
  }

  /** Where a length begins that ends at a place. */
  startOf({ at, offset }: Place, length: number): Place {
    let [start, left] = [at, offset - length];
    while (left < 0 && start > 0 && this.#measured <= MAX_MEASURED) {
      start -= 1;
      left += this.#sizeOf(start);
    }
    return left < 0 ? START : { at: start, offset: left };
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

  /** The first and the last of which more than a sliver is between two places, or all that there is. */
  between(from: Place, to: Place): Span {
    if (from.at === to.at) return [from.at, to.offset > from.offset ? to.at : to.at - 1];
    const isMore = (at: number, length: number) => length > Math.min(SLIVER, this.#sizeOf(at) / 3);
    return [
      isMore(from.at, this.#sizeOf(from.at) - from.offset) ? from.at : from.at + 1,
      isMore(to.at, to.offset) ? to.at : to.at - 1,
    ];
  }
}

/** Of two, programs take either. */
function childOf(element: XmlElement, name: string): XmlElement | undefined {
  const [first, ...others] = element.children.filter((child) => child.name === name || child.name.endsWith(`:${name}`));
  if (others.length > 0) throw damaged(`a drawing has two of ${name}`);
  return first;
}

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

type Axis = 'row' | 'col';
type Spans = (axes: Axes, axis: Axis) => Span;

interface Drawn {
  readonly spans: Spans;
  /** What is shown of it cannot be told. */
  readonly isBoundless?: boolean;
}

const NO_REACH: Reach = { length: 0, share: 0 };

/** As lenient as programs are, which take the digits that a text begins with. */
const wholeOf = (text = '') => Number.parseInt(text, 10) || 0;

/** The rows or columns that a drawing covers: between two places, or from a place or a length on for a length. */
function spansOf(anchor: XmlElement, reach: Reach): Spans {
  const [from, to, pos, ext] = ['from', 'to', 'pos', 'ext'].map((name) => childOf(anchor, name));
  if ((from ?? pos) === undefined || (to ?? ext) === undefined) throw damaged('a drawing has no place');
  const placesOn = (axes: Axes, axis: Axis): readonly [Place, Place] => {
    const [start, length] = axis === 'row' ? (['y', 'cy'] as const) : (['x', 'cx'] as const);
    const sizes = axes[axis];
    const placeIn = (place: XmlElement): Place => ({
      at: wholeOf(childOf(place, axis)?.text),
      offset: wholeOf(childOf(place, `${axis}Off`)?.text),
    });
    const begin = from ? placeIn(from) : sizes.endOf(START, wholeOf(pos?.attributes[start]));
    // Of an offset behind its row or column some programs show nothing, and others all of it.
    return [begin, to ? sizes.endOf(placeIn(to), 0) : sizes.endOf(begin, wholeOf(ext?.attributes[length]))];
  };
  return (axes, axis) => {
    const [sizes, [begin, end]] = [axes[axis], placesOn(axes, axis)];
    if (reach.length + reach.share === 0) return sizes.between(begin, end);
    const sides = (['row', 'col'] as const).map((each) => axes[each].lengthOf(...placesOn(axes, each)));
    const more = reach.length + reach.share * Math.max(...sides);
    return sizes.between(sizes.startOf(begin, more), sizes.endOf(end, more));
  };
}

/** How far each effect of the theme reaches, which the style of a shape names by its number, from 1. */
async function themeEffects(archive: Archive): Promise<readonly Reach[]> {
  const main = (await readRelations(archive, '')).find(({ kind }) => kind === 'officeDocument')?.part ?? '';
  const themes = (await readRelations(archive, main)).filter(({ kind, part }) => kind === 'theme' && archive.has(part));
  const path = 'theme/themeElements/fmtScheme/effectStyleLst/*';
  const styles = await Promise.all(themes.map(({ part }) => allElements(archive, part, path)));
  return styles.flat().map((style) => reachOf(style));
}

/** The number of the furthest effect of the theme that a drawing has. */
const effectOf = (anchor: XmlElement) =>
  Math.max(0, ...insideOf(anchor).map(({ name, attributes: { idx } }) => (name === 'effectRef' ? wholeOf(idx) : 0)));

/** What a drawing part shows. Programs choose between alternatives in their own ways, so each of them counts. */
async function drawnIn(archive: Archive, part: string): Promise<readonly Drawn[]> {
  const children = await allElements(archive, part, 'wsDr/*');
  const anchors = insideOf({ children }).filter(({ name }) => /^(?:twoCell|oneCell|absolute)Anchor$/.test(name));
  const effects = anchors.some((anchor) => effectOf(anchor) > 0) ? await themeEffects(archive) : [];
  return anchors.flatMap((anchor) => {
    const { length, share } = reachOf(anchor);
    const reach = {
      length: length + Math.max(0, ...effects.slice(0, effectOf(anchor)).map((each) => each.length)),
      share,
    };
    const isBoundless = !Number.isFinite(reach.length + reach.share);
    // A line as thick as a row covers it.
    if (!isBoundless && reach.length <= SLIVER && !insideOf(anchor).some(covers)) return [];
    return [{ spans: spansOf(anchor, isBoundless ? NO_REACH : reach), isBoundless }];
  });
}

/** A tag of any prefix. */
const TAG = '<(?:[^\\s<>/:]+:)?';
const [CONTROL, VISIBLE, ANCHOR] = [`${TAG}ClientData\\b`, `${TAG}Visible\\b`, `${TAG}Anchor\\b[^>]*>([^<]*)`].map(
  (pattern) => new RegExp(pattern),
) as [RegExp, RegExp, RegExp];

/** The bytes of a part as a text. The zeros are half of UTF-16. */
async function textOf(archive: Archive, part: string): Promise<string> {
  let text = '';
  for await (const bytes of archive.read(part)) text += bytes.toString('latin1').replaceAll('\0', '');
  return text;
}

/** What shows a part, whatever the type of its relation is: programs follow the sheet's own reference to it. */
async function readerOf(archive: Archive, part: string, kind: string) {
  const reader = { drawing: drawnIn, vmlDrawing: controlsIn }[kind];
  if (reader !== undefined) return reader;
  const text = await textOf(archive, part);
  if (/\bwsDr\b/.test(text)) return drawnIn;
  return CONTROL.test(text) ? controlsIn : undefined;
}

/** The buttons and other controls, and the comments that are always shown. They are in a format that is often no XML. */
async function controlsIn(archive: Archive, part: string): Promise<readonly Drawn[]> {
  const [, ...controls] = (await textOf(archive, part)).split(CONTROL);
  const shown = controls.filter((each) => !/^[^>]*\sObjectType\s*=\s*["']Note["']/.test(each) || VISIBLE.test(each));
  return shown.map((each) => {
    const numbers = (ANCHOR.exec(each)?.[1] ?? '').split(',').map(wholeOf);
    const spans: Spans = (axes, axis) => {
      const [at = 0, offset = 0, , , end = 0, endOffset = 0] = numbers.slice(axis === 'col' ? 0 : 2);
      return axes[axis].between({ at, offset: offset * PIXEL }, { at: end, offset: endOffset * PIXEL });
    };
    return { spans };
  });
}

const SIZED = ['sheetFormatPr', 'cols/col', 'sheetData/row'].map((path) => `worksheet/${path}`);
const PROBLEM = {
  kind: 'covered',
  problem: 'is under a picture, a shape, a chart, a button or a comment. Move that beside the list, or delete it',
} as const;

/** The cells of a sheet that pictures, shapes and charts cover: a person sees those instead. */
export class CoveredCells {
  /** The last ones begin in the first rows. */
  readonly #ranges: CellRange[];
  #ofRow: CellRange[] = [];

  readonly #columns: Sizes | undefined;

  private constructor(ranges: readonly CellRange[], columns: Sizes | undefined) {
    this.#columns = columns;
    this.#ranges = ranges.toSorted((one, other) => other.top - one.top);
  }

  static async read(archive: Archive, { name, part }: Sheet): Promise<CoveredCells> {
    const drawn: Drawn[] = [];
    for (const { kind, part: drawing } of await readRelations(archive, part)) {
      if (!archive.has(drawing)) continue;
      try {
        drawn.push(...((await (await readerOf(archive, drawing, kind))?.(archive, drawing)) ?? []));
      } catch (error) {
        throw error instanceof WorkbookFault ? damaged(`${part}: its drawings cannot be read`, error) : error;
      }
    }
    if (drawn.length === 0) return new CoveredCells([], undefined);
    const axes = new Axes();
    for await (const elements of readElements(archive, part, ...SIZED))
      for (const element of elements) axes.take(element);
    const ranges = drawn.map(({ spans, isBoundless }) => {
      const [[top, bottom], [left, right]] = [spans(axes, 'row'), spans(axes, 'col')];
      if (isBoundless) {
        throw new WorkbookFault(
          `has a drawing at ${columnLetters(left)}${top + 1} of the sheet ${quoteValue(name)} whose effects or path may cover any cell: delete it, or copy the list into a sheet of its own`,
        );
      }
      return { top: top + 1, bottom: bottom + 1, left, right };
    });
    return new CoveredCells(ranges, axes.col);
  }

  /** Says of the cells of a row, in the order of their columns, which ones are covered. */
  mark(line: number, cells: Map<number, CellText>): void {
    while ((this.#ranges.at(-1)?.top ?? MAX_LINES) <= line) this.#ofRow.push(...this.#ranges.splice(-1));
    this.#ofRow = this.#ofRow.filter(({ bottom }) => line <= bottom);
    if (this.#ofRow.length > MAX_BESIDE) throw damaged('too many drawings cover one row');
    if (this.#ofRow.length === 0) return;
    let next = MAX_COLUMNS;
    for (const [column, cell] of [...cells].reverse()) {
      if (cell.text === '') continue;
      const last = Math.min(this.#endOf(cell.text, column), next - 1);
      next = column;
      if (this.#ofRow.some(({ left, right }) => last >= left && column <= right)) {
        cells.set(column, { problem: PROBLEM, ...cell });
      }
    }
  }

  /** The column in which a text ends that no other cell cuts off. */
  #endOf({ length }: string, column: number): number {
    const start = { at: column, offset: 0 };
    const isInside = this.#columns?.endOf(start, length * NARROW).at === column;
    return isInside ? column : (this.#columns?.endOf(start, length * WIDE).at ?? column);
  }
}
