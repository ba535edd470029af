import type { CellRange } from './cell.ts';
import { damaged } from './packed.ts';

const MAX_COLUMNS = 16_384;
/** Columns of all array formulas: far more than spreadsheets compute in a minute. */
const MAX_FILLED = 20_000_000;

/** The cells of a sheet that array formulas fill: a spreadsheet computes them, whether the file has their values or not. */
export class FilledCells {
  /** By column: the first and last line that are filled, and how many cells there have shown no value. */
  readonly #first = new Uint32Array(MAX_COLUMNS);
  readonly #last = new Uint32Array(MAX_COLUMNS);
  readonly #unseen = new Float64Array(MAX_COLUMNS);

  #filled = 0;

  /** Adds the range of a formula, which is in its first cell. */
  add({ left, right, top, bottom }: CellRange): void {
    this.#filled += right - left + 1;
    if (this.#filled > MAX_FILLED) throw damaged('it has too many array formulas');
    for (let column = left; column <= right && column < MAX_COLUMNS; column += 1) {
      const line = column === left ? top + 1 : top;
      this.#first[column] ||= line;
      this.#last[column] = Math.max(this.#last[column] ?? 0, bottom);
      this.#unseen[column] = (this.#unseen[column] ?? 0) + bottom - line + 1;
    }
  }

  /** Is it one of them? Asked once of each cell without a formula. */
  has(column: number, line: number, value: string): boolean {
    if (line > (this.#last[column] ?? 0)) return false;
    if (value !== '') this.#unseen[column] = (this.#unseen[column] ?? 0) - 1;
    return true;
  }

  /** The columns with cells that have no value, each with the first and the last line that are filled. */
  get unseen(): readonly (readonly [column: number, first: number, last: number])[] {
    return [...this.#unseen].flatMap((count, column) =>
      count > 0 ? [[column, this.#first[column] ?? 0, this.#last[column] ?? 0] as const] : [],
    );
  }
}
