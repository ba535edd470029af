import { parseReference } from './cell.ts';
import { isTrue, type XmlElement } from './xml.ts';

/** What is read of a sheet, in the order that the format has. */
const IN_ORDER = [
  'sheetViews/sheetView',
  'sheetFormatPr',
  'cols/col',
  'sheetData/*',
  'mergeCells/mergeCell',
  'conditionalFormatting',
  'extLst/ext',
];
const PLACES = new Map(IN_ORDER.map((path, place) => [path.split('/').at(-1), place]));
const AMONG_ROWS = IN_ORDER.indexOf('sheetData/*');
export const SHEET_ELEMENTS = IN_ORDER.map((path) => `worksheet/${path}`);

/** Programs read elements in another order, each in its own way. */
export class ElementOrder {
  #place = 0;

  /** Does the next element come behind those before it? */
  isKeptBy(name: string): boolean {
    const place = PLACES.get(name) ?? AMONG_ROWS;
    const isKept = place >= this.#place;
    this.#place = place;
    return isKept;
  }
}

/** Points and characters below which a row or a column shows nothing that a person could read. */
const MIN_HEIGHT = 1;
const MIN_WIDTH = 1;

/** What is no number may show nothing. */
function isBelow(size: string | undefined, least: number): boolean {
  return size !== undefined && !(Number(size) >= least);
}

export const COLLAPSED = {
  kind: 'not shown',
  problem: 'is in a group that is collapsed, and is not hidden itself, so only some programs show it. Expand the group',
} as const;

/** Rows, or columns, in groups that may be collapsed. */
class Groups {
  #isShown = false;
  #level = 0;

  /** Is this the end of a collapsed group whose last row or column is not hidden? Some programs hide that too. */
  isOddEnd({ outlineLevel = '0', collapsed }: XmlElement['attributes'], isHidden: boolean): boolean {
    const level = Number(outlineLevel);
    const isOdd = isTrue(collapsed) && this.#isShown && this.#level > level;
    [this.#isShown, this.#level] = [!isHidden, level];
    return isOdd;
  }
}

const [SHOWN, HIDDEN] = [1, 2];

/** What of a sheet a person sees. */
export class Visibility {
  /** For each column, what the sheet says: nothing (0), shown or hidden. And what counts where it says nothing. */
  readonly #columns = new Uint8Array(16_384);
  #areColumnsHidden = false;
  #areRowsHidden = false;
  readonly #columnGroups = new Groups();
  readonly #rowGroups = new Groups();

  /** Are zeros shown as nothing? */
  hidesZeros = false;

  /** Rows and columns before these are above or left of a frozen pane: nobody can scroll to them. */
  readonly #first = { row: 1, column: 0 };

  readView({ attributes: { showZeros, topLeftCell = '' }, children }: XmlElement): void {
    this.hidesZeros ||= showZeros !== undefined && !isTrue(showZeros);
    const { row = 1, column = 0 } = parseReference(topLeftCell) ?? {};
    for (const { name, attributes } of children) {
      if (name !== 'pane' || !attributes['state']?.startsWith('frozen')) continue;
      if (Number(attributes['ySplit'] ?? 0) > 0) this.#first.row = Math.max(this.#first.row, row);
      if (Number(attributes['xSplit'] ?? 0) > 0) this.#first.column = Math.max(this.#first.column, column);
    }
  }

  setDefaults({ zeroHeight, defaultRowHeight, defaultColWidth }: XmlElement['attributes']): void {
    this.#areRowsHidden = isTrue(zeroHeight) || isBelow(defaultRowHeight, MIN_HEIGHT);
    this.#areColumnsHidden = isBelow(defaultColWidth, MIN_WIDTH);
  }

  /** `isOddEnd`: the row before is in a group that is collapsed, and not hidden. */
  readRow(
    attributes: XmlElement['attributes'],
    line: number,
  ): { readonly isHidden: boolean; readonly isOddEnd: boolean } {
    const { ht, hidden } = attributes;
    const saysNothing = ht === undefined && hidden === undefined;
    const isHidden =
      line < this.#first.row || isTrue(hidden) || isBelow(ht, MIN_HEIGHT) || (saysNothing && this.#areRowsHidden);
    return { isHidden, isOddEnd: this.#rowGroups.isOddEnd(attributes, isHidden) };
  }

  /** The columns from `first` until before `last`, from 0. */
  readColumns(attributes: XmlElement['attributes'], first: number, last: number): { readonly isOddEnd: boolean } {
    const { width, hidden } = attributes;
    const isHidden = isTrue(hidden) || isBelow(width, MIN_WIDTH);
    this.#columns.fill(isHidden ? HIDDEN : SHOWN, first, last);
    return { isOddEnd: this.#columnGroups.isOddEnd(attributes, isHidden) };
  }

  isHidden(column: number): boolean {
    return (
      column < this.#first.column || (this.#columns[column] || (this.#areColumnsHidden ? HIDDEN : SHOWN)) === HIDDEN
    );
  }
}
